/* SPDX-License-Identifier: Apache-2.0 */
/* What kinds of objects, fields and roots are called. */
#include "capture/graph/hprof.h"

static pr_str name_of_kind(void *context, uint32_t kind)
{
    static const char *const roots[] = {"all",
                                        "GC root: thread",
                                        "GC root: local variable",
                                        "GC root: JNI local",
                                        "GC root: JNI global",
                                        "GC root: monitor",
                                        "GC root: system class",
                                        "GC root: interned string",
                                        "GC root: other"};
    struct pr_hprof *r = context;
    const uint32_t what = pr_hprof_what(r, kind);
    struct pr_buf text = {0};
    switch (pr_hprof_form_of(r, kind)) {
    case PR_HPROF_INSTANCE:
        return pr_hprof_class_name(r, what, false);
    case PR_HPROF_ARRAY:
        return pr_hprof_class_name(r, what, true);
    case PR_HPROF_VALUES:
        pr_buf_text(&text, pr_hprof_type_names[what]);
        pr_buf_text(&text, "[]");
        return pr_build_buf(&r->c, &text);
    case PR_HPROF_CLASS_OBJECT:
        return pr_build_text(&r->c, "java.lang.Class");
    case PR_HPROF_LABEL:
        break;
    }
    return what <= PR_HPROF_ROOTS ? pr_build_text(&r->c, roots[what]) : 0; /* others: place_of */
}

static void place_of(void *context, uint32_t kind, struct pr_place *place)
{
    struct pr_hprof *r = context;
    if (pr_hprof_form_of(r, kind) == PR_HPROF_LABEL && pr_hprof_what(r, kind) > PR_HPROF_ROOTS)
        pr_hprof_local_place(r, pr_hprof_what(r, kind), place);
}

static pr_str own_name_of(void *context, uint32_t node)
{
    return pr_hprof_thread_name(context, node);
}

static bool is_label(void *context, uint32_t kind)
{
    return pr_hprof_form_of(context, kind) == PR_HPROF_LABEL;
}

/* One class object in another is a class that it knows. */
static bool is_generic(void *context, uint32_t kind)
{
    return pr_hprof_form_of(context, kind) != PR_HPROF_INSTANCE;
}

static bool is_global(void *context, uint32_t node)
{
    (void)context;
    (void)node;
    return false;
}

const struct pr_hprof_class *pr_hprof_class_at(const struct pr_hprof *r, uint32_t node, uint32_t *index)
{
    size_t low = 0, high = r->class_node_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->class_nodes[middle].node <= node)
            low = middle;
        else
            high = middle;
    }
    *index = r->class_nodes[low].class_index;
    return &r->classes[*index];
}

static uint32_t field_of(void *context, uint32_t node, uint32_t edge)
{
    const struct pr_hprof *r = context;
    const uint32_t kind = r->graph.kind[node], place = edge - r->graph.first[node];
    uint32_t index;
    if (pr_hprof_form_of(r, kind) == PR_HPROF_INSTANCE) {
        const struct pr_hprof_class *class = &r->classes[pr_hprof_what(r, kind)];
        return place < class->reference_count ? class->first_reference + place : PR_NO_ID;
    }
    if (pr_hprof_form_of(r, kind) != PR_HPROF_CLASS_OBJECT || place < PR_HPROF_CLASS_EDGES)
        return PR_NO_ID;
    const struct pr_hprof_class *class = pr_hprof_class_at(r, node, &index);
    const uint32_t number = place - PR_HPROF_CLASS_EDGES;
    return number < class->static_count ? (class->first_static + number) | (uint32_t)PR_HPROF_STATIC : PR_NO_ID;
}

/* The class whose static field has this number: first_static rises with class_nodes. */
static uint32_t class_of_static(const struct pr_hprof *r, uint32_t number)
{
    size_t low = 0, high = r->class_node_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (r->classes[r->class_nodes[middle].class_index].first_static <= number)
            low = middle;
        else
            high = middle;
    }
    return r->class_nodes[low].class_index;
}

static pr_str name_of_field(void *context, uint32_t kind, uint32_t field)
{
    struct pr_hprof *r = context;
    const uint32_t number = field & INT32_MAX;
    if (field == number)
        return pr_graph_join(&r->c, name_of_kind(r, kind), pr_hprof_string(r, r->references[number].name));
    return pr_graph_join(&r->c, pr_hprof_class_name(r, class_of_static(r, number), false),
                         pr_hprof_string(r, r->statics[number]));
}

struct pr_graph_names pr_hprof_names(struct pr_hprof *r)
{
    return (struct pr_graph_names){.context = r,
                                   .kind_count = r->kinds.count,
                                   .kind = name_of_kind,
                                   .is_label = is_label,
                                   .is_generic = is_generic,
                                   .is_global = is_global,
                                   .field = field_of,
                                   .field_name = name_of_field,
                                   .own_name = own_name_of,
                                   .place = place_of};
}
