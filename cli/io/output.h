/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a report goes: standard output, or a file that appears whole or not at all.
 *
 *     struct pr_output out;
 *     int status = pr_output_open(&out, path);            // NULL and "-": standard output
 *     if (status) return status;
 *     pr_output_text(&out, "...");                        // errors wait for the end
 *     return pr_output_finish(&out);                      // 0, or 4 with the reason said
 *
 * An unfinished file (cli/io/unfinished.h) vanishes on any error and however the program ends, and what had the name
 * before stays. One left by a kill is removed by the next output into that folder. Devices and pipes are written
 * directly.
 */
#ifndef PR_CLI_IO_OUTPUT_H
#define PR_CLI_IO_OUTPUT_H

#include "cli/io/unfinished.h"
#include "profrender/buf.h"

#include <limits.h>

struct pr_output {
    const char *name;         /* as the user gave it; for messages */
    int fd;
    int error;                /* errno of the first failure; later writes do nothing */
    bool is_stdout;
    bool reader_left;         /* the other end of the pipe was closed: no more is wanted, and that is fine */
    int folder_fd;            /* of the target */
    struct pr_unfinished file;
    char target[NAME_MAX + 1]; /* its last part; "" = written directly */
    uint64_t written_bytes;
    size_t used;
    char buffer[65536];
};

/* Whether an output of that name is standard output: "-", or NULL. */
bool pr_output_is_standard(const char *path);

/*
 * Reports why PATH cannot be written (a folder, a missing one, a link to nothing, the input itself or a file of the run
 * that it is), before work is done for it. INPUT may be NULL. Returns 0, PR_EXIT_USAGE or PR_EXIT_OUTPUT.
 */
int pr_output_check(const char *path, const char *input);

/* Returns 0, or PR_EXIT_OUTPUT with the reason reported: there is then nothing to finish or cancel. */
int pr_output_open(struct pr_output *out, const char *path);

/* The same, but appended to the file: written directly, once it is whole or too large. */
int pr_output_open_append(struct pr_output *out, const char *path);

void pr_output_add(struct pr_output *out, const void *bytes, size_t length);
void pr_output_text(struct pr_output *out, const char *text);
void pr_output_byte(struct pr_output *out, char byte);
void pr_output_printf(struct pr_output *out, const char *format, ...) PR_PRINTF(2, 3); /* up to 255 bytes */

/* Writes a finished buffer, once, and empties BUF; if there was no memory for it, the output has failed. */
void pr_output_buf(struct pr_output *out, struct pr_buf *buf);

/* What is written depends on BUF, by a width or otherwise: if there was no memory for it, the output has failed. */
void pr_output_needs(struct pr_output *out, const struct pr_buf *buf);

/* Returns 0, or PR_EXIT_OUTPUT with the reason reported. */
int pr_output_finish(struct pr_output *out);

/* Ends without a file. */
void pr_output_cancel(struct pr_output *out);

/* All of it in one call: PATH with BYTES in it. Returns 0, or PR_EXIT_OUTPUT with the reason reported. */
int pr_output_write(const char *path, const void *bytes, size_t length);

/*
 * For a file that is read while it grows: FD, which the caller has opened and closes, is written directly. A flush
 * writes what has been added since the last one; it returns 0 or the errno of what failed, and forgets it.
 */
void pr_output_attach(struct pr_output *out, const char *name, int fd);
int pr_output_flush(struct pr_output *out);

#endif
