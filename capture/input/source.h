/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of an input, from a file, a pipe or memory, seen through a window that moves forward.
 *
 *     while (pr_source_need(src, 9)) {          // 9 bytes at src->at, or the input ends before
 *         use(src->at);
 *         pr_source_skip(src, 9);
 *     }
 *
 * Invariants: `at` <= `end`; the bytes between are readable until the next call that takes the source; bytes before
 * `at` are gone. Unpacking layers (lz4, zstd, gzip) are sources over a source: a reader never sees that its bytes were
 * packed. Files are read(2), never mapped: a mapped file that shrinks would be a SIGBUS. Memory use does not grow with
 * the input.
 */
#ifndef PR_CAPTURE_INPUT_SOURCE_H
#define PR_CAPTURE_INPUT_SOURCE_H

#include "capture/input/unpack_budget.h"
#include "profrender/error.h"

#include <string.h>

struct pr_source {
    const uint8_t *at, *end; /* the window */
    uint64_t end_offset;     /* offset of `end` in this layer's stream */
    bool at_eof;             /* nothing comes after `end` */
    struct pr_error error;   /* why the input ended early (a cut LZ4 block, a read error); code 0 = it just ended */
    const char *name;        /* for messages, borrowed */
    const char *packing;     /* "lz4", "zstd", "gzip": the packing that this layer removes; NULL = raw */
    struct pr_source *below; /* the source this one unpacks, or NULL */
    struct pr_unpack_budget *budget; /* what reading and unpacking is counted in, borrowed; NULL: no limit */
    const struct pr_source_class *class;
    void *state;
};

/* How a layer works; for the files that implement one. */
struct pr_source_class {
    /*
     * Keeps the bytes between at and end, and makes the window bigger: at least WANT bytes if the input has them.
     * Sets at_eof, and error when the end is not a clean one.
     */
    void (*fill)(struct pr_source *src, size_t want);
    /* As pr_source_peek; NULL: only what is in the window can be read. */
    bool (*peek)(const struct pr_source *src, uint64_t offset, uint8_t *out, size_t size);
    bool (*rewind)(struct pr_source *src); /* NULL, false: it can only be read forward */
    void (*close)(struct pr_source *src);
};

enum { PR_SOURCE_MAX_WINDOW = 64 * 1024 * 1024 }; /* maximum number of bytes needed at once */

/* Offset of `at` in this layer's (unpacked) stream. */
static inline uint64_t pr_source_offset(const struct pr_source *src)
{
    return src->end_offset - (uint64_t)(src->end - src->at);
}

/* True when at least COUNT bytes can be read at `at`. False: the input has fewer; what there is, is in the window. */
static inline bool pr_source_need(struct pr_source *src, size_t count)
{
    if ((size_t)(src->end - src->at) >= count)
        return true;
    if (!src->at_eof)
        src->class->fill(src, count);
    return (size_t)(src->end - src->at) >= count;
}

/*
 * SIZE bytes at OFFSET of the stream, further on than the window, without moving there: for what a file has at its end
 * and the reader needs before. False: there are not as many, or the input can only be read forward, as pipes and packed
 * files; it is then as it was.
 */
static inline bool pr_source_peek(const struct pr_source *src, uint64_t offset, uint8_t *out, size_t size)
{
    return src->class->peek && src->class->peek(src, offset, out, size);
}

/* Moves on by COUNT bytes, which must be in the window. */
static inline void pr_source_skip(struct pr_source *src, size_t count)
{
    src->at += count;
}

/* Moves past the byte order mark of UTF-8, if one is next: tools of Windows begin texts with it. */
static inline void pr_source_skip_byte_order_mark(struct pr_source *src)
{
    if (pr_source_need(src, 3) && !memcmp(src->at, "\xEF\xBB\xBF", 3))
        pr_source_skip(src, 3);
}

/*
 * Opens PATH ("-": standard input) and peels packings by content: a layer for LZ4 frames, zstd and gzip, again and
 * again (at most 4 deep). `*SRC` is then the topmost, unpacked source. Exceeding BUDGET, which may be NULL, ends it:
 * src->error is PR_ERR_UNPACKED.
 *
 * Owner:  *SRC is owned: pr_source_close frees all layers. PATH and BUDGET are borrowed until then.
 * Errors: PR_FAILED: cannot open, a directory, empty or nothing in it once unpacked (PR_ERR_EMPTY), out of memory, or a
 *         packing that breaks before its first byte of content. One that breaks later is found by reading: src->error.
 */
enum pr_status pr_source_open(const char *path, struct pr_unpack_budget *budget, struct pr_source **src,
                              struct pr_error *err);

/* The same for an open file, which is the source's from here on, even after an error. NAME is borrowed until then. */
enum pr_status pr_source_open_fd(int fd, const char *name, struct pr_unpack_budget *budget, struct pr_source **src,
                                 struct pr_error *err);

/* The same over LENGTH bytes, borrowed until the source is closed. */
enum pr_status pr_source_open_memory(const char *name, const void *bytes, size_t length,
                                     struct pr_unpack_budget *budget, struct pr_source **src, struct pr_error *err);

/*
 * Peels packings off *SRC, which is then the topmost source. PR_FAILED: all of them are closed, and *SRC is NULL.
 */
enum pr_status pr_source_peel(struct pr_source **src, struct pr_error *err);

/*
 * Takes all layers off *SRC and begins again, at its first byte: *SRC is then the topmost source, as after opening it.
 * PR_END: the input can only be read forward, as a pipe; it is as it was. PR_FAILED: *SRC is closed, and NULL.
 */
enum pr_status pr_source_rewind(struct pr_source **src, struct pr_error *err);

/* The next bytes, at most MOST, as a source that ends there: for probes. Borrowed until SRC moves; never closed. */
struct pr_source pr_source_view(struct pr_source *src, size_t most);

/* Bytes read from the input itself so far, and its size (0 = unknown), of the bottom layer. For progress. */
void pr_source_progress(const struct pr_source *src, uint64_t *done_bytes, uint64_t *size_bytes);

/*
 * Reads what is left of an input whose size is not known, a pipe, without unpacking it: its size is then known, and the
 * program writing to it can finish. A reader stops at its format's end mark, after which zeros may follow.
 */
void pr_source_drain(struct pr_source *src);

/* Closes this source and all below it; NULL is fine. */
void pr_source_close(struct pr_source *src);

#endif
