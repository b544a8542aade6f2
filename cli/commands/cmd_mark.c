/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender mark`: names the phase of a recorded run that begins now. */
#include "capture/base/text.h"
#include "cli/args/options.h"
#include "cli/io/say.h"
#include "cli/record/record_marks.h"

#include <errno.h>
#include <string.h>

struct settings {
    struct pr_common common;
};

static const struct pr_option options[] = {
    {.name = "help", .letter = 'h', .kind = PR_OPTION_FLAG, .offset = offsetof(struct settings, common.help),
     .help = "show this help"},
    {.name = NULL}};

static int run(const struct pr_command *command, int argc, char **argv)
{
    struct settings settings = {0};
    int status;
    if (!pr_options_parse(command, argc, argv, &settings, &status))
        return status;
    const struct pr_text name = pr_text_of(settings.common.input);
    if (!pr_text_trim(name).length)
        return pr_wrong_usage(command, "the name of the mark is empty");
    const int error = pr_mark_send(name);
    if (error && error != ENOENT)
        pr_say("no mark: %s", strerror(error));
    return PR_EXIT_DONE; /* a step of a job does not fail for want of a mark */
}

const struct pr_command pr_command_mark = {
    .name = "mark",
    .takes_name = true,
    .arguments = "NAME",
    .summary = "name the phase of a recorded run that begins now",
    .about = "Called by a command that `profrender record` runs: from here to the next mark,\n"
             "or to the end, the run is in the phase NAME. Elsewhere it does nothing.\n",
    .details =
        "`info` has a table of the phases, with what each used; `--window phase:NAME` shows one; on the card they are "
        "bands over the timeline. A name may be anything; it is cut to 200 bytes, and secrets in it are hidden. A run "
        "has at most 500 marks. Python programs call `profrender.mark(\"NAME\")`; any program may write the name as a "
        "line to the FIFO that the variable PROFRENDER_MARKS names; `record --marks` finds them in the command's "
        "stderr. The exit status is 0, even if no mark could be made.\n",
    .examples = "  profrender record -- sh -c 'profrender mark load; ./load'\n",
    .options = options,
    .run = run,
};
