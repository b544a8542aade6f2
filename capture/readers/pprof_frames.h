/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the messages of pprof mean, for each format that has the same tables: units, and the frames of a location.
 *
 *     pr_address_names_init(&r->names, &r->c, r->mapping_ids.count);
 *     pr_node_id node = PR_ROOT;
 *     size_t depth = 0;
 *     for (each location of a stack, outermost first)
 *         node = pr_pprof_walk_location(r, node, id, &depth);
 *     pr_address_names_end(&r->names);
 */
#ifndef PR_CAPTURE_READERS_PPROF_FRAMES_H
#define PR_CAPTURE_READERS_PPROF_FRAMES_H

#include "capture/readers/pprof_messages.h"

/* The unit called UNIT, and what values are multiplied with: 1,000 for "us". PR_UNIT_NONE: any other word. */
enum pr_unit pr_pprof_unit(struct pr_text unit, int64_t *factor);

/* VALUE times FACTOR, which is above 0; the highest or lowest number where that does not fit. */
int64_t pr_pprof_scaled(int64_t value, int64_t factor);

/*
 * The innermost node of location ID called by NODE; a location that does not exist is damage, and NODE is returned.
 * *DEPTH grows by its frames. Over a limit the status of the collection is PR_CUT.
 */
pr_node_id pr_pprof_walk_location(struct pr_pprof *r, pr_node_id node, uint64_t id, size_t *depth);

#endif
