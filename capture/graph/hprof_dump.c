/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a segment: roots, classes, instances, arrays. What needs a class that comes later is held back. */
#include "capture/base/checked.h"
#include "capture/graph/hprof.h"

enum {
    ROOT_UNKNOWN = 0xff,
    ROOT_JNI_GLOBAL = 0x01,
    ROOT_JNI_LOCAL = 0x02,
    ROOT_JAVA_FRAME = 0x03,
    ROOT_NATIVE_STACK = 0x04,
    ROOT_STICKY_CLASS = 0x05,
    ROOT_THREAD_BLOCK = 0x06,
    ROOT_MONITOR = 0x07,
    ROOT_THREAD_OBJECT = 0x08,
    CLASS_DUMP = 0x20,
    INSTANCE_DUMP = 0x21,
    ARRAY_DUMP = 0x22,
    VALUES_DUMP = 0x23,
    /* of Android */
    ROOT_INTERNED = 0x89,
    ROOT_FINALIZING = 0x8a,
    ROOT_DEBUGGER = 0x8b,
    ROOT_CLEANUP = 0x8c,
    ROOT_VM_INTERNAL = 0x8d,
    ROOT_JNI_MONITOR = 0x8e,
    UNREACHABLE = 0x90,
    VALUES_NOT_DUMPED = 0xc3,
    HEAP_INFO = 0xfe
};

enum { MOST_INSTANCE_BYTES = 16 << 20, MOST_HELD_BYTES = 1 << 30 };

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool pr_hprof_node(struct pr_hprof *r, uint64_t id, enum pr_hprof_form form, uint32_t what, uint64_t length)
{
    const uint64_t key = (uint64_t)form << 32 | what;
    const uint32_t kind = pr_idset_add(&r->kinds, &key, 1), node = r->graph.count;
    if (r->c.status == PR_OK && kind != PR_NO_ID && pr_graph_node(&r->graph, kind, length) &&
        pr_grow(&r->ids, &r->id_capacity, node + (size_t)1, sizeof *r->ids)) {
        r->ids[node] = id;
        return true;
    }
    pr_build_no_memory(&r->c);
    return false;
}

void pr_hprof_refer(struct pr_hprof *r, uint64_t id)
{
    struct pr_graph *graph = &r->graph;
    if (graph->edge_count == UINT32_MAX - 1 ||
        !pr_grow(&r->targets, &r->target_capacity, graph->edge_count + (size_t)1, sizeof *r->targets))
        pr_build_no_memory(&r->c);
    else
        r->targets[graph->edge_count++] = id;
}

/* References of an instance are in the order of its class, so that each has its field's name, and then its class. */
void pr_hprof_refer_by_fields(struct pr_hprof *r, uint32_t class_index, uint64_t class_id, const uint8_t *values,
                              uint32_t bytes)
{
    const struct pr_hprof_class *class = &r->classes[class_index];
    for (uint32_t i = 0; i < class->reference_count; i++) {
        const struct pr_hprof_reference *field = &r->references[class->first_reference + i];
        const bool is_there = field->offset + r->id_bytes <= bytes && !field->is_weak;
        pr_hprof_refer(r, is_there ? pr_hprof_number(values + field->offset, r->id_bytes) : 0);
    }
    pr_hprof_refer(r, class_id);
    if (class->coder_at && class->coder_at <= bytes && values[class->coder_at - 1])
        pr_hprof_keep_wide(r);
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, bytes != class->bytes);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* LENGTH bytes of the segment at `at`; false: the segment or the input ends before. */
static bool need(struct pr_hprof *r, size_t length)
{
    return length <= r->left && pr_source_need(r->src, length);
}

static void pass(struct pr_hprof *r, size_t length)
{
    pr_source_skip(r->src, length);
    r->left -= length;
}

static bool pass_long(struct pr_hprof *r, uint64_t length)
{
    while (length) {
        if (!need(r, 1))
            return false;
        const size_t have = (size_t)(r->src->end - r->src->at);
        uint64_t now = length < have ? length : have;
        now = now < r->left ? now : r->left;
        pass(r, (size_t)now);
        length -= now;
    }
    return true;
}

static uint64_t number_at(const struct pr_hprof *r, size_t offset, unsigned bytes)
{
    return pr_hprof_number(r->src->at + offset, bytes);
}

/* MORE bytes follow its id: with 8, a thread and a frame of its stack; of a thread, its stack. */
static bool add_root(struct pr_hprof *r, enum pr_hprof_root kind, size_t more)
{
    const bool is_of_thread = kind == PR_HPROF_THREAD || kind == PR_HPROF_FRAME || kind == PR_HPROF_JNI_LOCAL;
    if (!need(r, r->id_bytes + more))
        return false;
    if (!pr_grow(&r->roots, &r->root_capacity, r->root_count + 1, sizeof *r->roots)) {
        pr_build_no_memory(&r->c);
        return false;
    }
    r->roots[r->root_count].id = number_at(r, 0, r->id_bytes);
    r->roots[r->root_count].thread = is_of_thread ? (uint32_t)number_at(r, r->id_bytes, 4) : 0;
    r->roots[r->root_count].frame = is_of_thread ? (uint32_t)number_at(r, r->id_bytes + 4, 4) : 0;
    r->roots[r->root_count++].kind = kind;
    pass(r, r->id_bytes + more);
    return true;
}

static unsigned type_bytes(const struct pr_hprof *r, uint8_t type)
{
    return type == PR_HPROF_REFERENCE ? r->id_bytes : type < PR_HPROF_TYPES ? pr_hprof_type_bytes[type] : 0;
}

/* A type and its value, which begins with OTHER bytes; *VALUE is that of a reference. 0: there is no such type. */
static size_t take_value(struct pr_hprof *r, size_t other, uint8_t *type, uint64_t *value)
{
    if (!need(r, other + 1))
        return 0;
    *type = r->src->at[other];
    const unsigned bytes = type_bytes(r, *type);
    if (!bytes || !need(r, other + 1 + bytes))
        return 0;
    *value = *type == PR_HPROF_REFERENCE ? number_at(r, other + 1, bytes) : 0;
    return other + 1 + bytes;
}

static bool pass_constants(struct pr_hprof *r)
{
    uint8_t type;
    uint64_t value;
    if (!need(r, 2))
        return false;
    uint32_t count = (uint32_t)number_at(r, 0, 2);
    pass(r, 2);
    for (; count; count--) {
        const size_t bytes = take_value(r, 2, &type, &value);
        if (!bytes)
            return false;
        pass(r, bytes);
    }
    return true;
}

static bool read_statics(struct pr_hprof *r, struct pr_hprof_class *class)
{
    uint8_t type;
    uint64_t value;
    if (!need(r, 2))
        return false;
    uint32_t count = (uint32_t)number_at(r, 0, 2);
    pass(r, 2);
    class->first_static = (uint32_t)r->static_count;
    for (; count; count--) {
        const size_t bytes = take_value(r, r->id_bytes, &type, &value);
        if (!bytes)
            return false;
        if (type == PR_HPROF_REFERENCE) {
            if (!pr_grow(&r->statics, &r->static_capacity, r->static_count + 1, sizeof *r->statics)) {
                pr_build_no_memory(&r->c);
                return false;
            }
            r->statics[r->static_count++] = number_at(r, 0, r->id_bytes);
            class->static_count++;
            pr_hprof_refer(r, value);
        } else {
            class->static_bytes += type_bytes(r, type);
        }
        pass(r, bytes);
    }
    return true;
}

static bool read_fields(struct pr_hprof *r, struct pr_hprof_class *class)
{
    if (!need(r, 2))
        return false;
    uint32_t count = (uint32_t)number_at(r, 0, 2);
    pass(r, 2);
    class->first_field = (uint32_t)r->field_count;
    for (; count; count--) {
        if (!need(r, r->id_bytes + 1) || !type_bytes(r, r->src->at[r->id_bytes]))
            return false;
        if (!pr_grow(&r->fields, &r->field_capacity, r->field_count + 1, sizeof *r->fields)) {
            pr_build_no_memory(&r->c);
            return false;
        }
        r->fields[r->field_count++] = (struct pr_hprof_field){number_at(r, 0, r->id_bytes), r->src->at[r->id_bytes]};
        class->field_count++;
        pass(r, r->id_bytes + 1);
    }
    return true;
}

static void add_class_node(struct pr_hprof *r, uint64_t id, uint32_t class_index)
{
    if (!pr_hprof_node(r, id, PR_HPROF_CLASS_OBJECT, 0, 0) ||
        !pr_grow(&r->class_nodes, &r->class_node_capacity, r->class_node_count + 1, sizeof *r->class_nodes)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->class_nodes[r->class_node_count].node = r->graph.count - 1;
    r->class_nodes[r->class_node_count++].class_index = class_index;
}

/* Id, stack, superclass, loader, signers, domain, two ids without meaning, size of instances; then lists. */
static bool read_class(struct pr_hprof *r)
{
    const unsigned id_bytes = r->id_bytes;
    if (!need(r, 7 * id_bytes + 8))
        return false;
    const uint64_t id = number_at(r, 0, id_bytes), super = number_at(r, id_bytes + 4, id_bytes);
    const uint32_t index = pr_hprof_class(r, id);
    struct pr_hprof_class other = {0}, *class = index == PR_NO_ID ? &other : &r->classes[index];
    if (class->is_dumped) { /* twice: the second is read and forgotten, its node is found by no id */
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        class = &other;
    }
    class->is_dumped = true;
    class->super = super;
    add_class_node(r, class == &other ? 0 : id, index == PR_NO_ID ? 0 : index);
    for (unsigned i = 0; i < PR_HPROF_CLASS_EDGES; i++)
        pr_hprof_refer(r, number_at(r, id_bytes + 4 + i * id_bytes, id_bytes));
    pass(r, 7 * id_bytes + 8);
    return pass_constants(r) && read_statics(r, class) && read_fields(r, class);
}

static void hold(struct pr_hprof *r, uint64_t id, uint64_t class_id, const uint8_t *values, uint32_t bytes)
{
    if (r->held_bytes.length + bytes > MOST_HELD_BYTES) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return;
    }
    const size_t at = r->held_bytes.length;
    pr_buf_add(&r->held_bytes, values, bytes);
    if (r->held_bytes.failed || !pr_grow(&r->held, &r->held_capacity, r->held_count + 1, sizeof *r->held)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->held[r->held_count++] = (struct pr_hprof_held){id, class_id, at, bytes};
}

void pr_hprof_take_held(struct pr_hprof *r)
{
    for (size_t i = 0; i < r->held_count && r->c.status != PR_FAILED; i++) {
        const struct pr_hprof_held *held = &r->held[i];
        const uint32_t index = pr_hprof_class(r, held->class_id);
        if (index == PR_NO_ID)
            return;
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, !pr_hprof_make_layout(r, index, true));
        if (pr_hprof_node(r, held->id, PR_HPROF_INSTANCE, index, 0))
            pr_hprof_refer_by_fields(r, index, held->class_id, (const uint8_t *)r->held_bytes.bytes + held->at,
                                     held->bytes);
    }
}

static bool read_instance(struct pr_hprof *r)
{
    const unsigned id_bytes = r->id_bytes, head = 2 * id_bytes + 8;
    if (!need(r, head))
        return false;
    const uint64_t id = number_at(r, 0, id_bytes), class_id = number_at(r, id_bytes + 4, id_bytes);
    const uint32_t bytes = (uint32_t)number_at(r, head - 4, 4);
    if (bytes > MOST_INSTANCE_BYTES || !need(r, head + (size_t)bytes))
        return false;
    const uint32_t index = pr_hprof_class(r, class_id);
    if (index != PR_NO_ID) {
        if (!pr_hprof_make_layout(r, index, false))
            hold(r, id, class_id, r->src->at + head, bytes);
        else if (pr_hprof_node(r, id, PR_HPROF_INSTANCE, index, 0))
            pr_hprof_refer_by_fields(r, index, class_id, r->src->at + head, bytes);
    }
    pass(r, head + (size_t)bytes);
    return true;
}

static bool read_array(struct pr_hprof *r)
{
    const unsigned id_bytes = r->id_bytes, head = 2 * id_bytes + 8;
    if (!need(r, head))
        return false;
    const uint64_t id = number_at(r, 0, id_bytes), class_id = number_at(r, id_bytes + 8, id_bytes);
    uint32_t count = (uint32_t)number_at(r, id_bytes + 4, 4);
    if ((uint64_t)count * id_bytes > r->left - head)
        return false;
    const uint32_t index = pr_hprof_class(r, class_id);
    pass(r, head);
    if (index == PR_NO_ID || !pr_hprof_node(r, id, PR_HPROF_ARRAY, index, count))
        return false;
    for (; count; count--) {
        if (!need(r, id_bytes))
            return false;
        const uint64_t item = number_at(r, 0, id_bytes);
        if (item)
            pr_hprof_refer(r, item);
        pass(r, id_bytes);
    }
    pr_hprof_refer(r, class_id);
    return true;
}

static bool read_values(struct pr_hprof *r, bool has_values)
{
    const unsigned head = r->id_bytes + 9;
    if (!need(r, head))
        return false;
    const uint64_t id = number_at(r, 0, r->id_bytes), count = number_at(r, r->id_bytes + 4, 4);
    const uint8_t type = r->src->at[head - 1];
    if (type == PR_HPROF_REFERENCE || !type_bytes(r, type) || !pr_hprof_node(r, id, PR_HPROF_VALUES, type, count))
        return false;
    pass(r, head);
    const uint64_t bytes = has_values ? count * type_bytes(r, type) : 0;
    if (bytes && pr_hprof_may_be_name(r, type, count) && need(r, (size_t)bytes))
        pr_hprof_keep_text(r, r->src->at, (size_t)bytes);
    return pass_long(r, bytes);
}

static bool read_one(struct pr_hprof *r, uint8_t tag)
{
    switch (tag) {
    case ROOT_JNI_GLOBAL:
        return add_root(r, PR_HPROF_JNI_GLOBAL, r->id_bytes);
    case ROOT_JNI_LOCAL:
        return add_root(r, PR_HPROF_JNI_LOCAL, 8);
    case ROOT_JAVA_FRAME:
        return add_root(r, PR_HPROF_FRAME, 8);
    case ROOT_NATIVE_STACK:
        return add_root(r, PR_HPROF_OTHER, 4);
    case ROOT_STICKY_CLASS:
        return add_root(r, PR_HPROF_CLASS, 0);
    case ROOT_THREAD_BLOCK:
        return add_root(r, PR_HPROF_OTHER, 4);
    case ROOT_MONITOR:
        return add_root(r, PR_HPROF_MONITOR, 0);
    case ROOT_THREAD_OBJECT:
        return add_root(r, PR_HPROF_THREAD, 8);
    case ROOT_INTERNED:
        return add_root(r, PR_HPROF_INTERNED, 0);
    case ROOT_JNI_MONITOR:
        return add_root(r, PR_HPROF_MONITOR, 8);
    case ROOT_UNKNOWN:
    case ROOT_FINALIZING:
    case ROOT_DEBUGGER:
    case ROOT_CLEANUP:
    case ROOT_VM_INTERNAL:
        return add_root(r, PR_HPROF_OTHER, 0);
    case UNREACHABLE:
        return pass_long(r, r->id_bytes);
    case HEAP_INFO:
        return pass_long(r, 4 + r->id_bytes);
    case CLASS_DUMP:
        return read_class(r);
    case INSTANCE_DUMP:
        return read_instance(r);
    case ARRAY_DUMP:
        return read_array(r);
    case VALUES_DUMP:
        return read_values(r, true);
    case VALUES_NOT_DUMPED:
        return read_values(r, false);
    default:
        return false;
    }
}

/* After a record that makes no sense, nothing says where the next one begins: the rest of the segment is left out. */
enum pr_status pr_hprof_read_segment(struct pr_hprof *r, uint64_t length)
{
    r->left = length;
    while (r->left && pr_build_going(&r->c)) {
        if (!need(r, 1))
            return PR_CUT;
        const uint8_t tag = *r->src->at;
        pass(r, 1);
        if (read_one(r, tag))
            continue;
        if (r->c.status != PR_OK)
            return r->c.status;
        if (r->src->at_eof && (uint64_t)(r->src->end - r->src->at) < r->left)
            return PR_CUT;
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return pass_long(r, r->left) ? PR_OK : PR_CUT;
    }
    return PR_OK;
}
