/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder without a command: when samples are due in a day, their size, and how much memory they take. */
#include "tests/support/alloc_fail.h"
#include "tests/support/unit.h"

#include "cli/record/record_sampler.h"
#include "cli/record/record_schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t second = PR_NS_PER_S, half_second = PR_NS_PER_S / 2;

static void the_first_samples_come_soon(void **state)
{
    static const int64_t due_ms[] = {0, 20, 40, 80, 160, 320, 500, 1000, 1500};
    const int64_t start = 7 * second + 1;
    struct pr_schedule schedule = pr_schedule_start(start, half_second);
    (void)state;
    for (size_t i = 0; i < sizeof due_ms / sizeof *due_ms; i++) {
        assert_int_equal(schedule.due_ns, start + due_ms[i] * PR_NS_PER_MS);
        pr_schedule_next(&schedule, schedule.due_ns);
    }
    schedule = pr_schedule_start(0, 10 * PR_NS_PER_MS);
    pr_schedule_next(&schedule, 0);
    assert_int_equal(schedule.due_ns, 10 * PR_NS_PER_MS);
}

static void moments_do_not_drift(void **state)
{
    struct pr_schedule schedule = pr_schedule_start(0, half_second);
    (void)state;
    for (int i = 0; i < 1000; i++)
        pr_schedule_next(&schedule, schedule.due_ns + i % 7 * PR_NS_PER_MS); /* the machine is a little late */
    assert_int_equal(schedule.due_ns % half_second, 0);
}

static void what_was_slept_through_is_not_made_up(void **state)
{
    struct pr_schedule schedule = pr_schedule_start(0, half_second);
    (void)state;
    pr_schedule_next(&schedule, 3600 * second + 1);
    assert_int_equal(schedule.due_ns, 3600 * second + half_second);
}

static uint64_t samples_of(int64_t span_ns)
{
    struct pr_schedule schedule = pr_schedule_start(0, half_second);
    uint64_t count = 0;
    for (; schedule.due_ns <= span_ns; count++)
        pr_schedule_next(&schedule, schedule.due_ns);
    return count;
}

static void long_runs_stay_small(void **state)
{
    (void)state;
    assert_in_range(samples_of(3600 * second), 7200, 7210);
    assert_in_range(samples_of(86400 * second), 60000, 66000);   /* a day: 20,000 each of 0.5, 1 and 2 s, then 4 s */
    assert_in_range(samples_of(30 * 86400 * second), 60000, 175000); /* a month */
}

/* A sampler of this process's children, writing into an unnamed file. */
struct fixture {
    struct pr_sampler sampler;
    struct pr_log log;
    pid_t child;
};

static int open_nameless(void)
{
    char path[] = "record-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    pr_log_init(&fixture->log, open_nameless());
    fixture->child = fork();
    if (fixture->child == 0) {
        pause();
        _exit(0);
    }
    assert_true(pr_sampler_init(&fixture->sampler, &fixture->log, fixture->child, 0, NULL));
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    kill(fixture->child, SIGKILL);
    waitpid(fixture->child, NULL, 0);
    pr_sampler_clear(&fixture->sampler);
    pr_log_close(&fixture->log);
    free(fixture);
    return 0;
}

static void a_sample_takes_no_memory(void **state)
{
    struct fixture *fixture = *state;
    pr_sampler_start(&fixture->sampler, 0);
    alloc_fail_at(1);
    for (int i = 1; i <= 20; i++)
        pr_sampler_take(&fixture->sampler, i * half_second);
    assert_false(alloc_fail_stop());
    assert_int_equal(fixture->log.lines, 21);
    assert_int_equal(fixture->log.lost_lines, 0);
    assert_in_range(fixture->sampler.since_thorough, 0, 5); /* the thorough looks were among them */
}

/* A share in percent of the last line but BACK. */
static double last_share(const struct fixture *fixture, const char *name, unsigned back)
{
    char lines[4][4096] = {{0}};
    unsigned count = 0;
    FILE *file = fdopen(dup(fixture->log.fd), "r");
    rewind(file);
    while (fgets(lines[count % 4], sizeof lines[0], file))
        count++;
    fclose(file);
    const char *found = strstr(lines[(count - 1 - back) % 4], name);
    assert_non_null(found);
    return strtod(found + strlen(name) + 3, NULL);
}

/* A sample that is read later than it was due has more than fits: the rest belongs to the next one. */
static void no_thread_uses_or_waits_more_than_the_time(void **state)
{
    struct fixture *fixture = *state;
    struct pr_sampler *sampler = &fixture->sampler;
    pr_sampler_start(sampler, 0);
    if (!sampler->last.tree.has_waited || sampler->last.tree.threads != 1) /* TSan has a thread of its own */
        skip();
    pr_sampler_take(sampler, half_second);
    sampler->tree.cpu_us += 200 * 1000; /* as if the process had used and waited for that since */
    sampler->tree.waited_ns += 200 * 1000 * 1000;
    pr_sampler_take(sampler, half_second + half_second / 5);
    pr_sampler_take(sampler, half_second * 2);
    assert_true(last_share(fixture, "cpu_pct", 1) > 99 && last_share(fixture, "cpu_pct", 1) <= 100);
    assert_true(last_share(fixture, "cpu_wait_pct", 1) > 99 && last_share(fixture, "cpu_wait_pct", 1) <= 100);
    assert_true(last_share(fixture, "cpu_pct", 0) > 24 && last_share(fixture, "cpu_pct", 0) < 27);
    assert_true(last_share(fixture, "cpu_wait_pct", 0) > 24);
}

/* The last sample comes when the command ends, however soon after the one before. */
static void less_than_a_tick_has_no_rates(void **state)
{
    struct fixture *fixture = *state;
    struct pr_sampler *sampler = &fixture->sampler;
    char line[4096] = "";
    pr_sampler_start(sampler, 0);
    pr_sampler_take(sampler, half_second);
    sampler->tree.cpu_us += 200 * 1000;
    pr_sampler_take(sampler, half_second + second / 500);
    FILE *file = fdopen(dup(fixture->log.fd), "r");
    rewind(file);
    for (int i = 0; i < 3; i++)
        assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_null(strstr(line, "_pct"));
    assert_non_null(strstr(line, "\"rss_mb\""));
}

static void without_lists_of_children_parents_are_asked(void **state)
{
    struct fixture *fixture = *state;
    struct pr_processes tree;
    struct pr_processes_totals totals;
    assert_true(pr_processes_init(&tree));
    tree.has_lists = false;
    pr_processes_take(&tree, true, &totals);
    assert_int_equal(totals.processes, 1);
    assert_int_equal(tree.processes[0].pid, fixture->child);
    assert_true(totals.threads >= 1 && totals.resident_bytes > 0); /* TSan has a thread of its own */
    pr_processes_clear(&tree);
    assert_true(pr_processes_init(&tree));
    pr_processes_leave_out(&tree, fixture->child);
    tree.has_lists = false;
    pr_processes_take(&tree, false, &totals);
    assert_int_equal(totals.processes, 0);
    pr_processes_clear(&tree);
}

static void what_went_is_counted_once(void **state)
{
    struct fixture *fixture = *state;
    struct pr_processes *tree = &fixture->sampler.tree;
    struct pr_processes_totals before, after;
    pr_processes_take(tree, false, &before);
    tree->processes[0].own_ticks += 30; /* as if it had been seen to use that, before it was waited for */
    tree->cpu_us += 30 * tree->us_per_tick;
    kill(fixture->child, SIGKILL);
    waitpid(fixture->child, NULL, 0);
    pr_processes_gone(tree, 42 * tree->us_per_tick);
    pr_processes_take(tree, false, &after);
    assert_int_equal(after.processes, 0);
    assert_in_range(after.cpu_us - before.cpu_us, 41 * tree->us_per_tick, 42 * tree->us_per_tick);
}

static void a_day_of_samples(void **state)
{
    struct fixture *fixture = *state;
    struct pr_schedule schedule = pr_schedule_start(0, half_second);
    char line[4096];
    pr_sampler_start(&fixture->sampler, 0);
    pr_schedule_next(&schedule, 0);
    for (int i = 0; schedule.due_ns <= 86400 * second; i++) {
        if (i % 50 == 0) /* one in 50 is really taken, so that the test takes only seconds */
            pr_sampler_take(&fixture->sampler, schedule.due_ns);
        pr_schedule_next(&schedule, schedule.due_ns);
    }
    FILE *file = fdopen(dup(fixture->log.fd), "r");
    rewind(file);
    double last = -1, ts = 0;
    uint64_t lines = 0;
    for (; fgets(line, sizeof line, file); lines++) {
        assert_int_equal(sscanf(line, "{\"ts\": %lf", &ts), 1);
        assert_true(ts > last);
        assert_non_null(strstr(line, "\"nproc\": 1"));
        last = ts;
    }
    fclose(file);
    assert_int_equal(lines, fixture->log.lines);
    assert_in_range((uint64_t)last, 86000, 86400);
    assert_true(fixture->log.whole_bytes * 50 < 32 * 1024 * 1024);
}

static void a_line_that_does_not_fit_is_taken_back(void **state)
{
    struct pr_log log;
    const int good = open_nameless(), full = open("/dev/full", O_WRONLY);
    (void)state;
    pr_log_init(&log, good);
    struct pr_json_writer json = pr_log_line(&log);
    pr_json_put_int(&json, 1);
    pr_log_end_line(&log);
    assert_int_equal(log.lines, 1);
    log.fd = full;
    json = pr_log_line(&log);
    pr_output_attach(&log.out, "full", full);
    pr_json_put_int(&json, 2);
    pr_log_end_line(&log);
    assert_int_equal(log.lost_lines, 1);
    assert_int_equal(log.error, ENOSPC);
    log.fd = good;
    pr_output_attach(&log.out, "good", good);
    json = pr_log_line(&log);
    pr_json_put_int(&json, 3);
    pr_log_end_line(&log);
    assert_int_equal(log.lines, 2);
    char text[16] = "";
    assert_int_equal(pread(good, text, sizeof text, 0), 2);
    assert_string_equal(text, "13");
    close(full);
    pr_log_close(&log);
}

static void a_start_without_memory_is_an_error(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        struct pr_processes tree;
        alloc_fail_at(n);
        const bool good = pr_processes_init(&tree);
        if (!alloc_fail_stop()) {
            assert_true(good);
            pr_processes_clear(&tree);
            return;
        }
        assert_false(good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_samples_come_soon),
        cmocka_unit_test(moments_do_not_drift),
        cmocka_unit_test(what_was_slept_through_is_not_made_up),
        cmocka_unit_test(long_runs_stay_small),
        cmocka_unit_test_setup_teardown(a_sample_takes_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_thread_uses_or_waits_more_than_the_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(less_than_a_tick_has_no_rates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_lists_of_children_parents_are_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_went_is_counted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_day_of_samples, set_up, tear_down),
        cmocka_unit_test(a_line_that_does_not_fit_is_taken_back),
        cmocka_unit_test(a_start_without_memory_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
