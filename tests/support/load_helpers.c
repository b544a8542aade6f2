/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pr_profile *load(const char *format, const void *bytes, size_t length, enum pr_status *status,
                               struct pr_error *err)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    options.format = format;
    *status = pr_load_memory("test", bytes, length, &options, &profile, err);
    if ((*status == PR_FAILED) != !profile || (*status == PR_OK) != (err->code == PR_ERR_NONE))
        fail_msg("status %d does not fit the error '%s'", *status, err->text);
    if (profile)
        check_invariants(profile);
    return profile;
}

struct pr_profile *reading(const char *format, const void *bytes, size_t length, enum pr_status status)
{
    struct pr_error err = {0};
    enum pr_status got;
    struct pr_profile *profile = load(format, bytes, length, &got, &err);
    if (got != status)
        fail_msg("status %d, not %d: %s", got, status, err.text);
    return profile;
}

static void add_frame(struct pr_buf *buf, const struct pr_profile *profile, pr_node_id node)
{
    const struct pr_frame *frame = &profile->frames[profile->tree.frame[node]];
    pr_buf_printf(buf, "%s", pr_profile_text(profile, frame->function).bytes);
    if (frame->file)
        pr_buf_printf(buf, " %s", pr_profile_text(profile, frame->file).bytes);
    if (frame->line)
        pr_buf_printf(buf, ":%d", frame->line);
}

static void add_stack(struct pr_buf *buf, const struct pr_profile *profile, pr_node_id leaf)
{
    pr_node_id path[256];
    size_t depth = 0;
    for (; leaf != PR_ROOT && depth < 256; leaf = profile->tree.parent[leaf])
        path[depth++] = leaf;
    while (depth--) {
        add_frame(buf, profile, path[depth]);
        if (depth)
            pr_buf_byte(buf, ';');
    }
}

static char *fact_line(const struct pr_profile *profile, const struct pr_metric *metric, size_t fact)
{
    const struct pr_thread *thread = &profile->threads[profile->fact_thread[fact]];
    struct pr_buf buf = {0};
    pr_buf_printf(&buf, "%" PRIu64, thread->tid);
    if (thread->name)
        pr_buf_printf(&buf, "[%s]", pr_profile_text(profile, thread->name).bytes);
    pr_buf_byte(&buf, '|');
    add_stack(&buf, profile, profile->fact_leaf[fact]);
    pr_buf_printf(&buf, " %" PRId64, metric->value[fact]);
    if (metric->count)
        pr_buf_printf(&buf, " x%" PRId64, metric->count[fact]);
    pr_buf_byte(&buf, '\n');
    assert_false(buf.failed);
    return buf.bytes;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *reading_stacks(const struct pr_profile *profile, const char *name)
{
    int index = pr_profile_metric(profile, name);
    if (index < 0)
        fail_msg("there is no metric '%s'", name);
    const struct pr_metric *metric = &profile->metrics[index];
    char **lines = calloc(profile->fact_count + 1, sizeof *lines);
    struct pr_buf all = {0};
    size_t count = 0;
    assert_non_null(lines);
    for (size_t i = 0; i < profile->fact_count; i++)
        if (metric->value[i] || (metric->count && metric->count[i]))
            lines[count++] = fact_line(profile, metric, i);
    qsort(lines, count, sizeof *lines, compare_lines);
    pr_buf_text(&all, "");
    for (size_t i = 0; i < count; i++) {
        pr_buf_text(&all, lines[i]);
        free(lines[i]);
    }
    free(lines);
    assert_false(all.failed);
    return all.bytes;
}

void assert_metric(const struct pr_profile *profile, const char *metric, const char *stacks)
{
    char *got = reading_stacks(profile, metric);
    assert_string_equal(got, stacks);
    free(got);
}

void assert_stacks(const char *format, const char *text, const char *metric, const char *stacks)
{
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_string_equal(profile->meta.format, format);
    assert_metric(profile, metric, stacks);
    pr_profile_free(profile);
}

void assert_note(const struct pr_profile *profile, const char *beginning)
{
    for (uint32_t i = 0; i < profile->note_count; i++)
        if (!strncmp(profile->notes[i], beginning, strlen(beginning)))
            return;
    fail_msg("no note: %s", beginning);
}

void assert_damage(const struct pr_profile *profile, enum pr_damage_kind kind, uint64_t count)
{
    assert_false(profile->complete);
    for (int i = 0; i < PR_DAMAGE_KINDS; i++)
        if (profile->damage.kind[i].count != ((enum pr_damage_kind)i == kind ? count : 0))
            fail_msg("%s: %llu", pr_damage_name((enum pr_damage_kind)i),
                     (unsigned long long)profile->damage.kind[i].count);
}

void assert_damaged_stacks(const char *format, const char *text, const char *metric, const char *stacks,
                           enum pr_damage_kind kind, uint64_t count)
{
    struct pr_profile *profile = reading(format, text, strlen(text), PR_CUT);
    char *got = reading_stacks(profile, metric);
    assert_string_equal(got, stacks);
    assert_int_equal(profile->problem.code, PR_ERR_PARTIAL);
    assert_damage(profile, kind, count);
    free(got);
    pr_profile_free(profile);
}

void assert_survives_damage(const char *format, const void *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    for (size_t cut = 1; cut < length; cut++) {
        char *part = malloc(cut); /* of exactly this size, so that a sanitizer sees a read past the end */
        enum pr_status status;
        struct pr_error err = {0};
        assert_non_null(part);
        memcpy(part, bytes, cut);
        pr_profile_free(load(format, part, cut, &status, &err));
        free(part);
    }
    for (size_t at = 0; at < length; at++) {
        static const unsigned char others[] = {0x00, 0xff, '0', '\n', '"', ';'};
        for (size_t i = 0; i < sizeof others; i++) {
            enum pr_status status;
            struct pr_error err = {0};
            memcpy(copy, bytes, length);
            copy[at] = (char)others[i];
            pr_profile_free(load(format, copy, length, &status, &err));
        }
    }
    free(copy);
}

void assert_needs_memory(const void *bytes, size_t length)
{
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("test", bytes, length, NULL, &profile, &err);
        const bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        if (!failed) {
            assert_int_equal(status, PR_OK);
            return;
        }
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
}
