/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of Python code: their parts, and what the trees of an installed Python look like when its location is unknown.
 */
#ifndef PR_CAPTURE_MODEL_CODE_PATH_H
#define PR_CAPTURE_MODEL_CODE_PATH_H

#include "profrender/string_table.h"

/*
 * The next part of PATH from offset *AT, which moves past it; false at the end. Of "/a//./b.py": "/", "a", "b.py". PART
 * is borrowed from PATH, and not followed by a NUL.
 */
bool pr_path_part(struct pr_text path, uint32_t *at, struct pr_text *part);

/* The last part; empty for an empty path and for the root directory. */
struct pr_text pr_path_last(struct pr_text path);

/* Whether PATH is DIRECTORY or lies below it. Both taken literally: "a/../b" is not "b". */
bool pr_path_below(struct pr_text path, struct pr_text directory);

/* What follows FOLDER in PATH; empty if it is not below FOLDER, or FOLDER is NULL or empty. */
struct pr_text pr_path_past(struct pr_text path, const char *folder);

/* "<frozen importlib._bootstrap>": code of the standard library that is built into the interpreter. */
bool pr_path_is_frozen(struct pr_text path);

/* Offset of what follows the first part called site-packages or dist-packages; 0 = no such part, or nothing follows. */
uint32_t pr_path_in_packages(struct pr_text path);

/*
 * Offset of what follows .../lib/pythonX.Y, or PyPy's; 0 = no such part, or nothing follows. Libraries installed there
 * are below it too: ask for them first.
 */
uint32_t pr_path_in_stdlib(struct pr_text path);

/* Whether PART is the name of a folder of a Python: "python3.12", "pypy3.10", with flags appended "python3.13t". */
bool pr_part_is_python(struct pr_text part);

#endif
