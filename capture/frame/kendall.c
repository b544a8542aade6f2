/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/kendall.h"

#include "capture/base/sort.h"

#include <math.h>
#include <stdlib.h>

struct couple {
    double x, y;
};

static int by_both(const void *a, const void *b, const void *context)
{
    const struct couple *one = a, *other = b;
    (void)context;
    return one->x != other->x ? PR_ORDER(one->x, other->x) : PR_ORDER(one->y, other->y);
}

static uint64_t pairs_of(uint64_t count)
{
    return count * (count - !!count) / 2;
}

/* Merges the halves of FROM into TO by Y; how many pairs were in the opposite order. */
static uint64_t merge(const struct couple *from, struct couple *to, size_t half, size_t count)
{
    uint64_t swaps = 0;
    for (size_t left = 0, right = half, i = 0; i < count; i++) {
        if (left < half && (right == count || from[left].y <= from[right].y)) {
            to[i] = from[left++];
        } else {
            to[i] = from[right++];
            swaps += half - left;
        }
    }
    return swaps;
}

/* Sorts by Y; pairs in the opposite order. *COUPLES and *SCRATCH may change places. */
static uint64_t sort_by_y(struct couple **couples, struct couple **scratch, size_t count)
{
    uint64_t swaps = 0;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            const size_t rest = count - at, size = rest < 2 * width ? rest : 2 * width;
            swaps += merge(*couples + at, *scratch + at, width < size ? width : size, size);
        }
        struct couple *const sorted = *scratch;
        *scratch = *couples;
        *couples = sorted;
    }
    return swaps;
}

static bool tau(struct couple *couples, struct couple *scratch, size_t count, double *result)
{
    uint64_t equal_x = 0, equal_y = 0, equal_both = 0;
    if (!pr_sort(couples, count, sizeof *couples, by_both, NULL))
        return false;
    for (size_t i = 0, same_x = 0, same = 0; i < count; i++) {
        same_x = i && couples[i].x == couples[i - 1].x ? same_x + 1 : 0;
        same = same_x && couples[i].y == couples[i - 1].y ? same + 1 : 0;
        equal_x += same_x;
        equal_both += same;
    }
    const uint64_t opposite = sort_by_y(&couples, &scratch, count);
    for (size_t i = 1, same = 0; i < count; i++) {
        same = couples[i].y == couples[i - 1].y ? same + 1 : 0;
        equal_y += same;
    }
    const uint64_t all = pairs_of(count);
    const double differ = (double)(all - equal_x - equal_y + equal_both) - 2 * (double)opposite;
    *result = all == equal_x || all == equal_y
                  ? NAN
                  : differ / sqrt((double)(all - equal_x)) / sqrt((double)(all - equal_y));
    return true;
}

bool pr_kendall(const double *const *columns, uint32_t count, size_t rows, double *matrix)
{
    struct couple *couples = malloc((2 * rows + 1) * sizeof *couples);
    bool done = couples != NULL;
    for (size_t i = 0; i < (size_t)count * count; i++)
        matrix[i] = NAN;
    for (uint32_t i = 0; done && i < count; i++) {
        if (columns[i])
            matrix[i * count + i] = 1;
        for (uint32_t k = 0; done && columns[i] && k < i; k++) {
            size_t both = 0;
            for (size_t row = 0; columns[k] && row < rows; row++)
                if (isfinite(columns[i][row]) && isfinite(columns[k][row]))
                    couples[both++] = (struct couple){columns[i][row], columns[k][row]};
            done = tau(couples, couples + rows, both, &matrix[i * count + k]);
            matrix[k * count + i] = matrix[i * count + k];
        }
    }
    free(couples);
    return done;
}
