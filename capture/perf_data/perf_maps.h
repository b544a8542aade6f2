/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files of code a process has where, as the recording goes on: a later mapping replaces what it covers, and a
 * fork begins with those of its parent, which they share until one of them changes. As perf has it, a new program keeps
 * the maps of the old one where it has none: until its first instruction, samples in the kernel have the old caller.
 */
#ifndef PR_CAPTURE_PERF_DATA_PERF_MAPS_H
#define PR_CAPTURE_PERF_DATA_PERF_MAPS_H

#include "capture/base/idset.h"

#include <stddef.h>

/* A part of the memory of a process. */
struct pr_perf_map {
    uint64_t start, end; /* END is not in it */
    uint64_t offset;     /* of START in the file */
    uint32_t file;       /* the caller's number */
    bool is_code;        /* its protection allows to run it */
};

struct pr_perf_map_list; /* by start, apart from one another; shared by processes that are equal */

enum { PR_PERF_ENDED = 1024 /* processes that have ended, of which late samples still find their maps */ };

struct pr_perf_processes {
    struct pr_idset pids;
    struct pr_perf_map_list **maps; /* [pids.count] NULL: none */
    size_t capacity;
    uint32_t ended[PR_PERF_ENDED]; /* a ring of pids */
    size_t ended_count;
    bool no_memory;
};

void pr_perf_map_add(struct pr_perf_processes *processes, uint32_t pid, const struct pr_perf_map *map);
void pr_perf_map_fork(struct pr_perf_processes *processes, uint32_t child, uint32_t parent);

/* The process has ended: its maps are forgotten once many others have, too. */
void pr_perf_map_exit(struct pr_perf_processes *processes, uint32_t pid);

/* The map that holds ADDRESS; NULL: none. Borrowed until the next change. */
const struct pr_perf_map *pr_perf_map_find(const struct pr_perf_processes *processes, uint32_t pid, uint64_t address);

void pr_perf_maps_clear(struct pr_perf_processes *processes);

#endif
