/* SPDX-License-Identifier: Apache-2.0 */
/* V8's profiles: times by the rule of the next sample, nodes in both forms, and trees of any depth. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"

#include <stdlib.h>
#include <string.h>

#define CALL(name, url, line)                                                                                          \
    "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url "\",\"lineNumber\":" #line "}"
#define NODES                                                                                                          \
    "{\"nodes\":[{\"id\":1," CALL(                                                                                     \
        "(root)", "", -1) ",\"hitCount\":0,\"children\":[2,3,5,6]},"                                                   \
                          "{\"id\":2," CALL("f", "a.js", 9) ",\"hitCount\":1,\"children\":[4]},{\"id\":3," CALL(       \
                              "(idle)", "", -1) ",\"hitCount\":1},{\"id\":4," CALL("", "a.js",                         \
                                                                                   0) ",\"hitCount\":2},{\"id\":"      \
                                                                                      "5," CALL("(garbage collector)", \
                                                                                                "",                    \
                                                                                                -1) ",\"hitCount\":1}" \
                                                                                                    ",{\"id\":"        \
                                                                                                    "6," CALL("(progr" \
                                                                                                              "am)",   \
                                                                                                              "",      \
                                                                                                              -1) ","  \
                                                                                                                  "\"" \
                                                                                                                  "hi" \
                                                                                                                  "tC" \
                                                                                                                  "ou" \
                                                                                                                  "nt" \
                                                                                                                  "\"" \
                                                                                                                  ":0" \
                                                                                                                  "}]" \
                                                                                                                  ","

static void a_sample_lasts_until_the_next(void **state)
{
    (void)state;
    assert_stacks("cpuprofile",
                  NODES "\"startTime\":100,\"endTime\":200,\"samples\":[2,4,5,3,6,2],\"timeDeltas\":[5,1,2,3,4,6]}",
                  "cpu",
                  "0|(program) 6000 x1\n0|f a.js:10 1000 x2\n0|f a.js:10;(anonymous) a.js:1 2000 x1\n"
                  "0|f a.js:10;(anonymous) a.js:1;(garbage collector) 3000 x1\n");
}

static void samples_may_be_out_of_order(void **state)
{
    (void)state;
    assert_stacks("cpuprofile", NODES "\"samples\":[2,4,6],\"timeDeltas\":[5,10,-4]}", "cpu",
                  "0|(program) 4000 x1\n0|f a.js:10 6000 x1\n0|f a.js:10;(anonymous) a.js:1 0 x1\n");
}

static void hits_share_the_time_of_the_run(void **state)
{
    (void)state;
    assert_stacks("cpuprofile", NODES "\"startTime\":100,\"endTime\":150}", "cpu",
                  "0|(garbage collector) 10000 x1\n0|f a.js:10 10000 x1\n0|f a.js:10;(anonymous) a.js:1 20000 x2\n");
    assert_stacks("cpuprofile", NODES "\"x\":0}", "samples",
                  "0|(garbage collector) 1\n0|f a.js:10 1\n0|f a.js:10;(anonymous) a.js:1 2\n");
}

static void the_old_form_is_read(void **state)
{
    (void)state;
    assert_stacks("cpuprofile",
                  "{\"head\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,\"hitCount\":0,\"children\":["
                  "{\"functionName\":\"f\",\"url\":\"a.js\",\"lineNumber\":3,\"hitCount\":1,\"children\":["
                  "{\"functionName\":\"g\",\"url\":\"a.js\",\"lineNumber\":4,\"hitCount\":3,\"children\":[],\"id\":3}],"
                  "\"id\":2}],\"id\":1},\"startTime\":1.5,\"endTime\":1.502}",
                  "cpu", "0|f a.js:4 500000 x1\n0|f a.js:4;g a.js:5 1500000 x3\n");
}

static void circles_are_cut(void **state)
{
    (void)state;
    static const char text[] =
        "{\"nodes\":[{\"id\":1," CALL("f", "a.js", 1) ",\"hitCount\":1,\"children\":[2,1]},{\"id\":2," CALL(
            "g", "a.js", 2) ",\"hitCount\":1,\"children\":[1]}]}";
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_int_equal(profile->metrics[0].total_value, 2);
    pr_profile_free(profile);
}

#define HEAP                                                                                                           \
    "{\"head\":{" CALL("(root)", "", -1) ",\"selfSize\":8,\"id\":1,\"children\":[{" CALL(                              \
        "f", "a.js",                                                                                                   \
        0) ",\"selfSize\":100,\"id\":2,\"children\":[]}]},\"samples\":[{\"size\":50,\"nodeId\":2,\"ordinal\":1},"      \
           "{\"size\":50,\"nodeId\":2,\"ordinal\":2}]}"

static void heap_profiles_are_bytes(void **state)
{
    (void)state;
    assert_stacks("heapprofile", HEAP, "inuse_space", "0|(root) 8 x0\n0|(root);f a.js:1 100 x2\n");
}

/* As deep as the JSON allows, and deeper: neither costs stack. */
static void depth_costs_no_stack(void **state)
{
    static const unsigned depths[] = {20000, 40000};
    static const enum pr_status ends[] = {PR_OK, PR_CUT};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pr_buf buf = {0};
        pr_buf_text(&buf, "{\"head\":");
        for (unsigned depth = 0; depth < depths[i]; depth++)
            pr_buf_text(&buf, "{" CALL("f", "a.js", 0) ",\"selfSize\":1,\"id\":1,\"children\":[");
        for (unsigned depth = 0; depth < depths[i]; depth++)
            pr_buf_text(&buf, "]}");
        pr_buf_text(&buf, "}");
        struct pr_profile *profile = reading("heapprofile", buf.bytes, buf.length, ends[i]);
        assert_true(profile->tree.count > 20000);
        pr_profile_free(profile);
        pr_buf_clear(&buf);
    }
}

static void damage_does_no_harm(void **state)
{
    static const char cpu[] = NODES "\"startTime\":100,\"endTime\":200,\"samples\":[2,4,5],\"timeDeltas\":[5,1,2]}";
    (void)state;
    assert_survives_damage("cpuprofile", cpu, strlen(cpu));
    assert_survives_damage("heapprofile", HEAP, strlen(HEAP));
    assert_null(reading("cpuprofile", "[]", 2, PR_FAILED));
    assert_null(reading("heapprofile", "{\"head\"", 7, PR_FAILED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_lasts_until_the_next), cmocka_unit_test(samples_may_be_out_of_order),
        cmocka_unit_test(hits_share_the_time_of_the_run), cmocka_unit_test(the_old_form_is_read),
        cmocka_unit_test(circles_are_cut),               cmocka_unit_test(heap_profiles_are_bytes),
        cmocka_unit_test(depth_costs_no_stack),          cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
