/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files whose names strangers chose: opened beneath a folder, with no way out of it.
 *
 *     int folder = pr_beneath_open_folder(root);                   // what the user named: links are followed
 *     int fd = pr_open_beneath(folder, "pkg/module.py");   // what a capture names: they are not
 *     if (fd < 0) complain(pr_beneath_why(errno));
 *
 * No link is followed beneath the folder, not even to its end, and only regular files are opened: a link may lead
 * anywhere, a pipe never ends, and merely opening a device may do something. ".." is taken out of a name before it is
 * looked up ("tests/../src/x.py" is "src/x.py"); a name that would leave the folder is refused.
 *
 * Source: openat2(2), RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS (Linux 5.6). Where the kernel or a
 *         container has no openat2, one openat(O_NOFOLLOW) for each part of the name does the same.
 */
#ifndef PR_CAPTURE_BASE_BENEATH_H
#define PR_CAPTURE_BASE_BENEATH_H

#include <limits.h>
#include <stdbool.h>

/* An open folder, to close(); -1 with errno. */
int pr_beneath_open_folder(const char *path);

/*
 * PATH without empty parts, "." and "..", in CLEAN. False with errno: EXDEV: it is absolute or leads out; ENOENT:
 * nothing is left of it; ENAMETOOLONG.
 */
bool pr_clean_beneath(const char *path, char clean[PATH_MAX]);

/*
 * The regular file PATH beneath FOLDER, opened for reading; the caller closes it.
 *
 * Errors: -1 with errno: as pr_clean_beneath; ELOOP: there is a link in PATH; ENXIO: it is not a regular file; those of
 *         open(2).
 */
int pr_open_beneath(int folder, const char *path);

/*
 * The folder PATH beneath FOLDER, opened for reading with a position of its own; the caller closes it. "" and "." are
 * FOLDER itself. Errors: as pr_open_beneath; ENOTDIR: it is not a folder.
 */
int pr_open_folder_beneath(int folder, const char *path);

/* What ERROR of pr_open_beneath means, for people: "it is a link". */
const char *pr_beneath_why(int error);

#endif
