/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memray for a command: it runs inside the interpreter, so the command line becomes one that starts it.
 *
 *     python3 -u train.py --epochs 3    becomes    python3 -u -m memray run -q -f -o run/memray.bin train.py --epochs 3
 */
#ifndef PR_CLI_RECORD_RECORD_MEMRAY_H
#define PR_CLI_RECORD_RECORD_MEMRAY_H

#include "profrender/error.h"

#include <limits.h>

/* The command line that is run instead of the given one. */
struct pr_memray_line {
    const char **argv;  /* owned; ends with NULL */
    char texts[8192];   /* words that are in neither line */
    char why_not[256];  /* why there is no line: a sentence without its beginning */
};

/*
 * Makes LINE, with which ARGV records into PATH. False: ARGV runs no Python, its Python has no memray, or it runs a
 * profiler that needs the same hook of the interpreter; `why_not` says so.
 */
bool pr_memray_line_make(struct pr_memray_line *line, const char *const *argv, const char *path);
void pr_memray_line_clear(struct pr_memray_line *line);

#endif
