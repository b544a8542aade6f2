/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of this machine, read whole. */
#ifndef PR_LOCAL_FILE_H
#define PR_LOCAL_FILE_H

#include "capture/base/buf.h"

/*
 * Appends the regular file at PATH to TEXT. False, with nothing appended: it cannot be read, or has more than
 * MOST_BYTES.
 */
bool pr_local_file_read(const char *path, size_t most_bytes, struct pr_buf *text);

#endif
