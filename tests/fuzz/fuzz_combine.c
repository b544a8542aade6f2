/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a profile, combined with two others of different kinds: each metric keeps its total, and the result its
 * rules. With an odd number of bytes, its names are hidden first, which changes no total, and twice is as once.
 */
#include "profrender/load.h"
#include "profrender/combine.h"
#include "profrender/digest.h"
#include "profrender/hide_names.h"
#include "tests/support/invariants.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct pr_profile *load(const void *bytes, size_t length)
{
    struct pr_load_options options = pr_load_options_default();
    options.native = PR_NATIVE_OFFSETS; /* no file of this machine that the bytes name is opened */
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    pr_load_memory("fuzz", bytes, length, &options, &profile, &err);
    return profile;
}

/* The metrics of ONE, which are in COMBINED from FIRST on, in their order. */
static uint32_t check_totals(const struct pr_profile *combined, const struct pr_profile *one, uint32_t first)
{
    for (uint32_t i = 0; i < one->metric_count; i++) {
        const struct pr_metric *metric = &combined->metrics[first + i];
        if (metric->total_value != one->metrics[i].total_value || metric->total_count != one->metrics[i].total_count ||
            metric->unit != one->metrics[i].unit)
            abort();
    }
    return first + one->metric_count;
}

static struct pr_buf digest_of(const struct pr_profile *profile)
{
    struct pr_buf digest = {0};
    struct pr_error err = {0};
    if (pr_digest_write(profile, &digest, &err) == PR_FAILED)
        pr_buf_clear(&digest);
    return digest;
}

static void hide_names(struct pr_profile *profile)
{
    static const char secret[] = "sixteen bytes or more";
    struct pr_name_key key;
    struct pr_error err = {0};
    if (pr_name_key_make(&key, secret, strlen(secret), &err) == PR_FAILED ||
        pr_hide_names(profile, &key, NULL, 0, &err) == PR_FAILED)
        abort();
    check_invariants(profile);
    struct pr_buf once = digest_of(profile);
    if (pr_hide_names(profile, &key, NULL, 0, &err) == PR_FAILED)
        abort();
    struct pr_buf twice = digest_of(profile);
    if (once.length != twice.length || (once.length && memcmp(once.bytes, twice.bytes, once.length) != 0))
        abort();
    pr_buf_clear(&once);
    pr_buf_clear(&twice);
}

/* Names are no figures: those of ONE are those of ANOTHER. */
static void check_same(const struct pr_profile *one, const struct pr_profile *another)
{
    if (!one || one->metric_count != another->metric_count || one->fact_count != another->fact_count ||
        one->tree.count != another->tree.count || one->bin_count != another->bin_count)
        abort();
    check_totals(one, another, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char stacks[] = "main (a.py:1);work (a.py:2) 3\nmain (a.py:1) 4\n";
    static const char graph[] = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=leaf\ncalls=3 5\n2 60\n"
                                "fn=leaf\n5 60\n";
    struct pr_profile *any = load(bytes, length);
    if (!any)
        return 0;
    if (length % 2) {
        struct pr_profile *named = load(bytes, length);
        hide_names(any);
        check_same(named, any);
        pr_profile_free(named);
    }
    struct pr_profile *first = load(stacks, strlen(stacks)), *last = load(graph, strlen(graph)), *combined = NULL;
    const struct pr_profile *all[] = {first, any, last};
    struct pr_error err = {0};
    if (!first || !last)
        abort();
    if (pr_combine(all, NULL, 3, &combined, &err) != PR_FAILED) {
        check_invariants(combined);
        uint32_t metric = 0;
        for (size_t i = 0; i < 3; i++)
            metric = check_totals(combined, all[i], metric);
        if (metric != combined->metric_count || combined->bin_count != any->bin_count ||
            combined->slice_count != any->slice_count)
            abort();
    }
    pr_profile_free(combined);
    pr_profile_free(first);
    pr_profile_free(any);
    pr_profile_free(last);
    return 0;
}
