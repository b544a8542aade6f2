/* SPDX-License-Identifier: Apache-2.0 */
/* Names in commands that people copy. */
#ifndef PR_RENDER_WORDS_SHELL_WORD_H
#define PR_RENDER_WORDS_SHELL_WORD_H

#include "profrender/buf.h"

/* Appends NAME as one word of a shell. A name that looks like an option gets "./" before it. */
void pr_shell_word(const char *name, struct pr_buf *out);

#endif
