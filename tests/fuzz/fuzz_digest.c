/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a digest: they are refused or become a profile that keeps its rules. Captures are turned into digests
 * first. A profile that is saved and read again is the same; merged with itself it keeps the rules too.
 */
#include "profrender/load.h"
#include "profrender/digest.h"
#include "profrender/merge.h"
#include "tests/support/digest_mutator.h"
#include "tests/support/invariants.h"
#include "tests/support/same_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed);

/* libFuzzer's own; not there when inputs are only replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t max);

static struct pr_profile *load(const void *bytes, size_t length, unsigned choice)
{
    struct pr_load_options options = pr_load_options_default();
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    if (choice & 1)
        options.native = PR_NATIVE_OFF;
    if (choice & 2) {
        options.insist = PR_INSIST_MAX_BINS;
        options.max_bins = 3;
    }
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    enum pr_status status = pr_load_memory("fuzz", bytes, length, &options, &profile, &err);
    if ((status == PR_FAILED) != !profile || (status == PR_OK) != (err.code == PR_ERR_NONE))
        abort();
    if (profile)
        check_invariants(profile);
    return profile;
}

static bool is_plain(const char *words)
{
    for (; words && *words; words++) {
        if (*words < ' ' || *words == 0x7f)
            return false;
    }
    return true;
}

/* A file may give a metric any words; a digest keeps the harmless part of them. */
static bool has_plain_words(const struct pr_profile *profile)
{
    bool plain = is_plain(profile->problem.doing) && is_plain(profile->problem.text);
    for (uint32_t i = 0; i < profile->metric_count; i++)
        plain = plain && is_plain(profile->metrics[i].name) && is_plain(profile->metrics[i].title) &&
                is_plain(profile->metrics[i].count_name);
    for (uint32_t i = 0; i < profile->note_count; i++)
        plain = plain && is_plain(profile->notes[i]);
    return plain;
}

static void must_come_back(const struct pr_profile *profile)
{
    struct pr_buf bytes = {0};
    if (pr_digest_write(profile, &bytes, NULL) == PR_FAILED)
        abort();
    struct pr_profile *same = load(bytes.bytes, bytes.length, 0);
    const char *what = !same ? "it is refused" : has_plain_words(profile) ? profiles_differ(profile, same) : NULL;
    if (what) {
        fprintf(stderr, "the digest of a profile differs: %s\n", what);
        abort();
    }
    pr_profile_free(same);
    pr_buf_clear(&bytes);
}

static void must_merge(const struct pr_profile *profile, enum pr_merge_mode mode)
{
    struct pr_merger *merger;
    struct pr_profile *sum;
    struct pr_error err = {0};
    if (pr_merger_new(mode, &merger, &err) == PR_FAILED || pr_merger_add(merger, profile, "a", &err) == PR_FAILED ||
        pr_merger_add(merger, profile, "b", &err) == PR_FAILED)
        abort();
    if (pr_merger_finish(merger, &sum, &err) == PR_FAILED)
        abort();
    pr_merger_free(merger);
    check_invariants(sum);
    must_come_back(sum);
    pr_profile_free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_profile *profile = load(bytes, length, (unsigned)length & 3);
    if (profile) {
        must_come_back(profile);
        must_merge(profile, PR_MERGE_ADD);
        must_merge(profile, PR_MERGE_PROCESSES);
    }
    pr_profile_free(profile);
    return 0;
}

/* Replaces BYTES by their digest, if it can be made and fits. Returns the length. */
static size_t turn_into_digest(uint8_t *bytes, size_t length, size_t max)
{
    struct pr_profile *profile = load(bytes, length, 0);
    struct pr_buf digest = {0};
    if (profile && pr_digest_write(profile, &digest, NULL) == PR_OK && digest.length <= max) {
        memcpy(bytes, digest.bytes, digest.length);
        length = digest.length;
    }
    pr_profile_free(profile);
    pr_buf_clear(&digest);
    return length;
}

/* Most attempts are digests: inputs of other kinds are many, and have their own targets. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed)
{
    enum { OTHERS_ONE_IN = 16 };
    if (!is_digest(bytes, length) && seed % OTHERS_ONE_IN)
        length = turn_into_digest(bytes, length, max);
    return is_digest(bytes, length) ? mutate_digest(bytes, length, max, seed, LLVMFuzzerMutate)
                                    : mutate_capture(bytes, length, max, seed, LLVMFuzzerMutate);
}
