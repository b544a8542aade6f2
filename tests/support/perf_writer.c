/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Linux include/uapi/linux/perf_event.h; tools/perf/Documentation/perf.data-file-format.txt. */
#include "tests/support/perf_writer.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ATTR_BYTES = 128, HEADER = 104, EVENT_DESCRIPTION = 12, SAMPLE_TIME = 21, FIRST_ID = 100 };

/* IP is left out: it is the first of the chain. */
#define SAMPLE_TYPE (UINT64_C(1) << 1 | UINT64_C(1) << 2 | UINT64_C(1) << 5 | UINT64_C(1) << 8 | UINT64_C(1) << 16)

void perf_put(struct pr_buf *buf, bool big_endian, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        pr_buf_byte(buf, number >> 8 * (big_endian ? bytes - 1 - i : i) & 0xff);
}

static void pad(struct pr_buf *buf, size_t to)
{
    while (buf->length % to)
        pr_buf_byte(buf, 0);
}

static void put_text(struct pr_buf *buf, const char *text)
{
    pr_buf_add(buf, text, strlen(text) + 1);
    pad(buf, 8);
}

static uint64_t flag(const struct perf_writer *w, unsigned bit)
{
    return UINT64_C(1) << (w->big_endian ? 63 - bit : bit);
}

void perf_attr(struct perf_writer *w, uint32_t type, uint64_t config, uint64_t period, const char *name)
{
    struct pr_buf *attr = &w->attrs[w->attr_count];
    perf_put(attr, w->big_endian, type, 4);
    perf_put(attr, w->big_endian, ATTR_BYTES, 4);
    perf_put(attr, w->big_endian, config, 8);
    perf_put(attr, w->big_endian, period, 8);
    perf_put(attr, w->big_endian, SAMPLE_TYPE, 8);
    perf_put(attr, w->big_endian, 4, 8);
    perf_put(attr, w->big_endian, flag(w, 18), 8); /* sample_id_all */
    while (attr->length < ATTR_BYTES)
        pr_buf_byte(attr, 0);
    pr_buf_add(&w->names, attr->bytes, attr->length);
    perf_put(&w->names, w->big_endian, 1, 4);
    struct pr_buf text = {0};
    put_text(&text, name ? name : "");
    perf_put(&w->names, w->big_endian, text.length, 4);
    pr_buf_add(&w->names, text.bytes, text.length);
    perf_put(&w->names, w->big_endian, FIRST_ID + w->attr_count, 8);
    pr_buf_clear(&text);
    w->attr_count++;
}

static void add_record(struct pr_buf *out, bool big_endian, uint32_t type, unsigned misc, const struct pr_buf *content)
{
    perf_put(out, big_endian, type, 4);
    perf_put(out, big_endian, misc, 2);
    perf_put(out, big_endian, 8 + content->length, 2);
    pr_buf_add(out, content->bytes, content->length);
}

void perf_record(struct perf_writer *w, uint32_t type, unsigned misc, struct pr_buf *content)
{
    add_record(&w->records, w->big_endian, type, misc, content);
    pr_buf_clear(content);
}

/* Process, thread, time, identifier. */
static void put_trailer(struct perf_writer *w, struct pr_buf *content, uint32_t pid, uint64_t time)
{
    perf_put(content, w->big_endian, pid, 4);
    perf_put(content, w->big_endian, pid, 4);
    perf_put(content, w->big_endian, time, 8);
    perf_put(content, w->big_endian, FIRST_ID, 8);
}

void perf_comm(struct perf_writer *w, uint32_t pid, uint32_t tid, const char *name, uint64_t time)
{
    struct pr_buf content = {0};
    perf_put(&content, w->big_endian, pid, 4);
    perf_put(&content, w->big_endian, tid, 4);
    put_text(&content, name);
    put_trailer(w, &content, pid, time);
    perf_record(w, 3, 0, &content);
}

static void put_task(struct perf_writer *w, uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t time)
{
    struct pr_buf content = {0};
    perf_put(&content, w->big_endian, pid, 4);
    perf_put(&content, w->big_endian, parent, 4);
    perf_put(&content, w->big_endian, tid, 4);
    perf_put(&content, w->big_endian, parent, 4);
    perf_put(&content, w->big_endian, time, 8);
    put_trailer(w, &content, pid, time);
    perf_record(w, type, 0, &content);
}

void perf_fork(struct perf_writer *w, uint32_t pid, uint32_t parent, uint32_t tid, uint64_t time)
{
    put_task(w, 7, pid, parent, tid, time);
}

void perf_exit(struct perf_writer *w, uint32_t pid, uint64_t time)
{
    put_task(w, 4, pid, pid, pid, time);
}

void perf_map(struct perf_writer *w, uint32_t pid, uint64_t start, uint64_t size, uint64_t offset, const char *path,
              uint64_t time)
{
    struct pr_buf content = {0};
    const bool is_kernel = pid == UINT32_MAX;
    perf_put(&content, w->big_endian, pid, 4);
    perf_put(&content, w->big_endian, pid, 4);
    perf_put(&content, w->big_endian, start, 8);
    perf_put(&content, w->big_endian, size, 8);
    perf_put(&content, w->big_endian, offset, 8);
    perf_put(&content, w->big_endian, 0, 8);
    perf_put(&content, w->big_endian, 0, 8);
    perf_put(&content, w->big_endian, 0, 8);
    perf_put(&content, w->big_endian, 5, 4); /* PROT_READ | PROT_EXEC */
    perf_put(&content, w->big_endian, 2, 4);
    put_text(&content, path);
    put_trailer(w, &content, pid, time);
    perf_record(w, 10, is_kernel ? 1 : 2, &content);
}

void perf_sample(struct perf_writer *w, unsigned event, uint32_t pid, uint32_t tid, uint64_t time, uint64_t period,
                 const uint64_t *chain, size_t count)
{
    struct pr_buf content = {0};
    perf_put(&content, w->big_endian, FIRST_ID + event, 8);
    perf_put(&content, w->big_endian, pid, 4);
    perf_put(&content, w->big_endian, tid, 4);
    perf_put(&content, w->big_endian, time, 8);
    perf_put(&content, w->big_endian, period, 8);
    perf_put(&content, w->big_endian, count, 8);
    for (size_t i = 0; i < count; i++)
        perf_put(&content, w->big_endian, chain[i], 8);
    perf_record(w, 9, 2, &content);
}

void perf_mark(struct perf_writer *w, enum perf_mark type)
{
    struct pr_buf content = {0};
    perf_record(w, type, 0, &content);
}

void perf_compress(struct perf_writer *w, size_t piece)
{
    struct pr_buf packed = w->records;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char out[65536];
    w->records = (struct pr_buf){0};
    for (size_t at = 0; context && at < packed.length; at += piece) {
        ZSTD_inBuffer in = {packed.bytes + at, packed.length - at < piece ? packed.length - at : piece, 0};
        ZSTD_outBuffer to = {out, sizeof out, 0};
        struct pr_buf content = {0};
        if (ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush))
            abort();
        pr_buf_add(&content, out, to.pos);
        perf_record(w, 81, 0, &content);
    }
    ZSTD_freeCCtx(context);
    pr_buf_clear(&packed);
}

/* The content of the feature: how many, how large an event is, and each with its name. */
static void put_names(const struct perf_writer *w, struct pr_buf *out)
{
    perf_put(out, w->big_endian, w->attr_count, 4);
    perf_put(out, w->big_endian, ATTR_BYTES, 4);
    pr_buf_add(out, w->names.bytes, w->names.length);
}

struct pr_buf perf_file(const struct perf_writer *w)
{
    struct pr_buf file = {0}, names = {0};
    const uint64_t ids = HEADER, attrs = ids + 8 * w->attr_count, data = attrs + (ATTR_BYTES + 16) * w->attr_count;
    put_names(w, &names);
    pr_buf_add(&file, w->big_endian ? "2ELIFREP" : "PERFILE2", 8);
    const uint64_t numbers[] = {HEADER, ATTR_BYTES + 16, attrs, data - attrs, data,
                                w->data_size ? w->data_size : w->records.length, 0, 0,
                                1 << EVENT_DESCRIPTION | 1 << SAMPLE_TIME, 0, 0, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        perf_put(&file, w->big_endian, numbers[i], 8);
    for (unsigned i = 0; i < w->attr_count; i++)
        perf_put(&file, w->big_endian, FIRST_ID + i, 8);
    for (unsigned i = 0; i < w->attr_count; i++) {
        pr_buf_add(&file, w->attrs[i].bytes, w->attrs[i].length);
        perf_put(&file, w->big_endian, ids + 8 * i, 8);
        perf_put(&file, w->big_endian, 8, 8);
    }
    pr_buf_add(&file, w->records.bytes, w->records.length);
    const uint64_t content = file.length + 32;
    perf_put(&file, w->big_endian, content, 8);
    perf_put(&file, w->big_endian, names.length, 8);
    perf_put(&file, w->big_endian, content + names.length, 8);
    perf_put(&file, w->big_endian, 16, 8);
    pr_buf_add(&file, names.bytes, names.length);
    perf_put(&file, w->big_endian, 0, 8); /* of the first sample, and of the last */
    perf_put(&file, w->big_endian, 0, 8);
    pr_buf_clear(&names);
    return file;
}

struct pr_buf perf_pipe(const struct perf_writer *w)
{
    struct pr_buf pipe = {0}, names = {0};
    pr_buf_add(&pipe, w->big_endian ? "2ELIFREP" : "PERFILE2", 8);
    perf_put(&pipe, w->big_endian, 16, 8);
    for (unsigned i = 0; i < w->attr_count; i++) {
        struct pr_buf content = {0};
        pr_buf_add(&content, w->attrs[i].bytes, w->attrs[i].length);
        perf_put(&content, w->big_endian, FIRST_ID + i, 8);
        add_record(&pipe, w->big_endian, 64, 0, &content);
        pr_buf_clear(&content);
    }
    perf_put(&names, w->big_endian, EVENT_DESCRIPTION, 8);
    put_names(w, &names);
    add_record(&pipe, w->big_endian, 80, 0, &names);
    pr_buf_clear(&names);
    pr_buf_add(&pipe, w->records.bytes, w->records.length);
    return pipe;
}

void perf_clear(struct perf_writer *w)
{
    for (size_t i = 0; i < sizeof w->attrs / sizeof *w->attrs; i++)
        pr_buf_clear(&w->attrs[i]);
    pr_buf_clear(&w->names);
    pr_buf_clear(&w->records);
}
