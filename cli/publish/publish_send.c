/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends a site with the tool that the user has for that store: it is started without a shell, with the user's own
 * configuration. This program opens no connection and sees no key.
 *
 * The tool sees a copy with nothing in it but what the list names: anything else in the site, links above all, goes
 * nowhere. Two calls, each of which sends what differs and deletes nothing: the cards, then index and list, so that the
 * index never leads to a card that is not there.
 */
#include "cli/args/options.h"
#include "cli/io/local_file.h"
#include "cli/io/say.h"
#include "cli/publish/publish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 20 };

/*
 * SOURCE is the folder, TARGET where it goes to; for an address in two parts, FIRST is the one up to the slash and REST
 * the other. Without --endpoint or --region, the word before it is dropped, too.
 *
 * Source: aws 1.44 `aws s3 sync help`, s5cmd 2.3 `s5cmd sync --help`, and the manuals of the others.
 */
#define SOURCE "@"
#define TARGET "%"
#define FIRST "<"
#define REST ">"
#define ENDPOINT "$endpoint"
#define REGION "$region"

static const struct tool {
    const char *scheme; /* NULL: a remote of rclone's */
    const char *words[MOST_WORDS];
} tools[] = {
    {"s3://", {"aws", "--endpoint-url", ENDPOINT, "--region", REGION, "s3", "sync", "--no-follow-symlinks",
               "--only-show-errors", SOURCE, TARGET}},
    {"s3://", {"s5cmd", "--endpoint-url", ENDPOINT, "--log", "error", "sync", "--no-follow-symlinks",
               "--destination-region", REGION, SOURCE "/", TARGET "/"}},
    {"gs://", {"gcloud", "storage", "rsync", "--recursive", SOURCE, TARGET}},
    {"gs://", {"gsutil", "-m", "rsync", "-r", SOURCE, TARGET}},
    {"az://", {"az", "storage", "blob", "upload-batch", "--overwrite", "true", "--source", SOURCE, "--destination",
               FIRST, "--destination-path", REST}},
    {NULL, {"rclone", "copy", "--checksum", SOURCE, TARGET}},
};

enum { TOOLS = sizeof tools / sizeof *tools };

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* "name:path", and no "scheme://". */
static bool is_remote(const char *to)
{
    const char *colon = strchr(to, ':');
    return colon && colon > to && to[0] != '-' && strncmp(colon, "://", 3) != 0 &&
           !memchr(to, '/', (size_t)(colon - to));
}

/* An address after a scheme begins with the name of a bucket. */
static bool fits(const struct tool *tool, const char *to)
{
    const size_t length = tool->scheme ? strlen(tool->scheme) : 0;
    return length ? strncmp(to, tool->scheme, length) == 0 && to[length] && to[length] != '/' : is_remote(to);
}

int pr_publish_check_to(const struct pr_command *command, const struct pr_publish_settings *settings)
{
    const char *to = settings->to;
    bool known = false;
    if ((settings->endpoint || settings->region) && (!to || strncmp(to, "s3://", 5) != 0))
        return pr_wrong_usage(command, "--endpoint and --region go with --to s3://BUCKET/PREFIX");
    for (size_t i = 0; to && i < TOOLS; i++)
        known |= fits(&tools[i], to);
    if (to && !known)
        return pr_wrong_usage(command, "--to takes s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PATH or an "
                                       "rclone remote, REMOTE:PATH, not '%s'", to);
    return PR_EXIT_DONE;
}

/* The first tool for TO that is installed, or NULL. */
static const struct tool *find_tool(const char *to)
{
    char program[PATH_MAX];
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], to) && pr_find_program(tools[i].words[0], program))
            return &tools[i];
    return NULL;
}

/* The names of the tools for TO, "aws or s5cmd". */
static void name_tools(const char *to, struct pr_buf *names)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (fits(&tools[i], to))
            pr_buf_printf(names, "%s%s", names->length ? " or " : "", tools[i].words[0]);
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static bool stage_card(const struct pr_publish_settings *settings, const char *card)
{
    if (pr_site_stage(&settings->site, card) == PR_SITE_FOUND)
        return true;
    pr_say("%s/%s: not sent, it is not a file of the site", settings->site.path, card);
    return false;
}

/* Everything that is listed. False: a file is not there, which is reported. */
static bool stage_all(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known)
{
    const char *card;
    json_t *entry;
    bool good = true;
    for (size_t i = 0; i < items->count; i++)
        if (pr_publish_has_card(items->items[i].entry))
            good &= stage_card(settings, items->items[i].card);
    json_object_foreach(known, card, entry) {
        if (!settings->prune && pr_publish_has_card(entry))
            good &= stage_card(settings, card);
    }
    return stage_card(settings, "runs.json") && stage_card(settings, "index.html") && good;
}

/* ---- the tool ---------------------------------------------------------------------------------------------------- */

/* What the words of a tool stand for, in one call of it. */
struct call {
    char source[PATH_MAX + 2], source_slash[PATH_MAX + 3];
    char target[PATH_MAX], target_slash[PATH_MAX + 1];
    char first[PATH_MAX], rest[PATH_MAX];
};

/* FOLDER: what is sent, below the copy; BELOW: where it goes to, below --to. False: too long. */
static bool make_call(const struct pr_publish_settings *settings, const struct tool *tool, const char *folder,
                      const char *below, struct call *call)
{
    size_t length = strlen(settings->to);
    while (length && settings->to[length - 1] == '/')
        length--;
    /* A folder called "-x" is not an option. */
    const char *path = settings->site.path, *before = path[0] == '-' ? "./" : "";
    if (snprintf(call->source, sizeof call->source, "%s%s/" PR_SITE_STAGE "/%s", before, path, folder) >=
            (int)sizeof call->source ||
        snprintf(call->target, sizeof call->target, "%.*s%s%s", (int)length, settings->to, *below ? "/" : "", below) >=
            (int)sizeof call->target)
        return false;
    snprintf(call->source_slash, sizeof call->source_slash, "%s/", call->source);
    snprintf(call->target_slash, sizeof call->target_slash, "%s/", call->target);
    const char *bare = call->target + (tool->scheme ? strlen(tool->scheme) : 0);
    const size_t first = strcspn(bare, "/");
    snprintf(call->first, sizeof call->first, "%.*s", (int)first, bare);
    snprintf(call->rest, sizeof call->rest, "%s", bare[first] ? bare + first + 1 : ".");
    return true;
}

/* What WORD of a tool becomes; NULL: nothing, and the word before it is dropped as well. */
static const char *word_of(const struct pr_publish_settings *settings, const struct call *call, const char *word)
{
    const struct {
        const char *word, *value;
    } words[] = {
        {SOURCE, call->source}, {SOURCE "/", call->source_slash}, {TARGET, call->target},
        {TARGET "/", call->target_slash}, {FIRST, call->first}, {REST, call->rest},
        {ENDPOINT, settings->endpoint}, {REGION, settings->region}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].value;
    return word;
}

/* What the tool prints goes to standard error: standard output is ours. */
static _Noreturn void become(const char *const *words)
{
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(words[0], (char *const *)words);
    pr_say("cannot start %s: %s", words[0], strerror(errno));
    _exit(127);
}

static int start(const struct pr_publish_settings *settings, const struct tool *tool, const struct call *call)
{
    const char *words[MOST_WORDS + 1] = {NULL};
    int status = 0;
    size_t count = 0;
    for (size_t i = 0; i < MOST_WORDS && tool->words[i]; i++) {
        words[count] = word_of(settings, call, tool->words[i]);
        count = words[count] ? count + 1 : count - 1;
    }
    words[count] = NULL;
    const pid_t pid = fork();
    if (pid == 0)
        become(words);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PR_EXIT_DONE;
    pr_say("%s could not send to %s; %s is complete", words[0], call->target, settings->site.path);
    return PR_EXIT_OUTPUT;
}

static int send_staged(const struct pr_publish_settings *settings, const struct tool *tool)
{
    static const char *const parts[][2] = {{"cards", "cards"}, {"list", ""}};
    struct call call;
    int status = PR_EXIT_DONE;
    for (size_t i = 0; i < 2 && status == PR_EXIT_DONE; i++) {
        if (make_call(settings, tool, parts[i][0], parts[i][1], &call))
            status = start(settings, tool, &call);
        else {
            pr_say("%s: the address is too long", settings->to);
            status = PR_EXIT_OUTPUT;
        }
    }
    return status;
}

int pr_publish_send(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known)
{
    const struct tool *tool = find_tool(settings->to);
    if (!tool) {
        struct pr_buf names = {0};
        name_tools(settings->to, &names);
        pr_say("nothing was sent to %s: none of its tools is installed: %s. The site in %s is complete",
               settings->to, names.bytes ? names.bytes : "", settings->site.path);
        pr_buf_clear(&names);
        return PR_EXIT_OUTPUT;
    }
    int status = pr_site_open_stage(&settings->site);
    if (status == PR_EXIT_DONE)
        status = stage_all(settings, items, known) ? send_staged(settings, tool) : PR_EXIT_OUTPUT;
    pr_site_remove_stage(&settings->site);
    return status;
}
