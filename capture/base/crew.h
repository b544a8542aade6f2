/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A crew: threads that stay, and take the items of one job after another.
 *
 *     struct pr_crew *crew = pr_crew_new(4);              // three threads, and the caller's own
 *     pr_crew_begin(crew, columns, add_column, build);    // add_column(build, worker, item), in any order, at once
 *     read_more();                                        // while the others work
 *     bool done = pr_crew_end(crew);                      // takes what is left, and waits for the others
 *     pr_crew_free(crew);
 *
 * Items of a job must not depend on one another; what is written by one of them only, or by its worker only, needs no
 * lock. A crew of NULL is the caller alone.
 */
#ifndef PR_CAPTURE_BASE_CREW_H
#define PR_CAPTURE_BASE_CREW_H

#include <stdbool.h>
#include <stddef.h>

struct pr_crew;

/* WORKER: from 0, the caller of pr_crew_end, to the size of the crew; only one item at a time has that number. */
typedef bool pr_crew_work(void *context, unsigned worker, size_t item);

/* SIZE workers; fewer if threads cannot be started. NULL: no memory, or nothing to start. */
struct pr_crew *pr_crew_new(unsigned size);

unsigned pr_crew_size(const struct pr_crew *crew);

/* Begins with items 0 to COUNT; the job before has ended. CONTEXT stays where it is until pr_crew_end. */
void pr_crew_begin(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context);

/* False: an item failed, and those that were not begun then never are. Also fine where nothing was begun. */
bool pr_crew_end(struct pr_crew *crew);

/* Both at once. */
bool pr_crew_run(struct pr_crew *crew, size_t count, pr_crew_work *work, void *context);

/* No job is begun. NULL is fine. */
void pr_crew_free(struct pr_crew *crew);

#endif
