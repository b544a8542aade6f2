/* SPDX-License-Identifier: Apache-2.0 */
/* perf script: heads in all their forms, stacks leaf first, a metric for each event. */
#include "tests/support/unit.h"

#include "capture/base/text.h"
#include "capture/readers/perf_names.h"
#include "tests/support/load_helpers.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES "\t    1228 put+0x3d (/app/h)\n\t    13c5 main+0xdb (/app/h)\n\n"

static void heads_have_many_forms(void **state)
{
    (void)state;
    assert_stacks("perf", "h 12   970.5:    2000 cpu-clock: \n" FRAMES, "cpu-clock",
                  "12[h]|main /app/h;put /app/h 2000 x1\n");
    assert_stacks("perf", "# cmdline : perf record\n#\n  my prog 1 12/13 [003] 970.5: cycles:u: \n" FRAMES, "cycles:u",
                  "13[my prog 1]|main /app/h;put /app/h 1 x1\n");
    assert_stacks("perf", "h 12 [003] d..2. 970.5: 7 cpu_core/cycles/: \n" FRAMES, "cpu_core/cycles/",
                  "12[h]|main /app/h;put /app/h 7 x1\n");
    assert_stacks("perf", "h 12 970.5: \n" FRAMES, "samples", "12[h]|main /app/h;put /app/h 1 x1\n");
    assert_stacks("perf", "h 12 970.5: 5 cycles:  ffff81 f+0x1 ([kernel.kallsyms])\nh 12 970.6: 5 cycles: \n\n",
                  "cycles", "12[h]| 5 x1\n12[h]|f [kernel.kallsyms] 5 x1\n");
}

/* How exactly a place is noted is no part of what was measured; the name that selects the metric keeps it. */
static void a_title_has_no_precision(void **state)
{
    (void)state;
    static const char *const titles[][2] = {{"cpu-clock:ppp", "cpu-clock"}, {"cycles:P", "cycles"},
                                            {"cycles:u", "cycles:u"}, {"sched:p", "sched"}, {"temp", "temp"},
                                            {"a:up", "a:up"}, {":p", ":p"}, {"", ""}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const struct pr_text title = pr_perf_title(pr_text_of(titles[i][0]));
        assert_int_equal(title.length, strlen(titles[i][1]));
        assert_memory_equal(title.bytes, titles[i][1], title.length);
    }
    static const char text[] = "h 12 970.5: 2000 cpu-clock:ppp: \n" FRAMES;
    struct pr_profile *profile = reading("perf", text, sizeof text - 1, PR_OK);
    assert_string_equal(profile->metrics[0].name, "cpu-clock:ppp");
    assert_string_equal(profile->metrics[0].title, "cpu-clock");
    pr_profile_free(profile);
}

/* `perf record -k`, or our recorder: the samples are on the clock of a timeline. */
static void a_header_may_say_what_the_time_of_day_was(void **state)
{
    (void)state;
#define SAMPLE "h 12 970.500000: 2000000 cpu-clock: \n" FRAMES
    static const struct {
        const char *text;
        struct pr_maybe start_ms;
    } cases[] = {
        {"# reference time: 2026-11-28 10:00:50.0 = 1795860050.069395 (TOD) = 969.569395394 (monotonic)\n" SAMPLE,
         {true, 1795860050997}}, /* the sample ends 930.6 ms after that, and is 2 ms long */
        {"# reference time: 1795860050 s = 1795860050.069395 (TOD)\n" SAMPLE, {false, 0}},
        {"# reference time: = \n" SAMPLE, {false, 0}},
        {SAMPLE, {false, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_profile *profile = reading("perf", cases[i].text, strlen(cases[i].text), PR_OK);
        assert_int_equal(profile->slices_start_ms.known, cases[i].start_ms.known);
        assert_int_equal(profile->slices_start_ms.value, cases[i].start_ms.value);
        pr_profile_free(profile);
    }
}

/* What -F leaves out, and what --show-mmap-events and its likes put between the samples; each found by content. */
static void fields_may_be_left_out(void **state)
{
    (void)state;
    assert_stacks("perf", "my h 12/13 \n" FRAMES, "samples", "13[my h]|main /app/h;put /app/h 1 x1\n");
    assert_stacks("perf", "my h     0.002325038: task-clock: \n" FRAMES, "task-clock",
                  "0[my h]|main /app/h;put /app/h 1 x1\n");
    assert_stacks("perf",
                  "# ========\nh 0 0.0: PERF_RECORD_MMAP -1/0: [0xff(0x12) @ 0xff]: x [kernel.kallsyms]_text\n"
                  "h 12 1.0: PERF_RECORD_COMM: h:12/12\nh 12 1.5: 7 cycles: \n" FRAMES
                  "h 12 2.0: PERF_RECORD_FORK(12:13):(12:12)\n",
                  "cycles", "12[h]|main /app/h;put /app/h 7 x1\n");
    assert_stacks("perf",
                  "h 12 1.5: 7 cycles: \n\t1 put+0x3 (/app/h)\n  /src/h.c:7\n\t2 main+0x1 (/app/h)\n  ??:0\n\n",
                  "cycles", "12[h]|main /app/h;put /src/h.c:7 7 x1\n");
    assert_null(reading(NULL, "half 1/2\n", 9, PR_FAILED));
}

static void events_are_metrics(void **state)
{
    static const char text[] = "h 12 1.5: 2000 cpu-clock: \n" FRAMES "h 12 1.6: 3 page-faults: \n" FRAMES;
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_OK);
    assert_int_equal(profile->metric_count, 2);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NANOSECONDS);
    assert_int_equal(profile->metrics[1].unit, PR_UNIT_COUNT);
    assert_int_equal(profile->metrics[1].total_value, 3);
    assert_int_equal(profile->slice_count, 1);
    pr_profile_free(profile);
}

static void frames_have_many_forms(void **state)
{
    (void)state;
    assert_stacks("perf",
                  "h 12 1.5: 1 e: \n"
                  "\t0 [unknown] ([unknown])\n"
                  "\t0 [unknown] (/lib/libc.so.6)\n"
                  "\t1 std::f(int, char (*)())+0x1 (/app/a b (deleted))\n"
                  "\t2 inner (inlined)\n"
                  "\t3 py::load:/app/x.py+0x9 (/tmp/perf-12.map)\n"
                  "\t4 operator+(a)+0x10 (/app/h)\n"
                  "  x.c:12\n"
                  "\t5 do_fault+0x3 ([nf_tables])\n\n",
                  "e",
                  "12[h]|do_fault [nf_tables];operator+(a) x.c:12;load /app/x.py;inner;"
                  "std::f(int, char (*)()) /app/a b (deleted);[libc.so.6] /lib/libc.so.6;[unknown] [unknown] 1 x1\n");
}

static void a_cut_stack_is_left_out(void **state)
{
    static const char text[] = "h 12 1.5: 1 e: \n" FRAMES "h 12 1.6: 1 e: \n\t1228 put (/app/h)\n\t13c5 ma";
    (void)state;
    struct pr_profile *profile = reading(NULL, text, strlen(text), PR_CUT);
    char *stacks = reading_stacks(profile, "e");
    assert_string_equal(stacks, "12[h]|main /app/h;put /app/h 1 x1\n");
    free(stacks);
    pr_profile_free(profile);
    assert_null(reading("perf", "nothing of it\n", 14, PR_FAILED));
}

static void damage_does_no_harm(void **state)
{
    static const char text[] = "my h 1/12 [001] 1.5: 2000 cpu-clock: \n" FRAMES "h 12 1.6: 3 e: ff f ([k])\n\n";
    (void)state;
    assert_survives_damage("perf", text, strlen(text));
    assert_survives_damage(NULL, text, strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_have_many_forms),   cmocka_unit_test(a_title_has_no_precision),
        cmocka_unit_test(a_header_may_say_what_the_time_of_day_was),
        cmocka_unit_test(fields_may_be_left_out),
        cmocka_unit_test(events_are_metrics),
        cmocka_unit_test(frames_have_many_forms),  cmocka_unit_test(a_cut_stack_is_left_out),
        cmocka_unit_test(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
