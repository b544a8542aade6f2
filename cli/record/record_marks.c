/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/record/record_marks.h"

#include "capture/base/ascii.h"
#include "capture/redact/redact.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "profrender/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Not read as a file of the run: its name begins with a dot. */
#define FIFO ".marks"

/* ---- the FIFO --------------------------------------------------------------------------------------------------- */

static bool is_fifo(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* What a recorder that was killed has left; nothing else of that name is removed. */
static void remove_fifo(const struct pr_folder *folder)
{
    struct stat info;
    if (fstatat(folder->fd, FIFO, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(info.st_mode))
        unlinkat(folder->fd, FIFO, 0);
}

static bool tell_the_command(const struct pr_folder *folder)
{
    char path[PATH_MAX + sizeof FIFO + 1];
    char *whole = realpath(folder->path, NULL);
    const bool fits = whole && snprintf(path, sizeof path, "%s/%s", whole, FIFO) < (int)sizeof path;
    free(whole);
    return fits && setenv(PR_MARKS_VARIABLE, path, 1) == 0;
}

void pr_marks_open(struct pr_marks *marks, const struct pr_folder *folder)
{
    *marks = (struct pr_marks){.fd = -1};
    unsetenv(PR_MARKS_VARIABLE); /* that of a recording around this one */
    if (folder->fd < 0)
        return;
    remove_fifo(folder);
    if (mkfifoat(folder->fd, FIFO, 0600) != 0)
        return;
    /* With both ends open here, no writer waits, and none that goes ends the FIFO. */
    marks->fd = openat(folder->fd, FIFO, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (marks->fd < 0)
        remove_fifo(folder);
    else if (!is_fifo(marks->fd) || !tell_the_command(folder))
        pr_marks_close(marks, folder);
}

void pr_marks_close(struct pr_marks *marks, const struct pr_folder *folder)
{
    if (marks->fd < 0)
        return;
    close(marks->fd);
    marks->fd = -1;
    if (folder->fd >= 0)
        remove_fifo(folder);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* The number that a line begins with, and a blank: when the mark was made. 0: it has none, or one that cannot be. */
static int64_t take_moment(struct pr_text *line, int64_t start_ns, int64_t now_ns)
{
    int64_t moment_ns = 0;
    uint32_t digits = 0;
    for (; digits < line->length && digits < 18 && pr_is_digit(line->bytes[digits]); digits++)
        moment_ns = moment_ns * 10 + (line->bytes[digits] - '0');
    if (!digits || digits == line->length || line->bytes[digits] != ' ')
        return now_ns;
    *line = pr_text_from(*line, digits + 1);
    return moment_ns >= start_ns && moment_ns <= now_ns ? moment_ns : now_ns;
}

static void write_mark(struct pr_log *log, struct pr_text name, int64_t after_ns)
{
    struct pr_buf shown = {0};
    struct pr_json_writer json = pr_log_line(log);
    pr_redact(&shown, name);
    pr_json_put_open(&json, '{');
    pr_json_put_key(&json, "type");
    pr_json_put_text(&json, "mark");
    pr_json_put_key(&json, "ts");
    pr_json_put_fixed(&json, after_ns / PR_NS_PER_MS, 3);
    pr_json_put_key(&json, "mark");
    pr_json_put_name(&json, (struct pr_text){shown.bytes, shown.failed ? 0 : (uint32_t)shown.length});
    pr_json_put_close(&json, '}');
    pr_log_end_line(log);
    pr_buf_clear(&shown);
}

/* What a name may be: without controls, and not longer than a line on a page. */
static size_t clean(struct pr_text name, char text[PR_MARK_NAME_BYTES])
{
    size_t length = name.length < PR_MARK_NAME_BYTES ? name.length : PR_MARK_NAME_BYTES;
    while (length < name.length && length > 0 && ((unsigned char)name.bytes[length] & 0xC0) == 0x80)
        length--; /* no half letter */
    for (size_t i = 0; i < length; i++)
        text[i] = (unsigned char)name.bytes[i] < ' ' || name.bytes[i] == 0x7F ? ' ' : name.bytes[i];
    return length;
}

static void take_line(struct pr_marks *marks, struct pr_log *log, struct pr_text line, int64_t start_ns,
                      int64_t now_ns)
{
    char text[PR_MARK_NAME_BYTES];
    const int64_t at_ns = take_moment(&line, start_ns, now_ns);
    const size_t length = clean(line, text);
    const struct pr_text name = pr_text_trim((struct pr_text){text, (uint32_t)length});
    if (!name.length)
        return;
    if (marks->made == PR_MARKS_MAX) {
        marks->left_out++;
        return;
    }
    marks->made++;
    write_mark(log, name, at_ns - start_ns);
}

/* Of a line longer than there is room for, the beginning counts. */
static void take_bytes(struct pr_marks *marks, struct pr_log *log, struct pr_text bytes, int64_t start_ns,
                       int64_t now_ns)
{
    for (uint32_t i = 0; i < bytes.length; i++) {
        if (bytes.bytes[i] != '\n') {
            if (marks->half_length < sizeof marks->half)
                marks->half[marks->half_length++] = bytes.bytes[i];
            continue;
        }
        take_line(marks, log, (struct pr_text){marks->half, (uint32_t)marks->half_length}, start_ns, now_ns);
        marks->half_length = 0;
    }
}

void pr_marks_take(struct pr_marks *marks, struct pr_log *log, int64_t start_ns, int64_t now_ns)
{
    enum { MOST_PARTS = 64 }; /* whoever writes faster than that waits for the next sample */
    char bytes[4096];
    for (int part = 0; marks->fd >= 0 && part < MOST_PARTS; part++) {
        const ssize_t count = read(marks->fd, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        take_bytes(marks, log, (struct pr_text){bytes, (uint32_t)count}, start_ns, now_ns);
    }
}

/* ---- the command's side ----------------------------------------------------------------------------------------- */

/* The clock of the recorder, which goes on while the machine is suspended. */
static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * PR_NS_PER_S + now.tv_nsec;
}

size_t pr_mark_line(struct pr_text name, char line[PR_MARK_LINE_BYTES])
{
    char text[PR_MARK_NAME_BYTES];
    const size_t length = clean(name, text);
    const int most = snprintf(line, PR_MARK_LINE_BYTES, "%" PRId64 " %.*s\n", now_ns(), (int)length, text);
    return most > 0 && most < PR_MARK_LINE_BYTES ? (size_t)most : 0;
}

int pr_mark_send(struct pr_text name)
{
    char line[PR_MARK_LINE_BYTES];
    const char *path = getenv(PR_MARKS_VARIABLE);
    const size_t length = pr_mark_line(name, line);
    if (!path || !*path)
        return ENOENT;
    const int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENXIO ? ENOENT : errno; /* the recorder has gone */
    errno = 0;
    const bool sent = is_fifo(fd) && write(fd, line, length) == (ssize_t)length;
    const int error = sent ? 0 : errno ? errno : EINVAL;
    close(fd);
    return error;
}
