/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes are copied as they come, so that a size that is a lie takes no memory. */
#include "capture/jfr/jfr_chunk.h"

#include "capture/base/checked.h"
#include "capture/base/time.h"

#include <math.h>

enum { MAX_CHUNK_BYTES = 1 << 30, PIECE_BYTES = 1 << 16 };

bool pr_jfr_is_chunk(const uint8_t *first)
{
    return !memcmp(first, "FLR\0", 4);
}

void pr_jfr_chunk_clear(struct pr_jfr_chunk *chunk)
{
    free(chunk->bytes);
    *chunk = (struct pr_jfr_chunk){0};
}

/* Copies bytes until CHUNK has SIZE of them, or the input ends: PR_END. */
static enum pr_status copy(struct pr_jfr_chunk *chunk, struct pr_source *src, uint64_t size, struct pr_error *err)
{
    while (chunk->length < size) {
        const uint64_t left = size - chunk->length;
        pr_source_need(src, left < PIECE_BYTES ? (size_t)left : PIECE_BYTES);
        const size_t there = (size_t)(src->end - src->at), piece = there < left ? there : (size_t)left;
        if (!piece)
            return PR_END;
        if (chunk->length + piece > MAX_CHUNK_BYTES)
            return pr_cut(err, PR_ERR_LIMIT, pr_source_offset(src), "chunk", "a chunk is over 1 GiB");
        if (!pr_grow(&chunk->bytes, &chunk->capacity, chunk->length + piece, 1))
            return pr_fail_memory(err);
        memcpy(chunk->bytes + chunk->length, src->at, piece);
        chunk->length += piece;
        pr_source_skip(src, piece);
    }
    return PR_OK;
}

static void read_header(struct pr_jfr_chunk *chunk)
{
    struct pr_jfr_bytes header = {.at = chunk->bytes + 4, .end = chunk->bytes + PR_JFR_HEADER_BYTES};
    chunk->major = (unsigned)pr_jfr_big_endian(&header, 2);
    chunk->minor = (unsigned)pr_jfr_big_endian(&header, 2);
    chunk->size = pr_jfr_big_endian(&header, 8);
    pr_jfr_skip(&header, 16);
    chunk->start_ns = (int64_t)pr_jfr_big_endian(&header, 8);
    chunk->duration_ns = (int64_t)pr_jfr_big_endian(&header, 8);
    chunk->start_ticks = (int64_t)pr_jfr_big_endian(&header, 8);
    chunk->ticks_per_second = (int64_t)pr_jfr_big_endian(&header, 8);
    chunk->finished = pr_jfr_u8(&header) == 0 && chunk->size;
    pr_jfr_skip(&header, 2);
    chunk->compressed = pr_jfr_u8(&header) & 1;
}

static enum pr_status check_header(const struct pr_jfr_chunk *chunk, struct pr_error *err)
{
    if (chunk->major != 1 && chunk->major != 2)
        return pr_cut(err, PR_ERR_UNSUPPORTED, chunk->offset, "chunk", "version %u.%u of the format is not read%s",
                      chunk->major, chunk->minor,
                      chunk->major ? ""
                                   : ": it is Oracle JDK 7's and 8's, not OpenJDK's; JDK Mission Control opens it");
    if (chunk->ticks_per_second <= 0 || (chunk->size && chunk->size < PR_JFR_HEADER_BYTES))
        return pr_cut(err, PR_ERR_DAMAGED, chunk->offset, "chunk", "the header of a chunk makes no sense");
    return PR_OK;
}

/* The size of the event at the beginning of the window; 0: there is none. */
static uint64_t size_of_next(struct pr_source *src, bool compressed)
{
    pr_source_need(src, 9);
    struct pr_jfr_bytes rest = {.at = src->at, .end = src->end, .compressed = compressed};
    if (src->end - src->at >= 4 && pr_jfr_is_chunk(src->at))
        return 0;
    const int64_t size = pr_jfr_integer(&rest, 4);
    return rest.failed || size < 0 ? 0 : (uint64_t)size;
}

/* What was written after the last flush of a chunk that was not finished. */
static enum pr_status copy_unfinished(struct pr_jfr_chunk *chunk, struct pr_source *src, struct pr_error *err)
{
    enum pr_status status = PR_OK;
    uint64_t size;
    while (status == PR_OK && (size = size_of_next(src, chunk->compressed)) != 0)
        status = size > MAX_CHUNK_BYTES ? PR_END : copy(chunk, src, chunk->length + size, err);
    if (status == PR_FAILED)
        return status;
    return pr_cut(err, PR_ERR_TRUNCATED, chunk->offset + chunk->length, "chunk",
                  "the recording was not finished: its program was killed, or it is still being written");
}

static enum pr_status ended(const struct pr_jfr_chunk *chunk, struct pr_source *src, struct pr_error *err)
{
    const struct pr_error *why = &src->error;
    if (why->code == PR_ERR_MEMORY)
        return pr_fail_memory(err);
    if (why->code != PR_ERR_NONE)
        return pr_cut(err, why->code, why->offset, "chunk", "%s", why->text);
    return pr_cut(err, PR_ERR_TRUNCATED, chunk->offset + chunk->length, "chunk", "the input ends in the middle of it");
}

enum pr_status pr_jfr_chunk_read(struct pr_jfr_chunk *chunk, struct pr_source *src, struct pr_error *err)
{
    *chunk = (struct pr_jfr_chunk){
        .bytes = chunk->bytes, .capacity = chunk->capacity, .offset = pr_source_offset(src)};
    if (!pr_source_need(src, 1))
        return src->error.code == PR_ERR_NONE ? PR_END : ended(chunk, src, err);
    if (pr_source_need(src, 4) && !pr_jfr_is_chunk(src->at))
        return pr_cut(err, PR_ERR_DAMAGED, chunk->offset, "chunk", "what follows is not a chunk");
    enum pr_status status = copy(chunk, src, PR_JFR_HEADER_BYTES, err);
    if (status == PR_END) {
        chunk->length = 0;
        return ended(chunk, src, err);
    }
    if (status != PR_OK)
        return status;
    read_header(chunk);
    status = check_header(chunk, err);
    if (status != PR_OK) {
        chunk->length = 0;
        return status;
    }
    status = copy(chunk, src, chunk->size, err);
    if (status == PR_END)
        return ended(chunk, src, err);
    return status == PR_OK && !chunk->finished ? copy_unfinished(chunk, src, err) : status;
}

struct pr_jfr_bytes pr_jfr_chunk_events(const struct pr_jfr_chunk *chunk)
{
    return (struct pr_jfr_bytes){.at = chunk->bytes + PR_JFR_HEADER_BYTES,
                                 .end = chunk->bytes + chunk->length,
                                 .compressed = chunk->compressed};
}

bool pr_jfr_next_event(struct pr_jfr_bytes *rest, struct pr_jfr_event *event)
{
    if (rest->failed || rest->at == rest->end)
        return false;
    struct pr_jfr_bytes head = *rest;
    const int64_t size = pr_jfr_integer(&head, 4);
    event->type = (uint64_t)pr_jfr_integer(&head, 8);
    if (head.failed || size < head.at - rest->at || size > rest->end - rest->at) {
        rest->failed = true;
        return false;
    }
    event->bytes = head;
    event->bytes.end = rest->at + size;
    rest->at += size;
    return true;
}

int64_t pr_jfr_span_ns(const struct pr_jfr_chunk *chunk, int64_t ticks)
{
    const int64_t seconds = ticks / chunk->ticks_per_second, rest = ticks % chunk->ticks_per_second;
    int64_t whole;
    if (__builtin_mul_overflow(seconds, (int64_t)PR_NS_PER_S, &whole))
        return ticks < 0 ? INT64_MIN : INT64_MAX;
    const double part = (double)rest * PR_NS_PER_S / (double)chunk->ticks_per_second;
    return pr_add_saturated(whole, llround(part));
}

int64_t pr_jfr_time_ns(const struct pr_jfr_chunk *chunk, int64_t ticks)
{
    const int64_t since = pr_subtract_saturated(ticks, chunk->start_ticks);
    return pr_add_saturated(chunk->start_ns, pr_jfr_span_ns(chunk, since));
}
