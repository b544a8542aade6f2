/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_child.h"

#include "cli/io/unfinished.h"
#include "cli/record/record_schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_EXECUTABLE = 126, RECORDER_FAILED = 125, SIGNAL_BASE = 128 };

int64_t pr_child_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now); /* goes on while the machine is suspended */
    return (int64_t)now.tv_sec * PR_NS_PER_S + now.tv_nsec;
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

bool pr_child_prepare(struct pr_child *child)
{
    sigset_t ours;
    *child = (struct pr_child){.gate_fd = -1, .exec_fd = -1, .timer_fd = -1};
    sigfillset(&ours);
    /* What the recorder itself causes stays its own. */
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&ours, own[i]);
    sigprocmask(SIG_BLOCK, &ours, &child->mask_before);
    /* A process that ignores SIGCHLD cannot wait for children, and a parent of ours may have ignored it. */
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &standard, &child->children_before);
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    child->signal_fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child->signal_fd >= 0)
        child->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return child->timer_fd >= 0;
}

void pr_child_restore_signals(const struct pr_child *child)
{
    pr_unfinished_leave_signals();
    sigaction(SIGCHLD, &child->children_before, NULL);
    sigprocmask(SIG_SETMASK, &child->mask_before, NULL);
}

_Noreturn static void become(struct pr_child *child, char *const *argv, int stderr_fd, int gate_fd, int exec_fd)
{
    char word;
    ssize_t count;
    close(child->gate_fd); /* else the end of the recorder would not be seen */
    do
        count = read(gate_fd, &word, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1)
        _exit(RECORDER_FAILED);
    if (stderr_fd >= 0)
        dup2(stderr_fd, STDERR_FILENO);
    if (child->is_looked_at) /* where Yama lets only relatives look, the recorder's descendants may */
        prctl(PR_SET_PTRACER, (unsigned long)getppid(), 0L, 0L, 0L);
    pr_child_restore_signals(child);
    execvp(argv[0], argv);
    const int error = errno;
    (void)!write(exec_fd, &error, sizeof error);
    _exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

bool pr_child_start(struct pr_child *child, char *const *argv, int stderr_fd)
{
    int gate[2], report[2];
    if (pipe2(gate, O_CLOEXEC) != 0)
        return false;
    if (pipe2(report, O_CLOEXEC) != 0) {
        close(gate[0]);
        close(gate[1]);
        return false;
    }
    child->gate_fd = gate[1];
    child->exec_fd = report[0];
    child->pid = fork();
    if (child->pid == 0)
        become(child, argv, stderr_fd, gate[0], report[1]);
    const int error = errno;
    close(gate[0]);
    close(report[1]);
    errno = error;
    return child->pid > 0;
}

void pr_child_become(const struct pr_child *child, char *const *argv)
{
    prctl(PR_SET_CHILD_SUBREAPER, 0L, 0L, 0L, 0L);
    pr_child_restore_signals(child);
    execvp(argv[0], argv);
}

int pr_child_release(struct pr_child *child)
{
    int error = 0;
    ssize_t count;
    (void)!write(child->gate_fd, "", 1);
    close(child->gate_fd);
    do
        count = read(child->exec_fd, &error, sizeof error); /* ends when the command has replaced the process */
    while (count < 0 && errno == EINTR);
    close(child->exec_fd);
    child->gate_fd = child->exec_fd = -1;
    return count == (ssize_t)sizeof error ? error : 0;
}

/* ---- signals ---------------------------------------------------------------------------------------------------- */

static bool asks_to_end(int signal_number)
{
    return signal_number == SIGTERM || signal_number == SIGINT || signal_number == SIGHUP || signal_number == SIGQUIT;
}

/* The kernel sends these to a whole group; all others, such as that of alarm(), to one process. */
static bool is_of_terminal(int signal_number)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGCONT, SIGWINCH};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == signal_number)
            return true;
    return false;
}

static void pass_signal_on(struct pr_child *child, const struct signalfd_siginfo *info)
{
    const int number = (int)info->ssi_signo;
    const bool for_all = (info->ssi_code == SI_KERNEL && is_of_terminal(number)) ||
                         (child->tail && pr_stderr_saw_signal(child->tail, number));
    child->told_to_end = child->told_to_end || asks_to_end(number);
    if (!for_all && child->pid > 0 && !child->ended && !child->keeps_signals)
        kill(child->pid, number);
}

/* A command that the terminal has stopped stops the recorder too, so that the shell sees its job stopped. */
static void stop_as_well(const siginfo_t *info)
{
    sigset_t one;
    if (info->si_status != SIGTSTP && info->si_status != SIGTTIN && info->si_status != SIGTTOU)
        return;
    sigemptyset(&one);
    sigaddset(&one, info->si_status);
    raise(info->si_status); /* comes when it is let in */
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    sigprocmask(SIG_BLOCK, &one, NULL);
}

static uint64_t used_us(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static bool is_for_the_tree(const struct pr_child *child, pid_t pid)
{
    if (!child->tree)
        return false;
    for (uint32_t i = 0; i < child->tree->other_count; i++)
        if (child->tree->others[i] == pid)
            return false;
    return true;
}

/* One that has ended: the command, one of its orphans, or a helper of ours. Returns whether it is of the command. */
static bool reap(struct pr_child *child, pid_t pid)
{
    struct rusage usage;
    int status;
    const bool counts = is_for_the_tree(child, pid);
    if (counts)
        pr_processes_going(child->tree, pid);
    if (wait4(pid, &status, WNOHANG, &usage) != pid)
        return false;
    if (counts)
        pr_processes_gone(child->tree, used_us(&usage));
    if (child->tail && pid == child->tail->pid)
        child->tail->pid = 0;
    if (child->profiler)
        pr_profiler_ended(child->profiler, pid, status);
    if (pid == child->pid) {
        child->ended = true;
        child->status = status;
        child->usage = usage;
    }
    return counts || pid == child->pid;
}

/* Returns whether one of the command's processes has ended. */
static bool reap_all(struct pr_child *child)
{
    bool any = false;
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
            break;
        any = reap(child, info.si_pid) || any;
    }
    siginfo_t info = {.si_pid = 0};
    if (!child->ended && child->pid > 0 &&
        waitid(P_PID, (id_t)child->pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid)
        stop_as_well(&info);
    return any;
}

static void read_signals(struct pr_child *child)
{
    struct signalfd_siginfo info;
    while (read(child->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            pass_signal_on(child, &info);
}

bool pr_child_wait(struct pr_child *child, int64_t due_ns)
{
    const struct itimerspec due = {.it_value = {.tv_sec = due_ns / PR_NS_PER_S, .tv_nsec = due_ns % PR_NS_PER_S}};
    struct pollfd waits[2] = {{.fd = child->signal_fd, .events = POLLIN}, {.fd = child->timer_fd, .events = POLLIN}};
    timerfd_settime(child->timer_fd, TFD_TIMER_ABSTIME, &due, NULL);
    for (;;) {
        if (reap_all(child) && child->ended)
            return true;
        if (poll(waits, 2, -1) < 0 && errno != EINTR)
            return child->ended;
        read_signals(child);
        if (waits[1].revents) {
            reap_all(child);
            return child->ended;
        }
    }
}

int pr_child_exit_status(const struct pr_child *child)
{
    if (WIFSIGNALED(child->status))
        return SIGNAL_BASE + WTERMSIG(child->status);
    return WEXITSTATUS(child->status);
}

void pr_child_clear(struct pr_child *child)
{
    const int fds[] = {child->signal_fd, child->timer_fd, child->gate_fd, child->exec_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}
