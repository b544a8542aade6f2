/* SPDX-License-Identifier: Apache-2.0 */
/* Lists are short (some hundred maps), so one that changes is moved; what forks copy is copied when it changes. */
#include "capture/perf_data/perf_maps.h"

#include "capture/base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MAPS = 1 << 20 /* of a process */ };

struct pr_perf_map_list {
    uint32_t users;
    size_t count, capacity;
    struct pr_perf_map *map;
};

static void release(struct pr_perf_map_list *list)
{
    if (!list || --list->users)
        return;
    free(list->map);
    free(list);
}

/* Where the list of PID is kept; NULL: no memory. */
static struct pr_perf_map_list **slot_of(struct pr_perf_processes *processes, uint32_t pid)
{
    const uint64_t key = pid;
    processes->pids.words = 1;
    const uint32_t known = processes->pids.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&processes->maps, &processes->capacity, known + (size_t)1, sizeof *processes->maps))
        index = pr_idset_add(&processes->pids, &key, 1);
    if (index == PR_NO_ID) {
        processes->no_memory = true;
        return NULL;
    }
    if (index == known)
        processes->maps[index] = NULL;
    return &processes->maps[index];
}

/* A list that nobody else uses, with room for two more maps: *SLOT. False: no memory. */
static bool make_own(struct pr_perf_map_list **slot)
{
    struct pr_perf_map_list *old = *slot, *list = old;
    if (!old || old->users > 1) {
        list = calloc(1, sizeof *list);
        if (!list)
            return false;
        list->users = 1;
    }
    const size_t count = old ? old->count : 0;
    if (!pr_grow(&list->map, &list->capacity, count + 2, sizeof *list->map)) {
        if (list != old)
            release(list);
        return false;
    }
    if (list != old && old) {
        memcpy(list->map, old->map, count * sizeof *list->map);
        list->count = count;
        release(old);
    }
    *slot = list;
    return true;
}

/* How many maps end at or before ADDRESS. */
static size_t count_before(const struct pr_perf_map_list *list, uint64_t address)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->map[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replaces maps FIRST to END - 1 by COUNT others, at most two more than they were. */
static void replace(struct pr_perf_map_list *list, size_t first, size_t end, const struct pr_perf_map *with,
                    size_t count)
{
    memmove(list->map + first + count, list->map + end, (list->count - end) * sizeof *list->map);
    memcpy(list->map + first, with, count * sizeof *with);
    list->count = list->count - (end - first) + count;
}

static void insert(struct pr_perf_map_list *list, const struct pr_perf_map *map)
{
    struct pr_perf_map with[3];
    size_t count = 0;
    const size_t first = count_before(list, map->start);
    size_t end = first;
    while (end < list->count && list->map[end].start < map->end)
        end++;
    if (end > first && list->map[first].start < map->start) {
        with[count] = list->map[first];
        with[count++].end = map->start;
    }
    with[count++] = *map;
    if (end > first && list->map[end - 1].end > map->end) {
        with[count] = list->map[end - 1];
        with[count].offset += map->end - with[count].start;
        with[count++].start = map->end;
    }
    replace(list, first, end, with, count);
}

void pr_perf_map_add(struct pr_perf_processes *processes, uint32_t pid, const struct pr_perf_map *map)
{
    struct pr_perf_map_list **slot = slot_of(processes, pid);
    if (!slot || map->end <= map->start || (*slot && (*slot)->count >= MAX_MAPS))
        return;
    if (make_own(slot))
        insert(*slot, map);
    else
        processes->no_memory = true;
}

void pr_perf_map_fork(struct pr_perf_processes *processes, uint32_t child, uint32_t parent)
{
    struct pr_perf_map_list **from = child == parent ? NULL : slot_of(processes, parent);
    struct pr_perf_map_list *list = from ? *from : NULL;
    struct pr_perf_map_list **to = from ? slot_of(processes, child) : NULL; /* may move the parent's slot */
    if (!to)
        return;
    if (list)
        list->users++;
    release(*to);
    *to = list;
}

static void forget(struct pr_perf_processes *processes, uint32_t pid)
{
    struct pr_perf_map_list **slot = slot_of(processes, pid);
    if (!slot)
        return;
    release(*slot);
    *slot = NULL;
}

void pr_perf_map_exit(struct pr_perf_processes *processes, uint32_t pid)
{
    uint32_t *oldest = &processes->ended[processes->ended_count % PR_PERF_ENDED];
    if (processes->ended_count >= PR_PERF_ENDED)
        forget(processes, *oldest);
    *oldest = pid;
    processes->ended_count++;
}

const struct pr_perf_map *pr_perf_map_find(const struct pr_perf_processes *processes, uint32_t pid, uint64_t address)
{
    const uint64_t key = pid;
    const uint32_t index = processes->pids.count ? pr_idset_find(&processes->pids, &key, 1) : PR_NO_ID;
    const struct pr_perf_map_list *list = index == PR_NO_ID ? NULL : processes->maps[index];
    const size_t at = list ? count_before(list, address) : 0;
    return list && at < list->count && list->map[at].start <= address ? &list->map[at] : NULL;
}

void pr_perf_maps_clear(struct pr_perf_processes *processes)
{
    for (uint32_t i = 0; i < processes->pids.count; i++)
        release(processes->maps[i]);
    free(processes->maps);
    pr_idset_clear(&processes->pids);
}
