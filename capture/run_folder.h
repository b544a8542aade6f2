/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run on disk: a folder, or its tar archive, packed or not, of ordinary files.
 *
 *     run/capture.bin  cpu.speedscope.json  timeline.jsonl  run.json  stderr.log  notes.md
 *
 * Files are recognised by their content, like any input; only notes (*.md) and a standard error without a traceback
 * (stderr.log) have nothing in them that shows what they are. What is in no known format is left out, which is
 * reported.
 *
 * A run's files are regular files of the folder itself. A link could put any file of this machine into a card, and a
 * pipe never ends: links, pipes and devices are left out, which is reported; subfolders are not searched.
 */
#ifndef PR_CAPTURE_RUN_FOLDER_H
#define PR_CAPTURE_RUN_FOLDER_H

#include "profrender/load.h"
#include "capture/input/source.h"

/* Whether PATH is a folder. */
bool pr_run_is_folder(const char *path);

/*
 * Loads the files of a folder, or of the archive that SRC begins with, as one profile. OPTIONS are those of each file,
 * BUDGET is that of all.
 *
 * Errors: as pr_load. A folder in which nothing shows that it is a run (run.json, timeline.jsonl, stderr.log, notes.md)
 *         is refused: it may be one of many captures that have nothing to do with one another. PR_ERR_LIMIT: more than
 *         4,096 files; a part of a run could lack the one that says how it ended.
 */
enum pr_status pr_run_load_folder(const char *path, const struct pr_load_options *options,
                                  struct pr_unpack_budget *budget, struct pr_profile **profile, struct pr_error *err);
enum pr_status pr_run_load_opened_folder(int folder, const struct pr_load_options *options,
                                         struct pr_unpack_budget *budget, struct pr_profile **profile,
                                         struct pr_error *err); /* FOLDER stays open */
enum pr_status pr_run_load_archive(struct pr_source *src, const struct pr_load_options *options,
                                   struct pr_profile **profile, struct pr_error *err);

/* pr_load of SRC, which it takes over and closes: an archive is a run, anything else is one file. */
enum pr_status pr_load_opened(const char *name, struct pr_source *src, const struct pr_load_options *options,
                              struct pr_profile **profile, struct pr_error *err);

#endif
