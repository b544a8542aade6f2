/* SPDX-License-Identifier: Apache-2.0 */
/* Which pieces of script and style a card carries. */
#include "render/page/parts.h"

#include "capture/base/sha256.h"
#include "profrender/phases.h"
#include "profrender/resident.h"
#include "render/html/pack.h"

#include <assert.h>
#include <string.h>

struct pr_pieces pr_parts_script(void)
{
    return (struct pr_pieces){pr_asset_script, pr_asset_script_pieces, pr_asset_script_piece_count};
}

struct pr_pieces pr_parts_style(void)
{
    return (struct pr_pieces){pr_asset_style, pr_asset_style_pieces, pr_asset_style_piece_count};
}

static bool has_series(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->series_count; i++) {
        if (profile->series[i].count)
            return true;
    }
    return false;
}

/* Then parts of it can be compared, or all of it with another card. Of a single stack the total says all. */
static bool can_be_compared(const struct pr_profile *profile)
{
    if (profile->fact_count < 2)
        return false;
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].total_value)
            return true;
    }
    return false;
}

unsigned pr_parts_of(const struct pr_page *page)
{
    const bool has_views = page->views.count > 0;
    unsigned set = 0;
    if (has_views)
        set |= PR_PART_PROFILE;
    if (has_views && page->profile->fact_count > 1)
        set |= PR_PART_TREE;
    if (has_series(page->profile))
        set |= PR_PART_TIME;
    if (has_series(page->profile) && pr_phase_count(page->profile))
        set |= PR_PART_PHASES;
    if (pr_resident_begin(page->profile, &(struct pr_resident_walk){0}))
        set |= PR_PART_RESIDENT;
    if (page->profile->is_difference || (has_views && can_be_compared(page->profile)))
        set |= PR_PART_COMPARISON;
    if (has_views && pr_profile_time_metric(page->profile) >= 0)
        set |= PR_PART_ORDER;
    if (has_views && page->payload.has_heat)
        set |= PR_PART_HEAT;
    if (has_views && page->sources.count)
        set |= PR_PART_SOURCE;
    if (pr_failure_is_one(&page->profile->run.failure))
        set |= PR_PART_FAILURE;
    if (page->profile->run.notes)
        set |= PR_PART_NOTES;
    if (page->options.theme == PR_THEME_DARK)
        set |= PR_PART_DARK;
    if (page->first.fold.count)
        set |= PR_PART_LARGE;
    return set;
}

static bool is_in(unsigned set, unsigned part)
{
    return !part || (set & part);
}

void pr_parts_add(const struct pr_pieces *pieces, unsigned set, struct pr_buf *out)
{
    const unsigned char *bytes = pieces->bytes;
    assert(set < PR_PART_FILE);
    for (size_t i = 0; i < pieces->count; bytes += pieces->piece[i++].size) {
        if (is_in(set, pieces->piece[i].part))
            pr_buf_add(out, bytes, pieces->piece[i].size);
    }
}

void pr_parts_add_hash(const struct pr_pieces *pieces, unsigned set, struct pr_buf *out)
{
    struct pr_buf text = {0};
    unsigned char hash[PR_SHA256_SIZE];
    pr_parts_add(pieces, set, &text);
    pr_sha256_bytes(text.bytes, text.length, hash);
    out->failed = out->failed || text.failed;
    pr_buf_clear(&text);
    pr_buf_text(out, "sha256-");
    pr_base64(out, hash, sizeof hash);
}

unsigned pr_parts_find(const struct pr_pieces *pieces, const char *text, size_t length)
{
    const unsigned char *bytes = pieces->bytes;
    size_t matched = 0;
    unsigned set = 0;
    for (size_t i = 0; i < pieces->count; bytes += pieces->piece[i++].size) {
        const size_t size = pieces->piece[i].size;
        if (length - matched < size || memcmp(text + matched, bytes, size) != 0)
            continue;
        set |= pieces->piece[i].part;
        matched += size;
    }
    return set;
}

size_t pr_parts_match(const struct pr_pieces *pieces, unsigned set, const char *text, size_t length)
{
    const unsigned char *bytes = pieces->bytes;
    size_t matched = 0;
    assert(set < PR_PART_FILE);
    for (size_t i = 0; i < pieces->count; bytes += pieces->piece[i++].size) {
        const size_t size = pieces->piece[i].size;
        if (!is_in(set, pieces->piece[i].part))
            continue;
        if (length - matched < size || memcmp(text + matched, bytes, size) != 0)
            return 0;
        matched += size;
    }
    return matched;
}
