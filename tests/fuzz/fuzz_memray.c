/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a memray capture: they are refused or become a profile that keeps its rules, the same one whenever they
 * are read.
 */
#include "profrender/load.h"
#include "tests/support/capture_mutator.h"
#include "tests/support/invariants.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out,
                                 size_t max, unsigned seed);

/* libFuzzer's own; not there when inputs are only replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t max);

static struct pr_profile *load(const uint8_t *bytes, size_t length, enum pr_status *status)
{
    /* Small enough that no input is slow only because it is large. */
    struct pr_load_options options = pr_load_options_default();
    options.format = "memray";
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    *status = pr_load_memory("fuzz", bytes, length, &options, &profile, &err);
    if ((*status == PR_FAILED) != !profile || (*status == PR_OK) != (err.code == PR_ERR_NONE))
        abort();
    if (profile)
        check_invariants(profile);
    return profile;
}

/* Hash tables are salted and the decoder has its own thread: neither may affect the result. */
static void must_be_equal(const struct pr_profile *a, const struct pr_profile *b)
{
    if (a->fact_count != b->fact_count || a->tree.count != b->tree.count || a->peak_bytes != b->peak_bytes ||
        a->metric_count != b->metric_count || a->series_count != b->series_count || a->bin_count != b->bin_count ||
        memcmp(&a->records, &b->records, sizeof a->records) != 0)
        abort();
    for (size_t i = 0; i < a->fact_count; i++) {
        if (a->fact_leaf[i] != b->fact_leaf[i] || a->fact_thread[i] != b->fact_thread[i])
            abort();
        for (uint32_t m = 0; m < a->metric_count; m++)
            if (a->metrics[m].value[i] != b->metrics[m].value[i])
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    enum pr_status status, again;
    struct pr_profile *profile = load(bytes, length, &status);
    if (length % 8 == 0) { /* now and then: it costs as much as the first time */
        struct pr_profile *same = load(bytes, length, &again);
        if (status != again)
            abort();
        if (profile)
            must_be_equal(profile, same);
        pr_profile_free(same);
    }
    pr_profile_free(profile);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed)
{
    return mutate_capture(bytes, length, max, seed, LLVMFuzzerMutate);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out,
                                 size_t max, unsigned seed)
{
    return cross_captures(a, a_length, b, b_length, out, max, seed);
}
