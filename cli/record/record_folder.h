/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a run and its files. Every file is opened beneath the descriptor of the folder, and none through a
 * link: what the command does to the folder while it runs cannot lead a write of ours anywhere else.
 *
 *     struct pr_folder folder = {.is_shared = false};
 *     if (!pr_folder_open(&folder, "run/", "python3")) ...   // why was said
 *     int fd = pr_folder_create(&folder, "timeline.jsonl");
 *     pr_folder_settle(&folder, started);                    // an earlier run goes, or comes back
 *     pr_folder_replace(&folder, "stderr.log", bytes, length);
 *     pr_folder_close(&folder);
 *
 * An earlier run in the folder is set aside when it is opened, and removed only when the new command has started. Files
 * that no recorder made are never touched: a folder that has one under a name of ours is refused.
 */
#ifndef PR_CLI_RECORD_RECORD_FOLDER_H
#define PR_CLI_RECORD_RECORD_FOLDER_H

#include "cli/io/unfinished.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pr_folder {
    char path[PATH_MAX]; /* without a slash at the end; "" = none */
    int fd;              /* -1: none */
    bool is_shared;      /* rights as the umask has them; else only the owner's */
    bool has_earlier;    /* a run that is set aside */
    bool has_their_log;  /* stderr.log is where this command's output goes already: it is not ours to write */
};

/* The names of all files that a recording may leave; ends with NULL. */
extern const char *const pr_folder_files[];

/*
 * Makes PATH, or with NULL a folder in the current one that is named after the time and COMMAND. False: there is no
 * folder; the reason was reported, and FOLDER is safe to use.
 */
bool pr_folder_open(struct pr_folder *folder, const char *path, const char *command);

/* The command has STARTED: an earlier run is removed. Else it is put back, and the folder is closed. */
void pr_folder_settle(struct pr_folder *folder, bool started);

/* PATH of a file, for other programs. False: there is no folder, or the path is too long. */
bool pr_folder_path(const struct pr_folder *folder, const char *file, char path[PATH_MAX]);

/* A new file to write, whatever had the name before; -1: failed, with the reason reported. The caller closes it. */
int pr_folder_create(const struct pr_folder *folder, const char *file);

/* Replaces NAME, link or file, with a whole file. False: there is no folder, or the reason was reported. */
bool pr_folder_replace(const struct pr_folder *folder, const char *file, const char *bytes, size_t length);

/*
 * The same in two steps: the caller writes to UNFINISHED->fd in between. False: there is no folder, or the reason was
 * reported. ERROR is the errno of what the caller could not do, or 0.
 */
bool pr_folder_begin(const struct pr_folder *folder, const char *file, struct pr_unfinished *unfinished);
bool pr_folder_end(const struct pr_folder *folder, const char *file, struct pr_unfinished *unfinished, int error);

/* A file from another program gets the rights that ours have. */
void pr_folder_restrict(const struct pr_folder *folder, const char *file);

void pr_folder_close(struct pr_folder *folder);

#endif
