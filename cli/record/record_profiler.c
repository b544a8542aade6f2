/* SPDX-License-Identifier: Apache-2.0 */
/*
 * py-spy's Chrome traces would have times, but keep the last stack of a thread open while it is idle: of a thread that
 * sleeps for a second, that second counts as work. Its speedscope files have the samples that ran, in their order.
 *
 * perf takes the times of its samples from the monotonic clock; the time of day at which that showed what comes first
 * in what is made of its file, as perf's own header has it (perf_reader.c). With both, samples are on the run's
 * timeline.
 *
 * Source: `py-spy record --help` (0.4.3), perf-record(1) (6.1), `austin --help` (3.7, 4.0).
 */
#include "cli/record/record_profiler.h"

#include "cli/record/record_spawn.h"
#include "cli/io/say.h"
#include "cli/io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What is made of perf's own file. */
#define PERF_TEXT "cpu.perf.txt"

enum { MOST_TRIES = 8, PERF_START_MS = 2000, MOST_WORDS = 24, NOT_FOUND = 127 };

static const char *const names[] = {"", "py-spy", "perf", "austin"};
static const char *const files[] = {"", "cpu.speedscope.json", "cpu.perf.data", "cpu.mojo"};

static void start(struct pr_profiler *profiler, const char *const *argv)
{
    if (profiler->said_fd < 0) /* one for all tries: the last may be stopped before it says anything */
        profiler->said_fd = pr_system_memory_file("said");
    profiler->tries++;
    const pid_t pid = pr_spawn(argv, profiler->said_fd, profiler->said_fd);
    profiler->pid = pid > 0 ? pid : 0;
    if (pid > 0)
        pr_processes_leave_out(profiler->tree, pid);
}

/* Of a file; -1: there is none. */
static off_t size_of(int fd)
{
    struct stat found;
    return fd >= 0 && fstat(fd, &found) == 0 ? found.st_size : -1;
}

/* ---- perf ------------------------------------------------------------------------------------------------------- */

/* Both clocks in one moment: at the start of the run, as its timeline has the time of day of then. */
static void read_clocks(struct pr_profiler *profiler)
{
    struct timespec wall, mono;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &mono);
    snprintf(profiler->clocks, sizeof profiler->clocks,
             "# reference time: %lld s = %lld.%09ld (TOD) = %lld.%09ld (monotonic)\n", (long long)wall.tv_sec,
             (long long)wall.tv_sec, wall.tv_nsec, (long long)mono.tv_sec, mono.tv_nsec);
}

/* perf answers on the second pipe when it has attached itself; the command may begin then. */
static void start_perf(struct pr_profiler *profiler)
{
    int control[2], answer[2];
    char fds[48], answered[16];
    if (pipe(control) != 0)
        return;
    if (pipe(answer) != 0) {
        close(control[0]);
        close(control[1]);
        return;
    }
    fcntl(control[1], F_SETFD, FD_CLOEXEC);
    fcntl(answer[0], F_SETFD, FD_CLOEXEC);
    snprintf(fds, sizeof fds, "--control=fd:%d,%d", control[0], answer[1]);
    const char *argv[] = {"perf", "record", "-q", "-F", "99", "-g", "-k", "mono", fds, "-o",
                          profiler->path, "-p", profiler->target, NULL};
    read_clocks(profiler);
    start(profiler, argv);
    close(control[0]);
    close(answer[1]);
    struct pollfd wait = {.fd = answer[0], .events = POLLIN};
    if (write(control[1], "ping\n", 5) == 5 && poll(&wait, 1, PERF_START_MS) > 0)
        (void)!read(answer[0], answered, sizeof answered);
    profiler->control_fd = control[1];
    profiler->answer_fd = answer[0];
}

/* perf's own file is for the machine that made it: the symbols of its programs are looked up here, now. */
static void convert_perf(struct pr_profiler *profiler, int limit_ms)
{
    const char *argv[] = {"perf", "script", "-i", profiler->path, NULL};
    int status;
    profiler->out_fd = pr_folder_create(profiler->folder, PERF_TEXT);
    if (profiler->out_fd < 0)
        return;
    const ssize_t clocks = write(profiler->out_fd, profiler->clocks, strlen(profiler->clocks));
    const pid_t pid = pr_spawn(argv, profiler->out_fd, -1);
    if (pid > 0 && pr_spawn_wait_for(pid, limit_ms, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        unlinkat(profiler->folder->fd, files[PR_PROFILER_PERF], 0);
        if (size_of(profiler->out_fd) > clocks)
            return;
    }
    if (pid > 0)
        kill(pid, SIGKILL);
    (void)!ftruncate(profiler->out_fd, 0);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

const char *pr_profiler_file(enum pr_profiler_kind kind)
{
    return kind == PR_PROFILER_NONE ? NULL : files[kind];
}

/*
 * The file is made here, and the tool gets the descriptor's name: it opens by name while the command runs, which could
 * put a link there.
 */
static bool make_file(struct pr_profiler *profiler)
{
    profiler->out_fd = pr_folder_create(profiler->folder, files[profiler->kind]);
    snprintf(profiler->path, sizeof profiler->path, "/proc/%d/fd/%d", (int)getpid(), profiler->out_fd);
    return profiler->out_fd >= 0;
}

void pr_profiler_choose(struct pr_profiler *profiler, enum pr_profiler_kind kind, const struct pr_folder *folder,
                        pid_t pid, struct pr_processes *tree)
{
    *profiler = (struct pr_profiler){.kind = kind,
                                     .out_fd = -1,
                                     .said_fd = -1,
                                     .control_fd = -1,
                                     .answer_fd = -1,
                                     .folder = folder,
                                     .tree = tree};
    snprintf(profiler->target, sizeof profiler->target, "%d", (int)pid);
    if (kind == PR_PROFILER_NONE)
        return;
    if (!pr_folder_path(folder, files[kind], profiler->path))
        profiler->kind = PR_PROFILER_NONE;
    else if (kind == PR_PROFILER_PERF)
        start_perf(profiler);
    else if (!make_file(profiler))
        profiler->kind = PR_PROFILER_NONE;
}

void pr_profiler_tend(struct pr_profiler *profiler)
{
    if (profiler->pid || profiler->tries == MOST_TRIES ||
        (profiler->tries && WIFEXITED(profiler->status) && WEXITSTATUS(profiler->status) == NOT_FOUND))
        return;
    if (profiler->kind == PR_PROFILER_PY_SPY) {
        const char *argv[] = {"py-spy", "record", "--pid", profiler->target, "--format", "speedscope", "--output",
                              profiler->path, "--rate", "100", "--threads", "--subprocesses", "--full-filenames", NULL};
        start(profiler, argv);
    } else if (profiler->kind == PR_PROFILER_AUSTIN) {
        const char *argv[] = {"austin", "-C", "-i", "10ms", "-o", profiler->path, "-p", profiler->target, NULL};
        start(profiler, argv);
    }
}

void pr_profiler_ended(struct pr_profiler *profiler, pid_t pid, int status)
{
    if (!profiler->pid || pid != profiler->pid)
        return;
    profiler->pid = 0;
    profiler->status = status;
}

/* The most telling line of the tool's output: the first one with an error in it, else the last one. */
static void say_why(const struct pr_profiler *profiler)
{
    char said[4096], *rest, *best = NULL;
    const ssize_t length = pread(profiler->said_fd, said, sizeof said - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        best = line;
        if (strcasestr(line, "error"))
            break;
    }
    if (WIFEXITED(profiler->status) && WEXITSTATUS(profiler->status) == NOT_FOUND)
        pr_say("no CPU profile: %s is not installed", names[profiler->kind]);
    else
        pr_say("no CPU profile: %s could not profile the command%s%s", names[profiler->kind], best ? ": " : "",
               best ? best : "");
}

/* They notice themselves that the command has ended; one that does not is asked, then stopped. */
static void wait_for_end(struct pr_profiler *profiler, int limit_ms)
{
    static const int ways[] = {0, SIGINT, SIGKILL};
    for (size_t i = 0; i < sizeof ways / sizeof *ways && profiler->pid; i++) {
        int status;
        if (ways[i])
            kill(profiler->pid, ways[i]);
        if (pr_spawn_wait_for(profiler->pid, limit_ms / 2, &status))
            pr_profiler_ended(profiler, profiler->pid, status);
    }
}

void pr_profiler_finish(struct pr_profiler *profiler, int limit_ms)
{
    if (profiler->kind == PR_PROFILER_NONE)
        return;
    wait_for_end(profiler, limit_ms);
    if (profiler->kind == PR_PROFILER_PERF)
        convert_perf(profiler, limit_ms);
    if (size_of(profiler->out_fd) <= 0) {
        say_why(profiler);
        if (profiler->out_fd >= 0)
            unlinkat(profiler->folder->fd, profiler->kind == PR_PROFILER_PERF ? PERF_TEXT : files[profiler->kind], 0);
    }
    const int fds[] = {profiler->out_fd, profiler->said_fd, profiler->control_fd, profiler->answer_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}
