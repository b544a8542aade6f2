/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that have a tool of their own: it is started without a shell, with the user's own configuration. Of each, the
 * command that sends what differs and deletes nothing. Two calls: the cards, then the rest, so that the index is last.
 */
#include "cli/io/local_file.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* @ is the folder, % where it goes to; of an address in two parts, < is the first and > the rest. */
static const struct tool {
    const char *scheme; /* NULL: a remote of rclone's */
    const char *words[16];
} tools[] = {
    {"gs://", {"gcloud", "storage", "rsync", "--recursive", "@", "%"}},
    {"gs://", {"gsutil", "-m", "rsync", "-r", "@", "%"}},
    {"az://", {"az", "storage", "blob", "upload-batch", "--overwrite", "true", "--source", "@", "--destination", "<",
               "--destination-path", ">"}},
    {NULL, {"rclone", "copy", "--checksum", "@", "%"}},
};

enum { TOOLS = sizeof tools / sizeof *tools };

/* "name:path", and no "scheme://". */
static bool is_remote(const char *to)
{
    const char *colon = strchr(to, ':');
    return colon && colon > to && to[0] != '-' && strncmp(colon, "://", 3) != 0 &&
           !memchr(to, '/', (size_t)(colon - to));
}

static bool fits(const struct tool *tool, const char *to)
{
    return tool->scheme ? strncmp(to, tool->scheme, strlen(tool->scheme)) == 0 : is_remote(to);
}

bool pr_publish_has_tool(const char *to)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], to))
            return true;
    return false;
}

/* TO with what is behind it, without a slash at its end; of one behind a scheme, the first part and the rest apart. */
struct target {
    char whole[PATH_MAX], first[PATH_MAX], rest[PATH_MAX];
};

static bool make_target(const struct tool *tool, const char *to, const char *folder, struct target *target)
{
    size_t length = strlen(to);
    while (length && to[length - 1] == '/')
        length--;
    const char *between = *folder ? "/" : "";
    if (snprintf(target->whole, PATH_MAX, "%.*s%s%s", (int)length, to, between, folder) >= PATH_MAX)
        return false;
    const char *bare = target->whole + (tool->scheme ? strlen(tool->scheme) : 0);
    const size_t first = strcspn(bare, "/");
    snprintf(target->first, PATH_MAX, "%.*s", (int)first, bare);
    snprintf(target->rest, PATH_MAX, "%s", bare[first] ? bare + first + 1 : ".");
    return true;
}

/* What the tool prints goes to standard error: standard output is ours. */
static _Noreturn void become(const char *const *words)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(words[0], (char *const *)words);
    pr_say("cannot start %s: %s", words[0], strerror(errno));
    _exit(127);
}

static int start(const struct tool *tool, const char *source, const struct target *target)
{
    const char *words[17] = {NULL};
    int status = 0;
    for (size_t i = 0; i < 16 && tool->words[i]; i++) {
        const char *word = tool->words[i];
        words[i] = !strcmp(word, "@")   ? source
                   : !strcmp(word, "%") ? target->whole
                   : !strcmp(word, "<") ? target->first
                   : !strcmp(word, ">") ? target->rest
                                        : word;
    }
    const pid_t pid = fork();
    if (pid == 0)
        become(words);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PR_EXIT_DONE;
    pr_say("%s could not send %s to %s", words[0], source, target->whole);
    return PR_EXIT_OUTPUT;
}

int pr_publish_run_tool(const struct pr_publish_settings *settings)
{
    static const char *const folders[] = {"cards", ""};
    const struct tool *tool = NULL;
    struct target target;
    char source[PATH_MAX + 2], program[PATH_MAX];
    for (size_t i = 0; i < TOOLS && !tool; i++)
        if (fits(&tools[i], settings->to) && pr_find_program(tools[i].words[0], program))
            tool = &tools[i];
    if (!tool) {
        pr_say("%s: none of the tools for it is installed (gcloud or gsutil, az, rclone)", settings->to);
        return PR_EXIT_OUTPUT;
    }
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < 2 && status == PR_EXIT_DONE; i++) {
        /* A folder called "-x" is no option. */
        const char *before = settings->site[0] == '-' ? "./" : "";
        const int used = snprintf(source, sizeof source, "%s%s%s%s", before, settings->site, *folders[i] ? "/" : "",
                                  folders[i]);
        if (used >= (int)sizeof source || !make_target(tool, settings->to, folders[i], &target)) {
            pr_say("%s: the address is too long", settings->to);
            return PR_EXIT_OUTPUT;
        }
        status = start(tool, source, &target);
    }
    return status;
}
