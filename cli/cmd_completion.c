/* SPDX-License-Identifier: Apache-2.0 */
/* `profrender completion`: the script with which a shell completes our commands, options and their values. */
#include "cli/completion.h"
#include "cli/args/options.h"

#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static void (*const writers[])(const struct pr_command *const *,
                               struct pr_output *) = {pr_completion_bash, pr_completion_zsh, pr_completion_fish};

static const struct pr_option options[] = {{.name = NULL}};

static int run(const struct pr_command *command, const struct pr_command *const *all, int argc, char **argv)
{
    struct pr_common common = {0};
    struct pr_output out;
    int status;
    if (!pr_options_parse(command, argc, argv, &common, &status))
        return status;
    size_t shell = 0;
    while (shells[shell] && strcmp(shells[shell], common.input) != 0)
        shell++;
    if (!shells[shell])
        return pr_wrong_usage(command, "there is no completion for '%s', only for bash, zsh and fish", common.input);
    status = pr_output_check(common.output, NULL);
    if (status == PR_EXIT_DONE)
        status = pr_output_open(&out, common.output);
    if (status != PR_EXIT_DONE)
        return status;
    writers[shell](all, &out);
    return pr_output_finish(&out);
}

const struct pr_command pr_command_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .words = shells,
    .summary = "completion of commands and options for bash, zsh or fish",
    .about = "Writes the script with which a shell completes commands, options and their\n"
             "values. SHELL is bash, zsh or fish. `make install` installs all three.\n",
    .examples = "  . <(profrender completion bash)             in ~/.bashrc\n"
                "  . <(profrender completion zsh)              in ~/.zshrc, after compinit\n"
                "  profrender completion fish | source         in ~/.config/fish/config.fish\n",
    .options = options,
    .run_with_all = run,
};
