/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check/remote_store.h"

#include "cli/check/site_baselines.h"
#include "cli/io/exit.h"
#include "cli/io/local_file.h"
#include "cli/io/output.h"
#include "cli/io/say.h"
#include "profrender/buf.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 20, MOST_OPEN = 8 };

/*
 * FROM and TO end with a slash; one of them is an address. In two parts that is a CONTAINER and the PREFIX below it;
 * BUCKET is the first one as an address.
 *
 * Source: aws 1.44 `aws s3 sync help`, s5cmd 2.3 `s5cmd sync --help`, and the manuals of the others.
 */
#define FROM "@"
#define TO "%"
#define CONTAINER "<"
#define BUCKET "s3://" CONTAINER
#define PREFIX ">"
#define PATTERN "?"

/*
 * For both directions, unless there are words for the one that FETCHes. ASK comes before that, where the tool succeeds
 * although the store refused: no baselines, and no store, are not the same.
 */
static const struct tool {
    const char *scheme, *words[MOST_WORDS], *fetch[MOST_WORDS], *ask[MOST_WORDS];
} tools[] = {
    {"s3://", {"aws", "s3", "sync", "--no-follow-symlinks", "--only-show-errors", FROM, TO}, {NULL}, {NULL}},
    {"s3://", {"s5cmd", "--log", "error", "sync", "--no-follow-symlinks", FROM "*", TO}, {NULL},
     {"s5cmd", "--log", "error", "head", BUCKET}},
    {"gs://", {"gcloud", "storage", "rsync", "--recursive", FROM, TO}, {NULL}, {NULL}},
    {"gs://", {"gsutil", "-m", "rsync", "-r", FROM, TO}, {NULL}, {NULL}},
    {"az://", {"az", "storage", "blob", "upload-batch", "--only-show-errors", "--output", "none", "--no-progress",
               "--overwrite", "true", "--source", FROM, "--destination", CONTAINER, "--destination-path", PREFIX},
     {"az", "storage", "blob", "download-batch", "--only-show-errors", "--output", "none", "--no-progress",
      "--source", CONTAINER, "--destination", TO, "--pattern", PATTERN}, {NULL}},
};

enum { TOOLS = sizeof tools / sizeof *tools };

/*
 * Names that --update-baseline gives, with a date and without, as fnmatch() has them. az writes what fits below the
 * folder by its whole name, and a stranger may have named a file "main/../../x", so neither has a `*`.
 */
#define DIGIT "[0-9]"
#define TWO DIGIT DIGIT
#define HEX3 "[0-9a-f][0-9a-f][0-9a-f]"
#define HASH HEX3 HEX3 HEX3 HEX3 ".prz"
static const char *const az_names[] = {
    TWO TWO "-" TWO "-" TWO "T" TWO ":" TWO ":" TWO "." TWO DIGIT "Z-" HASH, HASH};

enum { AZ_NAMES = sizeof az_names / sizeof *az_names };

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

static void refuse_without_tool(const char *address)
{
    struct pr_buf names = {0};
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], address))
            pr_buf_printf(&names, "%s%s", names.length ? " or " : "", tools[i].words[0]);
    pr_say("%s: none of its tools is installed: %s", address, names.failed ? "" : names.bytes);
    pr_buf_clear(&names);
}

static const struct tool *find_tool(const char *address)
{
    char program[PATH_MAX];
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], address) && pr_find_program(tools[i].words[0], program))
            return &tools[i];
    refuse_without_tool(address);
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

/* What the words of a tool become, in one call of it. */
struct call {
    const char *from, *to;
    char all[PATH_MAX + 2];
    char bucket[PATH_MAX + 5];
    char container[PATH_MAX], prefix[PATH_MAX]; /* without a slash at the end */
    struct pr_buf pattern;
};

static struct call call_for(const struct tool *tool, const char *from, const char *to, const char *place)
{
    struct call call = {.from = from, .to = to};
    const char *bare = place + strlen(tool->scheme);
    const size_t first = strcspn(bare, "/");
    snprintf(call.all, sizeof call.all, "%s*", from);
    snprintf(call.container, sizeof call.container, "%.*s", (int)first, bare);
    snprintf(call.bucket, sizeof call.bucket, "s3://%s", call.container);
    snprintf(call.prefix, sizeof call.prefix, "%s", bare[first] ? bare + first + 1 : "");
    for (size_t end = strlen(call.prefix); end && call.prefix[end - 1] == '/'; end--)
        call.prefix[end - 1] = '\0';
    return call;
}

static const char *word_of(const struct call *call, const char *word)
{
    const struct {
        const char *word, *value;
    } words[] = {{FROM, call->from}, {FROM "*", call->all}, {TO, call->to}, {CONTAINER, call->container},
                 {BUCKET, call->bucket}, {PREFIX, call->prefix}, {PATTERN, call->pattern.bytes}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].value;
    return word;
}

static bool run_call(const struct call *call, const char *const *words)
{
    const char *made[MOST_WORDS + 1] = {NULL};
    for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
        made[i] = word_of(call, words[i]);
    if (run(made))
        return true;
    pr_say("%s could not copy from %s to %s", words[0], call->from, call->to);
    return false;
}

/* The prefix is no pattern, whatever is in it. */
static bool run_pattern(struct call *call, const struct tool *tool, const char *names)
{
    for (const char *c = call->prefix; *c; c++)
        pr_buf_printf(&call->pattern, strchr("[*?", *c) ? "[%c]" : "%c", *c);
    pr_buf_printf(&call->pattern, "/%s", names);
    pr_buf_byte(&call->pattern, '\0');
    const bool done = !call->pattern.failed && run_call(call, tool->fetch);
    pr_buf_clear(&call->pattern);
    return done;
}

/* az has put PREFIX/NAME into FOLDER/az/: it belongs into PATH, which is empty. */
static bool take_out(const char *folder, const char *prefix, const char *path)
{
    char below[2 * PATH_MAX];
    snprintf(below, sizeof below, "%s/az/%s", folder, prefix);
    if (rename(below, path) == 0 || errno == ENOENT) /* it may have found nothing */
        return true;
    pr_say("%s: %s", below, strerror(errno));
    return false;
}

/* By patterns, below a folder of their own. */
static bool fetch_az(const struct tool *tool, const char *place, const char *folder, const char *path)
{
    char to[PATH_MAX + 4];
    snprintf(to, sizeof to, "%s/az", folder);
    bool done = mkdir(to, 0700) == 0;
    struct call call = call_for(tool, place, to, place);
    for (size_t i = 0; i < AZ_NAMES && done; i++)
        done = run_pattern(&call, tool, az_names[i]);
    return done && take_out(folder, call.prefix, path);
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

/* All of PLACE into PATH, which is below FOLDER. */
static bool fetch(const char *address, const char *place, const char *folder, const char *path)
{
    char slash[PATH_MAX + 1];
    const struct tool *tool = find_tool(address);
    if (tool && tool->fetch[0])
        return fetch_az(tool, place, folder, path);
    snprintf(slash, sizeof slash, "%s/", path);
    const struct call call = tool ? call_for(tool, place, slash, place) : (struct call){.from = NULL};
    return tool && (!tool->ask[0] || run_call(&call, tool->ask)) && run_call(&call, tool->words);
}

static bool send(const char *address, const char *folder, const char *place)
{
    const struct tool *tool = find_tool(address);
    const struct call call = tool ? call_for(tool, folder, place, place) : (struct call){.from = NULL};
    return tool && run_call(&call, tool->words);
}

int pr_remote_fetch(const char *address, const char *branch, char folder[PATH_MAX])
{
    char place[PATH_MAX], path[PATH_MAX];
    folder[0] = '\0';
    if (find_place(place, address, branch) && make_folder(folder) &&
        pr_site_baselines_make(path, folder, branch) == PR_EXIT_DONE) {
        if (fetch(address, place, folder, path))
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
        status = send(address, slash, place) ? PR_EXIT_DONE : PR_EXIT_OUTPUT;
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
