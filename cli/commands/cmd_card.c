/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender card`: the page. */
#include "capture/base/beneath.h"
#include "cli/args/code_options.h"
#include "cli/args/input.h"
#include "cli/io/local_file.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/output_name.h"
#include "cli/args/redact_option.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/io/terminal.h"
#include "render/card.h"
#include "render/words/units.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct settings {
    struct pr_common common;
    const char *title;
    int theme;  /* enum pr_theme */
    int native; /* enum pr_native_use */
    const char *notes, *tag_root;
    struct pr_code_options code;
    bool source, verbose, fragment, split, lite, no_commands;
    uint64_t max_nodes, max_size, bins; /* as in the options; the default where not given */
};

static const struct pr_option options[] = {
    {.name = "title", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, title), .argument = "TEXT",
     .help = "title of the page; default: the program that ran"},
    PR_OPTION_THEME(offsetof(struct settings, theme)),
    PR_OPTIONS_CODE(offsetof(struct settings, code)),
    {.name = "source", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, source),
     .help = "put your code below --root into the page, as it is\n"
             "here now; at most 2 MiB of it"},
    {.name = "verbose", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, verbose),
     .help = "name the files whose text goes into the page"},
    {.name = "notes", .kind = PR_OPTION_TEXT, .offset = offsetof(struct settings, notes), .argument = "FILE",
     .help = "notes about the run, in Markdown, instead of its\n"
             "notes.md"},
    {.name = "fragment", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, fragment),
     .help = "a part to put into another page: no html, head and\n"
             "body; neither changes the other"},
    {.name = "split", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, split),
     .help = "put style and script into files next to the page,\n"
             "which all pages of a folder share"},
    {.name = "lite", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, lite),
     .help = "at most 20 kB, for a comment or a mail: figures,\n"
             "findings and the first levels of the call tree, no\n"
             "script"},
    {.name = "no-commands", .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, no_commands),
     .help = "leave out the commands for a terminal, as where the\n"
             "input is deleted once the page is made"},
    {.name = "max-nodes", .kind = PR_OPTION_NUMBER, .offset = offsetof(struct settings, max_nodes), .argument = "N",
     .help = "at most N frames in the page; smaller ones are\n"
             "folded, so that totals stay exact; default: 200000"},
    {.name = "max-size", .kind = PR_OPTION_SIZE, .offset = offsetof(struct settings, max_size), .argument = "SIZE",
     .help = "keep the page to SIZE: time bins are merged until it\n"
             "fits; default: 10MB"},
    {.name = "bins", .kind = PR_OPTION_NUMBER, .offset = offsetof(struct settings, bins), .argument = "N",
     .help = "at most N time bins; default: 512, fewer where they\n"
             "would need much memory"},
    {.name = "native", .kind = PR_OPTION_CHOICE, .offset = offsetof(struct settings, native), .argument = "HOW",
     .choices = pr_native_words, .help = "native frames: auto (default; module+0xoffset where\n"
                                         "a library is missing here), off, or require: fail then"},
    PR_OPTION_TAG_ROOT(offsetof(struct settings, tag_root)),
    PR_OPTION_JOBS,
    {.name = NULL}};

/* The closing line, for people only: what was written, and the numbers one looks for first. */
static void tell(const struct pr_common *common, const struct pr_profile *profile, size_t length)
{
    if (common->quiet || pr_output_is_standard(common->output) || !isatty(STDERR_FILENO))
        return;
    char figures[160] = "";
    size_t used = 0;
    int leaked = pr_profile_metric(profile, "leaked");
    if (pr_profile_metric(profile, "peak") >= 0)
        used += (size_t)snprintf(figures, sizeof figures, ": peak %s", pr_units_bytes(profile->peak_bytes).text);
    if (leaked >= 0)
        used += (size_t)snprintf(figures + used, sizeof figures - used, ", %s not freed",
                                 pr_units_bytes(profile->metrics[leaked].total_value).text);
    if (profile->stats.known)
        snprintf(figures + used, sizeof figures - used, ", %s",
                 pr_units_counted((int64_t)profile->stats.allocation_count, "allocations").text);
    pr_say_quietly("%s, %s%s", common->output, pr_units_bytes((int64_t)length).text, figures);
}

/* Where --source reads, and what it read. */
struct sources {
    int root; /* -1: nowhere */
    bool verbose;
    unsigned count;
};

static bool read_source(void *context, const char *path, size_t most_bytes, struct pr_buf *text)
{
    struct sources *sources = context;
    const size_t before = text->length;
    const int fd = pr_open_beneath(sources->root, path);
    if (fd < 0)
        return false;
    const bool done = pr_local_file_read_fd(fd, most_bytes, text);
    close(fd);
    if (!done)
        return false;
    sources->count++;
    if (sources->verbose)
        pr_say("the text of %s goes into the page (%s)", path, pr_units_bytes((int64_t)(text->length - before)).text);
    return true;
}

/* Source files are read below the root, and a capture names them: without a root they could be anywhere. */
static int open_sources(const struct pr_command *command, const struct settings *settings, struct sources *sources,
                        struct pr_card_options *how)
{
    *sources = (struct sources){.root = -1, .verbose = settings->verbose};
    if (!settings->source)
        return PR_EXIT_DONE;
    if (!how->root)
        return pr_wrong_usage(command, "--source needs --root DIR: a capture names the files, and only those below DIR "
                                       "go into the page");
    sources->root = pr_beneath_open_folder(how->root);
    if (sources->root < 0)
        return pr_wrong_usage(command, "--source reads files below --root, and %s cannot be opened: %s", how->root,
                              strerror(errno));
    how->read_source = read_source;
    how->read_context = sources;
    return PR_EXIT_DONE;
}

static void close_sources(const struct sources *sources, bool written)
{
    if (sources->root < 0)
        return;
    close(sources->root);
    if (written && !sources->count)
        pr_say("--source: no file of your code that the input names is below --root");
}

/* Writes ASSET into the folder of PAGE. */
static int write_beside(const char *page, const struct pr_asset *asset)
{
    char path[PATH_MAX];
    const char *slash = strrchr(page, '/');
    const int folder = slash ? (int)(slash + 1 - page) : 0;
    const int length = snprintf(path, sizeof path, "%.*s%s", folder, page, asset->name);
    if (length < 0 || (size_t)length >= sizeof path) {
        pr_say("%s: the name is too long", page);
        return PR_EXIT_OUTPUT;
    }
    return pr_output_write(path, asset->bytes, asset->size);
}

/* The files next to the page come first: anyone who sees the page finds them. */
static int write_page(const struct settings *settings, const struct pr_buf *page)
{
    struct pr_asset assets[2];
    int status = PR_EXIT_DONE;
    pr_card_assets(assets);
    for (size_t i = 0; settings->split && i < 2 && status == PR_EXIT_DONE; i++)
        status = write_beside(settings->common.output, &assets[i]);
    return status == PR_EXIT_DONE ? pr_output_write(settings->common.output, page->bytes, page->length) : status;
}

static int write_card(const struct settings *settings, const struct pr_card_options *places,
                      const struct pr_profile *profile)
{
    const struct pr_common *common = &settings->common;
    struct pr_card_options how = *places;
    how.title = settings->title;
    struct pr_arena names = {0};
    how.sources = pr_redact_inputs(common, common->inputs, common->input_count, &names);
    how.source = strcmp(common->input, "-") == 0 && common->input_count == 1 ? pr_input_name(common) : how.sources[0];
    how.source_count = (uint32_t)common->input_count;
    how.theme = (enum pr_theme)settings->theme;
    how.fragment = settings->fragment;
    how.split = settings->split;
    how.no_commands = settings->no_commands;
    how.threads = pr_input_threads(common);
    how.max_nodes = settings->max_nodes < UINT32_MAX ? (uint32_t)settings->max_nodes : UINT32_MAX;
    how.max_size_bytes = settings->max_size < SIZE_MAX ? (size_t)settings->max_size : SIZE_MAX;
    struct pr_buf page = {0};
    struct pr_error err = {0};
    int status = PR_EXIT_INPUT;
    if ((settings->lite ? pr_render_lite : pr_render_card)(profile, &how, &page, &err) == PR_FAILED) {
        pr_say("%s: %s", pr_input_name(common), err.text);
    } else {
        status = write_page(settings, &page);
    }
    if (status == PR_EXIT_DONE && page.length > how.max_size_bytes)
        pr_say("the page is %s: it cannot be smaller with all its frames; --split or a lower --max-nodes helps",
               pr_units_bytes((int64_t)page.length).text);
    if (status == PR_EXIT_DONE)
        tell(common, profile, page.length);
    pr_buf_clear(&page);
    pr_arena_clear(&names);
    return status;
}

static int run(const struct pr_command *command, int argc, char **argv)
{
    const struct pr_card_options defaults = pr_card_options_default();
    struct settings settings = {
        .max_nodes = defaults.max_nodes, .max_size = defaults.max_size_bytes, .bins = PR_BINS_AUTO};
    struct pr_load_options load = pr_load_options_default();
    struct pr_card_options how = defaults;
    struct pr_code_places places = {.arena = {0}};
    struct sources sources = {.root = -1};
    struct pr_profile *profile = NULL;
    char path[PATH_MAX];
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    if (!settings.bins || settings.bins > PR_BINS_AUTO)
        return pr_wrong_usage(command, "--bins takes a number of at least 1");
    if (!settings.max_nodes)
        return pr_wrong_usage(command, "--max-nodes takes a number of at least 1");
    if (settings.lite && (settings.fragment || settings.split || settings.source || settings.notes))
        return pr_wrong_usage(command, "--lite is a page by itself: without --fragment, --split, --source and --notes");
    load.native = (enum pr_native_use)settings.native;
    load.tag_root = settings.tag_root;
    load.max_bins = (uint32_t)settings.bins;
    load.insist = settings.bins == PR_BINS_AUTO ? 0 : PR_INSIST_MAX_BINS;
    status = pr_code_options_apply(command, &settings.code, &settings.common, &places, &how);
    if (status == PR_EXIT_DONE && settings.common.redact == PR_REDACT_NAMES && (settings.notes || settings.source))
        status = pr_wrong_usage(command, "%s would show what --redact names hides",
                                settings.notes ? "--notes" : "--source");
    if (status == PR_EXIT_DONE)
        status = open_sources(command, &settings, &sources, &how);
    if (status == PR_EXIT_DONE)
        status = pr_output_choose(command, &settings.common, "page", ".html", path);
    if (status == PR_EXIT_DONE && settings.split && pr_output_is_standard(settings.common.output))
        status = pr_wrong_usage(command, "--split needs a file for the page: name one with -o");
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(&settings.common);
    if (status == PR_EXIT_DONE)
        status = pr_input_load(&settings.common, &load, &profile);
    if (status == PR_EXIT_DONE && settings.notes)
        status = pr_input_add_notes(&settings.common, settings.notes, &profile);
    if (status == PR_EXIT_DONE) {
        pr_input_tell_unnamed(&settings.common, profile);
        status = pr_input_status(&settings.common, profile, write_card(&settings, &how, profile));
    }
    close_sources(&sources, status == PR_EXIT_DONE);
    pr_code_places_clear(&places);
    pr_profile_free(profile);
    return status;
}

const struct pr_command pr_command_card = {
    .name = "card",
    .several = true,
    .arguments = "INPUT...",
    .summary = "the card: one HTML file with everything in it",
    .about = "Makes the card of a capture: one HTML file that needs no network, to open, keep\n"
             "and send. Without -o it is named after the input, in the current folder.\n",
    .details =
        "`runs/train.bin.zst` gives `train.html`.\n"
        "\n"
        "Totals are exact however small the page is: frames beyond `--max-nodes` become \"n smaller frames\" "
        "below\n"
        "their caller, and time bins are merged two by two until the page keeps to `--max-size`. In sizes,\n"
        "kB, MB and GB count in thousands, KiB, MiB and GiB in 1,024s. The page says how many bins it has.\n"
        "\n"
        "Secrets in the command line that the page shows (values of options and variables called password,\n"
        "token, key and the like, passwords in addresses) are always left out. Folders are personal too:\n"
        "`--redact-paths` leaves out what is above `--root` and above an installed Python, everywhere in the\n"
        "page. `--source` puts files into it that frames of your code name. A capture can name any file, so it\n"
        "needs `--root`, and reads only regular files of code below that folder: no link is followed, nothing\n"
        "hidden (`.env`, `.git`) is read, and no `..` leads out. The foot of the page names them, `--verbose` does\n"
        "on standard error; check what you send.\n"
        "\n"
        "`--redact names`, which every command that reads inputs has, replaces names before anything is made\n"
        "of an input: functions and files of your code, and native code that is not known to be a library's,\n"
        "become hashes such as f_q3k7x2mzt4ab. Threads, flows, exceptions of your own and names of inputs do\n"
        "too. Left out is all text in which names could be: the command, messages of exceptions, tracebacks\n"
        "as written, stderr, notes. Names of libraries and of the interpreter stay, and so do figures, times,\n"
        "line numbers and the shape of the tree: anyone who has the program can recognise it by these. The hashes\n"
        "are HMAC-SHA-256 under the key in `--redact-key` FILE, or in the environment variable\n"
        "PROFRENDER_REDACT_KEY: without it nobody can guess names, so keep it and do not send it along. With\n"
        "one key the same names become the same hashes: digests, differences and baselines made with it\n"
        "match, also from several machines, and doing it again changes nothing. Budgets and other patterns\n"
        "are compared with the hashes. `--title` is shown as given.\n"
        "\n"
        "A `--fragment` goes into a page unchanged; a page may have several, and they may be hidden at first.\n"
        "Its styles and names are in a shadow root; address, title and keys remain those of the page around it,\n"
        "except keys pressed while it has the focus. A page that inserts it by script must run its script element\n"
        "again, after the card.\n",
    .examples = "  profrender card capture.bin                 writes capture.html\n"
                "  profrender card capture.bin -o out/card.html\n"
                "  profrender card capture.bin cpu.pstats     memory and time on one card\n"
                "  profrender card run/ -o run.html           a recorded run: all of its files\n"
                "  profrender card capture.bin --title 'Nightly import, 12 March'\n"
                "  profrender card capture.bin --root . --source-url \\\n"
                "      'https://git.example.com/app/blob/main/{file}#L{line}'\n"
                "  zstd -dc run.bin.zst | profrender card - -o card.html\n",
    .options = options,
    .run = run,
};
