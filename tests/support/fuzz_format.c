/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fuzz_format.h"

#include "profrender/load.h"
#include "tests/support/invariants.h"

#include <stdlib.h>
#include <string.h>

static struct pr_profile *load(const char *format, const char *tag_root, const uint8_t *bytes, size_t length,
                               enum pr_status *status)
{
    /* Small enough that no input is slow only because it is large. */
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    options.format = format;
    options.tag_root = tag_root;
    options.native = PR_NATIVE_OFFSETS; /* no file of this machine that the bytes name is opened */
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    *status = pr_load_memory("fuzz", bytes, length, &options, &profile, &err);
    if ((*status == PR_FAILED) != !profile || (*status == PR_OK) != (err.code == PR_ERR_NONE))
        abort();
    if (profile)
        check_invariants(profile);
    return profile;
}

/* Hash tables are salted: that must not affect the result. */
static void must_be_equal(const struct pr_profile *a, const struct pr_profile *b)
{
    if (a->fact_count != b->fact_count || a->tree.count != b->tree.count || a->metric_count != b->metric_count ||
        a->series_count != b->series_count || a->slice_count != b->slice_count || a->moment_count != b->moment_count ||
        a->moment_resolution_ns != b->moment_resolution_ns || a->note_count != b->note_count)
        abort();
    for (size_t i = 0; i < a->fact_count; i++) {
        if (a->fact_leaf[i] != b->fact_leaf[i] || a->fact_thread[i] != b->fact_thread[i])
            abort();
        for (uint32_t m = 0; m < a->metric_count; m++)
            if (a->metrics[m].value[i] != b->metrics[m].value[i])
                abort();
    }
}

int fuzz_format_by_label(const char *format, const char *tag_root, const uint8_t *bytes, size_t length)
{
    enum pr_status status, again;
    struct pr_profile *profile = load(format, tag_root, bytes, length, &status);
    if (length % 8 == 0) { /* now and then: it costs as much as the first time */
        struct pr_profile *same = load(format, tag_root, bytes, length, &again);
        if (status != again)
            abort();
        if (profile)
            must_be_equal(profile, same);
        pr_profile_free(same);
    }
    pr_profile_free(profile);
    return 0;
}

int fuzz_format(const char *format, const uint8_t *bytes, size_t length)
{
    return fuzz_format_by_label(format, NULL, bytes, length);
}
