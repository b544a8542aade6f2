/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_spawn.h"

#include "capture/base/time.h"
#include "cli/io/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

_Noreturn static void become(const char *const *argv, int out_fd, int said_fd)
{
    sigset_t none;
    const int null_fd = open("/dev/null", O_RDWR);
    dup2(null_fd, STDIN_FILENO);
    dup2(out_fd >= 0 ? out_fd : null_fd, STDOUT_FILENO);
    dup2(said_fd >= 0 ? said_fd : null_fd, STDERR_FILENO);
    if (null_fd > STDERR_FILENO)
        close(null_fd);
    setpgid(0, 0);
    pr_unfinished_leave_signals();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], (char *const *)argv);
    _exit(NOT_FOUND);
}

pid_t pr_spawn(const char *const *argv, int out_fd, int said_fd)
{
    const pid_t pid = fork();
    if (pid == 0)
        become(argv, out_fd, said_fd);
    return pid;
}

bool pr_spawn_wait_for(pid_t pid, int limit_ms, int *status)
{
    enum { STEP_MS = 5 };
    const struct timespec step = {.tv_nsec = STEP_MS * PR_NS_PER_MS};
    for (int waited_ms = 0;; waited_ms += STEP_MS) {
        const pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return true;
        if ((ended < 0 && errno != EINTR) || waited_ms >= limit_ms)
            return false;
        nanosleep(&step, NULL);
    }
}

int pr_spawn_wait(const char *const *argv)
{
    int status;
    const pid_t pid = pr_spawn(argv, -1, -1);
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
