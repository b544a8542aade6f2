/* SPDX-License-Identifier: Apache-2.0 */
/* Flight recordings, written here chunk by chunk: what they show, and what breaks none of it. */
#include "tests/support/unit.h"

#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a writer of recordings -------------------------------------------------------------------------------------- */

static bool compressed; /* whole numbers of what is written from now on */

static void put_big_endian(struct pr_buf *out, uint64_t value, unsigned size)
{
    for (unsigned i = size; i-- > 0;)
        pr_buf_byte(out, (unsigned)(value >> 8 * i & 0xff));
}

static void put(struct pr_buf *out, int64_t number, unsigned size)
{
    uint64_t value = (uint64_t)number;
    if (!compressed) {
        put_big_endian(out, value, size);
        return;
    }
    for (unsigned i = 0; i < 8 && value >= 0x80; i++, value >>= 7)
        pr_buf_byte(out, (unsigned)(value & 0x7f) | 0x80);
    pr_buf_byte(out, (unsigned)value & 0xff);
}

static void put_text(struct pr_buf *out, const char *text)
{
    pr_buf_byte(out, 3);
    put(out, (int64_t)strlen(text), 4);
    pr_buf_text(out, text);
}

/* BODY as an event with its size, which is padded to 4 bytes. */
static void put_event(struct pr_buf *out, int64_t type, struct pr_buf *body)
{
    struct pr_buf head = {0};
    put(&head, type, 8);
    const size_t size = 4 + head.length + body->length;
    for (unsigned i = 0; i < 4 && compressed; i++)
        pr_buf_byte(out, (unsigned)(size >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
    if (!compressed)
        put_big_endian(out, size, 4);
    pr_buf_add(out, head.bytes, head.length);
    pr_buf_add(out, body->bytes, body->length);
    pr_buf_clear(&head);
    pr_buf_clear(body);
}

enum { LONG = 4, INT, BOOLEAN, STRING, SPAN, STACK = 20, FRAME, METHOD, CLASS, SYMBOL, THREAD, STATE,
       SAMPLE = 100, SETTING, ALLOCATION, PARK, NEW_BUFFER, TIMING };

struct field {
    const char *name;
    int type;
    bool constant, array, ticks;
};

struct type {
    int id;
    const char *name;
    struct field fields[6];
};

/* Fields, and types without any. */
#define OF(text, of) {.name = text, .type = of}
#define KEY(text, of) {.name = text, .type = of, .constant = true}
#define LIST(text, of) {.name = text, .type = of, .array = true}
#define SPAN_OF(text, of) {.name = text, .type = of, .ticks = true}
#define PLAIN(number, text) {.id = number, .name = text}

static const struct type types[] = {
    PLAIN(LONG, "long"),
    PLAIN(INT, "int"),
    PLAIN(BOOLEAN, "boolean"),
    PLAIN(STRING, "java.lang.String"),
    PLAIN(SPAN, "jdk.jfr.Timespan"),
    {STACK, "jdk.types.StackTrace", {OF("truncated", BOOLEAN), LIST("frames", FRAME)}},
    {FRAME, "jdk.types.StackFrame", {KEY("method", METHOD), OF("lineNumber", INT)}},
    {METHOD, "jdk.types.Method", {KEY("type", CLASS), KEY("name", SYMBOL), KEY("descriptor", SYMBOL)}},
    {CLASS, "java.lang.Class", {KEY("name", SYMBOL)}},
    {SYMBOL, "jdk.types.Symbol", {OF("string", STRING)}},
    {STATE, "jdk.types.ThreadState", {OF("name", STRING)}},
    {THREAD, "java.lang.Thread",
     {OF("osName", STRING), OF("osThreadId", LONG), OF("javaName", STRING), OF("javaThreadId", LONG)}},
    {SAMPLE, "jdk.ExecutionSample",
     {OF("startTime", LONG), KEY("sampledThread", THREAD), KEY("stackTrace", STACK),
      KEY("state", STATE)}},
    {SETTING, "jdk.ActiveSetting", {OF("startTime", LONG), OF("id", LONG), OF("name", STRING), OF("value", STRING)}},
    {ALLOCATION, "jdk.ObjectAllocationSample",
     {OF("startTime", LONG), KEY("eventThread", THREAD), KEY("stackTrace", STACK),
      KEY("objectClass", CLASS), OF("weight", LONG)}},
    {NEW_BUFFER, "jdk.ObjectAllocationInNewTLAB",
     {OF("startTime", LONG), KEY("eventThread", THREAD), KEY("stackTrace", STACK),
      KEY("objectClass", CLASS), OF("allocationSize", LONG), OF("tlabSize", LONG)}},
    {PARK, "jdk.ThreadPark",
     {OF("startTime", LONG), SPAN_OF("duration", LONG), KEY("eventThread", THREAD),
      KEY("stackTrace", STACK)}},
    {TIMING, "jdk.MethodTiming",
     {OF("startTime", LONG), KEY("method", METHOD), OF("invocations", LONG), SPAN_OF("average", LONG)}},
};

/* The table of strings of an event of types, and what refers to it. */
struct names {
    struct pr_buf table, tree;
    int64_t count;
};

static void put_name(struct names *n, const char *text)
{
    put_text(&n->table, text);
    put(&n->tree, n->count++, 4);
}

static void begin_element(struct names *n, const char *name, int attributes)
{
    put_name(n, name);
    put(&n->tree, attributes, 4);
}

static void attribute(struct names *n, const char *name, const char *value)
{
    put_name(n, name);
    put_name(n, value);
}

static void put_number(struct names *n, const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    attribute(n, name, text);
}

static void put_field(struct names *n, const struct field *field)
{
    begin_element(n, "field", 2 + field->constant + field->array);
    attribute(n, "name", field->name);
    put_number(n, "class", field->type);
    if (field->constant)
        attribute(n, "constantPool", "true");
    if (field->array)
        put_number(n, "dimension", 1);
    put(&n->tree, field->ticks, 4);
    if (!field->ticks)
        return;
    begin_element(n, "annotation", 2);
    put_number(n, "class", SPAN);
    attribute(n, "value", "TICKS");
    put(&n->tree, 0, 4);
}

static void put_type(struct names *n, const struct type *type)
{
    int fields = 0;
    while (fields < 6 && type->fields[fields].name)
        fields++;
    begin_element(n, "class", 2);
    put_number(n, "id", type->id);
    attribute(n, "name", type->name);
    put(&n->tree, fields, 4);
    for (int i = 0; i < fields; i++)
        put_field(n, &type->fields[i]);
}

static void put_types(struct pr_buf *out, const struct type *first, size_t count)
{
    struct names n = {.count = 0};
    struct pr_buf body = {0};
    begin_element(&n, "root", 0);
    put(&n.tree, 1, 4);
    begin_element(&n, "metadata", 0);
    put(&n.tree, (int64_t)count, 4);
    for (size_t i = 0; i < count; i++)
        put_type(&n, &first[i]);
    for (int i = 0; i < 3; i++)
        put(&body, 0, 8);
    put(&body, n.count, 4);
    pr_buf_add(&body, n.table.bytes, n.table.length);
    pr_buf_add(&body, n.tree.bytes, n.tree.length);
    put_event(out, 0, &body);
    pr_buf_clear(&n.table);
    pr_buf_clear(&n.tree);
}

#define ALL_TYPES types, sizeof types / sizeof *types

/* The beginning of an event of constants with POOLS pools. */
static void begin_constants(struct pr_buf *body, int pools)
{
    for (int i = 0; i < 3; i++)
        put(body, 0, 8);
    pr_buf_byte(body, 0);
    put(body, pools, 4);
}

static void begin_pool(struct pr_buf *body, int type, int count)
{
    put(body, type, 8);
    put(body, count, 4);
}

/* A class, its methods run and work, a stack of both: work, line 7, called by run, line -1. A point: a library. */
static void put_constants(struct pr_buf *out, const char *klass, bool truncated)
{
    static const char *const methods[] = {"run", "work"};
    struct pr_buf body = {0};
    begin_constants(&body, 6);
    begin_pool(&body, SYMBOL, 4);
    put(&body, 1, 8);
    put_text(&body, klass);
    for (int i = 0; i < 2; i++) {
        put(&body, 2 + i, 8);
        put_text(&body, methods[i]);
    }
    put(&body, 4, 8);
    put_text(&body, strchr(klass, '.') ? "()L;" : "()V");
    begin_pool(&body, CLASS, 1);
    put(&body, 1, 8);
    put(&body, 1, 8);
    begin_pool(&body, METHOD, 2);
    for (int i = 0; i < 2; i++) {
        put(&body, 1 + i, 8);
        put(&body, 1, 8);
        put(&body, 2 + i, 8);
        put(&body, 4, 8);
    }
    begin_pool(&body, STACK, 1);
    put(&body, 9, 8);
    pr_buf_byte(&body, truncated);
    put(&body, 2, 4);
    put(&body, 2, 8);
    put(&body, 7, 4);
    put(&body, 1, 8);
    put(&body, -1, 4);
    begin_pool(&body, THREAD, 1);
    put(&body, 3, 8);
    put_text(&body, "os");
    put(&body, 4711, 8);
    put_text(&body, "main");
    put(&body, 1, 8);
    begin_pool(&body, STATE, 2);
    put(&body, 1, 8);
    put_text(&body, "STATE_RUNNABLE");
    put(&body, 2, 8);
    put_text(&body, "STATE_SLEEPING");
    put_event(out, 1, &body);
}

static void put_numbers(struct pr_buf *out, int type, const int64_t *numbers, size_t count)
{
    struct pr_buf body = {0};
    for (size_t i = 0; i < count; i++)
        put(&body, numbers[i], 8);
    put_event(out, type, &body);
}

#define EVENT(out, type, ...)                                                                                          \
    put_numbers(out, type, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void put_setting(struct pr_buf *out, const char *name, const char *value)
{
    struct pr_buf body = {0};
    put(&body, 0, 8);
    put(&body, SAMPLE, 8);
    put_text(&body, name);
    put_text(&body, value);
    put_event(out, SETTING, &body);
}

/* EVENTS, which are cleared, as a chunk: 1,000 ticks a second, from tick 500 on, which is 1,700,000,000 s. */
static void put_chunk(struct pr_buf *out, struct pr_buf *events, bool finished)
{
    pr_buf_add(out, "FLR\0\0\2\0\1", 8);
    put_big_endian(out, finished ? 68 + events->length : 0, 8);
    put_big_endian(out, 0, 8);
    put_big_endian(out, 0, 8);
    put_big_endian(out, 1700000000000000000, 8);
    put_big_endian(out, finished ? 2000000000 : 0, 8);
    put_big_endian(out, 500, 8);
    put_big_endian(out, 1000, 8);
    put_big_endian(out, finished ? compressed : 0x01000000u | compressed, 4);
    pr_buf_add(out, events->bytes, events->length);
    pr_buf_clear(events);
}

/* Two samples, 20 ms each, before what they refer to. */
static void put_events(struct pr_buf *events)
{
    EVENT(events, SAMPLE, 600, 3, 9, 1);
    EVENT(events, SAMPLE, 700, 3, 9, 1);
    put_setting(events, "period", "20 ms");
}

static struct pr_buf recording(void)
{
    struct pr_buf out = {0}, events = {0};
    put_events(&events);
    EVENT(&events, TIMING, 600, 1, 10, 4);
    EVENT(&events, TIMING, 600, 2, 10, 4);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    return out;
}

#define STACK_TEXT "4711[main]|shop.Work.run shop/Work.java;shop.Work.work shop/Work.java:7 "

/* BYTES, which are cleared. */
static struct pr_profile *reading_of(struct pr_buf *bytes, enum pr_status status)
{
    struct pr_profile *profile = reading(NULL, bytes->bytes, bytes->length, status);
    pr_buf_clear(bytes);
    return profile;
}

/* ---- what recordings show ---------------------------------------------------------------------------------------- */

static void samples_have_stacks_threads_and_times(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        compressed = i;
        struct pr_buf bytes = recording();
        struct pr_profile *profile = reading_of(&bytes, PR_OK);
        assert_string_equal(profile->meta.format, "jfr");
        assert_true(profile->complete);
        assert_metric(profile, "cpu", STACK_TEXT "40000000 x2\n");
        assert_int_equal(profile->meta.start_ms.value, 1700000000000);
        assert_int_equal(profile->meta.end_ms.value, 1700000002000);
        assert_int_equal(profile->slice_count, 2);
        assert_int_equal(profile->slices[1].start_ns, 100000000);
        assert_int_equal(profile->slices[1].duration_ns, 20000000);
        pr_profile_free(profile);
    }
}

static void a_thread_that_sleeps_takes_no_cpu(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    put_events(&events);
    EVENT(&events, SAMPLE, 800, 3, 9, 2);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_metric(profile, "cpu", STACK_TEXT "40000000 x2\n");
    assert_metric(profile, "waiting", STACK_TEXT "20000000 x1\n");
    assert_string_equal(profile->metrics[0].name, "cpu");
    pr_profile_free(profile);
}

static void symbols_of_libraries_are_native(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    put_events(&events);
    put_constants(&events, "libc.so.6", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_metric(profile, "cpu", "4711[main]|run libc.so.6;work libc.so.6:7 40000000 x2\n");
    assert_int_equal(profile->frames[profile->tree.frame[1]].kind, PR_FRAME_NATIVE);
    pr_profile_free(profile);
}

static void each_chunk_has_constants_of_its_own(void **state)
{
    struct pr_buf out = recording(), events = {0};
    (void)state;
    put_events(&events);
    put_constants(&events, "shop/Till$1", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_metric(profile, "cpu", "4711[main]|shop.Till$1.run shop/Till.java;shop.Till$1.work shop/Till.java:7 "
                                  "40000000 x2\n" STACK_TEXT "40000000 x2\n");
    pr_profile_free(profile);
}

static void allocations_are_below_what_was_made(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    EVENT(&events, NEW_BUFFER, 600, 3, 9, 1, 16, 4096); /* the same allocation as the sample */
    EVENT(&events, ALLOCATION, 600, 3, 9, 1, 5000);
    EVENT(&events, PARK, 600, 250, 3, 9);
    put_constants(&events, "[[Lshop/Item$$Lambda$96+0x00007f55/12;", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    const int allocated = pr_profile_metric(profile, "allocated"), park = pr_profile_metric(profile, "park");
    assert_int_equal(profile->metrics[allocated].total_value, 5000);
    assert_int_equal(profile->metrics[park].total_value, 250000000);
    char *stacks = reading_stacks(profile, "allocated");
    assert_non_null(strstr(stacks, ";new shop.Item$$Lambda[][]"));
    free(stacks);
    pr_profile_free(profile);
}

static void timed_methods_count_from_the_start_of_each_recording(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    EVENT(&events, TIMING, 600, 2, 0, INT64_MIN);
    EVENT(&events, TIMING, 700, 2, 10, 4);
    EVENT(&events, TIMING, 800, 2, 30, 3);
    EVENT(&events, TIMING, 900, 2, 1, 5);          /* fewer calls: another recording */
    EVENT(&events, TIMING, 1000, 2, 4, INT64_MIN); /* the clock was too coarse for a mean */
    EVENT(&events, TIMING, 950, 1, INT64_MAX, INT64_MAX / 2);
    EVENT(&events, TIMING, 950, 1, -1, 3);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_CUT);
    assert_metric(profile, "timed", "0|shop.Work.run shop/Work.java 9223372036854775807 x9223372036854775807\n"
                                    "0|shop.Work.work shop/Work.java 90000000 x34\n");
    assert_int_equal(profile->damage.kind[PR_DAMAGE_RECORDS].count, 1);
    assert_note(profile, "the time of a timed method includes what it calls");
    pr_profile_free(profile);
}

/* An event that comes late is an older one: the counts of a recording do not fall. */
static void events_of_timed_methods_may_be_out_of_order(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    EVENT(&events, TIMING, 800, 2, 30, 3);
    EVENT(&events, TIMING, 600, 2, 10, 4);
    EVENT(&events, TIMING, 800, 2, 20, 4);
    EVENT(&events, TIMING, 800, 2, 30, 3);
    EVENT(&events, TIMING, 700, 2, 31, 3);
    EVENT(&events, TIMING, 750, 2, 12, 3);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_metric(profile, "timed", "0|shop.Work.work shop/Work.java 93000000 x31\n");
    pr_profile_free(profile);
}

/* The same file twice: its chunks start at the same time. */
static void joined_recordings_of_timed_methods_both_count(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        EVENT(&events, TIMING, 600, 2, 30, 3);
        EVENT(&events, TIMING, 500, 2, 20, 3);
        put_constants(&events, "shop/Work", false);
        put_types(&events, ALL_TYPES);
        put_chunk(&out, &events, true);
    }
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_metric(profile, "timed", "0|shop.Work.work shop/Work.java 180000000 x60\n");
    pr_profile_free(profile);
}

static void buffers_count_where_there_are_no_samples(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    EVENT(&events, NEW_BUFFER, 600, 3, 9, 1, 16, 4096);
    put_constants(&events, "[B", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_int_equal(profile->metrics[pr_profile_metric(profile, "allocated")].total_value, 4096);
    char *stacks = reading_stacks(profile, "allocated");
    assert_non_null(strstr(stacks, ";new byte[]"));
    free(stacks);
    pr_profile_free(profile);
}

static void a_stack_that_was_too_deep_says_so(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    put_events(&events);
    put_constants(&events, "shop/Work", true);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    char *stacks = reading_stacks(profile, "cpu");
    assert_non_null(strstr(stacks, "|[outer frames were not recorded]"));
    free(stacks);
    pr_profile_free(profile);
}

/* ---- recordings that are not whole ------------------------------------------------------------------------------- */

static void a_chunk_that_was_never_finished_is_read(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    put_events(&events);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, false);
    struct pr_profile *profile = reading_of(&out, PR_CUT);
    assert_metric(profile, "cpu", STACK_TEXT "40000000 x2\n");
    assert_false(profile->complete);
    pr_profile_free(profile);
}

static void a_cut_chunk_has_the_types_of_the_one_before(void **state)
{
    struct pr_buf out = recording(), events = {0};
    (void)state;
    put_events(&events);
    put_constants(&events, "shop/Work", false);
    const size_t kept = out.length + 68 + events.length;
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    out.length = kept + 9;
    struct pr_profile *profile = reading_of(&out, PR_CUT);
    assert_metric(profile, "cpu", STACK_TEXT "80000000 x4\n");
    pr_profile_free(profile);
}

static void what_refers_to_nothing_is_counted(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    put_events(&events);
    EVENT(&events, SAMPLE, 800, 3, 77, 1);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_CUT);
    assert_int_equal(profile->metrics[0].total_value, 60000000);
    assert_damage(profile, PR_DAMAGE_FRAMES, 1);
    pr_profile_free(profile);
}

static void a_period_that_is_not_there_is_assumed(void **state)
{
    struct pr_buf out = {0}, events = {0};
    (void)state;
    EVENT(&events, SAMPLE, 600, 3, 9, 1);
    EVENT(&events, SAMPLE, 700, 3, 9, 1);
    put_constants(&events, "shop/Work", false);
    put_types(&events, ALL_TYPES);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_OK);
    assert_int_equal(profile->metrics[0].total_value, 40000000);
    assert_note(profile, "how often samples were taken is not in the recording: every 20 ms is assumed");
    pr_profile_free(profile);
}

/* ---- hostile ones ------------------------------------------------------------------------------------------------ */

/* TYPES that may be anything, and a constant of the first of them. */
static void assert_bounded(const struct type *described, size_t count, const char *constant, size_t length)
{
    struct pr_buf out = {0}, events = {0}, body = {0};
    put_types(&events, described, count);
    begin_constants(&body, 1);
    begin_pool(&body, described->id, 1);
    put(&body, 1, 8);
    pr_buf_add(&body, constant, length);
    put_event(&events, 1, &body);
    put_chunk(&out, &events, true);
    struct pr_profile *profile = reading_of(&out, PR_CUT);
    assert_damage(profile, PR_DAMAGE_RECORDS, 1);
    pr_profile_free(profile);
}

static void types_that_contain_themselves_end(void **state)
{
    static const struct type itself[] = {{STACK, "a.A", {OF("a", STACK), OF("b", STACK)}}};
    static const struct type each_other[] = {{STACK, "a.A", {OF("a", FRAME), OF("b", FRAME)}},
                                             {FRAME, "a.B", {LIST("a", STACK), OF("b", STACK)}}};
    static const struct type empty[] = {{STACK, "a.A", {LIST("a", FRAME)}}, PLAIN(FRAME, "a.B")};
    (void)state;
    compressed = true;
    assert_bounded(itself, 1, "\1\1\1\1", 4);
    assert_bounded(each_other, 2, "\3\3\3\3\3\3\3\3", 8);
    assert_bounded(empty, 2, "\2\2\2", 3);
}

static void a_length_beyond_the_bytes_is_refused(void **state)
{
    static const struct type list[] = {{STACK, "a.A", {LIST("a", LONG)}}, PLAIN(LONG, "long")};
    static const struct type text[] = {{STACK, "a.A", {OF("a", STRING)}}, PLAIN(STRING, "java.lang.String")};
    (void)state;
    compressed = true;
    assert_bounded(list, 2, "\377\377\377\377\7", 5);
    assert_bounded(text, 2, "\3\377\377\377\377\7", 6);
    assert_bounded(text, 2, "\4\2a", 3);
    assert_bounded(text, 2, "\11", 1); /* an encoding that does not exist */
}

/* Reads BYTES, which are cleared, and fails with CODE. */
static void assert_refused(struct pr_buf *bytes, enum pr_error_code code, const char *why)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    assert_int_equal(pr_load_memory("test", bytes->bytes, bytes->length, NULL, &profile, &err), PR_FAILED);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, why))
        fail_msg("'%s' has no '%s'", err.text, why);
    pr_profile_free(profile);
    pr_buf_clear(bytes);
}

static void what_cannot_be_read_says_why(void **state)
{
    struct pr_buf old = recording(), cut = recording(), untyped = {0}, events = {0};
    (void)state;
    old.bytes[5] = 0; /* version 0.1 */
    assert_refused(&old, PR_ERR_UNSUPPORTED, "Oracle JDK 7's and 8's");
    cut.length = 68 + 40;
    assert_refused(&cut, PR_ERR_TRUNCATED, "");
    put_events(&events);
    put_chunk(&untyped, &events, true);
    assert_refused(&untyped, PR_ERR_DAMAGED, "");
}

static void damage_breaks_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        compressed = i;
        struct pr_buf bytes = recording();
        assert_survives_damage("jfr", bytes.bytes, bytes.length);
        pr_buf_clear(&bytes);
    }
}

static void out_of_memory_is_an_error(void **state)
{
    struct pr_buf bytes = recording();
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status = pr_load_memory("test", bytes.bytes, bytes.length, NULL, &profile, &err);
        const bool failed = alloc_fail_stop();
        pr_profile_free(profile);
        assert_int_equal(status, failed ? PR_FAILED : PR_OK);
        if (!failed)
            break;
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
    pr_buf_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_stacks_threads_and_times),
        cmocka_unit_test(a_thread_that_sleeps_takes_no_cpu),
        cmocka_unit_test(symbols_of_libraries_are_native),
        cmocka_unit_test(each_chunk_has_constants_of_its_own),
        cmocka_unit_test(allocations_are_below_what_was_made),
        cmocka_unit_test(timed_methods_count_from_the_start_of_each_recording),
        cmocka_unit_test(events_of_timed_methods_may_be_out_of_order),
        cmocka_unit_test(joined_recordings_of_timed_methods_both_count),
        cmocka_unit_test(buffers_count_where_there_are_no_samples),
        cmocka_unit_test(a_stack_that_was_too_deep_says_so),
        cmocka_unit_test(a_chunk_that_was_never_finished_is_read),
        cmocka_unit_test(a_cut_chunk_has_the_types_of_the_one_before),
        cmocka_unit_test(what_refers_to_nothing_is_counted),
        cmocka_unit_test(a_period_that_is_not_there_is_assumed),
        cmocka_unit_test(types_that_contain_themselves_end),
        cmocka_unit_test(a_length_beyond_the_bytes_is_refused),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(damage_breaks_nothing),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
