/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ten places that held most memory at the peak of a capture.
 *
 *     cc top_allocations.c $(pkg-config --cflags --libs profrender) -o top_allocations
 *     ./top_allocations capture.bin
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profrender/load.h"
#include "profrender/table.h"

enum { PLACES = 10 };

static void print_text(const struct pr_profile *profile, pr_str string)
{
    struct pr_text text = pr_profile_text(profile, string);
    fwrite(text.bytes, 1, text.length, stdout);
}

static void print_place(const struct pr_profile *profile, const struct pr_row *row)
{
    printf("%14" PRId64 " bytes in %8" PRId64 " allocations  ", row->self, row->self_count);
    if (row->no_stack) {
        puts("(no Python stack)");
        return;
    }
    print_text(profile, row->function);
    fputs("  ", stdout);
    print_text(profile, row->file);
    printf(":%" PRId32 "\n", row->line);
}

static int by_self(const void *a, const void *b)
{
    const struct pr_row *left = a, *right = b;
    return (left->self < right->self) - (left->self > right->self);
}

int main(int argc, char **argv)
{
    struct pr_profile *profile = NULL;
    struct pr_table table = {0};
    struct pr_error err = {0};

    if (argc != 2) {
        fputs("usage: top_allocations CAPTURE\n", stderr);
        return 2;
    }
    enum pr_status status = pr_load(argv[1], NULL, &profile, &err);
    if (status == PR_CUT)
        fprintf(stderr, "%s: only the part before byte %" PRIu64 ": %s\n", argv[1], err.offset, err.text);

    int peak = status == PR_FAILED ? -1 : pr_profile_metric(profile, "peak");
    if (status == PR_FAILED || peak < 0 ||
        pr_table_make(profile, (unsigned)peak, PR_BY_LOCATION, false, &table, &err) == PR_FAILED) {
        fprintf(stderr, "%s: %s\n", argv[1], err.code == PR_ERR_NONE ? "no memory was measured" : err.text);
        pr_profile_free(profile);
        return 3;
    }

    qsort(table.row, table.count, sizeof *table.row, by_self);
    printf("%14" PRId64 " bytes at the peak\n", table.total_value);
    for (size_t i = 0; i < table.count && i < PLACES; i++)
        print_place(profile, &table.row[i]);

    pr_table_clear(&table);
    pr_profile_free(profile);
    return 0;
}
