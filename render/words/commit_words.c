/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/commit_words.h"

#include "capture/base/ascii.h"

enum { LEAST_HASH = 7, MOST_HASH = 64, SHORT = 10 };

static bool is_hex(char c)
{
    const char lower = pr_ascii_lower(c);
    return pr_is_digit(c) || (lower >= 'a' && lower <= 'f');
}

bool pr_commit_is_hash(struct pr_text commit)
{
    uint32_t digits = 0;
    while (digits < commit.length && is_hex(commit.bytes[digits]))
        digits++;
    return digits == commit.length && digits >= LEAST_HASH && digits <= MOST_HASH;
}

struct pr_text pr_commit_short(struct pr_text commit)
{
    if (pr_commit_is_hash(commit) && commit.length > SHORT)
        commit.length = SHORT;
    return commit;
}
