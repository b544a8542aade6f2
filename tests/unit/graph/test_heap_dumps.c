/* SPDX-License-Identifier: Apache-2.0 */
/* Small heap dumps of V8 and of the JVM: trees by class and field, what retains nothing, damage, lack of memory. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

/* ---- V8 ---------------------------------------------------------------------------------------------------------- */

#define META                                                                                                           \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","                 \
    "\"detachedness\"],\"node_types\":[[\"hidden\",\"object\",\"string\",\"synthetic\",\"array\",\"odd one\"],"       \
    "\"string\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"                                            \
    "\"edge_types\":[[\"property\",\"element\",\"weak\",\"internal\",\"shortcut\"],\"node\"]},"                       \
    "\"node_count\":8,\"edge_count\":8},"

/* A root, a global object that has a cache by a property and a string by a weak reference; the cache has two
   objects of one class in an array, the second of which has a third. */
static const char snapshot[] =
    META "\"nodes\":[3,0,1,0,1,0, 1,1,3,10,2,0, 1,2,5,20,1,0, 4,0,7,40,2,0, 1,3,9,50,0,0, 1,3,11,50,1,0,"
         "1,3,13,50,0,0, 2,0,15,7,0,0],"
         "\"edges\":[4,0,6, 0,4,12, 2,5,42, 0,6,18, 1,0,24, 1,1,30, 0,7,36],"
         "\"strings\":[\"\",\"global\",\"Cache\",\"Item\",\"cache\",\"text\",\"items\",\"next\"]}";

static void objects_are_grouped_by_class_and_field(void **state)
{
    (void)state;
    assert_stacks("heapsnapshot", snapshot, "retained",
                  "0|global 10 x1\n"
                  "0|global;global.cache;Cache 20 x1\n"
                  "0|global;global.cache;Cache;Cache.items;(array) 40 x1\n"
                  "0|global;global.cache;Cache;Cache.items;(array);Item 150 x3\n");
    assert_stacks("heapsnapshot", snapshot, "unreachable", "0|(string) 7 x1\n");
    assert_stacks("heapsnapshot", snapshot, "held_by",
                  "0|global.cache;Cache.items;(array) 40 x1\n"
                  "0|global.cache;Cache.items;(array);Item 100 x2\n"
                  "0|global.cache;Cache.items;(array);Item;Item.next;Item 50 x1\n");
}

/* The value of a pair in a WeakMap is its key's, not its table's. */
static void the_value_of_a_weak_pair_is_held_by_its_key(void **state)
{
    static const char text[] =
        META "\"nodes\":[3,0,1,0,2,0, 1,1,3,10,1,0, 1,2,5,20,1,0, 1,3,7,90,0,2],"
             "\"edges\":[1,0,6, 1,1,12, 3,4,18, 3,4,18],"
             "\"strings\":[\"\",\"Key\",\"Table\",\"Value\","
             "\"2 / part of key (Key @3) -> value (Value @7) pair in WeakMap (table @5)\"]}";
    (void)state;
    assert_stacks("heapsnapshot", text, "retained",
                  "0|Key 10 x1\n0|Key;Detached Value 90 x1\n0|Table 20 x1\n");
}

static void a_cut_snapshot_has_sizes_by_type_alone(void **state)
{
    const size_t length = (size_t)(strstr(snapshot, "18, 1,0,24") - snapshot);
    (void)state;
    struct pr_profile *profile = reading(NULL, snapshot, length, PR_CUT);
    assert_metric(profile, "shallow", "0|(array) 40 x1\n0|(object) 180 x5\n0|(string) 7 x1\n");
    assert_note(profile, "it ends before its references were read");
    assert_int_equal(profile->metric_count, 1);
    pr_profile_free(profile);
}

static void references_to_nowhere_are_damage(void **state)
{
    static const char text[] = META "\"nodes\":[3,0,1,0,2,0, 1,1,3,10,0,0],"
                                    "\"edges\":[4,0,6, 0,0,600], \"strings\":[\"\",\"global\"]}";
    (void)state;
    assert_damaged_stacks("heapsnapshot", text, "retained", "0|global 10 x1\n", PR_DAMAGE_FRAMES, 1);
}

static void counts_that_do_not_fit_are_damage(void **state)
{
    static const char text[] = META "\"nodes\":[3,0,1,0,4000000000,0, 1,1,3,10,9,0],"
                                    "\"edges\":[4,0,6], \"strings\":[\"\",\"global\"]}";
    (void)state;
    assert_damaged_stacks("heapsnapshot", text, "retained", "0|global 10 x1\n", PR_DAMAGE_RECORDS, 1);
}

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

static void put(struct pr_buf *out, uint64_t number, int bytes)
{
    while (bytes--)
        pr_buf_byte(out, (uint8_t)(number >> 8 * bytes));
}

static void put_record(struct pr_buf *out, unsigned tag, const struct pr_buf *body)
{
    put(out, tag, 1);
    put(out, 0, 4);
    put(out, body->length, 4);
    pr_buf_add(out, body->bytes, body->length);
}

static void put_name(struct pr_buf *out, uint64_t id, const char *text)
{
    struct pr_buf body = {0};
    put(&body, id, 8);
    pr_buf_text(&body, text);
    put_record(out, 0x01, &body);
    pr_buf_clear(&body);
}

static void put_loaded(struct pr_buf *out, uint64_t class, uint64_t name)
{
    struct pr_buf body = {0};
    put(&body, 0, 4);
    put(&body, class, 8);
    put(&body, 0, 4);
    put(&body, name, 8);
    put_record(out, 0x02, &body);
    pr_buf_clear(&body);
}

static void begin_class(struct pr_buf *out, uint64_t class, uint64_t super)
{
    put(out, 0x20, 1);
    put(out, class, 8);
    put(out, 0, 4);
    put(out, super, 8);
    for (int i = 0; i < 5; i++)
        put(out, 0, 8);
}

/* A class with a static reference (NAME 0: none) and fields: their names, all references. */
static void put_class(struct pr_buf *out, uint64_t class, uint64_t super, uint64_t static_name, uint64_t value,
                      uint64_t field, uint64_t other)
{
    begin_class(out, class, super);
    put(out, 0, 4);
    put(out, 0, 2);
    put(out, static_name != 0, 2);
    if (static_name) {
        put(out, static_name, 8);
        put(out, 2, 1);
        put(out, value, 8);
    }
    put(out, (uint64_t)(field != 0) + (other != 0), 2);
    for (int i = 0; i < 2; i++) {
        if (!(i ? other : field))
            continue;
        put(out, i ? other : field, 8);
        put(out, 2, 1);
    }
}

static void put_object(struct pr_buf *out, uint64_t id, uint64_t class, int fields, uint64_t one, uint64_t two)
{
    put(out, 0x21, 1);
    put(out, id, 8);
    put(out, 0, 4);
    put(out, class, 8);
    put(out, (uint64_t)fields * 8, 4);
    if (fields)
        put(out, one, 8);
    if (fields > 1)
        put(out, two, 8);
}

static void put_values(struct pr_buf *out, uint64_t id, uint32_t count)
{
    put(out, 0x23, 1);
    put(out, id, 8);
    put(out, 0, 4);
    put(out, count, 4);
    put(out, 8, 1);
    for (uint32_t i = 0; i < count; i++)
        put(out, 0, 1);
}

enum { OBJECT = 0x100, CACHE = 0x200, NODE = 0x300, REFERENCE = 0x400, WEAK = 0x500 };

/*
 * Cache.ALL, static, is a Node with a Node after it; each has 104 bytes. A WeakReference has 1000 bytes, which only it
 * has. CLASSES_FIRST: as HotSpot writes it; else as Android does.
 */
static struct pr_buf dump(bool classes_first, bool has_end)
{
    static const char *const names[] = {"java/lang/Object", "Cache", "Node", "java/lang/ref/Reference",
                                        "java/lang/ref/WeakReference", "ALL", "data", "next", "referent"};
    struct pr_buf out = {0}, body = {0};
    pr_buf_add(&out, "JAVA PROFILE 1.0.2", 19);
    put(&out, 8, 4);
    put(&out, 0, 8);
    for (uint64_t i = 0; i < sizeof names / sizeof *names; i++)
        put_name(&out, 1 + i, names[i]);
    for (uint64_t i = 0; i < 5; i++)
        put_loaded(&out, 0x100 * (i + 1), 1 + i);
    for (int turn = 0; turn < 2; turn++) {
        if ((turn == 0) == classes_first) {
            put_class(&body, OBJECT, 0, 0, 0, 0, 0);
            put_class(&body, CACHE, OBJECT, 6, 0x1000, 0, 0);
            put_class(&body, NODE, OBJECT, 0, 0, 7, 8);
            put_class(&body, REFERENCE, OBJECT, 0, 0, 9, 0);
            put_class(&body, WEAK, REFERENCE, 0, 0, 0, 0);
        } else {
            put_object(&body, 0x1000, NODE, 2, 0x1018, 0x1090);
            put_values(&body, 0x1018, 104);
            put_object(&body, 0x1090, NODE, 2, 0x10a8, 0);
            put_values(&body, 0x10a8, 104);
            put_object(&body, 0x1120, WEAK, 1, 0x1130, 0);
            put_values(&body, 0x1130, 1000);
        }
    }
    put(&body, 0x05, 1); /* a system class */
    put(&body, CACHE, 8);
    put(&body, 0x01, 1); /* JNI global */
    put(&body, 0x1120, 8);
    put(&body, 0, 8);
    put_record(&out, 0x1c, &body);
    body.length = 0;
    if (has_end)
        put_record(&out, 0x2c, &body);
    pr_buf_clear(&body);
    return out;
}

static void assert_dump(struct pr_buf bytes)
{
    struct pr_profile *profile = reading(NULL, bytes.bytes, bytes.length, PR_OK);
    char *stacks = reading_stacks(profile, "retained");
    assert_string_equal(stacks, "0|GC root: JNI global;java.lang.ref.WeakReference 16 x1\n"
                                "0|GC root: JNI global;java.lang.ref.WeakReference;java.lang.Class 0 x2\n"
                                "0|GC root: system class;java.lang.Class 8 x1\n"
                                "0|GC root: system class;java.lang.Class;Cache.ALL;Node 48 x2\n"
                                "0|GC root: system class;java.lang.Class;Cache.ALL;Node;Node.data;byte[] 240 x2\n"
                                "0|GC root: system class;java.lang.Class;Cache.ALL;Node;java.lang.Class 0 x1\n"
                                "0|java.lang.Class 0 x1\n");
    free(stacks);
    assert_metric(profile, "unreachable", "0|byte[] 1016 x1\n");
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

static void fields_and_weak_references_are_those_of_the_class(void **state)
{
    (void)state;
    assert_dump(dump(true, true));
}

static void objects_may_come_before_their_classes(void **state)
{
    (void)state;
    assert_dump(dump(false, true));
}

static void a_dump_without_its_end_has_sizes_by_class_alone(void **state)
{
    (void)state;
    struct pr_buf bytes = dump(true, false);
    struct pr_profile *profile = reading(NULL, bytes.bytes, bytes.length, PR_CUT);
    assert_metric(profile, "shallow", "0|Node 48 x2\n0|byte[] 1256 x3\n0|java.lang.Class 8 x5\n"
                                      "0|java.lang.ref.WeakReference 16 x1\n");
    assert_note(profile, "it ends before all references were read");
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

/* Its own fields are all that it has for certain. */
static void a_class_above_itself_is_damage(void **state)
{
    (void)state;
    struct pr_buf bytes = dump(true, true);
    char *node = memmem(bytes.bytes, bytes.length, "\x20\0\0\0\0\0\0\x03\0", 9);
    assert_non_null(node);
    memcpy(node + 13, "\0\0\0\0\0\0\x03\0", 8);
    struct pr_profile *profile = reading(NULL, bytes.bytes, bytes.length, PR_CUT);
    char *stacks = reading_stacks(profile, "retained");
    assert_non_null(strstr(stacks, ";Cache.ALL;Node 48 x2\n"));
    assert_int_equal(profile->damage.kind[PR_DAMAGE_FRAMES].count, 1);
    free(stacks);
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { STRING = 0x600, THREAD = 0x700, FRAME = 0x90 };

static void put_fields(struct pr_buf *out, uint64_t class, const uint8_t *types, const uint64_t *names, uint64_t count)
{
    begin_class(out, class, OBJECT);
    put(out, 0, 4 + 2 + 2);
    put(out, count, 2);
    for (uint64_t i = 0; i < count; i++) {
        put(out, names[i], 8);
        put(out, types[i], 1);
    }
}

static void put_root(struct pr_buf *out, uint8_t tag, uint64_t id, uint32_t thread, uint32_t number)
{
    put(out, tag, 1);
    put(out, id, 8);
    put(out, thread, 4);
    put(out, number, 4);
}

/* The bytes of a string; CODER 1: two a character. */
static void put_string(struct pr_buf *out, uint64_t id, const char *text, size_t length, uint8_t coder)
{
    put(out, 0x23, 1);
    put(out, id + 0x20, 8);
    put(out, 0, 4);
    put(out, length, 4);
    put(out, 8, 1);
    pr_buf_add(out, text, length);
    put(out, 0x21, 1);
    put(out, id, 8);
    put(out, 0, 4);
    put(out, STRING, 8);
    put(out, 9, 4);
    put(out, coder, 1);
    put(out, id + 0x20, 8);
}

/* Frames of a stack: Node.next (line 42 of Node.java), and one without a line. */
static void put_stack(struct pr_buf *out)
{
    struct pr_buf body = {0};
    for (uint32_t i = 0; i < 2; i++) {
        body.length = 0;
        put(&body, FRAME + i, 8);
        put(&body, i ? 7 : 8, 8);
        put(&body, 0, 8);
        put(&body, 10, 8);
        put(&body, 3, 4);
        put(&body, i ? UINT32_MAX : 42, 4);
        put_record(out, 0x04, &body);
    }
    body.length = 0;
    put(&body, 77, 4);
    put(&body, 5, 4);
    put(&body, 2, 4);
    put(&body, FRAME, 8);
    put(&body, FRAME + 1, 8);
    put_record(out, 0x05, &body);
    pr_buf_clear(&body);
}

/* Threads "main" and "\u5de5", whose stacks hold nodes: one each frame, one both, one by native code. */
static struct pr_buf dump_of_threads(void)
{
    static const char *const names[] = {"java/lang/Object", "java/lang/String", "Node", "java/lang/Thread",
                                        "value", "coder", "data", "next", "name", "Node.java"};
    static const uint64_t classes[] = {OBJECT, STRING, NODE, THREAD};
    struct pr_buf out = {0}, body = {0};
    pr_buf_add(&out, "JAVA PROFILE 1.0.2", 19);
    put(&out, 8, 4);
    put(&out, 0, 8);
    for (uint64_t i = 0; i < sizeof names / sizeof *names; i++)
        put_name(&out, 1 + i, names[i]);
    for (uint32_t i = 0; i < 4; i++) {
        body.length = 0;
        put(&body, 1 + i, 4);
        put(&body, classes[i], 8);
        put(&body, 0, 4);
        put(&body, 1 + i, 8);
        put_record(&out, 0x02, &body);
    }
    put_stack(&out);
    body.length = 0;
    put_class(&body, OBJECT, 0, 0, 0, 0, 0);
    put_fields(&body, STRING, (const uint8_t[]){8, 2}, (const uint64_t[]){6, 5}, 2);
    put_class(&body, NODE, OBJECT, 0, 0, 0, 0);
    put_fields(&body, THREAD, (const uint8_t[]){2}, (const uint64_t[]){9}, 1);
    put_string(&body, 0x1000, "main", 4, 0);
    put_string(&body, 0x1100, "\xe5\x5d", 2, 1);
    put_object(&body, 0x2000, THREAD, 1, 0x1000, 0);
    put_object(&body, 0x2100, THREAD, 1, 0x1100, 0);
    for (uint64_t i = 0; i < 5; i++)
        put_object(&body, 0x3000 + i * 0x100, NODE, 0, 0, 0);
    put_root(&body, 0x03, 0x3000, 5, 0); /* comes before its thread */
    put_root(&body, 0x08, 0x2000, 5, 77);
    put_root(&body, 0x08, 0x2100, 6, 0);
    put_root(&body, 0x03, 0x3100, 5, 0);
    put_root(&body, 0x03, 0x3100, 5, 0); /* twice */
    put_root(&body, 0x03, 0x3200, 5, 1);
    put_root(&body, 0x03, 0x3200, 5, 0);
    put_root(&body, 0x02, 0x3300, 6, 9); /* a frame that its stack does not have */
    put_root(&body, 0x03, 0x3400, 8, 0); /* a thread that the dump does not have */
    put_record(&out, 0x1c, &body);
    body.length = 0;
    put_record(&out, 0x2c, &body);
    pr_buf_clear(&body);
    return out;
}

static void what_a_stack_holds_is_below_its_thread_and_frame(void **state)
{
    (void)state;
    struct pr_buf bytes = dump_of_threads();
    struct pr_profile *profile = reading(NULL, bytes.bytes, bytes.length, PR_OK);
    char *stacks = reading_stacks(profile, "retained");
    assert_string_equal(
        stacks, "0|GC root: local variable;Node 16 x1\n"
                "0|GC root: thread;java.lang.Class 0 x2\n"
                "0|GC root: thread;thread main;java.lang.Thread 24 x1\n"
                "0|GC root: thread;thread main;java.lang.Thread;Node 16 x1\n"
                "0|GC root: thread;thread main;java.lang.Thread;java.lang.Thread.name;java.lang.String 24 x1\n"
                "0|GC root: thread;thread main;java.lang.Thread;java.lang.Thread.name;java.lang.String;"
                "java.lang.String.value;byte[] 32 x1\n"
                "0|GC root: thread;thread main;java.lang.Thread;local in Node.next Node.java:42;Node 32 x2\n"
                "0|GC root: thread;thread \xe5\xb7\xa5;java.lang.Thread 24 x1\n"
                "0|GC root: thread;thread \xe5\xb7\xa5;java.lang.Thread;JNI local;Node 16 x1\n"
                "0|GC root: thread;thread \xe5\xb7\xa5;java.lang.Thread;java.lang.Thread.name;java.lang.String 24 x1\n"
                "0|GC root: thread;thread \xe5\xb7\xa5;java.lang.Thread;java.lang.Thread.name;java.lang.String;"
                "java.lang.String.value;byte[] 32 x1\n"
                "0|java.lang.Class 0 x2\n");
    free(stacks);
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

static void ids_of_other_sizes_are_refused(void **state)
{
    (void)state;
    struct pr_buf bytes = dump(true, true);
    bytes.bytes[22] = 3;
    assert_null(reading(NULL, bytes.bytes, bytes.length, PR_FAILED));
    pr_buf_clear(&bytes);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void damage_breaks_no_reader(void **state)
{
    (void)state;
    struct pr_buf bytes = dump(false, true), threads = dump_of_threads();
    assert_survives_damage("heapsnapshot", snapshot, sizeof snapshot - 1);
    assert_survives_damage("hprof", bytes.bytes, bytes.length);
    assert_survives_damage("hprof", threads.bytes, threads.length);
    pr_buf_clear(&threads);
    pr_buf_clear(&bytes);
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
    struct pr_buf bytes = dump(false, true), threads = dump_of_threads();
    assert_needs_memory(snapshot, sizeof snapshot - 1);
    assert_needs_memory(bytes.bytes, bytes.length);
    assert_needs_memory(threads.bytes, threads.length);
    pr_buf_clear(&threads);
    pr_buf_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_grouped_by_class_and_field),
        cmocka_unit_test(the_value_of_a_weak_pair_is_held_by_its_key),
        cmocka_unit_test(a_cut_snapshot_has_sizes_by_type_alone),
        cmocka_unit_test(references_to_nowhere_are_damage),
        cmocka_unit_test(counts_that_do_not_fit_are_damage),
        cmocka_unit_test(fields_and_weak_references_are_those_of_the_class),
        cmocka_unit_test(objects_may_come_before_their_classes),
        cmocka_unit_test(a_dump_without_its_end_has_sizes_by_class_alone),
        cmocka_unit_test(a_class_above_itself_is_damage),
        cmocka_unit_test(what_a_stack_holds_is_below_its_thread_and_frame),
        cmocka_unit_test(ids_of_other_sizes_are_refused),
        cmocka_unit_test(damage_breaks_no_reader),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
