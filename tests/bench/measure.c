/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and prints its seconds, processor seconds and peak resident bytes.
 *
 *     measure COMMAND ARGUMENT...
 *
 * A program of its own, and a small one, because Linux counts what the parent held at the fork as memory of the child.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing >= 0)
            dup2(nothing, STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    int status = 0;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("measure");
        return 1;
    }
    double took = now() - start;
    printf("%.6f %.6f %ld\n", took, seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss * 1024);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
