/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps have no sizes, and ids are addresses: how large headers, references and steps of addresses were in that JVM is
 * found out from how close together arrays are, and what the JVM adds to the fields of a class from how close together
 * its objects are.
 */
#include "capture/base/checked.h"
#include "capture/graph/hprof.h"

enum {
    SURE_OBJECTS = 64,   /* that many addresses tell what they are multiples of, and whether objects are close */
    SURE_OF_CLASS = 3,   /* that many objects of a class with the same room tell how large they are */
    MOST_HIDDEN = 2,     /* steps that the JVM adds to an object: two references, gaps between fields */
    CACHE_LINES = 256,   /* bytes around fields that have cache lines of their own, as Thread's until JDK 21 */
    MOST_OF_CLASS = 128, /* bytes that it adds to an object of java.lang.Class */
    CLOSE_ONE_IN = 50,   /* at most one array in that many has more room than it takes */
    MOST_STEPS = 256,
    MOST_CLASSES_ABOVE = 16
};

struct sizes {
    uint64_t step, header, array_header, reference; /* sizes and addresses are multiples of step */
};

/* The room that objects of one class have, up to the next object: at LEAST that much, some of them exactly so. */
struct room {
    uint64_t least;
    uint32_t objects, exact;
    int32_t hidden; /* bytes that are no field's; below 0: they are not known */
};

struct search {
    struct pr_hprof *r;
    const struct pr_hprof_address *list;
    uint32_t count;
    struct sizes sizes;
    struct room *rooms;     /* [r->class_ids.count] of instances */
    struct room class_room; /* of class objects, without their static fields */
    uint32_t arrays, close_arrays; /* and those that take up all their room */
};

static uint64_t rounded(const struct sizes *sizes, uint64_t bytes)
{
    return (bytes + sizes->step - 1) & ~(sizes->step - 1);
}

static enum pr_hprof_form form_at(const struct search *s, uint32_t i)
{
    return pr_hprof_form_of(s->r, s->r->graph.kind[s->list[i].node]);
}

static uint64_t room_at(const struct search *s, uint32_t i)
{
    return s->list[i + 1].id - s->list[i].id;
}

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

/* -XX:ObjectAlignmentInBytes: what all addresses are multiples of, from the first one. */
static uint64_t find_step(const struct search *s)
{
    uint64_t bits = MOST_STEPS;
    for (uint32_t i = 1; i < s->count; i++)
        bits |= s->list[i].id - s->list[0].id;
    const uint64_t step = bits & (~bits + 1);
    return s->count < SURE_OBJECTS || step < 8 ? 8 : step;
}

/*
 * An array of values is no larger than what is between it and the next object, and in a heap that was collected that is
 * all it takes: so its header is the largest of those that JVMs have that fits everywhere.
 */
static uint64_t find_array_header(const struct search *s)
{
    static const uint8_t headers[] = {24, 20, 16, 12};
    uint64_t most = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < s->count; i++) {
        if (form_at(s, i) != PR_HPROF_VALUES)
            continue;
        const uint32_t node = s->list[i].node, type = pr_hprof_what(s->r, s->r->graph.kind[node]);
        const uint64_t bytes = s->r->graph.size[node] * pr_hprof_type_bytes[type];
        if (room_at(s, i) >= bytes + 12 && room_at(s, i) - bytes < most)
            most = room_at(s, i) - bytes;
    }
    if (most == UINT64_MAX)
        return 16;
    for (size_t i = 0; i < sizeof headers; i++)
        if (headers[i] <= most)
            return headers[i];
    return 12;
}

/* The same for references, with arrays of them. Those of 4 bytes reach up to 2^32 steps. */
static bool has_short_references(const struct search *s, uint64_t array_header)
{
    bool is_short = s->count && s->list[s->count - 1].id >> 32 < s->sizes.step, has_proof = false;
    for (uint32_t i = 0; i + 1 < s->count && !(has_proof && is_short); i++) {
        const uint64_t length = s->r->graph.size[s->list[i].node];
        if (form_at(s, i) != PR_HPROF_ARRAY || length < 4)
            continue;
        has_proof = true;
        is_short = room_at(s, i) < array_header + length * 8;
    }
    return is_short;
}

static void find_sizes(struct search *s)
{
    s->sizes = (struct sizes){8, 8, 12, 4};
    if (s->r->id_bytes == 4)
        return;
    s->sizes.step = find_step(s);
    const uint64_t array_header = find_array_header(s);
    s->sizes.array_header = array_header;
    s->sizes.header = array_header == 12 ? 8 : array_header == 16 ? 12 : 16;
    s->sizes.reference = has_short_references(s, array_header) ? 4 : 8;
}

/* ---- what the JVM adds to the fields of a class ------------------------------------------------------------------ */

/* Fields that HotSpot makes up for the dump, "<resolved_references>", take no room. */
static uint64_t static_bytes(const struct search *s, const struct pr_hprof_class *class)
{
    uint64_t bytes = class->static_bytes;
    for (uint32_t i = 0; i < class->static_count; i++) {
        const struct pr_text name =
            pr_profile_text(s->r->c.profile, pr_hprof_string(s->r, s->r->statics[class->first_static + i]));
        bytes += name.length && *name.bytes == '<' ? 0 : s->sizes.reference;
    }
    return bytes;
}

static uint64_t field_bytes(const struct search *s, const struct pr_hprof_class *class)
{
    return s->sizes.header + class->value_bytes + class->reference_count * s->sizes.reference;
}

static uint64_t array_bytes(const struct search *s, uint32_t node)
{
    const uint32_t kind = s->r->graph.kind[node];
    const uint64_t item = pr_hprof_form_of(s->r, kind) == PR_HPROF_ARRAY
                              ? s->sizes.reference
                              : pr_hprof_type_bytes[pr_hprof_what(s->r, kind)];
    return rounded(&s->sizes, s->sizes.array_header + s->r->graph.size[node] * item);
}

/* STEP: rooms that differ by less are one. */
static void take_room(struct room *room, uint64_t bytes, uint64_t step)
{
    room->objects++;
    if (room->exact && bytes >= room->least + step)
        return;
    room->exact = room->exact && room->least < bytes + step ? room->exact + 1 : 1;
    room->least = room->exact > 1 && room->least < bytes ? room->least : bytes;
}

static void take_rooms(struct search *s)
{
    for (uint32_t i = 0; i + 1 < s->count; i++) {
        const uint32_t node = s->list[i].node;
        const uint64_t room = room_at(s, i);
        uint32_t class_index;
        switch (form_at(s, i)) {
        case PR_HPROF_INSTANCE:
            take_room(&s->rooms[pr_hprof_what(s->r, s->r->graph.kind[node])], room, 1);
            break;
        case PR_HPROF_CLASS_OBJECT: {
            const uint64_t bytes = static_bytes(s, pr_hprof_class_at(s->r, node, &class_index));
            if (room > bytes)
                take_room(&s->class_room, room - bytes, s->sizes.step);
            break;
        }
        case PR_HPROF_ARRAY:
        case PR_HPROF_VALUES:
            s->arrays++;
            s->close_arrays += array_bytes(s, node) == room;
            break;
        case PR_HPROF_LABEL:
            break;
        }
    }
}

/*
 * Where half of the objects have the same room and none has less, that is their size. BYTES: what fields take. More
 * than a JVM hides is the room of something else, which was always made with them and is gone.
 */
static int32_t hidden_bytes(const struct room *room, uint64_t bytes, uint64_t step)
{
    const uint64_t hidden = room->least - bytes;
    if (room->exact < SURE_OF_CLASS || room->exact < room->objects / 2 || room->least < bytes)
        return -1;
    const bool is_plausible = hidden % CACHE_LINES <= MOST_HIDDEN * step && hidden < 2 * CACHE_LINES;
    return is_plausible ? (int32_t)hidden : -1;
}

/* Only in a heap without gaps: where arrays are followed by the next object, so are others. */
static void find_hidden(struct search *s)
{
    const bool is_close = s->arrays >= SURE_OBJECTS && s->close_arrays >= s->arrays - s->arrays / CLOSE_ONE_IN;
    for (uint32_t i = 0; i < s->r->class_ids.count; i++) {
        const uint64_t bytes = rounded(&s->sizes, field_bytes(s, &s->r->classes[i]));
        s->rooms[i].hidden = is_close ? hidden_bytes(&s->rooms[i], bytes, s->sizes.step) : -1;
    }
    s->class_room.hidden = is_close ? (int32_t)(s->class_room.exact >= SURE_OF_CLASS) - 1 : -1;
}

/* Those of a class, or of the nearest one above it of which they are known. */
static uint64_t hidden_of(const struct search *s, uint32_t class_index)
{
    for (unsigned i = 0; i < MOST_CLASSES_ABOVE && class_index != PR_NO_ID; i++) {
        if (s->rooms[class_index].hidden >= 0)
            return (uint64_t)s->rooms[class_index].hidden;
        const uint64_t super = s->r->classes[class_index].super;
        class_index = super ? pr_idset_find(&s->r->class_ids, &super, 1) : PR_NO_ID;
    }
    return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Of objects of java.lang.Class, without the static fields that are in them. */
static uint64_t class_bytes(const struct search *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->r->class_ids.count; i++) {
        if (!pr_hprof_is_called(s->r, s->r->classes[i].name, "java/lang/Class"))
            continue;
        pr_hprof_make_layout(s->r, i, true);
        bytes = field_bytes(s, &s->r->classes[i]);
    }
    const bool is_found = s->class_room.hidden >= 0 && s->class_room.least >= bytes &&
                          s->class_room.least - bytes <= MOST_OF_CLASS;
    return is_found ? s->class_room.least : bytes;
}

static void set_sizes(struct search *s)
{
    struct pr_graph *graph = &s->r->graph;
    const uint64_t of_class = class_bytes(s);
    for (uint32_t i = 0; i < s->r->class_ids.count; i++)
        s->rooms[i].least = rounded(&s->sizes, field_bytes(s, &s->r->classes[i])) + hidden_of(s, i);
    for (uint32_t node = 0, index; node < graph->count; node++) {
        switch (pr_hprof_form_of(s->r, graph->kind[node])) {
        case PR_HPROF_INSTANCE:
            graph->size[node] = s->rooms[pr_hprof_what(s->r, graph->kind[node])].least;
            break;
        case PR_HPROF_CLASS_OBJECT:
            graph->size[node] =
                rounded(&s->sizes, of_class + static_bytes(s, pr_hprof_class_at(s->r, node, &index)));
            break;
        case PR_HPROF_ARRAY:
        case PR_HPROF_VALUES:
            graph->size[node] = array_bytes(s, node);
            break;
        case PR_HPROF_LABEL:
            break;
        }
    }
}

void pr_hprof_set_sizes(struct pr_hprof *r, const struct pr_hprof_address *list, uint32_t count)
{
    struct search s = {.r = r, .list = list, .count = count};
    s.rooms = calloc(r->class_ids.count + (size_t)1, sizeof *s.rooms);
    if (!s.rooms) {
        pr_build_no_memory(&r->c);
        return;
    }
    find_sizes(&s);
    if (r->id_bytes == 8)
        take_rooms(&s);
    find_hidden(&s);
    set_sizes(&s);
    free(s.rooms);
}
