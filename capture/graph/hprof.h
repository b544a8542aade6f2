/* SPDX-License-Identifier: Apache-2.0 */
/* A heap dump of the JVM while it is read: parts of one reader. Source: doc/formats/heap-graphs.md. */
#ifndef PR_CAPTURE_GRAPH_HPROF_H
#define PR_CAPTURE_GRAPH_HPROF_H

#include "capture/graph/graph_profile.h"

/* Kinds of roots, as they are shown; each is a node between the root of all and its objects. */
enum pr_hprof_root {
    PR_HPROF_THREAD,
    PR_HPROF_FRAME,
    PR_HPROF_JNI_LOCAL,
    PR_HPROF_JNI_GLOBAL,
    PR_HPROF_MONITOR,
    PR_HPROF_CLASS,
    PR_HPROF_INTERNED,
    PR_HPROF_OTHER,
    PR_HPROF_ROOTS
};

/* What a node is. */
enum pr_hprof_form {
    PR_HPROF_INSTANCE, /* of a class, by its index */
    PR_HPROF_ARRAY,    /* of references; by the index of its class */
    PR_HPROF_VALUES,   /* an array of primitive values, by their type */
    PR_HPROF_CLASS_OBJECT,
    PR_HPROF_LABEL, /* a kind of roots, or the root of all */
};

enum {
    PR_HPROF_REFERENCE = 2, /* type of a field that refers to an object */
    PR_HPROF_CHAR = 5,
    PR_HPROF_BYTE = 8,
    PR_HPROF_TYPES = 12,
    PR_HPROF_CLASS_EDGES = 4, /* of a class object: superclass, loader, signers, protection domain; then statics */
    PR_HPROF_STATIC = INT32_MIN /* in the number of a field: a static one */
};

/* Bytes of a value of each type in the file; 0: there is no such type. References have the size of ids. */
extern const uint8_t pr_hprof_type_bytes[PR_HPROF_TYPES];

/* A field that refers to objects, of all instances of a class: its own and those of its superclasses. */
struct pr_hprof_reference {
    uint64_t name;   /* id of a string */
    uint32_t offset; /* into the values of an instance */
    bool is_weak;    /* Reference.referent: it does not retain */
};

struct pr_hprof_class {
    uint64_t super, name;              /* ids */
    uint32_t first_field, field_count; /* its own */
    uint32_t first_static, static_count; /* its own that are references */
    uint32_t first_reference, reference_count; /* once has_layout */
    uint32_t value_bytes; /* of fields of instances that are no references, once has_layout */
    uint32_t bytes;       /* of all fields of instances in the file, once has_layout */
    uint32_t static_bytes;
    uint32_t coder_at;    /* of java.lang.String: where an instance has how its bytes are meant, + 1; 0: nowhere */
    bool is_dumped, has_layout;
    bool has_threads;     /* objects of it are threads */
};

struct pr_hprof_field {
    uint64_t name;
    uint8_t type;
};

/* A frame of a thread's stack, and a stack; strings and frames by their ids. */
struct pr_hprof_frame {
    uint64_t method, source;
    uint32_t class_serial;
    int32_t line; /* below 1: not known */
};

struct pr_hprof_stack {
    size_t first; /* into stack_frames */
    uint32_t count;
};

struct pr_hprof_thread {
    uint64_t name;        /* id of a string; 0: it is found by the object */
    uint32_t stack, node; /* serial number; the object, PR_NO_ID: none */
    pr_str text;          /* the name, as it is shown */
};

/* What the local variables of a frame hold is below a node of its own, which the thread refers to. */
struct pr_hprof_local {
    uint32_t thread, frame; /* index; number in its stack */
    bool is_native;         /* a reference of native code (JNI) */
};

struct pr_hprof_threads {
    struct pr_idset class_serials, frame_ids, stack_serials, serials;
    uint64_t *class_of_serial; /* [class_serials.count] ids */
    struct pr_hprof_frame *frames; /* [frame_ids.count] */
    struct pr_hprof_stack *stacks; /* [stack_serials.count] */
    struct pr_hprof_thread *list;  /* [serials.count] */
    uint64_t *stack_frames;
    size_t class_capacity, frame_capacity, stack_capacity, list_capacity, stack_frame_count, stack_frame_capacity;

    struct {
        uint32_t node, at;
    } *texts;                  /* short arrays that may be a name, by node; each begins with its length */
    uint32_t *wide;            /* strings that have two bytes a character, by node */
    size_t text_count, text_capacity, wide_count, wide_capacity;
    struct pr_buf text_bytes;

    struct pr_idset local_keys;    /* (thread, is_native), frame */
    struct pr_hprof_local *locals; /* [local_keys.count] */
    size_t local_capacity;
    struct {
        uint32_t node, thread;
    } *by_node; /* [by_node_count] threads with an object, by that */
    uint32_t by_node_count;
};

/* An instance whose class is not known yet, with its values in `held`. */
struct pr_hprof_held {
    uint64_t id, class_id;
    size_t at;
    uint32_t bytes;
};

struct pr_hprof {
    struct pr_profile_builder c;
    struct pr_source *src;
    struct pr_graph graph;
    unsigned id_bytes;
    uint64_t left;  /* of the segment at hand */
    bool has_end, is_whole; /* all of the dump was read, whatever follows it */
    uint64_t undefined; /* references to objects that the dump does not have: JVMs leave some out */

    struct pr_idset string_ids;
    pr_str *strings; /* [string_ids.count] */
    struct pr_idset class_ids;
    struct pr_hprof_class *classes; /* [class_ids.count] */
    struct pr_hprof_field *fields;
    uint64_t *statics; /* names of static fields */
    struct pr_hprof_reference *references;
    size_t string_capacity, class_capacity, field_count, field_capacity, static_count, static_capacity,
        reference_count, reference_capacity;

    struct pr_idset kinds; /* form << 32 | class, type or root */
    uint64_t *ids;         /* [graph.count] of objects; labels have 0 */
    uint64_t *targets;     /* [graph.edge_count] ids, until they are resolved */
    size_t id_capacity, target_capacity;
    struct {
        uint32_t node, class_index;
    } *class_nodes;        /* by node */
    size_t class_node_count, class_node_capacity;
    struct {
        uint64_t id;
        uint32_t kind, thread, frame; /* serial number of the thread, and which frame of its stack */
        uint32_t node; /* PR_NO_ID: no such object, or it is below a frame */
    } *roots;
    size_t root_count, root_capacity;

    struct pr_hprof_threads threads;

    struct pr_hprof_held *held;
    size_t held_count, held_capacity;
    struct pr_buf held_bytes;
};

/* ---- hprof_classes.c ---- */

pr_str pr_hprof_string(const struct pr_hprof *r, uint64_t id);
void pr_hprof_add_string(struct pr_hprof *r, uint64_t id, pr_str text);

/* The index of a class, which is added if it is new; PR_NO_ID: no memory. */
uint32_t pr_hprof_class(struct pr_hprof *r, uint64_t id);

/* Finds the references of instances. False: a class above it is not known, or there is no memory. WANT: make do. */
bool pr_hprof_make_layout(struct pr_hprof *r, uint32_t class_index, bool want);

/* Whether TEXT is the string with the id NAME. */
bool pr_hprof_is_called(const struct pr_hprof *r, uint64_t name, const char *text);

extern const char *const pr_hprof_type_names[PR_HPROF_TYPES];

/* "java.lang.String[]": of a class by its index; IS_ARRAY: of an array whose class it is. */
pr_str pr_hprof_class_name(struct pr_hprof *r, uint32_t class_index, bool is_array);

/* The same of a class by its id; 0: it is not known. */
pr_str pr_hprof_class_text(struct pr_hprof *r, uint64_t class_id);

/* ---- hprof_names.c ---- */

struct pr_graph_names pr_hprof_names(struct pr_hprof *r);

/* The class of a class object; *INDEX: of it. */
const struct pr_hprof_class *pr_hprof_class_at(const struct pr_hprof *r, uint32_t node, uint32_t *index);

static inline enum pr_hprof_form pr_hprof_form_of(const struct pr_hprof *r, uint32_t kind)
{
    return (enum pr_hprof_form)(r->kinds.keys[kind] >> 32);
}

static inline uint32_t pr_hprof_what(const struct pr_hprof *r, uint32_t kind)
{
    return (uint32_t)r->kinds.keys[kind];
}

/* ---- hprof_dump.c ---- */

/* A node of the graph; its references follow by pr_hprof_refer. False: no memory. */
bool pr_hprof_node(struct pr_hprof *r, uint64_t id, enum pr_hprof_form form, uint32_t what, uint64_t length);
void pr_hprof_refer(struct pr_hprof *r, uint64_t id);

/* The references of the instance, which is the last node, from its values. */
void pr_hprof_refer_by_fields(struct pr_hprof *r, uint32_t class_index, uint64_t class_id, const uint8_t *values,
                              uint32_t bytes);

/* Reads a segment of LENGTH bytes. PR_CUT: the input ends in it. */
enum pr_status pr_hprof_read_segment(struct pr_hprof *r, uint64_t length);

/* Instances that were held back until all classes were known. */
void pr_hprof_take_held(struct pr_hprof *r);

/* A number of BYTES bytes, the most significant first. */
static inline uint64_t pr_hprof_number(const uint8_t *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

/* ---- hprof_stacks.c ---- */

void pr_hprof_add_class_serial(struct pr_hprof *r, uint32_t serial, uint64_t class_id);

/* Records of LENGTH bytes, which are there. False: they make no sense. */
bool pr_hprof_add_frame(struct pr_hprof *r, const uint8_t *record, size_t length);
bool pr_hprof_add_stack(struct pr_hprof *r, const uint8_t *record, size_t length);
bool pr_hprof_add_thread(struct pr_hprof *r, const uint8_t *record, size_t length);

/* The index of a thread, which is added if it is new; PR_NO_ID: no memory. */
uint32_t pr_hprof_thread(struct pr_hprof *r, uint32_t serial);

/* The values of the array that is the last node, if they could be the name of a thread. */
bool pr_hprof_may_be_name(const struct pr_hprof *r, uint8_t type, uint64_t count);
void pr_hprof_keep_text(struct pr_hprof *r, const uint8_t *values, size_t bytes);

/* The last node is a string whose bytes are two a character. */
void pr_hprof_keep_wide(struct pr_hprof *r);

void pr_hprof_threads_clear(struct pr_hprof_threads *threads);

/* ---- hprof_threads.c ---- */

/* Once references are nodes: names of threads, and what their stacks hold is below them. False: no memory. */
bool pr_hprof_link_threads(struct pr_hprof *r);

/* "thread main" of an object that is one; 0: it is none. */
pr_str pr_hprof_thread_name(const struct pr_hprof *r, uint32_t node);

/* The frame of a label, by its number from PR_HPROF_ROOTS + 1 on. */
void pr_hprof_local_place(struct pr_hprof *r, uint32_t what, struct pr_place *place);

/* ---- hprof_sizes.c ---- */

struct pr_hprof_address {
    uint64_t id;
    uint32_t node;
};

/* Lengths of arrays become sizes, and instances get theirs. LIST: all objects, by their addresses. */
void pr_hprof_set_sizes(struct pr_hprof *r, const struct pr_hprof_address *list, uint32_t count);

/* ---- hprof_graph.c ---- */

/* Ids become nodes, roots become references, and lengths sizes. */
void pr_hprof_link(struct pr_hprof *r);

#endif
