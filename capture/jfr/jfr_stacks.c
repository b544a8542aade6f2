/* SPDX-License-Identifier: Apache-2.0 */
/* A method is resolved when a stack first has it: most that a JVM writes are in no stack of interest. */
#include "capture/jfr/jfr_stacks.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/jfr/jfr_names.h"
#include "capture/model/runtime_names.h"

/* Keys of the cache. */
enum { STACK, THREAD, METHOD, CLASS };

/* What async-profiler gives to symbols, whose class is their library; no method of Java can have it. */
#define NATIVE_DESCRIPTOR "()L;"

void pr_jfr_layout_find(struct pr_jfr *r)
{
    const struct pr_jfr_types *t = &r->types;
    struct pr_jfr_layout *l = &r->layout;
    l->stack = pr_jfr_type_by_name(t, "jdk.types.StackTrace");
    l->stack_frames = pr_jfr_field_of(t, l->stack, "frames");
    l->stack_truncated = pr_jfr_field_of(t, l->stack, "truncated");
    l->frame = pr_jfr_type_by_name(t, "jdk.types.StackFrame");
    l->frame_method = pr_jfr_field_of(t, l->frame, "method");
    l->frame_line = pr_jfr_field_of(t, l->frame, "lineNumber");
    l->frame_kind = pr_jfr_field_of(t, l->frame, "type");
    l->method = pr_jfr_type_by_name(t, "jdk.types.Method");
    l->method_class = pr_jfr_field_of(t, l->method, "type");
    l->method_name = pr_jfr_field_of(t, l->method, "name");
    l->method_descriptor = pr_jfr_field_of(t, l->method, "descriptor");
    l->klass = pr_jfr_type_by_name(t, "java.lang.Class");
    l->klass_name = pr_jfr_field_of(t, l->klass, "name");
    l->thread = pr_jfr_type_by_name(t, "java.lang.Thread");
    l->thread_os_name = pr_jfr_field_of(t, l->thread, "osName");
    l->thread_os_id = pr_jfr_field_of(t, l->thread, "osThreadId");
    l->thread_java_name = pr_jfr_field_of(t, l->thread, "javaName");
    l->thread_java_id = pr_jfr_field_of(t, l->thread, "javaThreadId");
    l->thread_virtual = pr_jfr_field_of(t, l->thread, "virtual");
}

void pr_jfr_forget(struct pr_jfr *r)
{
    pr_idset_clear(&r->cache.keys);
    r->cache.keys = (struct pr_idset){.words = 2};
    r->method_count = 0;
    pr_jfr_pools_clear(&r->pools);
}

/* Where the number of the constant is kept. *IS_NEW: it must be set. NULL: no memory. */
static uint32_t *cached_in(struct pr_jfr *r, struct pr_jfr_cache *cache, uint64_t what, int64_t key, bool *is_new)
{
    const uint64_t pair[2] = {what, (uint64_t)key};
    const uint32_t known = cache->keys.count;
    const bool room = pr_grow(&cache->numbers, &cache->capacity, known + (size_t)1, sizeof *cache->numbers);
    const uint32_t at = room ? pr_idset_add(&cache->keys, pair, 2) : PR_NO_ID;
    if (at == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    *is_new = at == known;
    if (*is_new)
        cache->numbers[at] = 0;
    return &cache->numbers[at];
}

static uint32_t *cached(struct pr_jfr *r, uint64_t what, int64_t key, bool *is_new)
{
    return cached_in(r, &r->cache, what, key, is_new);
}

static void keep(struct pr_jfr *r, uint64_t what, int64_t key, uint32_t number)
{
    bool is_new;
    uint32_t *at = cached(r, what, key, &is_new);
    if (at)
        *at = number;
}

static void undefined(struct pr_jfr *r)
{
    pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
}

/* ---- classes and methods ----------------------------------------------------------------------------------------- */

/* The name of a class as the JVM has it. */
static void add_raw_class(const struct pr_jfr *r, int64_t key, struct pr_buf *out)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    if (pr_jfr_constant(&r->pools, &r->types, r->layout.klass, key, values))
        pr_jfr_add_text(r, r->layout.klass, r->layout.klass_name, values, out);
}

static struct pr_text text_of(const struct pr_buf *text)
{
    return (struct pr_text){text->length ? text->bytes : "", (uint32_t)text->length};
}

static pr_str make_class(struct pr_jfr *r, int64_t key)
{
    struct pr_buf raw = {0}, name = {0};
    add_raw_class(r, key, &raw);
    if (!raw.length)
        undefined(r);
    pr_jfr_add_class(text_of(&raw), &name);
    name.failed |= raw.failed;
    pr_buf_clear(&raw);
    return pr_build_buf(&r->c, &name);
}

pr_str pr_jfr_class(struct pr_jfr *r, int64_t key)
{
    bool is_new;
    const uint32_t *at = key ? cached(r, CLASS, key, &is_new) : NULL;
    if (!at)
        return 0;
    if (!is_new)
        return *at;
    const pr_str name = make_class(r, key);
    keep(r, CLASS, key, name);
    return name;
}

/* A symbol of the library LIBRARY, which may be unknown. */
static struct pr_jfr_method native_method(struct pr_jfr *r, struct pr_text library, struct pr_text name)
{
    return (struct pr_jfr_method){.function = pr_build_string(&r->c, name.bytes, name.length),
                                  .file = pr_build_string(&r->c, library.bytes, library.length),
                                  .kind = PR_FRAME_NATIVE};
}

/* "java.lang.Thread.run" of java/lang/Thread.java. */
static struct pr_jfr_method java_method(struct pr_jfr *r, struct pr_text klass, struct pr_text name)
{
    struct pr_buf function = {0}, file = {0};
    struct pr_jfr_method method = {.kind = PR_FRAME_PYTHON};
    pr_jfr_add_class(klass, &function);
    if (name.length)
        pr_buf_byte(&function, '.');
    pr_buf_add(&function, name.bytes, name.length);
    pr_jfr_add_file(klass, &file);
    method.function = pr_build_buf(&r->c, &function);
    method.file = pr_build_buf(&r->c, &file);
    return method;
}

/* What constants say about a method. */
struct described {
    struct pr_buf klass, name, descriptor;
};

static void describe(struct pr_jfr *r, int64_t key, struct described *method)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    const struct pr_jfr_layout *l = &r->layout;
    if (pr_jfr_constant(&r->pools, &r->types, l->method, key, values)) {
        if (l->method_class != PR_NO_ID)
            add_raw_class(r, values[l->method_class].number, &method->klass);
        pr_jfr_add_text(r, l->method, l->method_name, values, &method->name);
        pr_jfr_add_text(r, l->method, l->method_descriptor, values, &method->descriptor);
    }
    if (!method->klass.length && !method->name.length) {
        undefined(r);
        pr_buf_text(&method->name, "(unknown)");
    }
    if (method->klass.failed || method->name.failed || method->descriptor.failed)
        pr_build_no_memory(&r->c);
}

static struct pr_jfr_method make_method(struct pr_jfr *r, int64_t key)
{
    struct described d = {.klass = {0}};
    describe(r, key, &d);
    const bool is_native = !d.klass.length || pr_text_is(text_of(&d.descriptor), NATIVE_DESCRIPTOR);
    const struct pr_text klass = text_of(&d.klass), name = text_of(&d.name);
    const struct pr_jfr_method method = is_native ? native_method(r, klass, name) : java_method(r, klass, name);
    pr_buf_clear(&d.klass);
    pr_buf_clear(&d.name);
    pr_buf_clear(&d.descriptor);
    return method;
}

static struct pr_jfr_method method_of(struct pr_jfr *r, int64_t key)
{
    const struct pr_jfr_method none = {0};
    bool is_new;
    const uint32_t *at = cached(r, METHOD, key, &is_new);
    if (!at)
        return none;
    if (!is_new)
        return r->methods[*at];
    if (!pr_grow(&r->methods, &r->method_capacity, r->method_count + (size_t)1, sizeof *r->methods)) {
        pr_build_no_memory(&r->c);
        return none;
    }
    const struct pr_jfr_method method = make_method(r, key);
    r->methods[r->method_count] = method;
    keep(r, METHOD, key, r->method_count++);
    return method;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static bool is_kernel(struct pr_jfr *r, const struct pr_jfr_value *values)
{
    struct pr_buf kind = {0};
    pr_jfr_add_text(r, r->layout.frame, r->layout.frame_kind, values, &kind);
    const bool is = kind.length && !strcmp(kind.bytes, "Kernel");
    if (kind.failed)
        pr_build_no_memory(&r->c);
    pr_buf_clear(&kind);
    return is;
}

static pr_frame_id read_frame(struct pr_jfr *r, struct pr_jfr_bytes *bytes)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    const struct pr_jfr_layout *l = &r->layout;
    pr_jfr_values(&r->types, l->frame, bytes, values);
    if (bytes->failed)
        return 0;
    const struct pr_jfr_method method = method_of(r, values[l->frame_method].number);
    struct pr_place place = {.function = method.function, .file = method.file, .kind = method.kind};
    if (l->frame_line != PR_NO_ID)
        place.line = values[l->frame_line].number;
    if (place.kind == PR_FRAME_NATIVE && is_kernel(r, values))
        place.kind = PR_FRAME_KERNEL;
    return pr_build_frame(&r->c, &place);
}

/* The frames at BYTES, an array, into r->stack. */
static uint32_t read_frames(struct pr_jfr *r, struct pr_jfr_bytes bytes)
{
    const uint32_t count = pr_jfr_count(&bytes);
    uint32_t depth = 0;
    if (count > r->c.options->limits.max_depth) {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
        return 0;
    }
    if (!pr_grow(&r->stack, &r->stack_capacity, count, sizeof *r->stack))
        pr_build_no_memory(&r->c);
    while (depth < count && r->c.status == PR_OK) {
        const pr_frame_id frame = read_frame(r, &bytes);
        if (bytes.failed) {
            undefined(r);
            break;
        }
        r->stack[depth++] = frame;
    }
    return r->c.status == PR_OK ? depth : 0;
}

static pr_frame_id made_up(struct pr_jfr *r, pr_str name)
{
    const struct pr_place place = {.function = name, .kind = PR_FRAME_OTHER};
    return pr_build_frame(&r->c, &place);
}

static pr_node_id make_stack(struct pr_jfr *r, int64_t key)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    const struct pr_jfr_layout *l = &r->layout;
    pr_node_id node = PR_ROOT;
    if (l->stack_frames == PR_NO_ID || l->frame_method == PR_NO_ID ||
        !pr_jfr_constant(&r->pools, &r->types, l->stack, key, values)) {
        undefined(r);
        return PR_ROOT;
    }
    const bool truncated = l->stack_truncated != PR_NO_ID && values[l->stack_truncated].number;
    if (truncated)
        node = pr_build_child(&r->c, node, made_up(r, pr_build_text(&r->c, "[outer frames were not recorded]")));
    r->facts.truncated += truncated;
    for (uint32_t i = read_frames(r, values[l->stack_frames].at); i-- > 0;)
        node = pr_build_child(&r->c, node, r->stack[i]);
    return node;
}

pr_node_id pr_jfr_stack(struct pr_jfr *r, int64_t key)
{
    bool is_new;
    const uint32_t *at = key ? cached(r, STACK, key, &is_new) : NULL;
    if (!at)
        return PR_ROOT;
    if (!is_new)
        return *at;
    const pr_node_id node = make_stack(r, key);
    keep(r, STACK, key, node);
    return node;
}

pr_node_id pr_jfr_called(struct pr_jfr *r, pr_node_id node, int64_t key)
{
    if (!key)
        return node;
    const struct pr_jfr_method method = method_of(r, key);
    const struct pr_place place = {.function = method.function, .file = method.file, .kind = method.kind};
    return pr_build_child(&r->c, node, pr_build_frame(&r->c, &place));
}

pr_node_id pr_jfr_about(struct pr_jfr *r, pr_node_id node, const char *what, pr_str name)
{
    struct pr_buf text = {0};
    if (!name)
        return node;
    const struct pr_text known = pr_profile_text(r->c.profile, name);
    pr_buf_printf(&text, "%s ", what);
    pr_buf_add(&text, known.bytes, known.length);
    return pr_build_child(&r->c, node, made_up(r, pr_build_buf(&r->c, &text)));
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static int64_t number_at(const struct pr_jfr_value *values, uint32_t field)
{
    return field != PR_NO_ID ? values[field].number : 0;
}

/*
 * The number that is shown, and that other formats know a thread by: the system's, unless an earlier thread has it. The
 * thread that ends a program, "DestroyJavaVM", is that of "main".
 */
static uint64_t number_of(struct pr_jfr *r, uint32_t thread, int64_t system, int64_t java)
{
    bool is_new = false;
    uint32_t *owner = system > 0 ? cached_in(r, &r->systems, THREAD, system, &is_new) : NULL;
    if (owner && is_new)
        *owner = thread;
    return (uint64_t)(owner && (*owner == thread || java <= 0) ? system : java);
}

/* One for each task, and more than anyone could tell apart: all virtual threads without a name are one. */
static uint32_t nameless_virtual(struct pr_jfr *r)
{
    const uint32_t thread = pr_build_thread(&r->c, r->process, UINT64_MAX);
    pr_build_number_thread(&r->c, thread, r->process, 0);
    pr_build_name_thread(&r->c, thread, pr_build_text(&r->c, PR_VIRTUAL_THREADS));
    return thread;
}

/* Numbers of the system are used again, and virtual threads have none: Java's own identify a thread. */
static uint32_t make_thread(struct pr_jfr *r, int64_t key)
{
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
    const struct pr_jfr_layout *l = &r->layout;
    if (!pr_jfr_constant(&r->pools, &r->types, l->thread, key, values)) {
        undefined(r);
        return pr_build_thread(&r->c, r->process, 0);
    }
    const pr_str name = pr_jfr_text(r, l->thread, l->thread_java_name, values);
    if (!name && number_at(values, l->thread_virtual))
        return nameless_virtual(r);
    const int64_t java = number_at(values, l->thread_java_id), system = number_at(values, l->thread_os_id);
    const uint64_t identity = java > 0 ? (uint64_t)java << 1 | 1 : (uint64_t)system << 1;
    const uint32_t thread = pr_build_thread(&r->c, r->process, identity);
    pr_build_number_thread(&r->c, thread, r->process, number_of(r, thread, system, java));
    pr_build_name_thread(&r->c, thread, name ? name : pr_jfr_text(r, l->thread, l->thread_os_name, values));
    return thread;
}

uint32_t pr_jfr_thread(struct pr_jfr *r, int64_t key)
{
    bool is_new;
    if (!key)
        return pr_build_thread(&r->c, r->process, 0);
    const uint32_t *at = cached(r, THREAD, key, &is_new);
    if (!at)
        return 0;
    if (!is_new)
        return *at;
    const uint32_t thread = make_thread(r, key);
    keep(r, THREAD, key, thread);
    return thread;
}
