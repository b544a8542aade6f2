/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a pickle, with a caller that takes containers in all ways: nothing is called, nothing is read twice. */
#include "capture/parse/pickle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char *const names[] = {"tracemalloc Snapshot", "tracemalloc _Traces", NULL};

/* Keeps, replaces or takes a container, by the number of its parts. */
static pr_pickled take(void *context, pr_pickled container, pr_pickled value)
{
    const struct pr_pickle *p = context;
    uint32_t count;
    pr_pickle_items(p, value, &count);
    if (container == value && !count)
        return value;
    return count % 3 == 1 ? pr_pickle_handle(count) : count % 3 == 2 ? PR_PICKLE_NOTHING : value;
}

/* Looks at all that is reachable from VALUE down to a depth. */
static void walk(const struct pr_pickle *p, pr_pickled value, unsigned depth)
{
    uint32_t count, number;
    int64_t integer;
    double real;
    pr_str string;
    const pr_pickled *items = pr_pickle_items(p, value, &count);
    const enum pr_pickle_kind kind = pr_pickle_kind(p, value);
    if (kind == PR_PICKLE_DICT && count % 2)
        abort();
    if (pr_pickle_string(p, value, &string) && pr_strings_get(p->strings, string).length > 1 << 20)
        abort();
    pr_pickle_integer(p, value, &integer);
    pr_pickle_real(p, value, &real);
    pr_pickle_is_handle(value, &number);
    pr_pickle_class(p, value);
    pr_pickle_find(p, value, 1);
    for (uint32_t i = 0; i < count && i < 16 && depth; i++)
        walk(p, items[i], depth - 1);
}

static void read(const uint8_t *bytes, size_t length, bool takes)
{
    struct pr_source src = {.at = bytes, .end = bytes + length, .end_offset = length, .at_eof = true};
    struct pr_strings strings = {0};
    struct pr_damage damage = {0};
    struct pr_error err = {0};
    struct pr_pickle p;
    const struct pr_pickle_rules rules = {.classes = names, .take = takes ? take : NULL, .context = &p};
    if (pr_strings_init(&strings, &err) == PR_FAILED)
        return;
    pr_pickle_begin(&p, &src, &strings, &rules, &damage, &err);
    const pr_pickled root = pr_pickle_read(&p);
    if ((pr_pickle_status(&p) == PR_OK) != (err.code == PR_ERR_NONE))
        abort();
    walk(&p, root, 4);
    for (size_t i = 0; i < p.memo_count; i++)
        walk(&p, p.memo[i], 1);
    pr_pickle_end(&p);
    pr_strings_clear(&strings);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    read(bytes, length, false);
    read(bytes, length, true);
    return 0;
}
