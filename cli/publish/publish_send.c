/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a site to a store that speaks S3: the cards by several processes at once, then the index. */
#include "cli/publish/aws_credentials.h"
#include "cli/io/local_file.h"
#include "cli/args/options.h"
#include "cli/publish/publish.h"
#include "cli/publish/s3.h"
#include "cli/io/say.h"
#include "render/words/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 8, MOST_FILE_BYTES = 1 << 30 };

/* What the processes tell: shared memory. */
struct report {
    size_t sent, same;
    bool failed;
    char text[PR_S3_TEXT + 128];
};

struct sender {
    const struct pr_publish_settings *settings;
    struct pr_s3_address address;
    struct pr_s3_keys keys;
    const char **names; /* [count] of the files in the site */
    size_t count;
    struct report *reports; /* [WORKERS] */
};

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static bool address_of(const struct pr_publish_settings *settings, const struct pr_aws *aws,
                       struct pr_s3_address *address, const char **why)
{
    const char *endpoint = settings->endpoint ? settings->endpoint : aws->endpoint;
    const char *region = settings->region ? settings->region : aws->region;
    if (!*region && *endpoint)
        region = "us-east-1"; /* what servers that know no regions are signed for */
    return pr_s3_address(settings->to, *endpoint ? endpoint : NULL, region, address, why);
}

static int check_keys(const struct pr_command *command, const struct pr_aws *aws)
{
    if (*aws->id)
        return PR_EXIT_DONE;
    if (aws->is_known)
        return pr_wrong_usage(command,
                              "--to s3:// needs keys, and the profile '%s' has none of its own; `aws configure "
                              "export-credentials --format env` prints those of a login, a role or a process",
                              aws->profile);
    return pr_wrong_usage(command,
                          "--to s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or "
                          "the profile '%s' in ~/.aws/credentials", aws->profile);
}

int pr_publish_check_to(const struct pr_command *command, const struct pr_publish_settings *settings)
{
    struct pr_s3_address address;
    struct pr_aws aws;
    const char *why;
    if (!settings->to && (settings->endpoint || settings->region))
        return pr_wrong_usage(command, "--endpoint and --region go with --to s3://BUCKET/PREFIX");
    if (!settings->to || pr_publish_has_tool(settings->to))
        return PR_EXIT_DONE;
    pr_aws_load(&aws);
    if (!address_of(settings, &aws, &address, &why))
        return pr_wrong_usage(command, "--to %s: %s", settings->to, why);
    return check_keys(command, &aws);
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static const char *type_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".json") == 0 ? "application/json" : "text/html; charset=utf-8";
}

static bool send_file(const struct sender *sender, struct pr_s3 *s3, const char *name, struct report *report)
{
    char path[PATH_MAX], text[PR_S3_TEXT] = "it cannot be read";
    struct pr_buf file = {0};
    enum pr_s3_sent sent = PR_S3_FAILED;
    if (pr_publish_place(sender->settings, name, path) && pr_local_file_read(path, MOST_FILE_BYTES, &file))
        sent = pr_s3_put(s3, name, file.bytes ? file.bytes : "", file.length, type_of(name), text);
    pr_buf_clear(&file);
    report->sent += sent == PR_S3_SENT;
    report->same += sent == PR_S3_SAME;
    if (sent != PR_S3_FAILED)
        return true;
    snprintf(report->text, sizeof report->text, "%.200s: %.400s", name, text);
    return false;
}

/* Every WORKERS-th file, from the one of this number. The first failure ends it: what is wrong is mostly so for all. */
static bool work(const struct sender *sender, size_t number, size_t workers)
{
    struct report *report = &sender->reports[number];
    char text[PR_S3_TEXT];
    struct pr_s3 *s3;
    if (!pr_s3_open(&sender->address, &sender->keys, &s3, text)) {
        snprintf(report->text, sizeof report->text, "%s", text);
        return false;
    }
    bool good = true;
    for (size_t i = number; good && i < sender->count; i += workers)
        good = send_file(sender, s3, sender->names[i], report);
    pr_s3_close(s3);
    return good;
}

static void take_reports(const struct sender *sender, size_t workers, struct report *total)
{
    for (size_t i = 0; i < workers; i++) {
        const struct report *report = &sender->reports[i];
        total->sent += report->sent;
        total->same += report->same;
        if (report->failed && !total->failed)
            pr_say("cannot send to %s: %s", sender->settings->to,
                   *report->text ? report->text : "a process that sends ended without a word");
        total->failed |= report->failed;
    }
}

/* Sends the files of SENDER; false when one could not be sent, which is said. */
static bool send_all(const struct sender *sender, struct report *total)
{
    const size_t workers = sender->count < WORKERS ? sender->count : WORKERS;
    pid_t pids[WORKERS];
    memset(sender->reports, 0, WORKERS * sizeof *sender->reports);
    for (size_t i = 0; i < workers; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(work(sender, i, workers) ? 0 : 1);
        if (pids[i] < 0)
            snprintf(sender->reports[i].text, sizeof sender->reports[i].text, "%s", strerror(errno));
    }
    for (size_t i = 0; i < workers; i++) {
        int status = 1;
        while (pids[i] > 0 && waitpid(pids[i], &status, 0) < 0 && errno == EINTR)
            ;
        sender->reports[i].failed = pids[i] < 0 || status != 0;
    }
    take_reports(sender, workers, total);
    return !total->failed;
}

/* The cards of all entries that have one. */
static void list_cards(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known,
                       struct sender *sender)
{
    char path[PATH_MAX];
    const char *card;
    json_t *entry;
    for (size_t i = 0; i < items->count; i++)
        if (pr_publish_has_card(items->items[i].entry))
            sender->names[sender->count++] = items->items[i].card;
    if (settings->prune)
        return;
    json_object_foreach(known, card, entry) {
        if (pr_publish_has_card(entry) && pr_publish_place(settings, card, path) && access(path, F_OK) == 0)
            sender->names[sender->count++] = card;
    }
}

static bool send_site(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known,
                      struct sender *sender)
{
    struct report total = {0};
    list_cards(settings, items, known, sender);
    bool good = send_all(sender, &total);
    for (size_t i = 0; good && i < 2; i++) {
        sender->names[0] = i == 0 ? "runs.json" : "index.html";
        sender->count = 1;
        good = send_all(sender, &total);
    }
    if (good && !settings->common.quiet && isatty(STDERR_FILENO))
        pr_say_quietly("%s: %s sent, %s there already", settings->to,
                       pr_units_counted((int64_t)total.sent, "files").text, pr_units_count((int64_t)total.same).text);
    return good;
}

int pr_publish_send(const struct pr_publish_settings *settings, const struct pr_publish_items *items, json_t *known)
{
    if (pr_publish_has_tool(settings->to))
        return pr_publish_run_tool(settings);
    struct pr_aws aws;
    pr_aws_load(&aws);
    struct sender sender = {
        .settings = settings,
        .keys = {.id = aws.id, .secret = aws.secret, .session = *aws.session ? aws.session : NULL}};
    const char *why;
    const size_t size = WORKERS * sizeof *sender.reports;
    sender.names = malloc((items->count + json_object_size(known) + 1) * sizeof *sender.names);
    sender.reports = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = false;
    if (!sender.names || sender.reports == MAP_FAILED)
        pr_say("%s: out of memory", settings->to);
    else if (!address_of(settings, &aws, &sender.address, &why))
        pr_say("%s: %s", settings->to, why);
    else
        good = send_site(settings, items, known, &sender);
    if (sender.reports != MAP_FAILED)
        munmap(sender.reports, size);
    free(sender.names);
    return good ? PR_EXIT_DONE : PR_EXIT_OUTPUT;
}
