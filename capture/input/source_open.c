/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an input, and peeling off its packings by what its first bytes are. */
#include "capture/input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/input/layer.h"

/* A packed file is packed once, a capture in it perhaps once more; deeper nesting is meant to be endless. */
enum { MAX_LAYERS = 4 };

/* Bytes in memory: the window is all of them and at its end from the start, so nothing asks for a fill. */
struct memory_source {
    struct pr_source source;
    uint64_t size_bytes;
};

static void memory_close(struct pr_source *src)
{
    free(src->state);
}

static bool memory_peek(const struct pr_source *src, uint64_t offset, uint8_t *out, size_t size)
{
    if (offset > src->end_offset || size > src->end_offset - offset)
        return false;
    memcpy(out, src->end - (src->end_offset - offset), size);
    return true;
}

static bool memory_rewind(struct pr_source *src)
{
    src->at = src->end - src->end_offset;
    src->error = (struct pr_error){0};
    return true;
}

static const struct pr_source_class memory_class = {
    .peek = memory_peek, .rewind = memory_rewind, .close = memory_close};

static struct pr_source *memory_source_new(const char *name, const void *bytes, size_t length)
{
    struct memory_source *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->size_bytes = length;
    memory->source.at = bytes;
    memory->source.end = memory->source.at + length;
    memory->source.end_offset = length;
    memory->source.at_eof = true;
    memory->source.name = name;
    memory->source.class = &memory_class;
    memory->source.state = memory;
    return &memory->source;
}

typedef struct pr_source *new_layer(struct pr_source *below);

/* What unpacks the bytes of SRC, by their magic; NULL when nothing does. */
static new_layer *layer_for(struct pr_source *src)
{
    if (pr_source_has_magic(src, PR_LZ4_MAGIC) || pr_source_has_magic(src, PR_LZ4_LEGACY_MAGIC))
        return pr_lz4_source_new;
    if (pr_source_has_magic(src, PR_ZSTD_MAGIC))
        return pr_zstd_source_new;
    if (pr_source_need(src, 2) && src->at[0] == 0x1F && src->at[1] == 0x8B)
        return pr_gzip_source_new;
    return NULL;
}

/* Puts one more layer on *SRC, if its bytes are packed: PR_OK. PR_END when they are not. */
static enum pr_status peel_once(struct pr_source **src, bool may, struct pr_error *err)
{
    struct pr_source *packed = *src;
    const bool is_cut = !pr_source_skip_frames(packed);
    if (is_cut || !pr_source_need(packed, 1)) {
        if (err && err->code == PR_ERR_NONE)
            *err = packed->error; /* if it has none, one of the next is the first */
        if (is_cut || pr_source_offset(packed))
            return pr_fail(err, PR_ERR_TRUNCATED, 0, NULL, "it ends with a skippable frame, before any content");
        if (packed->packing)
            return pr_fail(err, PR_ERR_EMPTY, 0, NULL, "it is empty once its %s is unpacked", packed->packing);
        return pr_fail(err, PR_ERR_EMPTY, 0, NULL, "the input is empty");
    }
    new_layer *const new_source = layer_for(packed);
    if (!new_source)
        return PR_END;
    if (!may)
        return pr_fail(err, PR_ERR_LIMIT, 0, NULL, "it is packed more than %d times over", MAX_LAYERS);
    struct pr_source *layer = new_source(packed);
    if (!layer)
        return pr_fail_memory(err);
    layer->budget = packed->budget;
    *src = layer;
    return PR_OK;
}

enum pr_status pr_source_peel(struct pr_source **src, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    for (int layers = 0; status == PR_OK; layers++)
        status = peel_once(src, layers < MAX_LAYERS, err);
    if (status == PR_END)
        return PR_OK;
    pr_source_close(*src);
    *src = NULL;
    return PR_FAILED;
}

enum pr_status pr_source_rewind(struct pr_source **src, struct pr_error *err)
{
    struct pr_source *bottom = *src;
    while (bottom->below)
        bottom = bottom->below;
    if (!bottom->class->rewind || !bottom->class->rewind(bottom))
        return PR_END;
    while (*src != bottom) {
        struct pr_source *below = (*src)->below;
        (*src)->class->close(*src);
        *src = below;
    }
    return pr_source_peel(src, err);
}

/* The size in *SIZE_BYTES is what is left of a regular file, which standard input may be in the middle of; else 0. */
static enum pr_status check_kind(int fd, uint64_t *size_bytes, struct pr_error *err)
{
    struct stat info;
    *size_bytes = 0;
    if (fstat(fd, &info) != 0)
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be read: %s", strerror(EISDIR));
    if (S_ISREG(info.st_mode)) {
        const off_t start = lseek(fd, 0, SEEK_CUR);
        if (start >= 0 && start < info.st_size)
            *size_bytes = (uint64_t)(info.st_size - start);
    }
    return PR_OK;
}

/* Opening a named pipe waits for its writer, and a signal may end that wait. */
static int open_to_read(const char *path)
{
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static enum pr_status open_fd(int fd, bool owns_fd, const char *name, struct pr_unpack_budget *budget,
                              struct pr_source **src, struct pr_error *err)
{
    uint64_t size_bytes;
    enum pr_status status = check_kind(fd, &size_bytes, err);
    *src = NULL;
    if (status == PR_OK && !(*src = pr_file_source_new(fd, owns_fd, name, size_bytes)))
        status = pr_fail_memory(err);
    if (status == PR_OK)
        (*src)->budget = budget;
    if (status == PR_OK)
        status = pr_source_peel(src, err);
    else if (owns_fd)
        close(fd);
    if (status == PR_FAILED)
        pr_error_name(err, name);
    return status;
}

enum pr_status pr_source_open_fd(int fd, const char *name, struct pr_unpack_budget *budget, struct pr_source **src,
                                 struct pr_error *err)
{
    return open_fd(fd, true, name, budget, src, err);
}

enum pr_status pr_source_open(const char *path, struct pr_unpack_budget *budget, struct pr_source **src,
                              struct pr_error *err)
{
    *src = NULL;
    if (strcmp(path, "-") == 0)
        return open_fd(STDIN_FILENO, false, "standard input", budget, src, err);
    const int fd = open_to_read(path);
    if (fd >= 0)
        return open_fd(fd, true, path, budget, src, err);
    pr_fail(err, PR_ERR_IO, PR_NO_OFFSET, NULL, "cannot be opened: %s", strerror(errno));
    pr_error_name(err, path);
    return PR_FAILED;
}

enum pr_status pr_source_open_memory(const char *name, const void *bytes, size_t length,
                                     struct pr_unpack_budget *budget, struct pr_source **src, struct pr_error *err)
{
    enum pr_status status;
    *src = memory_source_new(name, length ? bytes : "", length);
    if (*src)
        (*src)->budget = budget;
    if (budget)
        budget->read_bytes += length;
    status = *src ? pr_source_peel(src, err) : pr_fail_memory(err);
    if (status == PR_FAILED)
        pr_error_name(err, name);
    return status;
}

struct pr_source pr_source_view(struct pr_source *src, size_t most)
{
    pr_source_need(src, most);
    size_t have = (size_t)(src->end - src->at), shown = have < most ? have : most;
    return (struct pr_source){.at = src->at,
                              .end = src->at ? src->at + shown : src->at,
                              .end_offset = pr_source_offset(src) + shown,
                              .at_eof = true,
                              .name = src->name};
}

void pr_source_progress(const struct pr_source *src, uint64_t *done_bytes, uint64_t *size_bytes)
{
    while (src->below)
        src = src->below;
    *done_bytes = pr_source_offset(src);
    if (src->class == &memory_class)
        *size_bytes = ((const struct memory_source *)src->state)->size_bytes;
    else
        *size_bytes = ((const struct pr_layer *)src->state)->size_bytes;
}

void pr_source_drain(struct pr_source *src)
{
    uint64_t done, size;
    while (src->below)
        src = src->below;
    pr_source_progress(src, &done, &size);
    while (!size && pr_source_need(src, 1))
        pr_source_skip(src, pr_source_available(src));
}

void pr_source_close(struct pr_source *src)
{
    while (src) {
        struct pr_source *below = src->below;
        src->class->close(src);
        src = below;
    }
}
