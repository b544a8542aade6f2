/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender digest`: a profile, saved; `profrender merge`: many of them added up, and saved. */
#include "profrender/digest.h"
#include "cli/args/input.h"
#include "cli/args/options.h"
#include "cli/io/output.h"
#include "cli/args/output_name.h"
#include "cli/args/report_options.h"
#include "cli/io/say.h"
#include "cli/args/window_option.h"
#include "render/words/units.h"

#include <unistd.h>

struct settings {
    struct pr_common common;
    uint64_t temporary_threshold;
    const char *bins; /* as it was written */
    int native;       /* enum pr_native_use */
    bool skip_unreadable;
};

static const struct pr_option options[] = {{.name = "bins",
                                            .kind = PR_OPTION_TEXT,
                                            .offset = offsetof(struct settings, bins),
                                            .argument = "N",
                                            .help = "at most N time bins, or `samples`: one for each\n"
                                                    "memory sample; default: 512"},
                                           {.name = "native",
                                            .kind = PR_OPTION_CHOICE,
                                            .offset = offsetof(struct settings, native),
                                            .argument = "HOW",
                                            .choices = pr_native_words,
                                            .help = "native frames: auto (default; module+0xoffset where\n"
                                                    "a file is missing), off, or require"},
                                           PR_OPTION_TEMPORARY_THRESHOLD(
                                               offsetof(struct settings, temporary_threshold)),
                                           {.name = "skip-unreadable", .kind = PR_OPTION_FLAG,
                                            .offset = offsetof(struct settings, skip_unreadable),
                                            .help = "of several inputs, leave out and name those that\n"
                                                    "cannot be read; --strict still exits with 3"},
                                           PR_OPTION_JOBS,
    {.name = NULL}};

/* The closing line, for people only. */
static void tell(const struct pr_common *common, const struct pr_profile *profile, size_t length)
{
    if (common->quiet || pr_output_is_standard(common->output) || !isatty(STDERR_FILENO))
        return;
    pr_say_quietly("%s, %s: %s, %s", common->output, pr_units_bytes((int64_t)length).text,
                   pr_units_counted((int64_t)profile->tree.count - 1, "stacks").text,
                   pr_units_counted((int64_t)profile->origin.runs, "runs").text);
}

static int write_digest(const struct pr_common *common, const struct pr_profile *profile)
{
    struct pr_buf bytes = {0};
    struct pr_error err = {0};
    int status = PR_EXIT_INPUT;
    if (pr_digest_write(profile, &bytes, &err) == PR_FAILED)
        pr_say("%s: %s", pr_input_name(common), err.text);
    else
        status = pr_output_write(common->output, bytes.bytes, bytes.length);
    if (status == PR_EXIT_DONE)
        tell(common, profile, bytes.length);
    pr_buf_clear(&bytes);
    return status;
}

/* Checks what the option tables cannot, and reports what is wrong. */
static int check(const struct pr_command *command, const struct settings *settings, struct pr_load_options *how)
{
    *how = pr_load_options_default();
    how->native = (enum pr_native_use)settings->native;
    how->insist = settings->bins ? PR_INSIST_MAX_BINS : 0;
    if (!pr_input_set_threshold(how, settings->temporary_threshold))
        return pr_wrong_usage(command, "--temporary-threshold is too large");
    if (settings->bins && !pr_bins_parse(settings->bins, &how->max_bins))
        return pr_wrong_usage(command, "--bins takes a number of at least 1, or `samples`");
    return PR_EXIT_DONE;
}

/* Where the digest goes: a sum has no input to be named after. Returns 0 or an exit status. */
static int choose_output(const struct pr_command *command, struct pr_common *common, bool is_sum, char path[PATH_MAX])
{
    if (!is_sum)
        return pr_output_choose(command, common, "digest", ".prz", path);
    if (!common->output && isatty(STDOUT_FILENO))
        return pr_wrong_usage(command, "the sum needs a name: profrender %s ... -o all.prz", command->name);
    return PR_EXIT_DONE;
}

/* One input is saved as it is, unless it is to be MERGED. */
static int run(const struct pr_command *command, int argc, char **argv, bool merged)
{
    struct settings settings = {.temporary_threshold = PR_NOT_GIVEN};
    struct pr_common *common = &settings.common;
    struct pr_profile *profile = NULL;
    struct pr_load_options how;
    char path[PATH_MAX];
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    const bool is_sum = merged || common->input_count > 1;
    status = check(command, &settings, &how);
    if (status == PR_EXIT_DONE)
        status = choose_output(command, common, is_sum, path);
    if (status == PR_EXIT_DONE)
        status = pr_input_check_output(common);
    if (status == PR_EXIT_DONE)
        status = is_sum ? pr_input_sum(common, &how, settings.skip_unreadable, &profile)
                        : pr_input_load(common, &how, &profile);
    if (status == PR_EXIT_DONE) {
        pr_input_tell_unnamed(common, profile);
        status = pr_input_status(common, profile, write_digest(common, profile));
    }
    pr_profile_free(profile);
    return status;
}

static int run_digest(const struct pr_command *command, int argc, char **argv)
{
    return run(command, argc, argv, false);
}

static int run_merge(const struct pr_command *command, int argc, char **argv)
{
    return run(command, argc, argv, true);
}

const struct pr_command pr_command_digest = {
    .name = "digest",
    .several = true,
    .arguments = "INPUT...",
    .summary = "the profile of a capture, saved: small, complete, mergeable",
    .about = "Saves the profile of a capture. Every command takes the digest instead of the\n"
             "capture and gives the same answers; it is 7 to 100 times smaller and needs no\n"
             "debug information. It keeps the options that it was made with.\n"
             "Without -o it is named after the input, in the current folder. Of several\n"
             "inputs it saves the sum, as `profrender merge` does.\n",
    .details = "`runs/train.bin` gives `train.prz`. A digest holds the names of native frames and is what to keep "
               "as a\n"
               "baseline. It answers for as many bins as it was made with, or fewer, and for its own threshold; where\n"
               "another one is asked for, it is refused with exit status 3. Native frames can be left out later; "
               "names\n"
               "that were not found cannot be found later.\n",
    .examples = "  profrender digest capture.bin               writes capture.prz\n"
                "  profrender digest capture.bin --bins 2000 -o fine.prz\n"
                "  profrender table --leaks capture.prz        the same as of the capture\n",
    .options = options,
    .run = run_digest,
};

const struct pr_command pr_command_merge = {
    .name = "merge",
    .several = true,
    .arguments = "INPUT... -o FILE",
    .summary = "the sum of many digests or captures, as one digest",
    .about = "Adds up digests or captures of many runs or workers: the same stack is the same\n"
             "stack, bytes and counts add up. Order and grouping do not matter: the result is\n"
             "the same to the byte, so sums can be merged again. What cannot be added is left\n"
             "out: windows, history, the moment of the peak, and metrics that an input lacks.\n",
    .details = "The peak is then \"the sum of the peaks\"; the highest of them is kept next to it. As neither order "
               "nor\n"
               "grouping matters, any number of machines can add up at once.\n",
    .examples = "  profrender merge monday.prz tuesday.prz -o week.prz\n"
                "  profrender merge runs/*.prz -o all.prz && profrender card all.prz\n",
    .options = options,
    .run = run_merge,
};
