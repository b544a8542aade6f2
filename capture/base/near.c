/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/base/near.h"

#include "capture/base/ascii.h"

enum { MOST = 32 }; /* letters; longer names are not compared */

static bool is_same(char a, char b)
{
    return pr_ascii_lower(a) == pr_ascii_lower(b);
}

/* Edits (insert, drop, replace, swap neighbours) that make A of B. */
static size_t edit_distance(struct pr_text a, struct pr_text b)
{
    size_t rows[3][MOST];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    if (a.length >= MOST || b.length >= MOST)
        return MOST;
    for (size_t j = 0; j <= b.length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            const char x = a.bytes[i - 1], y = b.bytes[j - 1];
            size_t best = last[j - 1] + !is_same(x, y);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && is_same(x, b.bytes[j - 2]) && is_same(a.bytes[i - 2], y) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[b.length];
}

struct pr_near pr_near_to(struct pr_text word)
{
    return (struct pr_near){.word = word, .distance = word.length / 3 + 1};
}

void pr_near_try(struct pr_near *near, struct pr_text candidate)
{
    const size_t distance = edit_distance(near->word, candidate);
    if (distance >= near->distance && (distance > near->distance || near->best.bytes))
        return;
    near->best = candidate;
    near->distance = distance;
}
