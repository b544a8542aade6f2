/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DHAT, Valgrind's heap profiler (`valgrind --tool=dhat`, and crates that write the same): JSON, version 2.
 *
 *     pps: what happened to the blocks of one stack: tb, tbk bytes and blocks in all; gb, gbk of them at the global
 *          maximum (t-gmax); eb, ebk at the end; tl the sum of their lifetimes in `tu`; rb, wb bytes read and written;
 *          fs the stack, numbers of frames, innermost first; mb, mbk the maximum of this stack alone; acc reads and
 *          writes of each byte, where all blocks have one size
 *     ftbl: the frames, "0x1091AA: spell (tree.c:28)"; the first is "[root]"
 *     bklt: tl, mb, gb, eb are there; bkacc: rb and wb are there; bu: what is counted instead of bytes, "unit"
 *
 * - Modes other than "heap" have tb and tbk alone: "copy" counts what memcpy and the like moved, "ad-hoc" what the
 *   program said. The crate calls its modes "rust-heap" and "rust-ad-hoc".
 * - tu is "instrs", or "µs" of the crate.
 * - Where fewer bytes were read than allocated, at least the difference was never read: the metric "unread".
 *
 * Source: Valgrind 3.19 dhat/dh_main.c ("Output file format"), docs/html/dh-manual.html; dhat-rs 0.3.3 src/lib.rs.
 */
#include "capture/builder/reader.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/readers/valgrind_frame.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2, MOST_FRAMES = 1 << 16, NS_PER_US = 1000 };

/* The figures of a program point, in the order of `keys`. */
enum { TOTAL, BLOCKS, LIFETIME, PEAK, PEAK_BLOCKS, END, END_BLOCKS, READ, WRITTEN, FIGURES };

static const char *const keys[FIGURES] = {"tb", "tbk", "tl", "gb", "gbk", "eb", "ebk", "rb", "wb"};

struct dhat {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    bool has_lifetimes, has_accesses, is_counted; /* in units that are not bytes */
    bool is_of_copies, is_of_events; /* mode copy, mode ad-hoc: nothing was allocated */
    bool in_microseconds;            /* lifetimes; else in instructions */
    uint32_t thread;
    int64_t version;
    uint64_t *frames; /* of the stack at hand, innermost first */
    size_t frame_count, frame_capacity;
};

static void read_stack(struct dhat *r)
{
    uint64_t number;
    r->frame_count = 0;
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_json_item(&r->json)) {
        if (!pr_json_index(&r->json, &number)) {
            pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
            pr_json_skip(&r->json);
        } else if (r->frame_count == MOST_FRAMES) {
            pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        } else if (!pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames)) {
            pr_build_no_memory(&r->c);
        } else {
            r->frames[r->frame_count++] = number;
        }
    }
}

static void add(struct dhat *r, uint32_t fact, const char *name, const char *title, int64_t value, int64_t count)
{
    const enum pr_unit unit = r->is_counted ? PR_UNIT_COUNT : PR_UNIT_BYTES;
    pr_build_add(&r->c, fact, pr_build_metric(&r->c, name, title, unit, "blocks"), value, count);
}

/* What a point did in all, which its mode says. */
static void add_total(struct dhat *r, uint32_t fact, const int64_t *figure)
{
    if (r->is_of_copies)
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, "copied", "Copied", PR_UNIT_BYTES, "copies"), figure[TOTAL],
                     figure[BLOCKS]);
    else if (r->is_of_events)
        pr_build_add(&r->c, fact, pr_build_metric(&r->c, "units", "Units", PR_UNIT_COUNT, "events"), figure[TOTAL],
                     figure[BLOCKS]);
    else
        add(r, fact, "allocated", "Allocated", figure[TOTAL], figure[BLOCKS]);
}

static void add_lifetime(struct dhat *r, uint32_t fact, const int64_t *figure)
{
    const enum pr_unit unit = r->in_microseconds ? PR_UNIT_NANOSECONDS : PR_UNIT_COUNT;
    int64_t value = figure[LIFETIME]; /* 0 or more */
    if (r->in_microseconds && __builtin_mul_overflow(value, NS_PER_US, &value)) {
        value = INT64_MAX;
        pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, 1);
    }
    pr_build_add(&r->c, fact, pr_build_metric(&r->c, "lifetime", "Lifetime", unit, "blocks"), value, figure[BLOCKS]);
}

static void add_point(struct dhat *r, const int64_t *figure)
{
    pr_node_id leaf = PR_ROOT;
    for (size_t i = r->frame_count; i-- > 0;)
        leaf = pr_build_child(&r->c, leaf, pr_build_forward(&r->c, r->frames[i]));
    const uint32_t fact = pr_build_fact(&r->c, leaf, r->thread);
    if (r->has_lifetimes) {
        add(r, fact, "peak", "Peak", figure[PEAK], figure[PEAK_BLOCKS]);
        add(r, fact, "leaked", "At the end", figure[END], figure[END_BLOCKS]);
    }
    add_total(r, fact, figure);
    if (r->has_accesses) {
        const int64_t unread = figure[TOTAL] > figure[READ] ? figure[TOTAL] - figure[READ] : 0;
        add(r, fact, "unread", "Never read", unread, unread ? figure[BLOCKS] : 0);
        add(r, fact, "read", "Read", figure[READ], figure[BLOCKS]);
        add(r, fact, "written", "Written", figure[WRITTEN], figure[BLOCKS]);
    }
    if (r->has_lifetimes)
        add_lifetime(r, fact, figure);
}

static void read_point(struct dhat *r)
{
    int64_t figure[FIGURES] = {0};
    bool known[FIGURES] = {false}, negative = false;
    const uint64_t offset = r->json.offset;
    r->frame_count = 0;
    while (pr_json_key(&r->json)) {
        int which = 0;
        while (which < FIGURES &&
               (r->json.text.length != strlen(keys[which]) ||
                memcmp(r->json.text.bytes, keys[which], r->json.text.length) != 0))
            which++;
        if (which < FIGURES) {
            const struct pr_maybe value = pr_json_value(&r->json, 0);
            figure[which] = value.known ? value.value : 0;
            known[which] = value.known && value.value >= 0;
            negative = negative || figure[which] < 0;
        } else if (pr_json_is(&r->json, "fs")) {
            read_stack(r);
        } else {
            pr_json_skip(&r->json);
        }
    }
    if (pr_json_status(&r->json) != PR_OK) /* it is cut */
        return;
    const bool good = !negative && known[TOTAL] && known[BLOCKS] && (!r->has_lifetimes || (known[PEAK] && known[END]));
    if (good)
        add_point(r, figure);
    else
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, offset);
}

static void read_points(struct dhat *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_object(&r->json))
        read_point(r);
}

static void read_frames(struct dhat *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    for (uint64_t number = 0; pr_build_going(&r->c) && pr_json_item(&r->json); number++) {
        struct pr_place place = {.kind = PR_FRAME_OTHER};
        if (r->json.token != PR_JSON_STRING) {
            pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
            pr_json_skip(&r->json);
            continue;
        }
        if (!pr_valgrind_place(&r->c, r->json.text, &place))
            place.function = pr_build_string(&r->c, r->json.text.bytes, r->json.text.length);
        pr_build_define(&r->c, number, &place);
    }
}

static bool read_truth(struct dhat *r)
{
    const bool is = pr_json_next(&r->json) == PR_JSON_TRUE;
    pr_json_skip(&r->json);
    return is;
}

/* The value of a key of the document. */
static void read_member(struct dhat *r)
{
    struct pr_json_stream *json = &r->json;
    if (pr_json_is(json, "dhatFileVersion")) {
        r->version = pr_json_value(json, 0).value;
    } else if (pr_json_is(json, "bklt")) {
        r->has_lifetimes = read_truth(r);
    } else if (pr_json_is(json, "bkacc")) {
        r->has_accesses = read_truth(r);
    } else if (pr_json_is(json, "mode")) {
        pr_json_next(json);
        r->is_of_copies = json->token == PR_JSON_STRING && pr_json_is(json, "copy");
        r->is_of_events =
            json->token == PR_JSON_STRING && (pr_json_is(json, "ad-hoc") || pr_json_is(json, "rust-ad-hoc"));
        pr_json_skip(json);
    } else if (pr_json_is(json, "tu")) {
        pr_json_next(json);
        r->in_microseconds = json->token == PR_JSON_STRING && pr_json_is(json, "µs");
        pr_json_skip(json);
    } else if (pr_json_is(json, "bu")) {
        pr_json_next(json);
        r->is_counted = json->token == PR_JSON_STRING && !pr_json_is(json, "byte");
        pr_json_skip(json);
    } else if (pr_json_is(json, "cmd")) {
        pr_json_next(json);
        const pr_str command = pr_json_intern(json, &r->c.profile->strings);
        if (command == PR_NO_STR)
            pr_build_no_memory(&r->c);
        else
            r->c.profile->meta.command_line = command;
    } else if (pr_json_is(json, "pid")) {
        r->c.profile->meta.pid = pr_json_value(json, 0);
    } else if (pr_json_is(json, "pps")) {
        read_points(r);
    } else if (pr_json_is(json, "ftbl")) {
        read_frames(r);
    } else {
        pr_json_skip(json);
    }
}

static enum pr_status read_document(struct dhat *r)
{
    if (pr_json_next(&r->json) != PR_JSON_OBJECT)
        return pr_json_unexpected(&r->json, "an object");
    while (r->c.status == PR_OK && pr_json_key(&r->json)) {
        read_member(r);
        if (r->version && r->version != VERSION)
            return pr_fail(r->c.err, PR_ERR_UNSUPPORTED, 0, "DHAT version",
                           "version %" PRId64 "; this build reads %d", r->version, VERSION);
    }
    r->c.profile->meta.format_version = (int)r->version;
    return r->c.status == PR_OK ? pr_json_finish(&r->json) : PR_CUT;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct dhat r = {.version = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.c.skips_allocators = true;
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    r.thread = pr_build_thread(&r.c, pr_build_process(&r.c, 0, 0), 0);
    if (status == PR_OK)
        status = read_document(&r);
    pr_json_end(&r.json);
    free(r.frames);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    return pr_json_evidence(&peek, "dhatFileVersion", '0');
}

const struct pr_reader pr_dhat_reader = {"dhat", "DHAT heap profile", probe, read};
