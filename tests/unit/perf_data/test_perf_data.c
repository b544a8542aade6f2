/* SPDX-License-Identifier: Apache-2.0 */
/* perf.data: files and pipes of both byte orders, what records mean in the order of time, and hostile ones. */
#include "tests/support/unit.h"

#include "tests/support/load_helpers.h"
#include "tests/support/perf_writer.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK = 0, FAULTS = 1, TEXT = 0x400000 };

#define CHAIN(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

/* A program of two threads, the kernel, and two events. */
static void write_tally(struct perf_writer *w)
{
    perf_attr(w, 1, 0, 4000, "cpu-clock");
    perf_attr(w, 1, 2, 1, "page-faults:u");
    perf_map(w, UINT32_MAX, 0xffff000000000000, 0x1000000, 0xffff000000000000, "[kernel.kallsyms]_text", 0);
    perf_comm(w, 7, 7, "tally", 1);
    perf_map(w, 7, TEXT, 0x3000, 0x1000, "/app/tally", 2);
    perf_fork(w, 7, 7, 8, 3);
    perf_comm(w, 8, 8, "worker", 4);
    perf_mark(w, PERF_INIT);
    perf_sample(w, CLOCK, 7, 7, 1000, 400, CHAIN(PERF_USER, TEXT + 0x10, TEXT + 0x20));
    perf_sample(w, CLOCK, 7, 8, 1400, 400, CHAIN(PERF_KERNEL, 0xffff000000000100, PERF_USER, TEXT + 0x30, 0x99));
    perf_sample(w, FAULTS, 7, 7, 1500, 3, CHAIN(PERF_USER, TEXT + 0x10, TEXT + 0x20));
    perf_mark(w, PERF_ROUND);
}

static const char clock_stacks[] = "7[tally]|tally+0x1020 /app/tally;tally+0x1010 /app/tally 400 x1\n"
                                   "8[worker]|[unknown];tally+0x1030 /app/tally;[kernel.kallsyms] [kernel.kallsyms] "
                                   "400 x1\n";
static const char fault_stacks[] = "7[tally]|tally+0x1020 /app/tally;tally+0x1010 /app/tally 3 x1\n";

static void check_tally(struct pr_buf input)
{
    struct pr_profile *profile = reading(NULL, input.bytes, input.length, PR_OK);
    assert_string_equal(profile->meta.format, "perf-data");
    assert_int_equal(profile->metric_count, 2);
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_NANOSECONDS);
    assert_int_equal(profile->slice_count, 2);
    assert_metric(profile, "cpu-clock", clock_stacks);
    assert_metric(profile, "page-faults:u", fault_stacks);
    pr_profile_free(profile);
    pr_buf_clear(&input);
}

static void files_and_pipes_of_both_byte_orders_are_read(void **state)
{
    (void)state;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        struct perf_writer w = {.big_endian = big_endian};
        write_tally(&w);
        check_tally(perf_file(&w));
        check_tally(perf_pipe(&w));
        perf_clear(&w);
    }
}

/* Pieces of one stream, which end anywhere. */
static void packed_records_are_read(void **state)
{
    (void)state;
    for (size_t piece = 7; piece < 4000; piece = piece * 3 + 1) {
        struct perf_writer w = {.big_endian = false};
        write_tally(&w);
        perf_compress(&w, piece);
        check_tally(perf_file(&w));
        perf_clear(&w);
    }
}

static void assert_file(struct perf_writer *w, const char *stacks)
{
    struct pr_buf file = perf_file(w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    assert_metric(profile, "cpu-clock", stacks);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(w);
}

/* Buffers of processors follow one another: a mapping may come after samples in it, if it is of the same round. */
static void records_are_taken_in_the_order_of_time(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_comm(&w, 7, 7, "tally", 1);
    perf_sample(&w, CLOCK, 7, 7, 1000, 1, CHAIN(PERF_USER, TEXT + 1));
    perf_sample(&w, CLOCK, 7, 7, 3000, 2, CHAIN(PERF_USER, TEXT + 1));
    perf_map(&w, 7, TEXT, 0x1000, 0, "/app/old", 10);
    perf_mark(&w, PERF_ROUND);
    perf_map(&w, 7, TEXT, 0x1000, 0, "/app/new", 2000);
    perf_mark(&w, PERF_ROUND);
    perf_sample(&w, CLOCK, 7, 7, 4000, 4, CHAIN(PERF_USER, TEXT + 1));
    assert_file(&w, "7[tally]|new+0x1 /app/new 6 x2\n7[tally]|old+0x1 /app/old 1 x1\n");
}

/* What a mapping covers is gone, what is on either side of it stays where it was in its file. */
static void mappings_replace_one_another(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_map(&w, 7, TEXT, 0x9000, 0, "/a", 1);
    perf_map(&w, 7, TEXT + 0x3000, 0x2000, 0, "/b", 2);
    perf_map(&w, 7, TEXT + 0x4000, 0x2000, 0, "/c", 3);
    for (uint64_t page = 0; page < 10; page += 2)
        perf_sample(&w, CLOCK, 7, 7, 10 + page, 1, CHAIN(PERF_USER, TEXT + page * 0x1000));
    perf_sample(&w, CLOCK, 7, 7, 30, 1, CHAIN(PERF_USER, TEXT + 0x3000));
    assert_file(&w, "7|a+0x0 /a 1 x1\n7|a+0x2000 /a 1 x1\n7|a+0x6000 /a 1 x1\n7|a+0x8000 /a 1 x1\n"
                    "7|b+0x0 /b 1 x1\n7|c+0x0 /c 1 x1\n");
}

/* A child has the maps of its parent until either changes its own, also when it becomes another program. */
static void processes_have_maps_of_their_own(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_map(&w, 7, TEXT, 0x1000, 0, "/a", 1);
    perf_fork(&w, 9, 7, 9, 2);
    perf_map(&w, 7, TEXT, 0x1000, 0, "/b", 3);
    perf_sample(&w, CLOCK, 7, 7, 4, 1, CHAIN(PERF_USER, TEXT));
    perf_sample(&w, CLOCK, 9, 9, 5, 1, CHAIN(PERF_USER, TEXT));
    perf_comm(&w, 9, 9, "other", 6);
    perf_sample(&w, CLOCK, 9, 9, 7, 1, CHAIN(PERF_USER, TEXT));
    perf_exit(&w, 7, 8);
    perf_sample(&w, CLOCK, 7, 7, 9, 1, CHAIN(PERF_USER, TEXT));
    assert_file(&w, "7|b+0x0 /b 2 x2\n9[other]|a+0x0 /a 2 x2\n");
}

/* Ten thousand processes that end: what they had is forgotten, and late samples of the last ones are still named. */
static void many_processes_end(void **state)
{
    enum { FIRST = 100, LAST = 10000 };
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_map(&w, 7, TEXT, 0x1000, 0, "/a", 1);
    for (uint32_t pid = FIRST; pid <= LAST; pid++) {
        perf_fork(&w, pid, 7, pid, pid * UINT64_C(10));
        perf_exit(&w, pid, pid * UINT64_C(10) + 1);
    }
    perf_sample(&w, CLOCK, FIRST, FIRST, 1000000, 1, CHAIN(PERF_USER, TEXT));
    perf_sample(&w, CLOCK, LAST, LAST, 1000000, 1, CHAIN(PERF_USER, TEXT));
    assert_file(&w, "10000|a+0x0 /a 1 x1\n100|[unknown] 1 x1\n");
}

/* Code that a program wrote itself, the vdso, the hypervisor, a guest, a program of BPF, and what nobody knows. */
static void places_need_not_be_files(void **state)
{
    struct perf_writer w = {.big_endian = false};
    struct pr_buf symbol = {0};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_map(&w, UINT32_MAX, 0xffff000000000000, 0x1000, 0xffff000000000000, "[kernel.kallsyms]_text", 0);
    perf_put(&symbol, false, 0xffff000000008000, 8);
    perf_put(&symbol, false, 0x100, 4);
    perf_put(&symbol, false, 1, 4);
    pr_buf_add(&symbol, "bpf_prog_1_count\0\0\0\0\0\0\0", 24);
    perf_record(&w, 17, 0, &symbol);
    perf_map(&w, 4194399, TEXT, 0x1000, 0, "//anon", 1);
    perf_map(&w, 4194399, TEXT + 0x1000, 0x1000, 0, "[vdso]", 1);
    perf_sample(&w, CLOCK, 4194399, 4194399, 2, 1, CHAIN(PERF_USER, TEXT, TEXT + 0x1000));
    perf_sample(&w, CLOCK, 4194399, 4194399, 3, 1,
                CHAIN(PERF_KERNEL, 0xffff000000008080, (uint64_t)-32, 5, (uint64_t)-2048, 6, (uint64_t)-4000, 7));
    assert_file(&w, "4194399|[unknown];[guest];[hypervisor];bpf_prog_1_count 1 x1\n"
                    "4194399|[vdso] [vdso];[perf-4194399.map] /tmp/perf-4194399.map 1 x1\n");
}

static void events_without_a_name_have_one(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 0, 0, 4000, NULL);
    perf_attr(&w, 77, 0x1c2, 4000, NULL);
    perf_sample(&w, 0, 7, 7, 2, 50, CHAIN(PERF_USER, TEXT));
    perf_sample(&w, 1, 7, 7, 3, 60, CHAIN(PERF_USER, TEXT));
    struct pr_buf file = perf_file(&w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    assert_metric(profile, "cycles", "7|[unknown] 50 x1\n");
    assert_metric(profile, "event-77-0x1c2", "7|[unknown] 60 x1\n");
    assert_int_equal(profile->metrics[0].unit, PR_UNIT_CYCLES);
    assert_int_equal(profile->slice_count, 0);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

/* `perf record -e cpu-clock/name=mine/,cycles/name=theirs/` */
static void events_named_freely_keep_their_units(void **state)
{
    static const enum pr_unit units[] = {PR_UNIT_NANOSECONDS, PR_UNIT_CYCLES, PR_UNIT_COUNT};
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 1, 4000, "mine");
    perf_attr(&w, 0, 0, 4000, "theirs");
    perf_attr(&w, 1, 2, 4000, "faults");
    for (unsigned i = 0; i < 3; i++)
        perf_sample(&w, i, 7, 7, 2 + i, 50, CHAIN(PERF_USER, TEXT));
    struct pr_buf file = perf_file(&w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    assert_int_equal(profile->metric_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(profile->metrics[i].unit, units[i]);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

/* Of cycles no time is known that they took: each sample counts at its moment. Of several events the first counts. */
static void events_that_are_no_clocks_count_at_moments(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 0, 0, 4000, "cycles");
    perf_attr(&w, 0, 3, 1, "cache-misses");
    perf_map(&w, 7, TEXT, 0x1000, 0, "/a", 1);
    perf_sample(&w, 1, 7, 7, 1000, 3, CHAIN(PERF_USER, TEXT));
    perf_sample(&w, 0, 7, 7, 2000, 500, CHAIN(PERF_USER, TEXT));
    perf_sample(&w, 0, 7, 7, 2600, 700, CHAIN(PERF_USER, TEXT + 1));
    perf_sample(&w, 1, 7, 7, 2700, 4, CHAIN(PERF_USER, TEXT));
    struct pr_buf file = perf_file(&w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    assert_int_equal(pr_profile_moment_metric(profile), 0);
    assert_int_equal(pr_profile_time_metric(profile), -1);
    assert_int_equal(profile->moment_count, 2);
    assert_int_equal(profile->moments[0].at_ns, 0);
    assert_int_equal(profile->moments[0].bytes, 500);
    assert_int_equal(profile->moments[1].at_ns, 600);
    assert_int_equal(profile->moments[1].bytes, 700);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

/* A sample of the leader: what both events have counted so far. */
static void put_group(struct perf_writer *w, uint64_t time, uint64_t clock, uint64_t faults, uint64_t address)
{
    const uint64_t words[] = {100, 7 | UINT64_C(7) << 32, time, 5, 2, clock, 100, faults, 101, 2, PERF_USER, address};
    struct pr_buf content = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        perf_put(&content, false, words[i], 8);
    perf_record(w, 9, 2, &content);
}

static void a_sample_of_a_group_is_one_of_each_event(void **state)
{
    enum { SAMPLE_TYPE = 24, READ_FORMAT = 32, READ = 1 << 4, GROUP_AND_ID = 12 };
    struct perf_writer w = {.big_endian = false};
    (void)state;
    perf_attr(&w, 1, 0, 4000, "cpu-clock");
    perf_attr(&w, 1, 2, 0, "page-faults");
    for (unsigned i = 0; i < 2; i++) {
        w.attrs[i].bytes[SAMPLE_TYPE] |= READ;
        w.attrs[i].bytes[READ_FORMAT] = GROUP_AND_ID;
    }
    perf_map(&w, 7, TEXT, 0x1000, 0, "/a", 1);
    put_group(&w, 1000, 400, 3, TEXT);
    put_group(&w, 2000, 900, 3, TEXT + 1);
    put_group(&w, 3000, 950, 7, TEXT);
    struct pr_buf file = perf_file(&w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_OK);
    assert_metric(profile, "cpu-clock", "7|a+0x0 /a 450 x2\n7|a+0x1 /a 500 x1\n");
    assert_metric(profile, "page-faults", "7|a+0x0 /a 7 x2\n");
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

/* perf was killed: its header has no size, and nothing follows the records. */
static void an_unfinished_recording_keeps_its_samples(void **state)
{
    struct perf_writer w = {.big_endian = false};
    (void)state;
    write_tally(&w);
    struct pr_buf file = perf_file(&w);
    const size_t at = 48, size = 104 + 2 * 8 + 2 * 144 + w.records.length;
    memset(file.bytes + at, 0, 8);
    struct pr_profile *profile = reading(NULL, file.bytes, size, PR_CUT);
    assert_metric(profile, "cpu-clock", clock_stacks);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

static void assert_cut(const struct pr_buf *input, size_t length)
{
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    const enum pr_status status = pr_load_memory("cut", input->bytes, length, NULL, &profile, &err);
    if (status != PR_CUT && status != PR_FAILED)
        fail_msg("cut to %zu of %zu bytes, it is called complete", length, input->length);
    pr_profile_free(profile);
}

/* Each cut of a file, and of a pipe: its records end with the mark of a round. */
static void no_cut_is_called_complete(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct perf_writer w = {.big_endian = false};
        write_tally(&w);
        if (packed)
            perf_compress(&w, 100);
        struct pr_buf inputs[] = {perf_file(&w), perf_pipe(&w)};
        for (size_t i = 0; i < 2; i++) {
            for (size_t length = inputs[i].length - 1; length > 16; length--)
                assert_cut(&inputs[i], length);
            pr_buf_clear(&inputs[i]);
        }
        perf_clear(&w);
    }
}

/* A sample of an event that the file does not have, and one that is cut. */
static void samples_that_make_no_sense_are_counted(void **state)
{
    struct perf_writer w = {.big_endian = false};
    struct pr_buf content = {0};
    (void)state;
    write_tally(&w);
    perf_sample(&w, 50, 7, 7, 2000, 1, CHAIN(PERF_USER, TEXT));
    perf_put(&content, false, 100, 8);
    perf_put(&content, false, 7, 8);
    perf_put(&content, false, 2001, 8);
    perf_put(&content, false, 1, 8);
    perf_put(&content, false, 1000, 8);
    perf_record(&w, 9, 2, &content);
    struct pr_buf file = perf_file(&w);
    struct pr_profile *profile = reading(NULL, file.bytes, file.length, PR_CUT);
    assert_damage(profile, PR_DAMAGE_RECORDS, 2);
    assert_metric(profile, "cpu-clock", clock_stacks);
    pr_profile_free(profile);
    pr_buf_clear(&file);
    perf_clear(&w);
}

static void damage_and_missing_memory_are_reported(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct perf_writer w = {.big_endian = false};
        write_tally(&w);
        if (packed)
            perf_compress(&w, 100);
        struct pr_buf file = perf_file(&w), pipe = perf_pipe(&w);
        assert_survives_damage("perf-data", file.bytes, file.length);
        assert_survives_damage("perf-data", pipe.bytes, pipe.length);
        assert_needs_memory(file.bytes, file.length);
        pr_buf_clear(&file);
        pr_buf_clear(&pipe);
        perf_clear(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_pipes_of_both_byte_orders_are_read),
        cmocka_unit_test(packed_records_are_read),
        cmocka_unit_test(records_are_taken_in_the_order_of_time),
        cmocka_unit_test(mappings_replace_one_another),
        cmocka_unit_test(processes_have_maps_of_their_own),
        cmocka_unit_test(many_processes_end),
        cmocka_unit_test(places_need_not_be_files),
        cmocka_unit_test(events_without_a_name_have_one),
        cmocka_unit_test(events_named_freely_keep_their_units),
        cmocka_unit_test(events_that_are_no_clocks_count_at_moments),
        cmocka_unit_test(a_sample_of_a_group_is_one_of_each_event),
        cmocka_unit_test(an_unfinished_recording_keeps_its_samples),
        cmocka_unit_test(no_cut_is_called_complete),
        cmocka_unit_test(samples_that_make_no_sense_are_counted),
        cmocka_unit_test(damage_and_missing_memory_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
