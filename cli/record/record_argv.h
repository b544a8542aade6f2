/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a command line, without their secrets. */
#ifndef PR_CLI_RECORD_RECORD_ARGV_H
#define PR_CLI_RECORD_RECORD_ARGV_H

#include "profrender/buf.h"
#include "cli/io/json_writer.h"

/* Appends the words, a NUL after each. */
void pr_words_redact(struct pr_buf *out, const char *const *argv);

/* Writes them as an array; of a very long line the beginning, and how many words follow. */
void pr_words_write(struct pr_json_writer *json, const char *const *argv);

#endif
