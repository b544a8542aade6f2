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

static const char *const themes[] = {"auto", "light", "dark", NULL}; /* enum pr_theme */

static const struct pr_option options[] = {
    {.name = "title", .kind = PR_OPTION_TEXT, .offset = AT(title), .argument = "TEXT",
     .help = "title of the index; default: Runs"},
    {.name = "theme", .kind = PR_OPTION_CHOICE, .offset = AT(theme), .argument = "THEME", .choices = themes,
     .help = "auto (as the reader's system), light or dark"},
    PR_OPTIONS_CODE(AT(code)),
    {.name = "jobs", .letter = 'j', .kind = PR_OPTION_NUMBER, .offset = AT(jobs), .argument = "N",
     .help = "cards made at once; default: one for each processor,\n"
             "at most 8"},
    {.name = "prune", .kind = PR_OPTION_FLAG, .offset = AT(prune),
     .help = "forget runs whose source is gone, and remove their\n"
             "cards; without it they stay"},
    {.name = "to", .kind = PR_OPTION_TEXT, .offset = AT(to), .argument = "URL",
     .help = "then send the site there: s3://BUCKET/PREFIX; gs://,\n"
             "az://CONTAINER or REMOTE:PATH (rclone) by your tool"},
    {.name = "endpoint", .kind = PR_OPTION_TEXT, .offset = AT(endpoint), .argument = "URL",
     .help = "server for s3:// that is not AWS; default:\n"
             "AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL"},
    {.name = "region", .kind = PR_OPTION_TEXT, .offset = AT(region), .argument = "NAME",
     .help = "region for s3://; default: AWS_REGION, else\n"
             "AWS_DEFAULT_REGION, else that of AWS_PROFILE"},
    {.name = NULL}};

struct tally {
    size_t runs, made, unreadable, ignored;
};

/* Says what could not be read, and counts. */
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
    pr_say_quietly("%s/index.html: %s, %s made now, %s could not be read, %s left out", settings->site,
                   pr_units_counted((int64_t)tally->runs, "runs").text, pr_units_count((int64_t)tally->made).text,
                   pr_units_count((int64_t)tally->unreadable).text,
                   pr_units_counted((int64_t)tally->ignored, "other files").text);
}

static int publish(const struct pr_publish_settings *settings, struct pr_publish_items *items, json_t *known)
{
    bool *made = calloc(items->count + 1, sizeof *made);
    pr_publish_reuse(settings, items, known);
    for (size_t i = 0; made && i < items->count; i++)
        made[i] = !items->items[i].entry;
    int status = made ? pr_publish_make_all(settings, items, known) : PR_EXIT_OUTPUT;
    /* What was made is remembered also when the rest could not be. */
    const int written = pr_publish_write_site(settings, items, known);
    status = status == PR_EXIT_DONE ? written : status;
    if (status == PR_EXIT_DONE) {
        const struct tally tally = tell_problems(items, made);
        tell(settings, &tally);
        if (settings->to)
            status = pr_publish_send(settings, items, known);
        if (status == PR_EXIT_DONE && settings->common.strict && (tally.unreadable || items->closed))
            status = PR_EXIT_INPUT;
    }
    free(made);
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

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct pr_publish_settings settings = {.title = NULL};
    struct pr_publish_items items = {0};
    struct pr_card_options how = pr_card_options_default();
    struct pr_code_places places;
    json_t *known = NULL;
    char input[PATH_MAX];
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    const char *site = settings.common.output ? settings.common.output : "site";
    if (strcmp(settings.common.input, "-") == 0 || strcmp(site, "-") == 0)
        return pr_wrong_usage(command, "publish takes a folder and makes a folder; `-` is none");
    if (!trim(settings.common.input, input) || !trim(site, settings.site) || !*site)
        return pr_wrong_usage(command, "the name of a folder is empty or too long");
    settings.common.input = input;
    how.theme = (enum pr_theme)settings.theme;
    settings.how = &how;
    status = pr_code_options_apply(command, &settings.code, &places, &how);
    if (status == PR_EXIT_DONE)
        status = pr_publish_check_to(command, &settings);
    if (status == PR_EXIT_DONE)
        status = pr_publish_find(&settings, &items);
    if (status == PR_EXIT_DONE)
        status = pr_publish_open_site(&settings, &known);
    if (status == PR_EXIT_DONE)
        status = publish(&settings, &items, known);
    json_decref(known);
    pr_publish_items_clear(&items);
    return status;
}

const struct pr_command pr_command_publish = {
    .name = "publish",
    .makes_folder = true,
    .arguments = "DIR",
    .summary = "a static site: all runs below a folder as cards, and their index",
    .about = "Makes a site of all that was recorded below a folder: a card for each run,\n"
             "capture, profile and digest, and an index with status, peak, duration and trend.\n"
             "The site needs no server: it can be opened from disk, kept as an artifact, put\n"
             "behind any web server. A second call makes what is new or changed.\n",
    .details = "A run is a folder with `run.json` or `timeline.jsonl` in it, or any other file that is a capture, a\n"
               "profile or a digest. A card that lies beside its capture and is newer (`train.html` beside\n"
               "`train.bin`) is taken as it is, other cards too. Other files are left out. Without `-o` the site is\n"
               "the folder `site`.\n"
               "\n"
               "What cannot be read is listed with the reason and stops nothing; with `--strict` the exit status is\n"
               "then 3. The site's `runs.json` has the list for programs (schemas/runs.schema.json), and says by\n"
               "size, time and beginning of each source what changed. A file appears in the site whole or not at\n"
               "all, the index last.\n"
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
               "`--to s3://BUCKET/PREFIX` sends the site by libcurl with the keys in AWS_ACCESS_KEY_ID,\n"
               "AWS_SECRET_ACCESS_KEY and, if they are temporary, AWS_SESSION_TOKEN, else with those of the profile\n"
               "AWS_PROFILE (`default`) in ~/.aws/credentials or ~/.aws/config, which may tell region and endpoint\n"
               "too. Of a login, a role or a process, `aws configure export-credentials --format env` prints them.\n"
               "What the store has already, by its SHA-256, is not sent again; nothing is deleted; the index goes\n"
               "last. Other addresses are left to the tool that one has for them: `gcloud` or `gsutil`, `az`,\n"
               "`rclone`.\n",
    .examples = "  profrender publish runs/                    writes site/index.html\n"
                "  profrender publish runs/ --root . --source-url \\\n"
                "      'https://git.example.com/app/blob/main/{file}#L{line}'\n"
                "  profrender publish runs/ -o public/ --title 'Nightly runs' --jobs 4\n"
                "  profrender publish runs/ -o public/ --prune\n"
                "  profrender publish runs/ --to s3://reports/nightly\n"
                "  profrender publish runs/ --to s3://reports --endpoint http://127.0.0.1:9000\n",
    .options = options,
    .run = run,
};
