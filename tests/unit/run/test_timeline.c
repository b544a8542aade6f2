/* SPDX-License-Identifier: Apache-2.0 */
/* Resource timelines of all formats: series with units, how the run ended, incomplete ones. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"

#include "profrender/buf.h"
#include "capture/builder/series_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define START                                                                                                          \
    "{\"type\":\"start\",\"version\":1,\"t\":1000.5,\"argv\":[\"python\",\"a b.py\"],\"pid\":7,\"ncpu\":8,"            \
    "\"limits\":{\"memory_max\":1048576,\"cpu_max\":\"200000 100000\"}}\n"

static void assert_series(const struct pr_profile *profile, const char *name, const char *expected)
{
    const int index = pr_profile_series(profile, name);
    struct pr_buf out = {0};
    for (size_t i = 0; index >= 0 && i < profile->series[index].count; i++)
        pr_buf_printf(&out, "%s%" PRId64 "=%" PRId64, i ? " " : "", profile->series[index].at_ms[i],
                      profile->series[index].value[i]);
    assert_string_equal(index < 0 ? "none" : out.length ? out.bytes : "", expected);
    pr_buf_clear(&out);
}

static struct pr_profile *read_text(const char *format, const char *text, enum pr_status status)
{
    struct pr_profile *profile = reading(NULL, text, strlen(text), status);
    if (profile)
        assert_string_equal(profile->meta.format, format);
    return profile;
}

static void a_recording_is_read_whole(void **state)
{
    static const char text[] =
        START "{\"ts\":0,\"cpu_pct\":50,\"rss_mb\":1,\"nproc\":2,\"gpus\":[{\"i\":0,\"util\":10,\"mem_mb\":2},"
              "{\"i\":1,\"util\":20}],\"gpu_pct\":15}\n"
              "{\"ts\":1.25,\"rss_mb\":2.5,\"cpu_pct\":NaN,\"psi_io_some_pct\":1.5,\"new\":{\"a\":[1]}}\n"
              "{\"ts\":0.5,\"rss_mb\":2,\"disk_read_mb_s\":0.5,\"psi_io_some_pct\":103.73,\"cpu_wait_pct\":150}\n"
              "{\"type\":\"end\",\"t\":1002,\"wall\":1.5,\"exit\":null,\"signal\":9,\"core\":false,\"rusage\":{"
              "\"utime\":0.25,\"stime\":0.5,\"maxrss_kb\":3,\"inblock\":2},\"oom\":{\"cgroup_oom_kill\":1,"
              "\"verdict\":\"killed\"},\"stderr_tail\":\"\"}\n";
    (void)state;
    struct pr_profile *profile = read_text("timeline", text, PR_OK);
    assert_series(profile, "cpu", "1000500=500");
    assert_series(profile, "rss", "1000500=1048576 1001000=2097152 1001750=2621440");
    assert_series(profile, "disk_read", "1001000=524288");
    assert_series(profile, "pressure_io", "1001000=100000 1001750=1500"); /* no share of the time is over 100 % */
    assert_series(profile, "cpu_wait", "1001000=150000");                 /* of all threads together */
    assert_series(profile, "processes", "1000500=2");
    assert_series(profile, "gpu0", "1000500=10000");
    assert_series(profile, "gpu1", "1000500=20000");
    assert_series(profile, "gpu0_memory", "1000500=2097152");
    assert_series(profile, "gpu", "none");
    assert_int_equal(profile->meta.start_ms.value, 1000500);
    assert_int_equal(profile->meta.end_ms.value, 1002000);
    assert_false(profile->meta.no_date);
    assert_string_equal(pr_profile_text(profile, profile->meta.command_line).bytes, "python a b.py");
    const struct pr_run *run = &profile->run;
    assert_int_equal(run->machine_cpus.value, 8);
    assert_int_equal(run->cpu_limit_millicores.value, 2000);
    assert_int_equal(run->memory_limit_bytes.value, 1048576);
    assert_int_equal(run->user_ns.value, 250000000);
    assert_int_equal(run->max_rss_bytes.value, 3072);
    assert_int_equal(run->read_bytes.value, 1024);
    assert_int_equal(run->failure.signal.value, 9);
    assert_false(run->failure.exit.known);
    assert_int_equal(run->failure.oom, PR_OOM_YES);
    pr_profile_free(profile);
}

static void a_recorder_that_was_killed_leaves_what_it_wrote(void **state)
{
    (void)state;
    struct pr_profile *profile = read_text("timeline", START "{\"ts\":0.5,\"rss_mb\":1}\n{\"ts\":1,\"rss", PR_CUT);
    assert_series(profile, "rss", "1001000=1048576");
    assert_true(profile->run.cut_off);
    assert_non_null(strstr(profile->problem.text, "0.500 s"));
    assert_false(pr_failure_is_one(&profile->run.failure));
    pr_profile_free(profile);
}

static void bare_samples_have_no_date(void **state)
{
    (void)state;
    struct pr_profile *profile =
        read_text("timeline", "{\"ts\":0.5,\"rss_mb\":1}\nno json\n[]\n\n{\"ts\":1,\"rss_mb\":2}\n", PR_CUT);
    assert_series(profile, "rss", "500=1048576 1000=2097152");
    assert_true(profile->meta.no_date);
    assert_false(profile->meta.start_ms.known);
    assert_damage(profile, PR_DAMAGE_LINES, 2);
    pr_profile_free(profile);
    pr_profile_free(read_text("timeline", "{\"ts\":0.5,\"rss_mb\":1}\n{\"ts\":1,", PR_CUT));
}

/* What killed it is distinguished: a counter, memory near the limit, neither. */
static void kinds_of_kills_are_distinguished(void **state)
{
    static const struct {
        const char *sample, *end;
        enum pr_oom oom;
    } cases[] = {
        {"1", "\"signal\":9,\"oom\":{\"cgroup_oom_kill\":1}", PR_OOM_YES},
        {"1", "\"exit\":137,\"oom\":{\"cgroup_oom_kill\":1}", PR_OOM_YES},
        {"0.95", "\"signal\":9,\"oom\":{\"cgroup_oom_kill\":0}", PR_OOM_LIKELY},
        {"0.5", "\"signal\":9,\"oom\":{\"cgroup_oom_kill\":0}", PR_OOM_UNKNOWN},
        {"0.5", "\"signal\":9", PR_OOM_UNKNOWN},
        {"0.5", "\"exit\":1,\"oom\":{\"cgroup_oom_kill\":1}", PR_OOM_LIKELY},
        {"1", "\"exit\":1,\"oom\":{\"cgroup_oom_kill\":0}", PR_OOM_NO},
        {"1", "\"exit\":0", PR_OOM_NO},
        {"1", "\"exit\":1", PR_OOM_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pr_buf text = {0};
        pr_buf_printf(&text, START "{\"ts\":0,\"cg_mem_mb\":%s}\n{\"type\":\"end\",\"t\":1001,%s}\n", cases[i].sample,
                      cases[i].end);
        struct pr_profile *profile = read_text("timeline", text.bytes, PR_OK);
        assert_int_equal(profile->run.failure.oom, cases[i].oom);
        pr_profile_free(profile);
        pr_buf_clear(&text);
    }
}

static void a_profile_card_has_trees_and_samples(void **state)
{
    static const char text[] =
        "{\"step_failed\":true,\"data\":{\"backend\":\"x\",\"duration\":2.5,\"call_tree\":{\"name\":\"root\","
        "\"value\":10,\"children\":[{\"name\":\"main (a.py:3)\",\"value\":8.5,\"children\":[{\"name\":"
        "\"f (g) (b.py:4)\","
        "\"value\":1,\"children\":[]},{\"name\":\"plain\",\"value\":2}]}]},\"timeline\":[{\"ts\":1,\"rss_mb\":1}],"
        "\"memory_tree\":{\"name\":\"root\",\"value\":1.5,\"children\":[{\"name\":\"m (c.py:1)\",\"value\":1.5}]}}}";
    (void)state;
    struct pr_profile *profile = read_text("metaflow", text, PR_OK);
    char *stacks = reading_stacks(profile, "cpu");
    assert_string_equal(stacks, "0| 1500000\n0|main a.py:3 5500000\n"
                                "0|main a.py:3;f (g) b.py:4 1000000\n0|main a.py:3;plain 2000000\n");
    free(stacks);
    stacks = reading_stacks(profile, "memory");
    assert_string_equal(stacks, "0|m c.py:1 1572864\n");
    free(stacks);
    assert_series(profile, "rss", "1000=1048576");
    assert_true(pr_failure_is_one(&profile->run.failure));
    pr_profile_free(profile);
    assert_survives_damage("metaflow", text, sizeof text - 1);
}

static void errors_of_profile_cards_are_failures(void **state)
{
    static const char text[] =
        "{\"step_failed\":true,\"error\":{\"type\":\"ValueError\",\"message\":\"no rows\",\"traceback\":\"Traceback "
        "(most recent call last):\\n  File \\\"a.py\\\", line 3, in f\\nValueError: no rows\\n\"}}";
    (void)state;
    struct pr_profile *profile = read_text("metaflow", text, PR_OK);
    assert_int_equal(profile->run.failure.exception_count, 1);
    assert_int_equal(profile->run.failure.exceptions[0].frame_count, 1);
    pr_profile_free(profile);
}

static void mprof_has_children_and_functions(void **state)
{
    static const char text[] = "CMDLINE python etl.py\nMEM 1.5 1000.25\nCHLD 12 1 1000.5\nCHLD 13 2 1000.5\n"
                               "FUNC a.inner 2 1000.5 3 1000.75\nFUNC a.outer 1.5 1000.25 4.5 1001.25\n"
                               "LABEL x 1 2\nMEM 2 1001\n";
    (void)state;
    struct pr_profile *profile = read_text("mprof", text, PR_CUT);
    assert_damage(profile, PR_DAMAGE_LINES, 1); /* no such word is known */
    assert_series(profile, "rss", "1000250=1572864 1001000=2097152");
    assert_series(profile, "rss_12", "1000500=1048576");
    assert_series(profile, "rss_13", "1000500=2097152");
    char *stacks = reading_stacks(profile, "time");
    assert_string_equal(stacks, "0|a.outer 750000000 x1\n0|a.outer;a.inner 250000000 x1\n");
    free(stacks);
    stacks = reading_stacks(profile, "growth");
    assert_string_equal(stacks, "0|a.outer 2097152\n0|a.outer;a.inner 1048576\n");
    free(stacks);
    pr_profile_free(profile);
    assert_survives_damage("mprof", text, sizeof text - 1);
}

static void psrecord_totals_become_rates(void **state)
{
    static const char text[] =
        "# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)  Read count  Write count   Read bytes  Write bytes \n"
        "  0.000  12.5  1.5  2  8 0 4096 0\n  0.500  0 2 2 8 0 8192 1000\n";
    (void)state;
    struct pr_profile *profile = read_text("psrecord", text, PR_OK);
    assert_series(profile, "cpu", "0=125 500=0");
    assert_series(profile, "disk_read", "500=8192");
    assert_series(profile, "disk_write", "500=2000");
    pr_profile_free(profile);
    assert_survives_damage("psrecord", text, sizeof text - 1);
}

static void sadf_tells_of_the_host(void **state)
{
    static const char text[] =
        "{\"sysstat\":{\"hosts\":[{\"nodename\":\"n\",\"number-of-cpus\":4,\"statistics\":[{\"timestamp\":{\"date\":"
        "\"2026-03-01\",\"time\":\"00:00:10\",\"utc\":1,\"interval\":1},\"cpu-load\":[{\"cpu\":\"all\",\"user\":20,"
        "\"idle\":75.0},{\"cpu\":\"0\",\"idle\":1}],\"memory\":{\"memused\":10,\"swpused\":2},"
        "\"network\":{\"net-dev\":[{\"iface\":\"lo\",\"rxkB\":9},{\"iface\":\"eth0\",\"rxkB\":1.5,\"txkB\":0.5}]},"
        "\"io\":{\"io-reads\":{\"bread\":2}},"
        "\"psi\":{\"psi-cpu\":{\"some_avg10\":9,\"some_avg\":3.5},\"psi-irq\":{\"some_avg\":8}}}]}]}}";
    (void)state;
    struct pr_profile *profile = read_text("sadf", text, PR_OK);
    assert_series(profile, "host_cpu", "1772323210000=1000");
    assert_series(profile, "host_memory", "1772323210000=10240");
    assert_series(profile, "host_net_recv", "1772323210000=1536");
    assert_series(profile, "host_net_sent", "1772323210000=512");
    assert_series(profile, "host_disk_read", "1772323210000=1024");
    assert_series(profile, "swap", "1772323210000=2048");
    assert_series(profile, "pressure_cpu", "1772323210000=3500");
    assert_true(pr_profile_series(profile, "pressure_io") < 0);
    pr_profile_free(profile);
    assert_survives_damage("sadf", text, sizeof text - 1);
}

static void gnu_time_tells_how_it_ended(void **state)
{
    static const char text[] = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: no\n"
                               "Command exited with non-zero status 1\n\tCommand being timed: \"python a.py\"\n"
                               "\tUser time (seconds): 1.25\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n"
                               "\tMaximum resident set size (kbytes): 2\n\tFile system inputs: 3\n\tExit status: 1\n";
    (void)state;
    struct pr_profile *profile = read_text("gnu-time", text, PR_OK);
    const struct pr_run *run = &profile->run;
    assert_string_equal(pr_profile_text(profile, profile->meta.command_line).bytes, "python a.py");
    assert_int_equal(run->failure.exit.value, 1);
    assert_int_equal(run->failure.exception_count, 1);
    assert_int_equal(run->wall_ns.value, INT64_C(3723000000000));
    assert_int_equal(run->user_ns.value, 1250000000);
    assert_int_equal(run->max_rss_bytes.value, 2048);
    assert_int_equal(run->read_bytes.value, 1536);
    pr_profile_free(profile);
    assert_survives_damage("gnu-time", text, sizeof text - 1);
}

/* Very many samples: the peak and its time are kept, and so is the order. */
/* A run may end with any number, but nothing took less than no time. */
static void amounts_below_0_are_unknown(void **state)
{
    static const char text[] =
        START "{\"ts\":0,\"rss_mb\":1}\n"
              "{\"type\":\"end\",\"t\":1002,\"wall\":-1.5,\"exit\":-7,\"signal\":null,\"rusage\":{\"utime\":-1,"
              "\"stime\":0.5},\"oom\":{\"cgroup_oom_kill\":-1,\"peak_bytes\":-4}}\n";
    (void)state;
    struct pr_profile *profile = read_text("timeline", text, PR_OK);
    const struct pr_run *run = &profile->run;
    assert_false(run->wall_ns.known);
    assert_false(run->user_ns.known);
    assert_int_equal(run->system_ns.value, 500000000);
    assert_false(run->failure.oom_kills.known);
    assert_false(run->failure.peak_bytes.known);
    assert_int_equal(run->failure.exit.value, -7);
    pr_profile_free(profile);
}

static void long_series_are_thinned(void **state)
{
    enum { POINTS = 3 * PR_MAX_POINTS, PEAK = 12345 };
    static struct pr_profile profile;
    struct pr_timeline t;
    struct pr_error err = {0};
    (void)state;
    pr_timeline_init(&t, &profile);
    const uint32_t series = pr_timeline_series(&t, "rss", "RSS", PR_UNIT_BYTES);
    for (int64_t i = POINTS; i-- > 0;)
        pr_timeline_add(&t, series, i, i == PEAK ? 1000 : i % 7);
    assert_int_equal(pr_timeline_finish(&t, &err), PR_OK);
    const struct pr_series *thinned = &profile.series[0];
    assert_in_range(thinned->count, PR_MAX_POINTS / 2, PR_MAX_POINTS);
    bool seen = false;
    for (size_t i = 0; i < thinned->count; i++) {
        assert_true(!i || thinned->at_ms[i] > thinned->at_ms[i - 1]);
        seen = seen || (thinned->at_ms[i] == PEAK && thinned->value[i] == 1000);
    }
    assert_true(seen);
    pr_arena_clear(&profile.arena);
}

static void damaged_recordings_are_read_up_to_there(void **state)
{
    static const char text[] = START "{\"ts\":0,\"cpu_pct\":50,\"gpus\":[{\"i\":0,\"util\":10}]}\n"
                                     "{\"type\":\"end\",\"t\":1002,\"exit\":1,\"rusage\":{\"utime\":1}}\n";
    (void)state;
    assert_survives_damage("timeline", text, sizeof text - 1);
    assert_null(reading("timeline", "{}\n", 3, PR_FAILED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_is_read_whole),
        cmocka_unit_test(a_recorder_that_was_killed_leaves_what_it_wrote),
        cmocka_unit_test(bare_samples_have_no_date),
        cmocka_unit_test(kinds_of_kills_are_distinguished),
        cmocka_unit_test(a_profile_card_has_trees_and_samples),
        cmocka_unit_test(errors_of_profile_cards_are_failures),
        cmocka_unit_test(mprof_has_children_and_functions),
        cmocka_unit_test(psrecord_totals_become_rates),
        cmocka_unit_test(sadf_tells_of_the_host),
        cmocka_unit_test(gnu_time_tells_how_it_ended),
        cmocka_unit_test(amounts_below_0_are_unknown),
        cmocka_unit_test(long_series_are_thinned),
        cmocka_unit_test(damaged_recordings_are_read_up_to_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
