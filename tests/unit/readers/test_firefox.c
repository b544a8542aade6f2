/* SPDX-License-Identifier: Apache-2.0 */
/* Firefox's profiles: both layouts, each age of the processed one, and values that no writer should write. */
#include "tests/support/unit.h"

#include "profrender/table.h"
#include "tests/support/load_helpers.h"

#include <string.h>

#define META(version) "\"meta\":{\"startTime\":1700000000000,\"interval\":2,\"preprocessedProfileVersion\":" version "}"
#define STACKS "\"stackTable\":{\"frame\":[0,1,2],\"prefix\":[null,0,0],\"length\":3}"
#define OFFSETS "\"stackTable\":{\"frame\":[0,1,2],\"prefixOffset\":[0,1,2],\"length\":3}"
#define STRINGS "\"stringArray\":[\"main\",\"f\",\"a.js\",\"0x40\"]"
#define FUNCS                                                                                                          \
    "\"frameTable\":{\"func\":[0,1,2],\"address\":[-1,-1,64],\"line\":[3,null,null]},\"resourceTable\":{\"lib\":[0]}," \
    "\"funcTable\":{\"name\":[0,1,3],\"resource\":[-1,-1,0],\"fileName\":[2,2,null],\"lineNumber\":[1,7,null]}"
#define LIBS "\"libs\":[{\"name\":\"libz.so\",\"path\":\"/lib/libz.so\"}]"
#define SAMPLES(...) "\"samples\":{\"stack\":[1,0,2,null,1],\"time\":[10,12,15,16,20]" __VA_ARGS__ "}"
#define THREAD(...) "{\"pid\":\"7\",\"tid\":9,\"name\":\"worker\"," __VA_ARGS__ "}"
#define OWN(...)                                                                                                       \
    "{" META("48") "," LIBS ",\"threads\":[" THREAD(STACKS "," FUNCS "," STRINGS "," SAMPLES(__VA_ARGS__)) "]}"
#define SHARED                                                                                                         \
    "{" META("66") ",\"threads\":[" THREAD(SAMPLES("")) "],\"shared\":{" OFFSETS "," FUNCS "," STRINGS "}," LIBS "}"

static const char stacks[] = "9[worker]|main a.js:3 1\n"
                             "9[worker]|main a.js:3;f a.js:7 2\n"
                             "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 1\n";
static const char times[] = "9[worker]|main a.js:3 3000000 x1\n"
                            "9[worker]|main a.js:3;f a.js:7 4000000 x2\n"
                            "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 1000000 x1\n";

static void samples_count_and_last_until_the_next_one(void **state)
{
    (void)state;
    assert_stacks("firefox", OWN(), "samples", stacks);
    assert_stacks("firefox", OWN(), "time", times);
}

static void shared_tables_may_come_after_the_threads(void **state)
{
    (void)state;
    assert_stacks("firefox", SHARED, "samples", stacks);
    assert_stacks("firefox", SHARED, "time", times);
}

/* From version 75 on, rows have flags, and 0 where these say that there is nothing. */
static void flags_say_which_cells_have_a_value(void **state)
{
    static const char document[] =
        "{" META("75") ",\"threads\":[" THREAD(SAMPLES("")) "],\"shared\":{" OFFSETS "," STRINGS ","
        "\"frameTable\":{\"func\":[0,1,2],\"address\":[0,0,64],\"lib\":[0,0,0],\"line\":[3,0,0],\"flags\":[16,0,2]},"
        "\"resourceTable\":{\"name\":[1]},\"sources\":{\"filename\":[2]},"
        "\"funcTable\":{\"name\":[0,1,3],\"resource\":[0,0,0],\"source\":[0,0,0],\"lineNumber\":[1,7,0],"
        "\"flags\":[26,24,4]}}," LIBS "}";
    (void)state;
    assert_stacks("firefox", document, "samples", stacks);
}

static void weights_are_samples_milliseconds_or_bytes(void **state)
{
    (void)state;
    assert_stacks("firefox", OWN(",\"weight\":[5,1,1,9,1]"), "samples",
                  "9[worker]|main a.js:3 1\n9[worker]|main a.js:3;f a.js:7 6\n"
                  "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 1\n");
    assert_stacks("firefox", OWN(",\"weight\":[0.5,1,1,9,1],\"weightType\":\"tracing-ms\""), "time",
                  "9[worker]|main a.js:3 1000000 x1\n9[worker]|main a.js:3;f a.js:7 1500000 x2\n"
                  "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 1000000 x1\n");
    assert_stacks("firefox", OWN(",\"weight\":[512,1,1,9,1],\"weightType\":\"bytes\""), "bytes",
                  "9[worker]|main a.js:3 1 x1\n9[worker]|main a.js:3;f a.js:7 513 x2\n"
                  "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 1 x1\n");
}

#define GECKO(rows)                                                                                                    \
    "{\"meta\":{\"startTime\":0,\"interval\":1,\"stackwalk\":1,\"version\":27,\"sampleUnits\":{\"threadCPUDelta\":"    \
    "\"ns\"}},\"threads\":[" THREAD(                                                                                   \
        "\"frameTable\":{\"schema\":{\"location\":0,\"line\":4},\"data\":[[0],[1],[2,false,0,null,12],[3]]},"          \
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[1,2],[0,3]]},"                \
        "\"stringTable\":[\"main (in app)\",\"do_sys (in [kernel.kallsyms])\",\"g (http://a/b.js:10:2)[4]\","          \
        "\"0x1234\"],\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"threadCPUDelta\":2},\"data\":[" rows "]}") "]}"

static void rows_of_gecko_are_read_by_their_schema(void **state)
{
    (void)state;
    const char *const document = GECKO("[1,0,null],[2,1,100],[3,2,50],[null,3]");
    assert_stacks("firefox", document, "samples",
                  "9[worker]|main app;0x1234 1\n9[worker]|main app;do_sys [kernel.kallsyms] 1\n"
                  "9[worker]|main app;do_sys [kernel.kallsyms];g http://a/b.js:12 1\n");
    assert_stacks("firefox", document, "cpu",
                  "9[worker]|main app;0x1234 50\n9[worker]|main app;do_sys [kernel.kallsyms];g http://a/b.js:12 100\n");
}

static void allocations_are_metrics_and_frees_are_left_out(void **state)
{
    (void)state;
    const char *const document = "{" META("48") "," LIBS ",\"threads\":[" THREAD(
        STACKS "," FUNCS "," STRINGS ",\"jsAllocations\":{\"stack\":[1,0],\"weight\":[3,4]},"
               "\"nativeAllocations\":{\"stack\":[2,2],\"weight\":[64,-64],\"weightType\":\"bytes\"}") "]}";
    assert_stacks("firefox", document, "allocations",
                  "9[worker]|main a.js:3 4 x1\n9[worker]|main a.js:3;f a.js:7 3 x1\n");
    assert_stacks("firefox", document, "native_allocated",
                  "9[worker]|main a.js:3;libz.so+0x40 /lib/libz.so 64 x1\n");
}

static void assert_moments(const char *document, const char *metric, size_t count, const int64_t *at_ms,
                           const int64_t *values)
{
    struct pr_profile *profile = reading("firefox", document, strlen(document), PR_OK);
    assert_int_equal(profile->moment_count, count);
    assert_string_equal(profile->metrics[pr_profile_moment_metric(profile)].name, metric);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(profile->moments[i].at_ns, at_ms[i] * 1000000);
        assert_int_equal(profile->moments[i].bytes, values[i]);
    }
    pr_profile_free(profile);
}

/* Those of one metric: the first one that has any. */
static void allocations_have_their_time(void **state)
{
    (void)state;
    assert_moments("{" META("48") "," LIBS ",\"threads\":[" THREAD(
                       STACKS "," FUNCS "," STRINGS
                              ",\"jsAllocations\":{\"stack\":[1,0,0],\"weight\":[3,4,5],\"time\":[8,null,9]},"
                              "\"nativeAllocations\":{\"stack\":[2],\"weight\":[64],\"time\":[7]}") "]}",
                   "allocations", 2, (const int64_t[]){0, 1}, (const int64_t[]){3, 5});
    assert_moments(OWN(",\"weight\":[512,8,1,9,1],\"weightType\":\"bytes\""), "bytes", 4,
                   (const int64_t[]){0, 2, 5, 10}, (const int64_t[]){512, 8, 1, 1});
}

#define AXIS(word)                                                                                                     \
    "{\"meta\":{\"preprocessedProfileVersion\":48,\"sampleTimes\":\"" word "\"}," LIBS ",\"threads\":["                \
    THREAD(STACKS "," FUNCS "," STRINGS "," SAMPLES(",\"weightType\":\"tracing-ms\",\"weight\":[1,1,1,1,1]")) "]}"

static void an_axis_of_our_export_may_not_be_time(void **state)
{
    (void)state;
    struct pr_profile *profile = reading("firefox", AXIS("none"), strlen(AXIS("none")), PR_OK);
    assert_int_equal(profile->slice_count, 0);
    assert_int_equal(profile->metrics[0].total_value, 4000000);
    pr_profile_free(profile);
    profile = reading("firefox", AXIS("order"), strlen(AXIS("order")), PR_OK);
    assert_int_equal(profile->slice_count, 4);
    assert_true(profile->slices_lack_clock);
    pr_profile_free(profile);
}

#define LOCATIONS(...)                                                                                                 \
    "{\"meta\":{\"stackwalk\":1,\"version\":27},\"threads\":[" THREAD(                                                 \
        "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2],[3]]},"                                     \
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[null,1],[null,2],[null,3]]},"       \
        "\"stringTable\":[" __VA_ARGS__ "],\"samples\":{\"schema\":{\"stack\":0},\"data\":[[0],[1],[2],[3]]}") "]}"

static void brackets_of_a_location_may_be_anywhere(void **state)
{
    (void)state;
    assert_stacks("firefox", LOCATIONS("\"f()[abi:cxx11] (in libq.so)\",\"x)[ (in y\",\")[\",\"f ()[1]\""), "samples",
                  "9[worker]|)[ 1\n9[worker]|f ()[1] 1\n9[worker]|f()[abi:cxx11] libq.so 1\n9[worker]|x)[ y 1\n");
    assert_stacks("firefox", LOCATIONS("\"\",\")\",\" (in \",\" (\""), "samples",
                  "9[worker]| ( 1\n9[worker]|(unknown) 1\n9[worker]|(unknown) 1\n9[worker]|) 1\n");
}

static void weights_beyond_all_numbers_are_the_largest_one(void **state)
{
    (void)state;
    assert_damaged_stacks("firefox", OWN(",\"weight\":[9e300,1.5,0.4,9,0]"), "samples",
                          "9[worker]|main a.js:3 2\n9[worker]|main a.js:3;f a.js:7 9223372036855\n",
                          PR_DAMAGE_BOUNDED, 1);
}

static void stacks_that_do_not_exist_are_damage(void **state)
{
    (void)state;
    assert_damaged_stacks("firefox", GECKO("[9,0],[0,1],[-3,2]"), "samples", "9[worker]| 2\n9[worker]|main app 1\n",
                          PR_DAMAGE_FRAMES, 2);
}

static void a_cut_or_changed_document_is_survived(void **state)
{
    (void)state;
    assert_survives_damage("firefox", SHARED, strlen(SHARED));
    const char *const gecko = GECKO("[1,0,null],[2,1,100]");
    assert_survives_damage("firefox", gecko, strlen(gecko));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_count_and_last_until_the_next_one),
        cmocka_unit_test(shared_tables_may_come_after_the_threads),
        cmocka_unit_test(flags_say_which_cells_have_a_value),
        cmocka_unit_test(weights_are_samples_milliseconds_or_bytes),
        cmocka_unit_test(rows_of_gecko_are_read_by_their_schema),
        cmocka_unit_test(allocations_are_metrics_and_frees_are_left_out),
        cmocka_unit_test(allocations_have_their_time),
        cmocka_unit_test(an_axis_of_our_export_may_not_be_time),
        cmocka_unit_test(brackets_of_a_location_may_be_anywhere),
        cmocka_unit_test(weights_beyond_all_numbers_are_the_largest_one),
        cmocka_unit_test(stacks_that_do_not_exist_are_damage),
        cmocka_unit_test(a_cut_or_changed_document_is_survived),
    };
    return cmocka_run_group_tests_name("firefox", tests, NULL, NULL);
}
