/* SPDX-License-Identifier: Apache-2.0 */
/* A digest against the options of a load: what it was made with cannot always be changed later. */
#include "capture/digest/digest_coarsen.h"
#include "capture/digest/digest_drop_native.h"
#include "capture/digest/digest_settle.h"

#include <inttypes.h>
#include <stdio.h>

static const char *bins_text(uint32_t bins, char text[16])
{
    snprintf(text, 16, "%" PRIu32, bins);
    return bins == PR_BINS_AUTO ? "auto" : bins ? text : "samples";
}

/* True if a load with at most MAX_BINS would have given the same bins. */
static bool is_same_bins(const struct pr_profile *profile, uint32_t max_bins)
{
    const uint32_t made = profile->origin.max_bins, count = profile->bin_count;
    if (max_bins == made)
        return true;
    if (!max_bins || !made || max_bins < count)
        return false;
    const bool is_finest = count > profile->records.samples; /* one for each sample, and one after the last */
    return is_finest || max_bins < 2 * (uint64_t)count - 1; /* with half the width, that many or one more */
}

/* Bins can be merged, but not split. */
static enum pr_status choose_bins(const struct pr_settle *s)
{
    const uint32_t max_bins = s->options->max_bins;
    char had[16], number[16];
    if (!(s->options->insist & PR_INSIST_MAX_BINS) || !s->profile->bin_count || is_same_bins(s->profile, max_bins))
        return PR_OK;
    if (max_bins && s->profile->origin.max_bins && max_bins < s->profile->bin_count)
        return pr_profile_coarsen(s->profile, max_bins, s->err);
    const char *want = bins_text(max_bins, number);
    return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                   "the digest was made with --bins %s and cannot answer for %s; make "
                   "another: profrender digest --bins %s",
                   bins_text(s->profile->origin.max_bins, had), want, want);
}

/* Names that replaced addresses in a profile of another tool cannot be undone: the offsets are gone. */
static enum pr_status leave_names_out(struct pr_profile *profile, struct pr_error *err)
{
    struct pr_meta *meta = &profile->meta;
    if (meta->native_files > meta->native_files_unnamed)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "the digest has functions instead of addresses; make one with --native off");
    meta->native_files = meta->native_files_unnamed = 0;
    meta->native_unnamed_file = 0;
    return PR_OK;
}

/* Native stacks can be left out, but missing names can no longer be found. */
static enum pr_status choose_native(const struct pr_settle *s)
{
    struct pr_profile *profile = s->profile;
    const struct pr_meta *meta = &profile->meta;
    const enum pr_native_use wanted = s->options->native;
    if ((wanted == PR_NATIVE_OFF || wanted == PR_NATIVE_OFFSETS) && profile->fact_hybrid) {
        profile->origin.native = wanted;
        return pr_profile_drop_native(profile, s->err);
    }
    if (wanted == PR_NATIVE_OFFSETS)
        return leave_names_out(profile, s->err);
    if (wanted != PR_NATIVE_REQUIRE)
        return PR_OK;
    if (!profile->fact_hybrid && pr_profile_has_allocations(profile))
        return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "the digest has no native frames");
    if (!meta->native_files_unnamed)
        return PR_OK; /* most profiles of other tools came with their names */
    return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                   "the digest has no names for native frames from %" PRIu32 " of %" PRIu32 " files",
                   meta->native_files_unnamed, meta->native_files);
}

/* Only what would change the result is refused: without temporaries it does not matter what temporary means. */
enum pr_status pr_settle_options(const struct pr_settle *s)
{
    const struct pr_load_options *options = s->options;
    if (options->insist & PR_INSIST_TEMPORARY_THRESHOLD && pr_profile_metric(s->profile, "temporary") >= 0 &&
        options->temporary_threshold != s->profile->origin.temporary_threshold)
        return pr_fail(s->err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL,
                       "made with --temporary-threshold %" PRIu32 " and cannot answer for %" PRIu32
                       "; make another, with profrender digest --temporary-threshold %" PRIu32,
                       s->profile->origin.temporary_threshold, options->temporary_threshold,
                       options->temporary_threshold);
    return choose_bins(s) == PR_FAILED ? PR_FAILED : choose_native(s);
}
