/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python objects by the call path that made them: created, destroyed, alive at the end, and how long they lived.
 *
 *     struct pr_object_table table;
 *     if (pr_object_table_make(profile, &table, &err) == PR_FAILED) ...
 *     for (size_t i = 0; i < table.count; i++)
 *         show(&table.row[i]);
 *     pr_object_table_clear(&table);
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_OBJECTS_H
#define PR_API_OBJECTS_H

#include "profrender/profile.h"

PR_DECLS_BEGIN

struct pr_object_row {
    pr_node_id leaf; /* the end of the call path, without native frames; PR_ROOT: no stack */
    int64_t created, alive;
    uint64_t destroyed; /* those with a life; 0 when lives are not known */
    /* Of those destroyed; unknown when none was, and where lives are not known. As fine as pr_objects.step_ms. */
    struct pr_maybe median_ms, longest_ms;
};

/* Most created first; of as many, those with more alive, then in the order of the tree. */
struct pr_object_table {
    size_t count;
    struct pr_object_row *row; /* [count] */
};

/* True for profiles with the metrics "objects" and "objects_alive". */
PR_API bool pr_profile_has_objects(const struct pr_profile *profile);

/*
 * The rows of all call paths; none for a profile without objects.
 *
 * Owner:  pr_object_table_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
PR_API enum pr_status pr_object_table_make(const struct pr_profile *profile, struct pr_object_table *table,
                                           struct pr_error *err);
PR_API void pr_object_table_clear(struct pr_object_table *table);

PR_DECLS_END

#endif
