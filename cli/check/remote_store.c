/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/remote_store.h"

#include "cli/check/site_baselines.h"
#include "cli/io/exit.h"
#include "cli/io/local_file.h"
#include "cli/io/output.h"
#include "cli/io/say.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 10, MOST_OPEN = 8 };

/* Source: aws 1.44 `aws s3 sync help`, s5cmd 2.3 `s5cmd sync --help`, and the manuals of the others. */
#define FROM "@"
#define TO "%"

static const struct tool {
    const char *scheme, *words[MOST_WORDS];
} tools[] = {
    {"s3://", {"aws", "s3", "sync", "--no-follow-symlinks", "--only-show-errors", FROM, TO}},
    {"s3://", {"s5cmd", "--log", "error", "sync", "--no-follow-symlinks", FROM "*", TO}},
    {"gs://", {"gcloud", "storage", "rsync", "--recursive", FROM, TO}},
    {"gs://", {"gsutil", "-m", "rsync", "-r", FROM, TO}},
};

enum { TOOLS = sizeof tools / sizeof *tools };

static bool fits(const struct tool *tool, const char *address)
{
    const size_t length = strlen(tool->scheme);
    return strncmp(address, tool->scheme, length) == 0 && address[length] && address[length] != '/';
}

bool pr_remote_is_address(const char *text)
{
    bool any = false;
    for (size_t i = 0; i < TOOLS; i++)
        any |= fits(&tools[i], text);
    return any;
}

static const struct tool *find_tool(const char *address)
{
    char program[PATH_MAX];
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], address) && pr_find_program(tools[i].words[0], program))
            return &tools[i];
    return NULL;
}

/* What the tool prints goes to standard error: standard output is ours. */
static bool run(const char *const *words)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* One of the two is ADDRESS; both end with '/'. */
static bool copy(const char *address, const char *from, const char *to)
{
    const struct tool *tool = find_tool(address);
    const char *words[MOST_WORDS + 1] = {NULL};
    char all[PATH_MAX + 2];
    if (!tool) {
        pr_say("%s: none of the tools for it is installed: %s", address,
               address[0] == 's' ? "aws or s5cmd" : "gcloud or gsutil");
        return false;
    }
    snprintf(all, sizeof all, "%s*", from);
    for (size_t i = 0; i < MOST_WORDS && tool->words[i]; i++) {
        const char *word = tool->words[i];
        words[i] = strcmp(word, FROM) == 0 ? from : strcmp(word, FROM "*") == 0 ? all : strcmp(word, TO) == 0 ? to
                                                                                                               : word;
    }
    if (run(words))
        return true;
    pr_say("%s could not copy from %s to %s", words[0], from, to);
    return false;
}

/* "s3://bucket/prefix/baselines/main/" */
static bool find_place(char place[PATH_MAX], const char *address, const char *branch)
{
    char name[NAME_MAX];
    size_t end = strlen(address);
    while (end && address[end - 1] == '/')
        end--;
    if (pr_site_baselines_folder(name, branch) &&
        snprintf(place, PATH_MAX, "%.*s/%s/", (int)end, address, name) < PATH_MAX)
        return true;
    pr_say("%s: the address is too long", address);
    return false;
}

static bool make_folder(char folder[PATH_MAX])
{
    const char *room = getenv("TMPDIR");
    if (snprintf(folder, PATH_MAX, "%s/profrender-baselines.XXXXXX", room && *room ? room : "/tmp") < PATH_MAX &&
        mkdtemp(folder))
        return true;
    pr_say("cannot make a temporary folder: %s", strerror(errno));
    folder[0] = '\0';
    return false;
}

int pr_remote_fetch(const char *address, const char *branch, char folder[PATH_MAX])
{
    char place[PATH_MAX], path[PATH_MAX], slash[PATH_MAX + 1];
    folder[0] = '\0';
    if (find_place(place, address, branch) && make_folder(folder) &&
        pr_site_baselines_make(path, folder, branch) == PR_EXIT_DONE) {
        snprintf(slash, sizeof slash, "%s/", path);
        if (copy(address, place, slash))
            return PR_EXIT_DONE;
    }
    pr_remote_forget(folder);
    folder[0] = '\0';
    return PR_EXIT_INPUT;
}

int pr_remote_send(const char *address, const char *branch, const char *name, const void *bytes, size_t length)
{
    char place[PATH_MAX], folder[PATH_MAX] = "", path[PATH_MAX], slash[PATH_MAX + 1];
    int status = PR_EXIT_OUTPUT;
    if (find_place(place, address, branch) && make_folder(folder) &&
        snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
        pr_output_write(path, bytes, length) == PR_EXIT_DONE) {
        snprintf(slash, sizeof slash, "%s/", folder);
        status = copy(address, slash, place) ? PR_EXIT_DONE : PR_EXIT_OUTPUT;
    }
    pr_remote_forget(folder);
    return status;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

void pr_remote_forget(const char *folder)
{
    if (*folder)
        nftw(folder, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}
