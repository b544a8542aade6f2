/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --redact names, which every command has: the key, and what names of inputs become in an output.
 *
 *     if (!pr_redact_read_key(&settings.common, why))
 *         return pr_wrong_usage(command, "%s", why);
 *     pr_text_of(pr_redact_input(&settings.common, path, room));     // "night.bin", or "p_....bin"
 */
#ifndef PR_CLI_ARGS_REDACT_OPTION_H
#define PR_CLI_ARGS_REDACT_OPTION_H

#include "cli/args/command.h"
#include "profrender/arena.h"

enum { PR_REDACT_WHY = 600 };

/* Reads the key that COMMON asks for, if it does. False: there is none, or it is too short, as WHY says. */
bool pr_redact_read_key(struct pr_common *common, char why[PR_REDACT_WHY]);

enum { PR_REDACTED_INPUT = 64 };

/* PATH as an output may call it: unchanged, or the hash of its last part in ROOM. */
const char *pr_redact_input(const struct pr_common *common, const char *path, char room[PR_REDACTED_INPUT]);

/*
 * The same for COUNT paths: PATHS itself where nothing is hidden, else a list in ARENA, where a name for which there is
 * no memory is "-".
 */
const char *const *pr_redact_inputs(const struct pr_common *common, const char *const *paths, size_t count,
                                    struct pr_arena *arena);

#endif
