/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that ran, for a title: `.../memray/__main__.py run -q -o x.bin jobs/etl.py --day 3` is etl.py,
 * and so is `python3 -u jobs/etl.py`.
 *
 * The recorded line is sys.argv joined by spaces, so a path with spaces in it looks like two words.
 */
#ifndef PR_RENDER_WORDS_PROGRAM_NAME_H
#define PR_RENDER_WORDS_PROGRAM_NAME_H

#include "profrender/buf.h"
#include "profrender/profile.h"

/* Borrowed from COMMAND_LINE, or a constant; empty when the line names no program. */
struct pr_text pr_program_name(struct pr_text command_line);

/* Whether two runs of a difference, of PROFILE, ran programs of different NAMES. False: one of them is unknown, too. */
bool pr_programs_differ(const struct pr_profile *profile, pr_str command_line, pr_str other, struct pr_text names[2]);

/*
 * The same for a profile, also for one without a command line: the script whose top-level code is outermost, the one
 * process or command of a program of machine code, the one file that the user's code is in, or the script of a
 * traceback. Of a difference, that of its command line alone. Borrowed from PROFILE; empty: none, or several.
 */
struct pr_text pr_program_of(const struct pr_profile *profile);

/*
 * What a file of a profile is called after: its name without the endings that only say what is in it, "shelf" of
 * "heaps/shelf.heapsnapshot.zst". Borrowed from PATH.
 */
struct pr_text pr_subject_of_file(const char *path);

/*
 * What a title calls PROFILE: as its run was named, else its program, else after the file at PATH it is from; NULL and
 * "-": not known. Borrowed from both; empty: nothing is known.
 */
struct pr_text pr_subject_of(const struct pr_profile *profile, const char *path);

/* Appends MESSAGE to OUT without the folders of the absolute paths in it. */
void pr_leave_folders_out(struct pr_text message, struct pr_buf *out);

#endif
