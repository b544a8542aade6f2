/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of classes and fields, each made once. */
#include "capture/graph/graph_profile.h"

#include "capture/base/checked.h"

bool pr_graph_frames_init(struct pr_graph_frames *frames, struct pr_profile_builder *c, const struct pr_graph *graph,
                          const struct pr_graph_names *names)
{
    *frames = (struct pr_graph_frames){.c = c, .graph = graph, .names = names, .fields = {.words = 1}};
    frames->of_kind = malloc((names->kind_count + (size_t)1) * sizeof *frames->of_kind);
    if (!frames->of_kind) {
        pr_build_no_memory(c);
        return false;
    }
    memset(frames->of_kind, 0xff, (names->kind_count + (size_t)1) * sizeof *frames->of_kind);
    return true;
}

void pr_graph_frames_clear(struct pr_graph_frames *frames)
{
    free(frames->of_kind);
    free(frames->of_field);
    pr_idset_clear(&frames->fields);
}

pr_frame_id pr_graph_frame(struct pr_graph_frames *frames, uint32_t kind)
{
    if (frames->of_kind[kind] == PR_NO_ID) {
        struct pr_place place = {.function = frames->names->kind(frames->names->context, kind),
                                 .kind = PR_FRAME_OTHER};
        if (frames->names->place)
            frames->names->place(frames->names->context, kind, &place);
        frames->of_kind[kind] = pr_build_frame(frames->c, &place);
    }
    return frames->of_kind[kind];
}

pr_frame_id pr_graph_own_frame(struct pr_graph_frames *frames, uint32_t node)
{
    const struct pr_graph_names *names = frames->names;
    const struct pr_place place = {.function = names->own_name ? names->own_name(names->context, node) : 0,
                                   .kind = PR_FRAME_OTHER};
    return place.function ? pr_build_frame(frames->c, &place) : PR_NO_ID;
}

pr_str pr_graph_join(struct pr_profile_builder *c, pr_str owner, pr_str name)
{
    struct pr_buf text = {0};
    const struct pr_text before = pr_profile_text(c->profile, owner), after = pr_profile_text(c->profile, name);
    pr_buf_add(&text, before.bytes, before.length);
    pr_buf_byte(&text, '.');
    pr_buf_add(&text, after.bytes, after.length);
    return pr_build_buf(c, &text);
}

pr_frame_id pr_graph_field_frame(struct pr_graph_frames *frames, uint32_t node, uint32_t edge)
{
    const uint32_t kind = frames->graph->kind[node];
    const uint32_t field =
        edge == PR_NO_ID ? PR_NO_ID : frames->names->field(frames->names->context, node, edge);
    if (field == PR_NO_ID)
        return PR_NO_ID;
    const uint32_t known = frames->fields.count;
    const uint64_t key = pr_pair(kind, field);
    const uint32_t index = pr_idset_add(&frames->fields, &key, 1);
    if (index == PR_NO_ID ||
        !pr_grow(&frames->of_field, &frames->field_capacity, known + (size_t)1, sizeof *frames->of_field)) {
        pr_build_no_memory(frames->c);
        return PR_NO_ID;
    }
    if (index == known) {
        const struct pr_place place = {.function = frames->names->field_name(frames->names->context, kind, field),
                                       .kind = PR_FRAME_OTHER};
        frames->of_field[index] = pr_build_frame(frames->c, &place);
    }
    return frames->of_field[index];
}
