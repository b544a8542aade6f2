/* SPDX-License-Identifier: Apache-2.0 */
/* A trie of path parts: the edge (node, part) is a key of an idset, its number names the node below. */
#include "capture/model/search_path.h"

#include "capture/base/checked.h"
#include "capture/model/code_path.h"

enum { TOP = 0 };

enum pr_status pr_dirset_init(struct pr_dirset *set, struct pr_error *err)
{
    *set = (struct pr_dirset){.nodes = {.words = 1}};
    return pr_strings_init(&set->parts, err);
}

/* The node below NODE by PART, made if it is not there; TOP = no memory. */
static uint32_t descend(struct pr_dirset *set, uint32_t node, struct pr_text part)
{
    pr_str name = pr_strings_add(&set->parts, part.bytes, part.length);
    if (name == PR_NO_STR || !pr_grow(&set->number, &set->capacity, set->nodes.count + (size_t)1, sizeof *set->number))
        return TOP;
    uint64_t key = pr_pair(node, name);
    uint32_t before = set->nodes.count, id = pr_idset_add(&set->nodes, &key, 1);
    if (id == PR_NO_ID)
        return TOP;
    if (id == before)
        set->number[id] = PR_NO_ID;
    return id + 1;
}

enum pr_status pr_dirset_add(struct pr_dirset *set, struct pr_text directory, struct pr_error *err)
{
    uint32_t node = TOP;
    struct pr_text part;
    for (uint32_t at = 0; pr_path_part(directory, &at, &part);) {
        node = descend(set, node, part);
        if (node == TOP)
            return pr_fail_memory(err);
    }
    if (node != TOP && set->number[node - 1] == PR_NO_ID)
        set->number[node - 1] = set->count;
    set->count++;
    return PR_OK;
}

enum pr_status pr_dirset_find(struct pr_dirset *set, struct pr_text path, struct pr_dirset_found *found,
                              struct pr_error *err)
{
    uint32_t node = TOP;
    struct pr_text part;
    *found = (struct pr_dirset_found){.number = PR_NO_ID};
    for (uint32_t at = 0; pr_path_part(path, &at, &part);) {
        pr_str name = pr_strings_add(&set->parts, part.bytes, part.length);
        if (name == PR_NO_STR)
            return pr_fail_memory(err);
        uint64_t key = pr_pair(node, name);
        uint32_t id = pr_idset_find(&set->nodes, &key, 1);
        if (id == PR_NO_ID)
            break;
        if (set->number[id] < found->number)
            *found = (struct pr_dirset_found){set->number[id], at};
        node = id + 1;
    }
    return PR_OK;
}

void pr_dirset_clear(struct pr_dirset *set)
{
    pr_strings_clear(&set->parts);
    pr_idset_clear(&set->nodes);
    free(set->number);
    *set = (struct pr_dirset){.nodes = {.words = 1}};
}
