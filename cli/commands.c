/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: what it lists has a help, a manual page, completion in every shell, and the tests of those. */
#include "cli/args/command.h"

/* In the order of the help. */
const struct pr_command *const pr_commands[] = {
    &pr_command_card,
    &pr_command_table,
    &pr_command_tree,
    &pr_command_summary,
    &pr_command_explain,
    &pr_command_diff,
    &pr_command_grew,
    &pr_command_check,
    &pr_command_stats,
    &pr_command_info,
    &pr_command_export,
    &pr_command_digest,
    &pr_command_merge,
    &pr_command_record,
    &pr_command_mark,
    &pr_command_publish,
    &pr_command_frame,
    &pr_command_completion,
    NULL,
};
