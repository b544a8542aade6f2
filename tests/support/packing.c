/* SPDX-License-Identifier: Apache-2.0 */
/* Content for sources, packed by the libraries' own compressors, and the ways it reaches a source. */
#include "tests/support/packing.h"

#include <fcntl.h>
#include <lz4frame.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static void must(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    abort();
}

struct bytes bytes_of(const void *at, size_t length)
{
    struct bytes bytes = {0};
    bytes_append(&bytes, at, length);
    return bytes;
}

void bytes_append(struct bytes *bytes, const void *more, size_t length)
{
    uint8_t *grown = realloc(bytes->at, bytes->length + length + 1);
    must(grown, "realloc");
    if (length)
        memcpy(grown + bytes->length, more, length);
    bytes->at = grown;
    bytes->length += length;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct bytes){0};
}

struct bytes make_content(size_t length)
{
    struct bytes content = {.at = malloc(length + 1), .length = length};
    must(content.at, "malloc");
    uint32_t state = 20240229;
    for (size_t done = 0; done < length;) {
        state = state * 1664525 + 1013904223;
        size_t run = 4 + (state >> 24) % 60;
        run = run < length - done ? run : length - done;
        const bool is_noise = done < 64 || (state >> 20) % 8 == 0;
        size_t distance = (state >> 23) % 2 ? 64 : 65535;
        distance = distance < done ? distance : done;
        for (size_t i = 0; i < run; i++, done++) {
            if (is_noise)
                content.at[done] = (uint8_t)((state >> i % 3 * 8) + i);
            else
                content.at[done] = content.at[done - distance];
        }
    }
    return content;
}

struct bytes pack_lz4_as(struct bytes content, struct lz4_choice choice)
{
    LZ4F_preferences_t preferences = {
        .frameInfo = {.blockMode = choice.independent ? LZ4F_blockIndependent : LZ4F_blockLinked,
                      .blockSizeID = (LZ4F_blockSizeID_t)choice.block_size_id,
                      .blockChecksumFlag = choice.block_checksum ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum,
                      .contentChecksumFlag =
                          choice.content_checksum ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum,
                      .contentSize = choice.content_size ? content.length : 0},
        .compressionLevel = choice.level};
    LZ4F_cctx *context;
    must(!LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)), "LZ4F_createCompressionContext");
    const size_t room = LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(content.length, &preferences);
    struct bytes packed = {.at = malloc(room)};
    must(packed.at, "malloc");
    packed.length = LZ4F_compressBegin(context, packed.at, room, &preferences);
    must(!LZ4F_isError(packed.length), "LZ4F_compressBegin");
    size_t made = LZ4F_compressUpdate(context, packed.at + packed.length, room - packed.length, content.at,
                                      content.length, NULL);
    must(!LZ4F_isError(made), "LZ4F_compressUpdate");
    packed.length += made;
    made = LZ4F_compressEnd(context, packed.at + packed.length, room - packed.length, NULL);
    must(!LZ4F_isError(made), "LZ4F_compressEnd");
    packed.length += made;
    LZ4F_freeCompressionContext(context);
    return packed;
}

struct bytes pack_lz4(struct bytes content)
{
    return pack_lz4_as(content, (struct lz4_choice){.block_size_id = LZ4F_max64KB});
}

struct bytes pack_zstd(struct bytes content)
{
    const size_t room = ZSTD_compressBound(content.length);
    struct bytes packed = {.at = malloc(room)};
    ZSTD_CCtx *context = ZSTD_createCCtx();
    must(packed.at && context, "malloc");
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed.length = ZSTD_compress2(context, packed.at, room, content.at, content.length);
    must(!ZSTD_isError(packed.length), "ZSTD_compress2");
    ZSTD_freeCCtx(context);
    return packed;
}

struct bytes pack_gzip(struct bytes content)
{
    z_stream stream = {0};
    must(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflateInit2");
    const size_t room = deflateBound(&stream, content.length);
    struct bytes packed = {.at = malloc(room)};
    must(packed.at, "malloc");
    stream.next_in = content.at;
    stream.avail_in = (uInt)content.length;
    stream.next_out = packed.at;
    stream.avail_out = (uInt)room;
    must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate");
    packed.length = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

const struct packing packings[PACKING_COUNT] = {{"lz4", pack_lz4}, {"zstd", pack_zstd}, {"gzip", pack_gzip}};

static char temporary[] = "/tmp/profrender-test-XXXXXX";

static void remove_temporary(void)
{
    unlink(temporary);
}

const char *file_with(struct bytes bytes)
{
    static bool is_made;
    const int fd = is_made ? open(temporary, O_WRONLY | O_TRUNC | O_CLOEXEC) : mkstemp(temporary);
    must(fd >= 0, temporary);
    if (!is_made)
        atexit(remove_temporary);
    is_made = true;
    for (size_t done = 0; done < bytes.length;) {
        const ssize_t some = write(fd, bytes.at + done, bytes.length - done);
        must(some > 0, "write");
        done += (size_t)some;
    }
    close(fd);
    return temporary;
}

/* What feeds standard input: a thread, since a pipe holds less than the content. */
static struct {
    pthread_t thread;
    struct bytes bytes;
    int fd, real_stdin;
} feeder;

static void *feed(void *unused)
{
    (void)unused;
    for (size_t done = 0; done < feeder.bytes.length;) {
        const size_t left = feeder.bytes.length - done, piece = 1 + done % 9973 * 7; /* pipes give uneven pieces */
        const ssize_t some = write(feeder.fd, feeder.bytes.at + done, left < piece ? left : piece);
        if (some <= 0)
            break; /* the reader had enough */
        done += (size_t)some;
    }
    close(feeder.fd);
    return NULL;
}

static void start_feeder(struct bytes bytes)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN); /* if a source is closed before its end, the feeder gets EPIPE */
    must(pipe(ends) == 0, "pipe");
    feeder.real_stdin = dup(STDIN_FILENO);
    feeder.fd = ends[1];
    feeder.bytes = bytes;
    must(feeder.real_stdin >= 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "dup2");
    close(ends[0]);
    must(pthread_create(&feeder.thread, NULL, feed, NULL) == 0, "pthread_create");
}

static void stop_feeder(void)
{
    must(dup2(feeder.real_stdin, STDIN_FILENO) == STDIN_FILENO, "dup2");
    close(feeder.real_stdin);
    pthread_join(feeder.thread, NULL);
}

struct pr_source *open_by(enum via via, struct bytes bytes)
{
    struct pr_source *src = NULL;
    struct pr_error err = {0};
    if (via == VIA_PIPE)
        start_feeder(bytes);
    enum pr_status status;
    if (via == VIA_MEMORY)
        status = pr_source_open_memory("memory", bytes.at, bytes.length, NULL, &src, &err);
    else
        status = pr_source_open(via == VIA_PIPE ? "-" : file_with(bytes), NULL, &src, &err);
    must(status == PR_OK, err.text);
    return src;
}

void close_by(enum via via, struct pr_source *src)
{
    pr_source_close(src);
    if (via == VIA_PIPE)
        stop_feeder();
}

size_t drain(struct pr_source *src, struct bytes content)
{
    size_t done = 0;
    while (pr_source_need(src, 1)) {
        const size_t some = (size_t)(src->end - src->at);
        must(some <= content.length - done && memcmp(src->at, content.at + done, some) == 0, "not the content");
        done += some;
        pr_source_skip(src, some);
    }
    must(src->at_eof && pr_source_offset(src) == done, "the end");
    return done;
}
