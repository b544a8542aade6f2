/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.json, a scheduler's names for a run, and notes.md, what people wrote about it.
 *
 *     {"schema": "profrender/run/1", "name": "...", "flow": "...", "run": "...", "step": "...", "task": "...",
 *      "attempt": "...", "host": "...", "commit": "...", "recorder": "...", "start_ms": ..., "end_ms": ...}
 *
 * All but the schema may be absent.
 *
 * Notes are Markdown, as any text is: nothing proves it, so the name of the file decides (see load.c).
 *
 * Source: the schema is our own, schemas/run.schema.json.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/reader.h"

enum { MAX_NOTES_BYTES = 256 * 1024 };

/* A name, or the number that some schedulers have instead. */
static pr_str read_name(struct pr_json_stream *json, struct pr_profile_builder *c)
{
    const enum pr_json_token token = pr_json_next(json);
    if (token != PR_JSON_STRING && token != PR_JSON_NUMBER) {
        pr_json_skip(json);
        return 0;
    }
    return pr_build_string(c, json->text.bytes, json->text.length);
}

static void read_member(struct pr_json_stream *json, struct pr_profile_builder *c)
{
    struct pr_run *run = &c->profile->run;
    const struct {
        const char *name;
        pr_str *value;
    } names[] = {{"name", &run->name}, {"flow", &run->flow}, {"run", &run->run},
                 {"step", &run->step}, {"task", &run->task}, {"attempt", &run->attempt},
                 {"host", &run->host}, {"commit", &run->commit}, {"recorder", &run->recorder}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (pr_text_is(json->text, names[i].name)) {
            *names[i].value = read_name(json, c);
            return;
        }
    }
    if (pr_json_is(json, "start_ms"))
        c->profile->meta.start_ms = pr_json_value(json, 0);
    else if (pr_json_is(json, "end_ms"))
        c->profile->meta.end_ms = pr_json_value(json, 0);
    else
        pr_json_skip(json);
}

static enum pr_status read_run(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                               struct pr_error *err)
{
    struct pr_json_stream json;
    struct pr_profile_builder c;
    enum pr_status status = pr_build_init(&c, src, options, profile, err);
    pr_json_begin(&json, src, &options->limits, err);
    if (status == PR_OK && pr_json_next(&json) != PR_JSON_OBJECT)
        status = pr_json_unexpected(&json, "an object");
    while (status == PR_OK && pr_json_key(&json))
        read_member(&json, &c);
    if (status == PR_OK)
        status = pr_json_finish(&json);
    pr_json_end(&json);
    return pr_build_finish(&c, status);
}

static unsigned probe_run(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    return pr_json_evidence_string(&peek, "schema", "profrender/run/1");
}

static enum pr_status read_notes(struct pr_source *src, const struct pr_load_options *options,
                                 struct pr_profile *profile, struct pr_error *err)
{
    struct pr_profile_builder c;
    enum pr_status status = pr_build_init(&c, src, options, profile, err);
    const bool longer = pr_source_need(src, MAX_NOTES_BYTES + 1);
    const size_t have = (size_t)(src->end - src->at);
    if (status == PR_OK)
        profile->run.notes = pr_build_string(&c, src->at, longer ? MAX_NOTES_BYTES : have);
    if (status == PR_OK && longer)
        status = pr_cut(err, PR_ERR_LIMIT, MAX_NOTES_BYTES, NULL, "notes of more than 256 KiB are cut");
    else if (status == PR_OK && src->error.code != PR_ERR_NONE)
        status = pr_cut(err, src->error.code, src->error.offset, NULL, "%s", src->error.text);
    return pr_build_finish(&c, status);
}

static unsigned probe_notes(struct pr_source *src)
{
    (void)src;
    return 0;
}

const struct pr_reader pr_run_reader = {"run", "description of a run", probe_run, read_run};
const struct pr_reader pr_notes_reader = {"notes", "notes in Markdown", probe_notes, read_notes};
