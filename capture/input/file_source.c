/* SPDX-License-Identifier: Apache-2.0 */
/* The bottom of a stack of sources: bytes of a file, a pipe or a device, by read(2). */
#include "capture/input/layer.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

struct file_source {
    struct pr_layer layer;
    int fd;
    bool owns_fd;
};

/* Reads are as large as the room in the window, between these: large enough that the system call costs nothing. */
enum { READ_MIN_BYTES = 128 * 1024, READ_MAX_BYTES = 1024 * 1024 };

/* read(2) that outlives signals and waits where another owner of the pipe has made it non-blocking. */
static ssize_t read_some(int fd, uint8_t *out, size_t room)
{
    for (;;) {
        const ssize_t got = read(fd, out, room);
        if (got >= 0)
            return got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            if (poll(&ready, 1, -1) < 0 && errno != EINTR)
                return -1;
        } else if (errno != EINTR) {
            return -1;
        }
    }
}

static void file_step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    const struct file_source *file = (const struct file_source *)layer;
    const ssize_t got = read_some(file->fd, out, room < READ_MAX_BYTES ? room : READ_MAX_BYTES);
    const uint64_t offset = layer->source.end_offset;
    if (got > 0) {
        pr_layer_add(layer, (size_t)got);
        if (layer->source.budget)
            layer->source.budget->read_bytes += (uint64_t)got;
    } else if (got < 0) {
        const int why = errno;
        pr_cut(pr_layer_stop(layer), PR_ERR_IO, offset, NULL, "reading failed after %" PRIu64 " bytes: %s", offset,
               strerror(why));
    } else if (offset < layer->size_bytes) {
        pr_cut(pr_layer_stop(layer), PR_ERR_TRUNCATED, offset, NULL,
               "the file shrank while it was read: it had %" PRIu64 " bytes and ended after %" PRIu64,
               layer->size_bytes, offset);
    } else {
        pr_layer_stop(layer);
    }
}

/* The place in the file is that of the window's end: standard input may have been handed over in its middle. */
static bool file_peek(const struct pr_source *src, uint64_t offset, uint8_t *out, size_t size)
{
    const struct file_source *file = src->state;
    const off_t at = file->layer.size_bytes ? lseek(file->fd, 0, SEEK_CUR) : -1;
    if (at < 0 || (uint64_t)at < src->end_offset || offset > (uint64_t)INT64_MAX - (uint64_t)at)
        return false;
    for (size_t done = 0; done < size;) {
        const off_t from = (off_t)((uint64_t)at - src->end_offset + offset + done);
        const ssize_t got = pread(file->fd, out + done, size - done, from);
        if (got <= 0 && (got == 0 || errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool file_rewind(struct pr_source *src)
{
    struct file_source *file = src->state;
    const off_t at = file->layer.size_bytes ? lseek(file->fd, 0, SEEK_CUR) : -1;
    if (at < 0 || (uint64_t)at < src->end_offset || lseek(file->fd, at - (off_t)src->end_offset, SEEK_SET) < 0)
        return false;
    src->at = src->end = file->layer.window;
    src->end_offset = 0;
    src->at_eof = false;
    src->error = (struct pr_error){0};
    return true;
}

static void file_close(struct pr_source *src)
{
    struct file_source *file = src->state;
    if (file->owns_fd)
        close(file->fd);
    pr_layer_free(&file->layer);
}

static const struct pr_source_class file_class = {
    .fill = pr_layer_fill, .peek = file_peek, .rewind = file_rewind, .close = file_close};

struct pr_source *pr_file_source_new(int fd, bool owns_fd, const char *name, uint64_t size_bytes)
{
    struct file_source *file = pr_layer_new(sizeof *file, &file_class, name, NULL, NULL, READ_MIN_BYTES);
    if (!file)
        return NULL;
    file->layer.step = file_step;
    file->layer.size_bytes = size_bytes;
    file->fd = fd;
    file->owns_fd = owns_fd;
    return &file->layer.source;
}
