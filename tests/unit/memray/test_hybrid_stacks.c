/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hybrid stacks of tables made by hand. A stack is written from the outermost frame to the innermost:
 *
 *     native  "start @run L call L g/h malloc"    L runs Python, @ is the interpreter's code, h is inlined into g
 *     Python  "main -helper work"                 -helper was called without leaving the loop that runs main
 */
#include "tests/support/unit.h"

#include "capture/base/checked.h"
#include "capture/memray/hybrid_stacks.h"
#include "tests/support/alloc_fail.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT = 512, WORDS = 32 };

struct world {
    struct pr_profile profile;
    struct pr_stack_table builder;
    struct pr_native native;
    struct pr_native_places places;
    struct pr_load_options options;
    struct pr_hybrid hybrid;
    uint64_t main_tid, skipped; /* for pr_stacks_finish */
    int64_t *value;             /* [facts] all ones */
    uint32_t fact;              /* the last one */
};

enum { CODE_BYTES = 1 << 20, TID = 7 };

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    w->options = pr_load_options_default();
    assert_int_equal(pr_strings_init(&w->profile.strings, NULL), PR_OK);
    assert_int_equal(pr_stacks_init(&w->builder, &w->profile, &w->options.limits, NULL), PR_OK);
    /* One image, nowhere on the disk, which holds all addresses of the tests. */
    assert_true(pr_native_add_generation(&w->native) && pr_native_add_segment(&w->native, 0, CODE_BYTES));
    assert_true(pr_native_add_image(&w->native, pr_strings_add(&w->profile.strings, "none", 4), 0));
    assert_int_equal(pr_native_places_init(&w->places, &w->native, &w->builder, &w->options, NULL), PR_OK);
    w->hybrid = (struct pr_hybrid){.native = &w->native, .places = &w->places};
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    pr_native_places_clear(&w->places);
    pr_native_clear(&w->native);
    pr_stacks_clear(&w->builder);
    pr_strings_clear(&w->profile.strings);
    pr_arena_clear(&w->profile.arena);
    free(w->value);
    free(w);
    return 0;
}

static pr_frame_id frame_of(struct world *w, const char *name, const char *file, enum pr_frame_kind kind)
{
    pr_str function = pr_strings_add(&w->profile.strings, name, strlen(name));
    return pr_stacks_frame(&w->builder, function, pr_strings_add(&w->profile.strings, file, strlen(file)), 0, kind);
}

/* The address of a place with the functions of WORD, which is made if it is new: after the call, as it is recorded. */
static uint64_t address_of(struct world *w, const char *word)
{
    uint64_t address = pr_hash_bytes(word, strlen(word)) % (CODE_BYTES - 1);
    const uint64_t key[2] = {0, address};
    uint32_t known = w->places.ids.count, id = pr_idset_add(&w->places.ids, key, 2);
    if (id < known)
        return address + 1;
    struct pr_code_names *names = &w->places.names;
    char copy[TEXT];
    snprintf(copy, sizeof copy, "%s", word + (word[0] == '@'));
    struct pr_native_place place = {.first = (uint32_t)names->function_count, .in_interpreter = word[0] == '@'};
    for (char *rest, *name = strtok_r(copy, "/", &rest); name; name = strtok_r(NULL, "/", &rest)) {
        bool runs = name[0] == 'L';
        assert_true(pr_grow(&names->function, &names->function_capacity, names->function_count + 1,
                            sizeof *names->function));
        names->function[names->function_count++] =
            (struct pr_native_function){frame_of(w, name, "", PR_FRAME_NATIVE), runs};
        place.count++;
        place.running_python += runs;
    }
    assert_true(pr_grow(&w->places.place, &w->places.place_capacity, id + (size_t)1, sizeof *w->places.place));
    w->places.place[id] = place;
    return address + 1;
}

static uint32_t native_stack(struct world *w, const char *words)
{
    char copy[TEXT];
    uint32_t parent = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *rest, *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(pr_native_add_frame(&w->native, address_of(w, word), parent));
        parent = w->native.frame_count;
    }
    return parent;
}

static pr_node_id python_stack(struct world *w, const char *words)
{
    char copy[TEXT];
    pr_node_id node = PR_ROOT;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *rest, *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool entry = word[0] != '-';
        pr_frame_id frame = frame_of(w, word + !entry, strstr(word, "pyx") ? "a.pyx" : "a.py", PR_FRAME_PYTHON);
        node = pr_stacks_node(&w->builder, node, frame, entry);
    }
    return node;
}

static uint32_t add(struct world *w, const char *native, const char *python)
{
    uint32_t thread = pr_stacks_thread(&w->builder, TID);
    uint32_t id = native_stack(w, native);
    w->fact = pr_stacks_fact(&w->builder, python_stack(w, python), thread, PR_ALLOC_MALLOC, id, 1);
    return w->fact;
}

static enum pr_status finish(struct world *w, struct pr_error *err)
{
    uint32_t count = w->builder.facts.count;
    free(w->value);
    w->value = malloc(count * sizeof *w->value);
    for (uint32_t i = 0; w->value && i < count; i++)
        w->value[i] = 1;
    const struct pr_fact_column metric = {.name = "peak", .value = w->value};
    const struct pr_splice splice = {pr_hybrid_run, &w->hybrid};
    w->builder.splice = &splice;
    enum pr_status status =
        w->value ? pr_stacks_finish(&w->builder, w->main_tid, w->skipped, &metric, 1, err) : PR_FAILED;
    w->builder.splice = NULL;
    return status;
}

/* The stack that ends with NODE of the profile, in the notation above. */
static const char *text_of(const struct world *w, pr_node_id node)
{
    static char text[TEXT];
    char *at = text + sizeof text - 1;
    *at = '\0';
    for (; node != PR_ROOT; node = w->profile.tree.parent[node]) {
        struct pr_text name =
            pr_profile_text(&w->profile, w->profile.frames[w->profile.tree.frame[node]].function);
        if (*at)
            *--at = ' ';
        at -= name.length;
        memcpy(at, name.bytes, name.length);
    }
    return at;
}

static void expect(struct world *w, uint32_t fact, const char *python, const char *hybrid)
{
    uint32_t made = w->builder.merged[fact];
    assert_int_not_equal(made, PR_NO_ID);
    assert_string_equal(text_of(w, w->profile.fact_leaf[made]), python);
    assert_string_equal(text_of(w, w->profile.fact_hybrid[made]), hybrid);
}

/* One fact, and the result. */
static void check(struct world *w, const char *native, const char *python, const char *hybrid)
{
    uint32_t fact = add(w, native, python);
    assert_int_equal(finish(w, NULL), PR_OK);
    assert_string_equal(text_of(w, w->profile.fact_hybrid[w->builder.merged[fact]]), hybrid);
}

static void python_frames_stand_for_the_loops_that_run_them(void **state)
{
    check(*state, "start run L call L malloc", "main work", "start run main call work malloc");
}

static void frames_of_one_loop_stay_together(void **state)
{
    check(*state, "start L call L malloc", "main -helper work -inner", "start main helper call work inner malloc");
}

static void the_first_frame_starts_a_group_whatever_its_flag(void **state)
{
    check(*state, "start L malloc", "-main -work", "start main work malloc");
}

static void loops_without_frames_stay(void **state)
{
    check(*state, "start L call L malloc", "main", "start main call L malloc");
}

static void a_stack_without_python_is_native(void **state)
{
    check(*state, "start L call malloc", "", "start L call malloc");
}

static void a_stack_without_native_frames_is_python(void **state)
{
    check(*state, "", "main work", "main work");
}

static void frames_without_loops_leave_the_python_stack(void **state)
{
    check(*state, "start L call malloc", "main work", "main work");
}

static void native_code_below_the_interpreter_is_kept_without_loops(void **state)
{
    check(*state, "start @run @loop @call ext/inlined malloc", "main work", "main work ext inlined malloc");
}

static void native_code_of_the_interpreter_is_not_placed_by_guessing(void **state)
{
    check(*state, "start ext @run @loop @call", "main work", "main work");
}

static void inlined_loops_are_loops(void **state)
{
    check(*state, "start vector/L/helper call/L malloc", "main work", "start vector main helper call work malloc");
}

static void recursion_is_paired_in_order(void **state)
{
    check(*state, "L L L L f", "a a a a", "a a a a f");
}

static void frames_above_the_tracker_are_left_out(void **state)
{
    struct world *w = *state;
    w->main_tid = TID;
    w->skipped = 2;
    uint32_t fact = add(w, "start L call L enter L malloc", "run -tracker main -work leaf");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, fact, "main work leaf", "main work enter leaf malloc");
}

static void the_tracker_may_start_within_a_group(void **state)
{
    struct world *w = *state;
    w->main_tid = TID;
    w->skipped = 2;
    uint32_t one = add(w, "start L call malloc", "run -tracker -main");
    uint32_t two = add(w, "start L call L malloc", "run -tracker -main work");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, one, "main", "main call malloc");
    expect(w, two, "main work", "main call work malloc");
}

static void nothing_is_left_out_where_nothing_would_remain(void **state)
{
    struct world *w = *state;
    w->main_tid = TID;
    w->skipped = 2;
    uint32_t one = add(w, "start L exit malloc", "run -tracker");
    uint32_t two = add(w, "start exit malloc", "");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, one, "", "start run tracker exit malloc");
    expect(w, two, "", "start exit malloc");
}

static void other_threads_keep_their_outermost_frames(void **state)
{
    struct world *w = *state;
    w->main_tid = TID + 1;
    w->skipped = 2;
    pr_stacks_thread(&w->builder, TID + 1);
    uint32_t fact = add(w, "clone L malloc", "run -work");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, fact, "run work", "clone run work malloc");
}

static void old_captures_are_paired_from_the_innermost(void **state)
{
    struct world *w = *state;
    w->hybrid.from_innermost = true;
    uint32_t one = add(w, "start L run L call L malloc", "main work");
    uint32_t two = add(w, "start L run L/x/L malloc", "main work");
    uint32_t three = add(w, "start L run L/x/L malloc", "main");
    uint32_t four = add(w, "start L malloc", "main work");
    uint32_t five = add(w, "start L malloc", "");
    uint32_t six = add(w, "start L run L call L malloc", "main -work leaf");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, one, "main work", "main call work malloc");
    expect(w, two, "main work", "main x work malloc");
    expect(w, three, "main", "main malloc");
    expect(w, four, "main work", "main work");
    expect(w, five, "", "start L malloc");
    expect(w, six, "main work leaf", "main work call leaf malloc");
}

static void cython_frames_of_version_8_end_a_group_unseen(void **state)
{
    struct world *w = *state;
    w->hybrid.from_innermost = w->hybrid.drops_cython = true;
    uint32_t fact = add(w, "start L run L call L malloc", "main pyx_function -work");
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, fact, "main pyx_function work", "main call work malloc");
}

static void facts_are_kept_apart_by_their_native_stacks(void **state)
{
    struct world *w = *state;
    uint32_t one = add(w, "start L f malloc", "main");
    uint32_t two = add(w, "start L g malloc", "main");
    uint32_t three = add(w, "start L f malloc", "main"); /* other ids, the same stack */
    assert_int_equal(finish(w, NULL), PR_OK);
    assert_int_equal(w->profile.fact_count, 2);
    assert_int_equal(w->builder.merged[one], w->builder.merged[three]);
    expect(w, one, "main", "start main f malloc");
    expect(w, two, "main", "start main g malloc");
    assert_int_equal(w->profile.metrics[0].value[w->builder.merged[one]], 2);
}

static void an_address_means_what_was_loaded_in_its_generation(void **state)
{
    struct world *w = *state;
    uint32_t thread = pr_stacks_thread(&w->builder, TID);
    uint32_t native = native_stack(w, "start L malloc");
    pr_node_id python = python_stack(w, "main");
    assert_true(pr_native_add_generation(&w->native)); /* nothing is loaded in the second one */
    uint32_t two = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, native, 2);
    uint32_t one = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, native, 1);
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, one, "main", "start main malloc");
    expect(w, two, "main", "main");
}

static void impossible_ids_cut_the_walk(void **state)
{
    struct world *w = *state;
    uint32_t thread = pr_stacks_thread(&w->builder, TID);
    pr_node_id python = python_stack(w, "main");
    assert_true(pr_native_add_frame(&w->native, address_of(w, "loop"), 1));    /* its own parent */
    assert_true(pr_native_add_frame(&w->native, address_of(w, "L"), UINT64_MAX)); /* a parent to come */
    uint32_t one = pr_stacks_fact(&w->builder, PR_ROOT, thread, PR_ALLOC_MALLOC, 1, 1);
    uint32_t two = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, 2, 1);
    uint32_t three = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, 1000, 1);
    uint32_t four = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_CALLOC, 2, PR_MAX_GENERATION);
    assert_int_equal(finish(w, NULL), PR_OK);
    expect(w, one, "", "loop");
    expect(w, two, "main", "main");
    expect(w, three, "main", "main");
    expect(w, four, "main", "main");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each of many facts one frame deeper than the one before, on both sides: walking them all would take hours. */
static void deep_stacks_cost_what_their_nodes_cost(void **state)
{
    enum { DEPTH = 200000 };
    struct world *w = *state;
    uint32_t thread = pr_stacks_thread(&w->builder, TID);
    pr_frame_id frame = frame_of(w, "f", "a.py", PR_FRAME_PYTHON);
    uint64_t loop = address_of(w, "L"), call = address_of(w, "call");
    assert_true(pr_native_add_frame(&w->native, loop, 0));
    pr_node_id python = PR_ROOT;
    for (uint32_t i = 1; i <= DEPTH; i++) {
        python = pr_stacks_node(&w->builder, python, frame, false);
        assert_true(pr_native_add_frame(&w->native, call, i));
        pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, 1, 1); /* one loop, a group that grows */
        pr_stacks_fact(&w->builder, 1, thread, PR_ALLOC_MALLOC, i, 1);      /* one frame, calls that grow */
    }
    double start = seconds();
    assert_int_equal(finish(w, NULL), PR_OK);
    assert_true(seconds() - start < 20); /* under a sanitizer too */
    assert_int_equal(w->profile.fact_count, 2 * DEPTH - 1);
}

/* Every native frame with every Python frame: the result would be far larger than the file. */
static void products_of_tables_are_refused(void **state)
{
    enum { DEPTH = 3000 };
    struct world *w = *state;
    struct pr_error err = {0};
    uint32_t thread = pr_stacks_thread(&w->builder, TID);
    uint64_t loop = address_of(w, "L"), call = address_of(w, "call");
    assert_true(pr_native_add_frame(&w->native, loop, 0));
    for (uint32_t i = 1; i < DEPTH; i++)
        assert_true(pr_native_add_frame(&w->native, call, i));
    for (uint32_t i = 0; i < DEPTH; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", (unsigned)i);
        pr_node_id python = pr_stacks_node(&w->builder, PR_ROOT, frame_of(w, name, "a.py", PR_FRAME_PYTHON), true);
        w->fact = pr_stacks_fact(&w->builder, python, thread, PR_ALLOC_MALLOC, DEPTH, 1);
    }
    assert_int_equal(finish(w, &err), PR_CUT);
    assert_int_equal(err.code, PR_ERR_LIMIT);
    assert_int_equal(w->profile.fact_count, DEPTH);
    assert_true(w->profile.tree.count < DEPTH * DEPTH);
    expect(w, w->fact, "f2999", "f2999");
}

static void running_out_of_memory_is_an_error(void **state)
{
    for (unsigned long n = 1;; n++) {
        struct world *w = *state;
        struct pr_error err = {0};
        w->main_tid = TID;
        w->skipped = 1;
        add(w, "start L call L enter L malloc", "run main -work leaf");
        add(w, "start @run @loop f malloc", "run main -work leaf");
        alloc_fail_at(n);
        enum pr_status status = finish(w, &err);
        if (!alloc_fail_stop()) {
            assert_int_equal(status, PR_OK);
            break;
        }
        assert_int_equal(status, PR_FAILED);
        tear_down(state);
        set_up(state);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(python_frames_stand_for_the_loops_that_run_them),
        TEST(frames_of_one_loop_stay_together),
        TEST(the_first_frame_starts_a_group_whatever_its_flag),
        TEST(loops_without_frames_stay),
        TEST(a_stack_without_python_is_native),
        TEST(a_stack_without_native_frames_is_python),
        TEST(frames_without_loops_leave_the_python_stack),
        TEST(native_code_below_the_interpreter_is_kept_without_loops),
        TEST(native_code_of_the_interpreter_is_not_placed_by_guessing),
        TEST(inlined_loops_are_loops),
        TEST(recursion_is_paired_in_order),
        TEST(frames_above_the_tracker_are_left_out),
        TEST(the_tracker_may_start_within_a_group),
        TEST(nothing_is_left_out_where_nothing_would_remain),
        TEST(other_threads_keep_their_outermost_frames),
        TEST(old_captures_are_paired_from_the_innermost),
        TEST(cython_frames_of_version_8_end_a_group_unseen),
        TEST(facts_are_kept_apart_by_their_native_stacks),
        TEST(an_address_means_what_was_loaded_in_its_generation),
        TEST(impossible_ids_cut_the_walk),
        TEST(deep_stacks_cost_what_their_nodes_cost),
        TEST(products_of_tables_are_refused),
        TEST(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
