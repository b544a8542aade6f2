/* SPDX-License-Identifier: Apache-2.0 */
/* Each part of a profile is looked up among the known ones, by what it is made of. */
#include "capture/compose/renumber.h"

#include <stdlib.h>

bool pr_numbers_init(struct pr_numbers *numbers, struct pr_strings *strings)
{
    static const uint64_t root_key = UINT64_MAX;
    *numbers = (struct pr_numbers){.strings = strings, .nodes = {.words = 1}, .threads = {.words = 2}};
    pr_frame_table_init(&numbers->frames);
    return pr_idset_add(&numbers->nodes, &root_key, 1) == PR_ROOT;
}

void pr_numbers_clear(struct pr_numbers *numbers)
{
    pr_frame_table_clear(&numbers->frames);
    pr_idset_clear(&numbers->nodes);
    pr_idset_clear(&numbers->threads);
}

pr_node_id pr_numbers_node(struct pr_numbers *numbers, pr_node_id parent, pr_frame_id frame)
{
    const uint64_t key = pr_pair(parent, frame);
    return frame == PR_NO_ID ? PR_NO_ID : pr_idset_add(&numbers->nodes, &key, 1);
}

uint32_t *pr_renumber_array(size_t count)
{
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = PR_NO_ID;
    return numbers;
}

bool pr_renumber_init(struct pr_renumber *in, struct pr_numbers *numbers, const struct pr_profile *profile)
{
    *in = (struct pr_renumber){numbers,
                               profile,
                               pr_renumber_array(profile->strings.count),
                               pr_renumber_array(profile->frame_count),
                               pr_renumber_array(profile->tree.count),
                               pr_renumber_array(profile->thread_count)};
    return in->string && in->frame && in->node && in->thread;
}

void pr_renumber_clear(struct pr_renumber *in)
{
    free(in->string);
    free(in->frame);
    free(in->node);
    free(in->thread);
}

pr_str pr_renumber_string(struct pr_renumber *in, pr_str string)
{
    if (in->string[string] == PR_NO_ID) {
        const struct pr_text text = pr_profile_text(in->profile, string);
        in->string[string] = pr_strings_add(in->numbers->strings, text.bytes, text.length);
    }
    return in->string[string];
}

pr_frame_id pr_renumber_frame(struct pr_renumber *in, pr_frame_id id)
{
    if (in->frame[id] == PR_NO_ID) {
        struct pr_frame frame = in->profile->frames[id];
        frame.function = pr_renumber_string(in, frame.function);
        frame.file = pr_renumber_string(in, frame.file);
        in->frame[id] = pr_frame_table_add(&in->numbers->frames, &frame);
    }
    return in->frame[id];
}

/* Parents come before their children, so they are already added. */
bool pr_renumber_tree(struct pr_renumber *in, pr_node_id root)
{
    const struct pr_tree *tree = &in->profile->tree;
    in->node[PR_ROOT] = root;
    for (pr_node_id i = 1; i < tree->count; i++) {
        in->node[i] = pr_numbers_node(in->numbers, in->node[tree->parent[i]], pr_renumber_frame(in, tree->frame[i]));
        if (in->node[i] == PR_NO_ID)
            return false;
    }
    return true;
}

bool pr_renumber_thread(struct pr_renumber *in, uint32_t i, uint32_t process)
{
    const struct pr_thread *thread = &in->profile->threads[i];
    const pr_str name = pr_renumber_string(in, thread->name);
    const uint64_t key[2] = {pr_pair(process, name), thread->tid};
    in->thread[i] = name == PR_NO_STR ? PR_NO_ID : pr_idset_add(&in->numbers->threads, key, 2);
    return in->thread[i] != PR_NO_ID;
}
