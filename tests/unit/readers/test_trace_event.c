/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events: calls nest by their times, whatever order and form they are written in. */
#include "tests/support/unit.h"

#include "profrender/owner.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/load_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, ts, dur) "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"dur\":" #dur ",\"name\":\"" name "\"}"
#define B(name, ts) "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"name\":\"" name "\"}"
#define E(name, ts) "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"name\":\"" name "\"}"
#define CALL(category, name, pid, tid, ts, dur)                                                                        \
    "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":" ts          \
    ",\"dur\":" dur "}"
#define OF_CATEGORY(category, name) CALL(category, name, "1", "2", "1", "1")
#define FUNCTION(name, number, caller)                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":1,"                    \
    "\"dur\":1,\"args\":{\"Python id\":" number ",\"Python parent id\":" caller "}}"
#define NAMING(what, pid, tid, args)                                                                                   \
    "{\"ph\":\"M\",\"name\":\"" what "\",\"pid\":" pid ",\"tid\":" tid ",\"ts\":0,\"args\":{" args "}}"

static void calls_nest_by_containment(void **state)
{
    (void)state;
    assert_stacks("trace-event", "{\"traceEvents\":[" X("g", 2, 3) "," X("f (a.py:7)", 1, 9.5) "]}", "cpu",
                  "2|f a.py:7 6500 x1\n2|f a.py:7;g 3000 x1\n");
    /* Of equal times the one written last is the outer one: it ended last. */
    assert_stacks("trace-event", "[" X("in", 1, 1) "," X("out", 1, 1) "]", "cpu", "2|out 0 x1\n2|out;in 1000 x1\n");
    assert_stacks("trace-event", "[" X("f", 1, 0) "," X("g", 1, 1) "]", "cpu", "2|g 1000 x1\n2|g;f 0 x1\n");
}

static void rounding_is_not_an_overlap(void **state)
{
    (void)state;
    assert_stacks("trace-event", "[" X("f", 0, 10) "," X("g", 5, 6) "]", "cpu", "2|f 5000 x1\n2|f;g 5000 x1\n");
    assert_stacks("trace-event", "[" X("f", 0, 10) "," X("g", 5, 15) "]", "cpu", "2|f 5000 x1\n2|g 15000 x1\n");
}

static void pairs_are_calls(void **state)
{
    (void)state;
    assert_stacks("trace-event", "[" B("f", 1) "," B("g", 2) "," E("g", 4) "," E("f", 9) "]", "cpu",
                  "2|f 6000 x1\n2|f;g 2000 x1\n");
    /* In the wrong order at one time, and with an end of what did not begin. */
    assert_damaged_stacks("trace-event", "[" B("f", 1) "," B("g", 2) "," E("h", 3) "," E("f", 4) "," E("g", 4) "]",
                          "cpu", "2|f 1000 x1\n2|f;g 2000 x1\n", PR_DAMAGE_ORDER, 1);
}

/* A recording begins and ends while calls run, as those of Chrome do: that is no damage. */
static void calls_run_when_a_recording_begins_and_ends(void **state)
{
    static const char text[] =
        "[" E("a", 1) "," B("f", 1) "," B("g", 2) "," E("g", 4) "," B("h", 5) "," X("i", 5, 3) "]";
    (void)state;
    assert_stacks("trace-event", text, "cpu", "2|f 2000 x1\n2|f;g 2000 x1\n2|f;h 0 x1\n2|f;h;i 3000 x1\n");
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_note(profile, "calls that began before the recording were left out: 1");
    assert_note(profile,
                "calls had no end and were taken to last until the last call or end of a call in their thread: 2");
    assert_int_equal(profile->note_count, 2);
    pr_profile_free(profile);
}

/* Calls that begin and end together: the one that ends later is outside, an X at its place as a pair at its E. */
static void equal_calls_nest_by_their_ends(void **state)
{
    (void)state;
    assert_stacks("trace-event", "[" B("b", 1) "," X("x", 1, 3) "," E("b", 4) "]", "cpu", "2|b 0 x1\n2|b;x 3000 x1\n");
    assert_stacks("trace-event", "[" B("b", 1) "," E("b", 4) "," X("x", 1, 3) "]", "cpu", "2|x 0 x1\n2|x;b 3000 x1\n");
    assert_stacks("trace-event", "[" B("b", 1) "," B("c", 1) "," E("c", 4) "," X("x", 1, 3) "," E("b", 4) "]", "cpu",
                  "2|b 0 x1\n2|b;x 0 x1\n2|b;x;c 3000 x1\n");
    /* E events in the wrong order: pairs nest as they began */
    assert_stacks("trace-event",
                  "[" B("b", 1) "," B("c", 1) "," B("d", 1) "," E("b", 4) "," E("c", 4) "," E("d", 4) "]", "cpu",
                  "2|b 0 x1\n2|b;c 0 x1\n2|b;c;d 3000 x1\n");
    /* the ends of both are missing */
    assert_stacks("trace-event", "[" B("b", 1) "," B("c", 1) "," B("d", 2) "," E("d", 4) "]", "cpu",
                  "2|b 0 x1\n2|b;c 1000 x1\n2|b;c;d 2000 x1\n");
}

static void places_are_taken_from_names_and_arguments(void **state)
{
    (void)state;
    assert_stacks("trace-event",
                  "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"cat\":\"python_function\","
                  "\"name\":\"torch/nn/module.py(1501): _call_impl\"}]",
                  "cpu", "2|_call_impl torch/nn/module.py:1501 1000 x1\n");
    assert_stacks(
        "trace-event",
        "[{\"args\":{\"filename\":\"a.py\",\"line\":4},\"cat\":\"py-spy\",\"name\":\"f\",\"ph\":\"B\",\"pid\":1,"
        "\"tid\":2,\"ts\":1},{\"args\":{\"filename\":\"a.py\",\"line\":4},\"cat\":\"py-spy\",\"name\":\"f\","
        "\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":3}]",
        "cpu", "2|f a.py:4 2000\n"); /* samples are not calls, so there is no count */
}

static void threads_have_names(void **state)
{
    (void)state;
    assert_stacks(
        "trace-event",
        "[{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"main\"}}," X(
            "f", 1, 1) ",{\"ph\":\"X\",\"pid\":\"Spans\",\"tid\":\"stream 7\",\"ts\":1,\"dur\":2,\"name\":\"k\"}]",
        "cpu", "1[stream 7]|k 2000 x1\n2[main]|f 1000 x1\n");
}

#define ASYNC(phase, id, name, ts)                                                                                     \
    "{\"ph\":\"" phase "\",\"cat\":\"net\",\"id\":" id ",\"pid\":1,\"tid\":2,\"ts\":" #ts ",\"name\":\"" name "\"}"
#define STEP(phase, id, step, ts)                                                                                      \
    "{\"ph\":\"" phase "\",\"cat\":\"net\",\"id\":" id ",\"pid\":1,\"tid\":2,\"ts\":" #ts                              \
    ",\"name\":\"job\",\"args\":{\"step\":\"" step "\"}}"

/* Spans of one id nest, those of others have a lane of their own; none is time of a thread. */
static void asynchronous_spans_nest_on_their_tracks(void **state)
{
    (void)state;
    const char *trace = "[" ASYNC("b", "1", "get", 0) "," ASYNC("b", "\"0x2\"", "get", 5) ","
                        ASYNC("b", "1", "dns", 10) "," ASYNC("n", "1", "found", 20) ","
                        ASYNC("e", "1", "dns", 30) "," ASYNC("e", "1", "get", 100) ","
                        X("f", 7, 3) "," ASYNC("e", "\"0x2\"", "get", 90) "]";
    assert_stacks("trace-event", trace, "async",
                  "1[async net]|get 80000 x1\n1[async net]|get;dns 20000 x1\n1[async net]|get;dns;found 0 x1\n"
                  "2[async net (2)]|get 85000 x1\n");
    assert_stacks("trace-event", trace, "cpu", "2|f 3000 x1\n");
    /* In any order, as several threads wrote it. */
    assert_stacks("trace-event", "[" ASYNC("e", "1", "get", 9) "," ASYNC("b", "1", "get", 2) "]", "async",
                  "1[async net]|get 7000 x1\n");
}

/* One that ends before what began in it: neither is cut. */
static void asynchronous_spans_that_overlap_have_two_lanes(void **state)
{
    (void)state;
    assert_stacks("trace-event",
                  "[" ASYNC("b", "1", "a", 0) "," ASYNC("b", "1", "b", 5) "," ASYNC("e", "1", "a", 8) ","
                  ASYNC("e", "1", "b", 12) "]", "async", "1[async net]|a 8000 x1\n2[async net (2)]|b 7000 x1\n");
}

static void steps_of_asynchronous_spans_are_in_them(void **state)
{
    (void)state;
    assert_stacks("trace-event",
                  "[" ASYNC("S", "1", "job", 0) "," STEP("T", "1", "read", 2) "," STEP("T", "1", "send", 5) ","
                  ASYNC("F", "1", "job", 9) "]", "async",
                  "1[async net]|job 2000 x1\n1[async net]|job;read 3000 x1\n1[async net]|job;send 4000 x1\n");
    assert_stacks("trace-event",
                  "[" ASYNC("S", "1", "job", 0) "," STEP("p", "1", "read", 2) "," STEP("p", "1", "send", 5) ","
                  ASYNC("F", "1", "job", 9) "]", "async",
                  "1[async net]|job 4000 x1\n1[async net]|job;read 2000 x1\n1[async net]|job;send 3000 x1\n");
}

static void asynchronous_spans_without_an_end_last_until_the_recording_ends(void **state)
{
    (void)state;
    assert_stacks("trace-event", "[" ASYNC("b", "1", "get", 2) "," X("f", 1, 9) "]", "async",
                  "1[async net]|get 8000 x1\n");
}

static void spans_without_a_beginning_began_before_and_those_without_an_id_are_damage(void **state)
{
    static const char text[] = "[" ASYNC("b", "1", "a", 2) "," ASYNC("e", "1", "b", 4) "," ASYNC("e", "1", "a", 5) ","
                               ASYNC("e", "1", "a", 6) "]";
    (void)state;
    assert_stacks("trace-event", text, "async", "1[async net]|a 3000 x1\n");
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_note(profile, "events of asynchronous spans that began before the recording were left out: 2");
    pr_profile_free(profile);
    assert_damaged_stacks("trace-event", "[" ASYNC("b", "null", "a", 2) "," X("f", 1, 9) "]", "cpu",
                          "2|f 9000 x1\n", PR_DAMAGE_RECORDS, 1);
}

static void methods_of_pytorch_are_one_for_all_objects(void **state)
{
    (void)state;
    assert_stacks("trace-event",
                  "["
                  CALL("python_function", "<built-in method append of list object at 0x7f69>", "1", "2", "1", "1") ","
                  CALL("python_function", "<built-in method append of list object at 0x8E>", "1", "2", "3", "1") "]",
                  "cpu", "2|<built-in method append of list object at 0x…> 2000 x2\n");
}

/* Of equal times: operators are written as they begin, Python's functions as they end. */
static void equal_calls_of_pytorch_nest_by_category(void **state)
{
    (void)state;
    assert_stacks("trace-event",
                  "[" OF_CATEGORY("cpu_op", "aten::linear") ","
                  OF_CATEGORY("cpu_op", "aten::addmm") ","
                  OF_CATEGORY("cuda_runtime", "cudaLaunchKernel") ","
                  OF_CATEGORY("python_function", "a.py(7): f") ","
                  OF_CATEGORY("python_function", "a.py(2): <module>") "]",
                  "cpu",
                  "2|<module> a.py:2 0 x1\n"
                  "2|<module> a.py:2;f a.py:7 0 x1\n"
                  "2|<module> a.py:2;f a.py:7;aten::linear 0 x1\n"
                  "2|<module> a.py:2;f a.py:7;aten::linear;aten::addmm 0 x1\n"
                  "2|<module> a.py:2;f a.py:7;aten::linear;aten::addmm;cudaLaunchKernel 1000 x1\n");
    assert_stacks("trace-event", /* 1.12: as they end */
                  "[" OF_CATEGORY("cpu_op", "aten::mm") "," FUNCTION("a.py(7): g", "0", "1") ","
                  FUNCTION("a.py(3): f", "1", "2") "," FUNCTION("a.py(1): <module>", "2", "null") "]",
                  "cpu",
                  "2|<module> a.py:1 0 x1\n2|<module> a.py:1;f a.py:3 0 x1\n2|<module> a.py:1;f a.py:3;g a.py:7 0 x1\n"
                  "2|<module> a.py:1;f a.py:3;g a.py:7;aten::mm 1000 x1\n");
    assert_stacks("trace-event", /* later: as they begin */
                  "[" OF_CATEGORY("cpu_op", "aten::mm") "," FUNCTION("a.py(1): <module>", "1", "null") ","
                  FUNCTION("a.py(3): f", "2", "1") "," FUNCTION("a.py(7): g", "3", "2") "]",
                  "cpu",
                  "2|<module> a.py:1 0 x1\n2|<module> a.py:1;f a.py:3 0 x1\n2|<module> a.py:1;f a.py:3;g a.py:7 0 x1\n"
                  "2|<module> a.py:1;f a.py:3;g a.py:7;aten::mm 1000 x1\n");
    assert_stacks("trace-event",
                  "[{\"name\":\"aten::t\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tid\":1,\"pid\":\"CPU functions\"},"
                  "{\"name\":\"aten::transpose\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tid\":1,"
                  "\"pid\":\"CPU functions\"}]",
                  "cpu", "1|aten::t 0 x1\n1|aten::t;aten::transpose 1000 x1\n");
}

/* Builds without kineto call it "CPU functions", which became the name of the run. */
static void the_process_of_an_old_trace_of_pytorch_is_no_program(void **state)
{
    static const char text[] = "[{\"name\":\"aten::t\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tid\":1,"
                               "\"pid\":\"CPU functions\",\"args\":{}}]",
                      other[] = "[{\"name\":\"f\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tid\":1,\"pid\":\"solver\"}]";
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(profile->process_count, 1);
    assert_int_equal(profile->processes[0].name, 0);
    pr_profile_free(profile);
    profile = reading(NULL, other, strlen(other), PR_OK);
    assert_string_equal(pr_profile_text(profile, profile->processes[0].name).bytes, "solver");
    pr_profile_free(profile);
}

/* Named are a program on its processor, a GPU that is used and one that is not; a thread has a number and digits. */
static void only_what_has_calls_is_named(void **state)
{
    static const char text[] =
        "{\"traceEvents\":["
        NAMING("process_name", "9", "0", "\"name\":\"python\"") ","
        NAMING("process_labels", "9", "0", "\"labels\":\"CPU\"") ","
        NAMING("process_name", "0", "0", "\"name\":\"python\"") ","
        NAMING("process_labels", "0", "0", "\"labels\":\"GPU 0\"") ","
        NAMING("process_name", "1", "0", "\"name\":\"python\"") ","
        NAMING("process_labels", "1", "0", "\"labels\":\"GPU 1\"") ","
        NAMING("thread_name", "9", "\"77\"", "\"name\":\"thread 0 (python)\"") ","
        CALL("Operator", "aten::mm", "9", "77", "1", "4") ","
        CALL("Kernel", "gemm", "0", "\"stream 7\"", "3", "8") ","
        CALL("Trace", "PyTorch Profiler (0)", "\"Spans\"", "\"PyTorch Profiler\"", "0", "90") "]}";
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    (void)state;
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "1[stream 7]|gemm 8000 x1\n77[thread 0 (python)]|aten::mm 4000 x1\n");
    assert_int_equal(profile->thread_count, 2);
    assert_int_equal(profile->process_count, 2);
    assert_string_equal(pr_profile_text(profile, profile->processes[0].name).bytes, "python (CPU)");
    assert_string_equal(pr_profile_text(profile, profile->processes[1].name).bytes, "python (GPU 0)");
    assert_string_equal(profile->notes[0], "events that are not calls (counters, flows, marks) were left out: 1");
    free(stacks);
    pr_profile_free(profile);
}

static void the_files_of_pytorch_are_a_library(void **state)
{
    static const char text[] =
        "[" OF_CATEGORY("python_function", "torch/nn/modules/linear.py(113): forward") ","
        OF_CATEGORY("python_function", "train.py(12): step") "]";
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    (void)state;
    assert_int_equal(pr_owner_of(profile, 0), PR_OWNER_LIBRARY);
    assert_int_equal(pr_owner_of(profile, 1), PR_OWNER_MINE);
    pr_profile_free(profile);
}

static void a_missing_bracket_is_allowed(void **state)
{
    (void)state;
    assert_stacks("trace-event", "[" X("f", 1, 1), "cpu", "2|f 1000 x1\n");
    assert_stacks("trace-event", "[" X("f", 1, 1) ",\n", "cpu", "2|f 1000 x1\n");
}

static void what_precedes_damage_is_kept(void **state)
{
    (void)state;
    static const char *const texts[] = {"[" X("f", 1, 1) ",{\"ph\":", "{\"traceEvents\":[" X("f", 1, 1),
                                        "[" X("f", 1, 1) "}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pr_profile *profile = reading(NULL, texts[i], strlen(texts[i]), PR_CUT);
        char *stacks = reading_stacks(profile, "cpu");
        assert_string_equal(stacks, "2|f 1000 x1\n");
        free(stacks);
        pr_profile_free(profile);
    }
    assert_null(reading("trace-event", "[{\"ph\":", 7, PR_FAILED));
    assert_null(reading("trace-event", "12", 2, PR_FAILED));
}

static void a_call_without_a_time_is_none(void **state)
{
    (void)state;
#define EVENT(rest) "{\"ph\": \"X\", \"pid\": 1, \"tid\": 2, \"name\": \"f\"" rest "}"
#define GOOD EVENT(", \"ts\": 0, \"dur\": 7")
    static const char *const bad[] = {", \"dur\": 9", ", \"ts\": 5, \"dur\": -5", ", \"ts\": 5, \"dur\": \"9\"",
                                      ", \"ts\": 5, \"dur\": null", ", \"ts\": null, \"dur\": 5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        snprintf(text, sizeof text, "[" GOOD ", " EVENT("%s") "]", bad[i]);
        assert_damaged_stacks("trace-event", text, "cpu", "2|f 7000 x1\n", PR_DAMAGE_RECORDS, 1);
    }
    assert_damaged_stacks("trace-event", "[" GOOD ", 5, {\"name\": \"g\"}, {}]", "cpu", "2|f 7000 x1\n",
                          PR_DAMAGE_RECORDS, 2);
#undef GOOD
#undef EVENT
}

static void what_is_left_out_is_reported(void **state)
{
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"rss\",\"args\":{\"n\":1}}," E(
            "f", 1) "]}";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_note(profile, "events that are not calls (counters, flows, marks) were left out: 1");
    assert_note(profile, "calls that began before the recording were left out: 1");
    assert_int_equal(profile->note_count, 2);
    pr_profile_free(profile);
}

#define NODE(id, parent, name)                                                                                         \
    "{\"id\":" #id ",\"parent\":" #parent ",\"callFrame\":{\"functionName\":\"" name "\",\"lineNumber\":4}}"
#define ROOT_NODE "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}}"
#define CHUNK(pid, id, nodes, samples, deltas)                                                                         \
    "{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples "]},\"timeDeltas\":[" deltas    \
    "]}},\"ph\":\"P\",\"pid\":" #pid ",\"tid\":99,\"ts\":3,\"name\":\"ProfileChunk\",\"id\":\"" id "\"}"
#define PROFILE_AT(start, pid, thread, id)                                                                             \
    "{\"ph\":\"P\",\"pid\":" #pid ",\"tid\":" #thread ",\"ts\":1,\"name\":\"Profile\",\"id\":\"" id "\","              \
    "\"args\":{\"data\":{\"startTime\":" start "}}}"
#define PROFILE(pid, thread, id) PROFILE_AT("1", pid, thread, id)

/* Nodes of chunks before are known; numbers are those of a profile; the collector is on top of what it interrupted. */
static const char of_javascript[] =
    "[" X("f", 1, 5) "," PROFILE(1, 7, "0x1") "," PROFILE(1, 8, "0x2") ","
    CHUNK(1, "0x1", ROOT_NODE "," NODE(2, 1, "f") "," NODE(3, 2, "") "," NODE(4, 1, "(garbage collector)") ","
          NODE(5, 1, "(idle)"), "2,3,4", "9,10,20") ","
    CHUNK(1, "0x2", ROOT_NODE "," NODE(2, 1, "h"), "2,2", "5,1000") ","
    "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"data\":{\"cpuProfile\":{\"samples\":[2]}}}},"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":1,\"name\":\"n\",\"args\":{\"data\":[1,2]}},"
    CHUNK(1, "0x1", NODE(6, 3, "g"), "6,5,2", "40,-30,130") "]";

/* Times are those of the trace: the profile starts 1 us after its origin, its first sample is 9 us later. */
static void assert_samples_in_time(const struct pr_profile *profile)
{
    static const int64_t want[][2] = {{10, 10}, {20, 20}, {40, 10}, {80, 100}, {6, 1000}}; /* start and length, in us */
    const struct pr_slices js = pr_profile_slices_of(profile, pr_profile_metric(profile, "js")),
                           cpu = pr_profile_slices_of(profile, pr_profile_metric(profile, "cpu"));
    assert_int_equal(cpu.count, 1);
    const int64_t origin_ns = cpu.slice[0].start_ns - 1000; /* the span begins at 1 us */
    assert_int_equal(js.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < js.count; i++) {
        assert_int_equal(js.slice[i].start_ns - origin_ns, want[i][0] * 1000);
        assert_int_equal(js.slice[i].duration_ns, want[i][1] * 1000);
    }
}

static void samples_of_javascript_are_stacks_of_their_thread(void **state)
{
    (void)state;
    struct pr_profile *profile = reading(NULL, of_javascript, strlen(of_javascript), PR_OK);
    assert_metric(profile, "js",
                  "7|f:5 10000 x1\n7|f:5;(anonymous):5 20000 x1\n7|f:5;(anonymous):5;(garbage collector):5 10000 x1\n"
                  "7|f:5;(anonymous):5;g:5 100000 x1\n8|h:5 1000000 x1\n");
    assert_note(profile, "events that are not calls (counters, flows, marks) were left out: 2");
    assert_note(profile, "0.030 ms of idle time between samples of JavaScript are left out");
    assert_int_equal(profile->thread_count, 3); /* none is of the thread that wrote them */
    assert_samples_in_time(profile);
    pr_profile_free(profile);
    assert_survives_damage("trace-event", of_javascript, strlen(of_javascript));
}

static void each_failed_allocation_is_an_error(void **state)
{
    bool failed = true;
    (void)state;
    for (unsigned long n = 1; failed; n++) {
        struct pr_profile *profile = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        const enum pr_status status =
            pr_load_memory("made", of_javascript, strlen(of_javascript), NULL, &profile, &err);
        failed = alloc_fail_stop();
        pr_profile_free(profile);
        assert_true(failed ? status == PR_OK || err.code == PR_ERR_MEMORY || err.code == PR_ERR_LIMIT
                           : status == PR_OK);
    }
}

static void samples_of_unknown_nodes_are_counted(void **state)
{
    static const char text[] = "[" CHUNK(1, "1", NODE(3, 2, "f"), "3,4,3", "1,2,3") "]",
                      uneven[] = "[" CHUNK(1, "1", NODE(3, 0, "f"), "3,3,3", "1,2,3,4") "]",
                      late[] = "[" PROFILE_AT("9223372036854776", 1, 7, "1") ","
                                   CHUNK(1, "1", NODE(3, 0, "f"), "3,3", "1,2") "]";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    assert_metric(profile, "js", "99| 3000 x1\n99|f:5 2000 x1\n");
    assert_note(profile, "samples of JavaScript have no place in time, as the start of their profile is not known: 2");
    assert_damage(profile, PR_DAMAGE_FRAMES, 2); /* a parent, and a sample's node */
    pr_profile_free(profile);
    profile = reading(NULL, late, strlen(late), PR_CUT);
    assert_metric(profile, "js", "7|f:5 2000 x1\n");
    assert_note(profile, "samples of JavaScript have no place in time, as the start of their profile is not known: 1");
    assert_damage(profile, PR_DAMAGE_RECORDS, 1); /* a start that is no time in ns */
    pr_profile_free(profile);
    profile = reading(NULL, uneven, strlen(uneven), PR_CUT);
    assert_metric(profile, "js", "99|f:5 5000 x2\n");
    assert_damage(profile, PR_DAMAGE_RECORDS, 1);
    pr_profile_free(profile);
}

static void a_recorder_whose_buffer_overflowed_dropped_calls(void **state)
{
    static const char text[] = "{\"traceEvents\":[" X("f", 1, 5) "],\"viztracer_metadata\":{\"overflow\":true}}";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    assert_damage(profile, PR_DAMAGE_OVERFLOWED, 1);
    assert_true(pr_damage_is_of_recording(&profile->damage));
    assert_string_equal(profile->problem.text, "1 buffer of the recorder overflowed: its oldest calls are missing");
    pr_profile_free(profile);
}

static void extreme_numbers_do_no_harm(void **state)
{
    static const char text[] = "[" X("f", -1e300, 1e300) "," X("g", 1e300, 1e300) "," X("h", -1e300, -5) "," B(
        "b", 1e300) "," E("b", -1e300) "," X("n", NaN, Infinity) "]";
    (void)state;
    struct pr_profile *profile = reading("trace-event", text, strlen(text), PR_CUT);
    assert_int_equal(profile->damage.kind[PR_DAMAGE_RECORDS].count, 6); /* and none is left */
    assert_int_equal(profile->fact_count, 0);
    pr_profile_free(profile);
    assert_survives_damage("trace-event", text, strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_nest_by_containment),
        cmocka_unit_test(rounding_is_not_an_overlap),
        cmocka_unit_test(pairs_are_calls),
        cmocka_unit_test(calls_run_when_a_recording_begins_and_ends),
        cmocka_unit_test(equal_calls_nest_by_their_ends),
        cmocka_unit_test(places_are_taken_from_names_and_arguments),
        cmocka_unit_test(threads_have_names),
        cmocka_unit_test(asynchronous_spans_nest_on_their_tracks),
        cmocka_unit_test(asynchronous_spans_that_overlap_have_two_lanes),
        cmocka_unit_test(steps_of_asynchronous_spans_are_in_them),
        cmocka_unit_test(asynchronous_spans_without_an_end_last_until_the_recording_ends),
        cmocka_unit_test(spans_without_a_beginning_began_before_and_those_without_an_id_are_damage),
        cmocka_unit_test(methods_of_pytorch_are_one_for_all_objects),
        cmocka_unit_test(equal_calls_of_pytorch_nest_by_category),
        cmocka_unit_test(the_process_of_an_old_trace_of_pytorch_is_no_program),
        cmocka_unit_test(only_what_has_calls_is_named),
        cmocka_unit_test(the_files_of_pytorch_are_a_library),
        cmocka_unit_test(a_missing_bracket_is_allowed),
        cmocka_unit_test(what_precedes_damage_is_kept),
        cmocka_unit_test(what_is_left_out_is_reported),
        cmocka_unit_test(samples_of_javascript_are_stacks_of_their_thread),
        cmocka_unit_test(each_failed_allocation_is_an_error),
        cmocka_unit_test(samples_of_unknown_nodes_are_counted),
        cmocka_unit_test(a_recorder_whose_buffer_overflowed_dropped_calls),
        cmocka_unit_test(a_call_without_a_time_is_none),
        cmocka_unit_test(extreme_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
