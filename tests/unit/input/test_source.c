/* SPDX-License-Identifier: Apache-2.0 */
/* The bottom of every source: files, pipes, devices and memory, and the window over them. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "capture/input/source.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/packing.h"
#include "tests/support/unit.h"

enum { MIB = 1024 * 1024 };

static void bytes_come_whole_from_memory_file_and_pipe(void **state)
{
    (void)state;
    struct bytes content = make_content(3 * MIB + 17);
    for (enum via via = 0; via < VIA_COUNT; via++) {
        struct pr_source *src = open_by(via, content);
        assert_null(src->packing);
        assert_int_equal(drain(src, content), content.length);
        assert_int_equal(src->error.code, PR_ERR_NONE);
        close_by(via, src);
    }
    bytes_free(&content);
}

static void a_need_larger_than_the_window_is_met(void **state)
{
    (void)state;
    struct bytes content = make_content(9 * MIB);
    for (enum via via = 0; via < VIA_COUNT; via++) {
        struct pr_source *src = open_by(via, content);
        assert_true(pr_source_need(src, 100));
        pr_source_skip(src, 100);
        assert_true(pr_source_need(src, 5 * MIB));
        assert_memory_equal(src->at, content.at + 100, 5 * MIB);
        assert_int_equal(pr_source_offset(src), 100);
        assert_false(pr_source_need(src, content.length - 99));
        assert_true(src->at_eof);
        assert_int_equal(src->end - src->at, content.length - 100);
        assert_memory_equal(src->at, content.at + 100, content.length - 100);
        assert_int_equal(src->error.code, PR_ERR_NONE);
        close_by(via, src);
    }
    bytes_free(&content);
}

static void any_mix_of_needs_and_skips_sees_the_same_bytes(void **state)
{
    (void)state;
    struct bytes content = make_content(6 * MIB);
    for (enum via via = 0; via < VIA_COUNT; via++) {
        struct pr_source *src = open_by(via, content);
        uint32_t random = 1;
        size_t at = 0;
        for (;;) {
            random = random * 1664525 + 1013904223;
            const size_t want = random >> (random & 7 ? 23 : 11); /* up to 512 bytes, sometimes up to 2 MiB */
            assert_int_equal(pr_source_offset(src), at);
            assert_true(pr_source_need(src, want) == (want <= content.length - at));
            const size_t here = (size_t)(src->end - src->at);
            assert_memory_equal(src->at, content.at + at, here < want ? here : want);
            if (here < want)
                break;
            const size_t skipped = random & 8 ? want : want / 2;
            pr_source_skip(src, skipped);
            at += skipped;
        }
        close_by(via, src);
    }
    bytes_free(&content);
}

static void more_than_the_largest_window_is_refused(void **state)
{
    (void)state;
    struct bytes content = make_content(1000);
    struct pr_source *src = open_by(VIA_PIPE, content);
    assert_false(pr_source_need(src, (size_t)PR_SOURCE_MAX_WINDOW + 1));
    assert_true(src->at_eof);
    assert_int_equal(src->error.code, PR_ERR_LIMIT);
    assert_string_equal(src->error.source, "standard input");
    assert_true(pr_source_need(src, 1)); /* what was in the window stays good */
    assert_memory_equal(src->at, content.at, (size_t)(src->end - src->at));
    close_by(VIA_PIPE, src);
    bytes_free(&content);
}

static void the_largest_window_is_granted(void **state)
{
    (void)state;
    struct bytes content = make_content((size_t)PR_SOURCE_MAX_WINDOW + 1000);
    struct pr_source *src = open_by(VIA_FILE, content);
    pr_source_skip(src, 500);
    assert_true(pr_source_need(src, PR_SOURCE_MAX_WINDOW));
    assert_memory_equal(src->at, content.at + 500, PR_SOURCE_MAX_WINDOW);
    pr_source_skip(src, PR_SOURCE_MAX_WINDOW);
    assert_true(pr_source_need(src, 500));
    assert_false(pr_source_need(src, 501));
    close_by(VIA_FILE, src);
    bytes_free(&content);
}

static void assert_refused(const char *path, enum pr_error_code code, const char *text)
{
    struct pr_source *src = (struct pr_source *)&code; /* must be overwritten */
    struct pr_error err = {0};
    assert_int_equal(pr_source_open(path, NULL, &src, &err), PR_FAILED);
    assert_null(src);
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, text);
    assert_string_equal(err.source, path);
    assert_int_equal(pr_source_open(path, NULL, &src, NULL), PR_FAILED);
}

static void what_cannot_be_read_is_refused_with_a_reason(void **state)
{
    (void)state;
    assert_refused("/nowhere/at-all.bin", PR_ERR_IO, "cannot be opened: No such file or directory");
    assert_refused("/", PR_ERR_IO, "cannot be read: Is a directory");
    assert_refused(file_with((struct bytes){0}), PR_ERR_EMPTY, "the input is empty");
    assert_refused("/dev/null", PR_ERR_EMPTY, "the input is empty");
}

static void an_unreadable_file_is_refused(void **state)
{
    (void)state;
    const char *path = file_with((struct bytes){(uint8_t[]){1}, 1});
    const uid_t user = geteuid();
    chmod(path, 0);
    if (user == 0)
        assert_int_equal(seteuid(65534), 0); /* nothing is unreadable to root */
    assert_refused(path, PR_ERR_IO, "cannot be opened: Permission denied");
    assert_int_equal(seteuid(user), 0);
    chmod(path, 0600);
}

static void empty_memory_is_refused(void **state)
{
    (void)state;
    struct pr_source *src;
    struct pr_error err = {0};
    assert_int_equal(pr_source_open_memory("nothing", NULL, 0, NULL, &src, &err), PR_FAILED);
    assert_null(src);
    assert_int_equal(err.code, PR_ERR_EMPTY);
    assert_string_equal(err.source, "nothing");
}

static void standard_input_may_be_closed_or_a_directory(void **state)
{
    (void)state;
    struct pr_source *src;
    struct pr_error err = {0};
    const int real_stdin = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    assert_int_equal(pr_source_open("-", NULL, &src, &err), PR_FAILED);
    assert_int_equal(err.code, PR_ERR_IO);
    assert_string_equal(err.text, "cannot be read: Bad file descriptor");
    assert_string_equal(err.source, "standard input");

    err = (struct pr_error){0};
    assert_int_equal(open("/", O_RDONLY), STDIN_FILENO);
    assert_int_equal(pr_source_open("-", NULL, &src, &err), PR_FAILED);
    assert_string_equal(err.text, "cannot be read: Is a directory");
    dup2(real_stdin, STDIN_FILENO);
    close(real_stdin);
}

static void standard_input_is_left_open(void **state)
{
    (void)state;
    struct bytes content = make_content(10);
    struct pr_source *src = open_by(VIA_PIPE, content);
    pr_source_close(src);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    close_by(VIA_PIPE, NULL);
    bytes_free(&content);
}

static void a_file_that_shrinks_says_so(void **state)
{
    (void)state;
    struct bytes content = make_content(4 * MIB);
    const char *path = file_with(content);
    struct pr_source *src;
    assert_int_equal(pr_source_open(path, NULL, &src, NULL), PR_OK);
    assert_int_equal(truncate(path, 3 * MIB), 0);
    assert_int_equal(drain(src, content), 3 * MIB);
    assert_int_equal(src->error.code, PR_ERR_TRUNCATED);
    assert_int_equal(src->error.offset, 3 * MIB);
    assert_string_equal(src->error.text,
                        "the file shrank while it was read: it had 4194304 bytes and ended after 3145728");
    assert_string_equal(src->error.source, path);
    pr_source_close(src);
    bytes_free(&content);
}

/* A device that fails on demand: on Linux, the master of a terminal whose other end is closed gives EIO. */
static void a_read_that_fails_keeps_what_came_before(void **state)
{
    (void)state;
    const int real_stdin = dup(STDIN_FILENO), master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        skip(); /* no terminals here */
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(write(terminal, "before", 6), 6);
    dup2(master, STDIN_FILENO);
    close(master);

    struct pr_source *src;
    assert_int_equal(pr_source_open("-", NULL, &src, NULL), PR_OK);
    close(terminal);
    assert_false(pr_source_need(src, 7));
    assert_int_equal(src->end - src->at, 6);
    assert_memory_equal(src->at, "before", 6);
    assert_int_equal(src->error.code, PR_ERR_IO);
    assert_int_equal(src->error.offset, 6);
    assert_string_equal(src->error.text, "reading failed after 6 bytes: Input/output error");
    pr_source_close(src);
    dup2(real_stdin, STDIN_FILENO);
    close(real_stdin);
}

/* Writes a byte at each tick of a timer, from its signal handler: every wait of the source is interrupted. */
static volatile sig_atomic_t ticks_left, pipe_end;

static void tick(int number)
{
    (void)number;
    if (ticks_left > 0 && write(pipe_end, "x", 1) == 1)
        ticks_left--;
    else
        close(pipe_end);
}

static void assert_signals_do_no_harm(int pipe_flags)
{
    int ends[2];
    const int real_stdin = dup(STDIN_FILENO);
    assert_int_equal(pipe2(ends, pipe_flags), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    pipe_end = ends[1];
    ticks_left = 20;
    const struct sigaction on_tick = {.sa_handler = tick};
    const struct itimerval often = {.it_interval.tv_usec = 2000, .it_value.tv_usec = 2000}, never = {0};
    sigaction(SIGALRM, &on_tick, NULL);
    setitimer(ITIMER_REAL, &often, NULL);

    struct pr_source *src;
    assert_int_equal(pr_source_open("-", NULL, &src, NULL), PR_OK);
    assert_true(pr_source_need(src, 20));
    assert_memory_equal(src->at, "xxxxxxxxxxxxxxxxxxxx", 20);
    assert_false(pr_source_need(src, 21));
    setitimer(ITIMER_REAL, &never, NULL);
    assert_int_equal(src->error.code, PR_ERR_NONE);
    pr_source_close(src);
    dup2(real_stdin, STDIN_FILENO);
    close(real_stdin);
}

static void signals_do_not_end_a_wait(void **state)
{
    (void)state;
    assert_signals_do_no_harm(0);
}

static void a_pipe_that_does_not_block_is_waited_for(void **state)
{
    (void)state;
    assert_signals_do_no_harm(O_NONBLOCK);
}

static void progress_counts_what_was_used_of_the_input(void **state)
{
    (void)state;
    struct bytes content = make_content(2 * MIB), packed = pack_gzip(content);
    for (enum via via = 0; via < VIA_COUNT; via++) {
        struct pr_source *src = open_by(via, packed);
        uint64_t done, size;
        pr_source_progress(src, &done, &size);
        assert_true(done < packed.length);
        assert_int_equal(size, via == VIA_PIPE ? 0 : packed.length);
        assert_int_equal(drain(src, content), content.length);
        pr_source_progress(src, &done, &size);
        assert_int_equal(done, packed.length);
        close_by(via, src);
    }
    bytes_free(&content);
    bytes_free(&packed);
}

/* From wherever it is, packed or not; a pipe stays where it is. */
static void an_input_that_is_no_pipe_is_read_again(void **state)
{
    (void)state;
    struct bytes content = make_content(2 * MIB), packed = pack_lz4(content);
    for (enum via via = 0; via < VIA_COUNT; via++)
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            struct pr_source *src = open_by(via, is_packed ? packed : content);
            const size_t begun = MIB / 2;
            assert_true(pr_source_need(src, begun));
            pr_source_skip(src, begun);
            if (via == VIA_PIPE) {
                assert_int_equal(pr_source_rewind(&src, NULL), PR_END);
                assert_int_equal(pr_source_offset(src), begun);
                assert_memory_equal(src->at, content.at + begun, (size_t)(src->end - src->at));
            }
            for (int again = 0; via != VIA_PIPE && again < 2; again++) {
                assert_int_equal(pr_source_rewind(&src, NULL), PR_OK);
                assert_int_equal(src->packing != NULL, is_packed);
                assert_int_equal(drain(src, content), content.length);
                assert_int_equal(src->error.code, PR_ERR_NONE);
            }
            close_by(via, src);
        }
    bytes_free(&content);
    bytes_free(&packed);
}

static void running_out_of_memory_opens_nothing(void **state)
{
    (void)state;
    const char *path = file_with((struct bytes){(uint8_t[]){1}, 1});
    for (unsigned long n = 1; n <= 3; n++) { /* the source in memory; that of the file, and its window */
        struct pr_source *src;
        struct pr_error err = {0};
        alloc_fail_at(n == 1 ? 1 : n - 1);
        const enum pr_status status =
            n == 1 ? pr_source_open_memory("memory", "x", 1, NULL, &src, &err) : pr_source_open(path, NULL, &src, &err);
        assert_true(alloc_fail_stop());
        assert_int_equal(status, PR_FAILED);
        assert_null(src);
        assert_int_equal(err.code, PR_ERR_MEMORY);
        assert_string_equal(err.source, n == 1 ? "memory" : path);
    }
}

static void closing_nothing_is_fine(void **state)
{
    (void)state;
    pr_source_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_whole_from_memory_file_and_pipe),
        cmocka_unit_test(a_need_larger_than_the_window_is_met),
        cmocka_unit_test(any_mix_of_needs_and_skips_sees_the_same_bytes),
        cmocka_unit_test(more_than_the_largest_window_is_refused),
        cmocka_unit_test(the_largest_window_is_granted),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_a_reason),
        cmocka_unit_test(an_unreadable_file_is_refused),
        cmocka_unit_test(empty_memory_is_refused),
        cmocka_unit_test(standard_input_may_be_closed_or_a_directory),
        cmocka_unit_test(standard_input_is_left_open),
        cmocka_unit_test(a_file_that_shrinks_says_so),
        cmocka_unit_test(a_read_that_fails_keeps_what_came_before),
        cmocka_unit_test(signals_do_not_end_a_wait),
        cmocka_unit_test(a_pipe_that_does_not_block_is_waited_for),
        cmocka_unit_test(progress_counts_what_was_used_of_the_input),
        cmocka_unit_test(an_input_that_is_no_pipe_is_read_again),
        cmocka_unit_test(running_out_of_memory_opens_nothing),
        cmocka_unit_test(closing_nothing_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
