/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's text as it comes: names with any bytes, missing fields, numbers that are too large. */
#include "capture/base/text.h"
#include "tests/support/unit.h"

#include "cli/record/record_proc.h"

#include <stdio.h>
#include <string.h>

static struct pr_text text_of(const char *text)
{
    return pr_text_of(text);
}

#define REST_OF_STAT \
    " 7 7 34816 7 4194304 100 200 3 4 150 30 12 8 20 0 5 0 98765 8192000 450 18446744073709551615 1 1 0"

static void a_process_may_be_called_anything(void **state)
{
    static const char *const names[] = {"(sh)", "(a b)", "(:) S 1 (x) R)", "())", "(\n)"};
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct pr_proc_stat stat;
        snprintf(text, sizeof text, "42 %s S 7%s\n", names[i], REST_OF_STAT);
        assert_true(pr_proc_parse_stat(text_of(text), &stat));
        assert_int_equal(stat.state, 'S');
        assert_int_equal(stat.parent, 7);
        assert_int_equal(stat.user_ticks, 150);
        assert_int_equal(stat.system_ticks, 30);
        assert_int_equal(stat.children_user_ticks, 12);
        assert_int_equal(stat.children_system_ticks, 8);
        assert_int_equal(stat.threads, 5);
        assert_int_equal(stat.start_ticks, 98765);
        assert_int_equal(stat.resident_pages, 450);
    }
}

static void a_process_that_is_cut_is_none(void **state)
{
    static const char whole[] = "42 (sh) S 7" REST_OF_STAT;
    const size_t last = (size_t)(strstr(whole, " 450") - whole) + 1; /* where the last field that is used begins */
    (void)state;
    for (size_t length = 0; length <= last; length++) {
        struct pr_proc_stat stat;
        assert_false(pr_proc_parse_stat((struct pr_text){whole, (uint32_t)length}, &stat));
    }
}

static void a_key_is_found_at_the_start_of_a_line_only(void **state)
{
    static const char text[] = "oom 1\noom_kill 2\noom_group_kill 3\nPss:     123 kB\nread_bytes: 5\nbad x\nlast 7";
    uint64_t value = 0;
    (void)state;
    assert_true(pr_proc_find(text_of(text), "oom_kill", &value) && value == 2);
    assert_true(pr_proc_find(text_of(text), "oom", &value) && value == 1);
    assert_true(pr_proc_find(text_of(text), "Pss", &value) && value == 123);
    assert_true(pr_proc_find(text_of(text), "read_bytes", &value) && value == 5);
    assert_true(pr_proc_find(text_of(text), "last", &value) && value == 7);
    assert_false(pr_proc_find(text_of(text), "kill", &value));
    assert_false(pr_proc_find(text_of(text), "bad", &value));
    assert_false(pr_proc_find(text_of(text), "oom_", &value));
}

static void numbers_of_one_file(void **state)
{
    uint64_t value = 0;
    (void)state;
    assert_true(pr_proc_parse_number(text_of("104857600\n"), &value) && value == 104857600);
    assert_true(pr_proc_parse_number(text_of("max\n"), &value) && value == UINT64_MAX);
    assert_true(pr_proc_parse_number(text_of("99999999999999999999\n"), &value) && value == UINT64_MAX);
    assert_false(pr_proc_parse_number(text_of("-1\n"), &value));
    assert_false(pr_proc_parse_number(text_of(""), &value));
}

static void interfaces_without_the_loopback(void **state)
{
    static const char text[] = "Inter-|   Receive                |  Transmit\n"
                               " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"
                               "    lo:  173667     365    0    0    0     0          0         0   173667     365\n"
                               "  eth0: 1000 2 0 0 0 0 0 0 50 1 0 0 0 0 0 0\n"
                               "eth1:7 2 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n";
    uint64_t received, sent;
    (void)state;
    assert_true(pr_proc_parse_net(text_of(text), &received, &sent));
    assert_int_equal(received, 1007);
    assert_int_equal(sent, 59);
    assert_false(pr_proc_parse_net(text_of("nothing\n"), &received, &sent));
}

static void pressure_is_the_total_of_some(void **state)
{
    uint64_t us = 0;
    (void)state;
    assert_true(pr_proc_parse_pressure(
        text_of("some avg10=1.53 avg60=0.00 avg300=0.00 total=6741141863\nfull avg10=0.00 total=1\n"), &us));
    assert_true(us == UINT64_C(6741141863));
    assert_false(pr_proc_parse_pressure(text_of("full avg10=0.00 total=1\n"), &us));
    assert_false(pr_proc_parse_pressure(text_of(""), &us));
}

static void children_are_pids(void **state)
{
    size_t at = 0;
    const struct pr_text text = text_of("12 x 99999999999 34 ");
    (void)state;
    assert_int_equal(pr_proc_next_pid(text, &at), 12);
    assert_int_equal(pr_proc_next_pid(text, &at), 34);
    assert_int_equal(pr_proc_next_pid(text, &at), 0);
}

static void groups_and_mounts(void **state)
{
    struct pr_proc_cgroup group;
    struct pr_proc_mount mount;
    (void)state;
    assert_true(pr_proc_parse_cgroup(text_of("0::/user.slice/a:b"), &group));
    assert_int_equal(group.controllers.length, 0);
    assert_true(pr_text_is(group.path, "/user.slice/a:b"));
    assert_true(pr_proc_parse_cgroup(text_of("4:cpu,cpuacct:/x"), &group));
    assert_true(pr_proc_lists(group.controllers, "cpu") && pr_proc_lists(group.controllers, "cpuacct"));
    assert_false(pr_proc_lists(group.controllers, "cpua") || pr_proc_lists(group.controllers, ""));
    assert_false(pr_proc_parse_cgroup(text_of("4:cpu"), &group));
    assert_false(pr_proc_parse_cgroup(text_of("1:name=systemd:relative"), &group));
    assert_true(pr_proc_parse_mount(text_of("33 31 0:30 /box /sys/fs/cgroup/a\\040b rw,nosuid shared:9 master:1 - "
                                            "cgroup cgroup rw,memory"),
                                    &mount));
    assert_true(pr_text_is(mount.root, "/box") && pr_text_is(mount.type, "cgroup"));
    assert_true(pr_text_is(mount.point, "/sys/fs/cgroup/a\\040b") && pr_proc_lists(mount.options, "memory"));
    assert_false(pr_proc_parse_mount(text_of("33 31 0:30 / /sys/fs/cgroup rw"), &mount));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_may_be_called_anything), cmocka_unit_test(a_process_that_is_cut_is_none),
        cmocka_unit_test(a_key_is_found_at_the_start_of_a_line_only), cmocka_unit_test(numbers_of_one_file),
        cmocka_unit_test(interfaces_without_the_loopback), cmocka_unit_test(pressure_is_the_total_of_some),
        cmocka_unit_test(children_are_pids), cmocka_unit_test(groups_and_mounts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
