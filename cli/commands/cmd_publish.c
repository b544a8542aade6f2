/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender publish`: a static site of the cards of many runs. */
#include "cli/args/options.h"
#include "cli/publish/publish.h"
#include "cli/io/say.h"
#include "render/words/units.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(struct pr_publish_settings, member)

static const struct pr_option options[] = {
    {.name = "title", .kind = PR_OPTION_TEXT, .offset = AT(title), .argument = "TEXT",
     .help = "title of the index; default: Runs"},
    PR_OPTION_THEME(AT(theme)),
    PR_OPTIONS_CODE(AT(code)),
    {.name = "commit-url", .kind = PR_OPTION_TEXT, .offset = AT(commit_url), .argument = "URL",
     .help = "links the commits in the index: an http or https\n"
             "address with {commit} in it"},
    {.name = "jobs", .letter = 'j', .kind = PR_OPTION_NUMBER, .offset = AT(jobs), .argument = "N",
     .help = "cards made at once; default: one for each processor,\n"
             "at most 8"},
    {.name = "time-limit", .kind = PR_OPTION_NUMBER, .offset = AT(time_limit_s), .argument = "SECONDS",
     .help = "give up on an input that takes longer; it is tried\n"
             "again the next time. Default: 600; 0: no limit"},
    {.name = "prune", .kind = PR_OPTION_FLAG, .offset = AT(prune),
     .help = "forget runs whose source is gone, and remove their\n"
             "cards; without it they stay"},
    {.name = "to", .kind = PR_OPTION_TEXT, .offset = AT(to), .argument = "URL",
     .help = "then send the site there by your own tool:\n"
             "s3://BUCKET/PREFIX (aws or s5cmd), gs://BUCKET,\n"
             "az://CONTAINER or REMOTE:PATH (rclone)"},
    {.name = "endpoint", .kind = PR_OPTION_TEXT, .offset = AT(endpoint), .argument = "URL",
     .help = "server for s3:// other than AWS; default: what the\n"
             "tool is configured for"},
    {.name = "region", .kind = PR_OPTION_TEXT, .offset = AT(region), .argument = "NAME",
     .help = "region for s3://; default: as for the endpoint"},
    {.name = NULL}};

enum { USUAL_TIME_LIMIT_S = 600 };

struct tally {
    size_t runs, made, unreadable, ignored;
};

/* Reports what could not be read, and counts it. */
static struct tally tell_problems(const struct pr_publish_items *items, const bool *made)
{
    struct tally tally = {0};
    for (size_t i = 0; i < items->count; i++) {
        const json_t *entry = items->items[i].entry;
        const char *status = json_string_value(json_object_get(entry, "status"));
        const char *problem = json_string_value(json_object_get(entry, "problem"));
        if (!status) {
            tally.ignored++;
            continue;
        }
        tally.runs++;
        tally.made += made[i];
        if (strcmp(status, "unreadable") == 0) {
            tally.unreadable++;
            pr_say("%s: %s", items->items[i].path, problem ? problem : "no card could be made");
        }
    }
    return tally;
}

/* The closing line, for people only. */
static void tell(const struct pr_publish_settings *settings, const struct tally *tally)
{
    if (settings->common.quiet || !isatty(STDERR_FILENO))
        return;
    pr_say_quietly("%s/index.html: %s, %s made now, %s could not be read, %s left out", settings->site.path,
                   pr_units_counted((int64_t)tally->runs, "runs").text, pr_units_count((int64_t)tally->made).text,
                   pr_units_count((int64_t)tally->unreadable).text,
                   pr_units_counted((int64_t)tally->ignored, "other files").text);
}

/* A source is gone only if the whole folder was searched; what could not be looked at may still be there. */
static void check_prune(struct pr_publish_settings *settings, const struct pr_publish_items *items)
{
    if (settings->prune && items->unseen)
        pr_say("nothing was pruned: parts of %s could not be read", settings->common.input);
    settings->prune = settings->prune && !items->unseen;
}

static int publish_items(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    bool *made = calloc(items->count + 1, sizeof *made);
    pr_publish_reuse(settings, items, known);
    for (size_t i = 0; made && i < items->count; i++)
        made[i] = !items->items[i].entry;
    int status = made ? pr_publish_make_all(settings, items, known) : PR_EXIT_OUTPUT;
    /* What was made is remembered even if the rest could not be made. */
    const int written = pr_publish_write_site(settings, items, known);
    status = status == PR_EXIT_DONE ? written : status;
    if (status == PR_EXIT_DONE) {
        const struct tally tally = tell_problems(items, made);
        tell(settings, &tally);
        if (settings->to)
            status = pr_publish_send(settings, items, known);
        if (status == PR_EXIT_DONE && settings->common.strict && (tally.unreadable || items->left_out))
            status = PR_EXIT_INPUT;
    }
    free(made);
    return status;
}

/* The site is locked from before the folder is searched until all is sent. */
static int publish(struct pr_publish_settings *settings, const char *site)
{
    struct pr_publish_items items;
    json_t *known = NULL;
    int status = pr_publish_open_input(settings, &items);
    if (status != PR_EXIT_DONE)
        return status;
    status = pr_site_open(&settings->site, site);
    if (status == PR_EXIT_DONE)
        status = pr_publish_find(settings, &items);
    if (status == PR_EXIT_DONE)
        status = pr_publish_read_site(settings, &known);
    if (status == PR_EXIT_DONE) {
        check_prune(settings, &items);
        status = publish_items(settings, &items, known);
    }
    json_decref(known);
    pr_site_close(&settings->site);
    pr_publish_items_clear(&items);
    return status;
}

/* PATH without slashes at its end; the root stays. */
static bool trim(const char *path, char trimmed[PATH_MAX])
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= PATH_MAX)
        return false;
    memcpy(trimmed, path, length);
    trimmed[length] = '\0';
    return true;
}

static int check_commit_url(const struct pr_command *command, const struct pr_publish_settings *settings)
{
    const char *url = settings->commit_url;
    if (url && (!pr_is_web_address(url) || !strstr(url, "{commit}")))
        return pr_wrong_usage(command, "--commit-url takes an http or https address with {commit} in it, not '%s'",
                              url);
    if (url && settings->common.redact == PR_REDACT_NAMES)
        return pr_wrong_usage(command, "--commit-url would show what --redact names hides");
    return PR_EXIT_DONE;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_publish_settings settings = {.time_limit_s = USUAL_TIME_LIMIT_S};
    struct pr_card_options how = pr_card_options_default();
    struct pr_code_places places;
    char input[PATH_MAX], site[PATH_MAX];
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    const char *named = settings.common.output ? settings.common.output : "site";
    if (strcmp(settings.common.input, "-") == 0 || strcmp(named, "-") == 0)
        return pr_wrong_usage(command, "publish takes a folder and makes a folder; `-` is neither");
    if (!trim(settings.common.input, input) || !trim(named, site) || !*site)
        return pr_wrong_usage(command, "the name of a folder is empty or too long");
    settings.common.input = input;
    how.theme = (enum pr_theme)settings.theme;
    settings.how = &how;
    status = pr_code_options_apply(command, &settings.code, &settings.common, &places, &how);
    if (status == PR_EXIT_DONE)
        status = check_commit_url(command, &settings);
    if (status == PR_EXIT_DONE)
        status = pr_publish_check_to(command, &settings);
    if (status == PR_EXIT_DONE)
        status = publish(&settings, site);
    pr_code_places_clear(&places);
    return status;
}

const struct pr_command pr_command_publish = {
    .name = "publish",
    .makes_folder = true,
    .arguments = "DIR",
    .summary = "a static site: all runs below a folder as cards, and their index",
    .about = "Makes a site of all that was recorded below a folder: a card for each run,\n"
             "capture, profile and digest, and an index with status, peak, duration and trend.\n"
             "The site needs no server: it can be opened from disk, kept as an artifact, or\n"
             "served by any web server. A second call makes only what is new or changed.\n",
    .details = "A run is a folder with `run.json` or `timeline.jsonl` in it, or any other file that is a capture, a\n"
               "profile or a digest. Other files are left out. Links are not followed, below DIR and in the site:\n"
               "each is named and left out. Without `-o` the site is the folder `site`.\n"
               "\n"
               "A card next to its capture (`train.html` next to `train.bin`) is made again from the capture.\n"
               "A card without one is copied if all of it that could run is of this version of the program: its\n"
               "policy, style and script to the byte, its markup of the elements that cards have. Cards of other\n"
               "versions are listed as unreadable, with the reason; publish their captures.\n"
               "\n"
               "What cannot be read is listed with the reason and stops nothing; with `--strict` the exit status is\n"
               "then 3, as it is when a link or a folder was left out. An input that takes longer than\n"
               "`--time-limit` is given up. What failed for a reason that may pass (no memory, no descriptors, no\n"
               "time, a killed reader) is tried again the next time. While a folder cannot be read, `--prune` removes\n"
               "nothing.\n"
               "\n"
               "The site's `runs.json` has the list for programs (schemas/runs.schema.json), and shows by size, time\n"
               "and beginning of each source what changed. It is checked when it is read: entries that are not about\n"
               "cards of this site are left out, and named. A file appears in the site whole or not at all, the index\n"
               "last. A second `profrender publish` into the same site waits for the first one.\n"
               "\n"
               "`--root`, `--path-map`, `--source-url` and `--redact-paths` make each card as `profrender card` makes\n"
               "it with them. Where cards show no folders, the index and `runs.json` have those below DIR only.\n"
               "\n"
               "The peak of a run is that of its heap, where allocations were traced, and that of its resident memory\n"
               "(RSS); a trend compares like with like and says which of them it is.\n"
               "\n"
               "Runs are compared by name: the `name` in run.json, or else its flow and step, the program that ran,\n"
               "or the name of the file. Steps of one `run` of a `flow` are drawn on one axis of time.\n"
               "\n"
               "The index says since which run a peak or a duration is higher, and where a level changed for good,\n"
               "with the commit of that run: the `commit` in run.json, which `record` takes from GITHUB_SHA,\n"
               "CI_COMMIT_SHA, GIT_COMMIT or BUILDKITE_COMMIT. `--commit-url` links it.\n"
               "\n"
               "`--to` sends the index, the list and the cards in it, and nothing else of the site, with the\n"
               "tool that you have for that store: `aws` or `s5cmd` for s3://, `gcloud` or `gsutil` for gs://, `az`\n"
               "for az://, `rclone` for its remotes. It finds keys, logins and servers as it always does\n"
               "(AWS_PROFILE, AWS_ENDPOINT_URL_S3, ...); this program opens no connection and reads no key. What is\n"
               "the same there is not sent again, as far as the tool can tell; nothing is deleted; the index goes\n"
               "last.\n",
    .examples = "  profrender publish runs/                    writes site/index.html\n"
                "  profrender publish runs/ --root . --source-url \\\n"
                "      'https://git.example.com/app/blob/main/{file}#L{line}'\n"
                "  profrender publish runs/ -o public/ --title 'Nightly runs' --jobs 4\n"
                "  profrender publish runs/ -o public/ --prune --commit-url \\\n"
                "      'https://git.example.com/app/commit/{commit}'\n"
                "  profrender publish runs/ --to s3://reports/nightly\n"
                "  profrender publish runs/ --to s3://reports --endpoint http://127.0.0.1:9000\n",
    .options = options,
    .run = run,
};
