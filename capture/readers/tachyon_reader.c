/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Python's own sampling profiler (CPython 3.15, `python -m profiling.sampling run --binary`) writes.
 *
 * The samples come first, then the texts and frames that they refer to, then how many of these there are.
 *
 * Source: doc/formats/tachyon.md.
 */
#include "capture/builder/reader.h"
#include "capture/readers/tachyon_samples.h"

#include "capture/base/checked.h"
#include "capture/base/ms_text.h"
#include "capture/base/varint.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEADER = 64, FOOTER = 32, STATS = 56, OLD_STATS = 32, MAX_TABLES = 1 << 30, NS_PER_US = 1000 };

enum { REPEAT, FULL, SUFFIX, POP_PUSH };

struct header {
    uint32_t version, python, compression, mode;
    uint64_t start_us, interval_us, texts_offset, frames_offset;
};

struct tachyon {
    struct pr_profile_builder c;
    bool big_endian;
    struct header header;
    uint32_t process;
    unsigned metric;
    struct pr_idset keys; /* thread, interpreter */
    struct pr_tachyon_thread *threads; /* [keys.count] */
    size_t thread_capacity;
    uint64_t samples;
    struct pr_buf tables; /* texts, frames and all that follows */
};

static uint64_t number_at(const struct tachyon *r, const uint8_t *at, unsigned count)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++)
        number = number << 8 | at[r->big_endian ? i : count - 1 - i];
    return number;
}

/*
 * The count of samples has grown from 4 to 8 bytes, and what follows it moved, without another version: of the two
 * forms the one counts whose tables are in order.
 */
static bool take_header(struct tachyon *r, const uint8_t *at)
{
    struct header *header = &r->header;
    header->version = (uint32_t)number_at(r, at + 4, 4);
    header->python = (uint32_t)at[8] << 16 | (uint32_t)at[9] << 8 | at[10];
    header->start_us = number_at(r, at + 12, 8);
    header->interval_us = number_at(r, at + 20, 8);
    for (unsigned wide = 8; wide; wide -= 4) {
        const uint8_t *rest = at + 28 + wide + 4;
        header->texts_offset = number_at(r, rest, 8);
        header->frames_offset = number_at(r, rest + 8, 8);
        header->compression = (uint32_t)number_at(r, rest + 16, 4);
        header->mode = wide == 8 ? (uint32_t)number_at(r, rest + 20, 4) : 0;
        if (header->texts_offset >= HEADER && header->frames_offset >= header->texts_offset &&
            header->frames_offset - header->texts_offset <= MAX_TABLES && header->compression <= 1)
            return true;
    }
    return false;
}

/* The time that a sample stands for, by what the profiler sampled. */
static unsigned main_metric(struct tachyon *r)
{
    static const char *const modes[][2] = {{"time", "Time"}, {"wall", "Wall time"}, {"cpu", "CPU time"},
                                           {"gil", "Time with the GIL"}, {"wall", "Wall time"},
                                           {"exception", "Time with an exception"}};
    const uint32_t mode = r->header.mode < sizeof modes / sizeof *modes ? r->header.mode : 0;
    return pr_build_metric(&r->c, modes[mode][0], modes[mode][1], PR_UNIT_NANOSECONDS, "samples");
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static struct pr_tachyon_thread *thread_of(struct tachyon *r, uint64_t tid, uint64_t interpreter)
{
    const uint64_t key[2] = {tid, interpreter};
    const uint32_t known = r->keys.count;
    uint32_t index = PR_NO_ID;
    if (pr_grow(&r->threads, &r->thread_capacity, known + (size_t)1, sizeof *r->threads))
        index = pr_idset_add(&r->keys, key, 2);
    if (index == PR_NO_ID) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    if (index < known)
        return &r->threads[index];
    r->threads[index] = (struct pr_tachyon_thread){.thread = pr_build_thread(&r->c, r->process, tid),
                                                   .time_us = r->header.start_us};
    if (interpreter) {
        struct pr_buf name = {0};
        pr_buf_printf(&name, "interpreter %" PRIu64, interpreter);
        pr_build_name_thread(&r->c, r->threads[index].thread, pr_build_buf(&r->c, &name));
    }
    return &r->threads[index];
}

/* The metric of each bit of a sample's state that is set. */
static void add_by_state(struct tachyon *r, uint32_t fact, int64_t ns, unsigned state)
{
    static const struct {
        unsigned bit;
        const char *name, *title;
    } states[] = {{2, "on_cpu", "On a processor"},
                  {1, "has_gil", "With the GIL"},
                  {8, "gil_wait", "Waiting for the GIL"},
                  {16, "has_exception", "Handling an exception"}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (state & states[i].bit)
            pr_build_add(&r->c, fact,
                         pr_build_metric(&r->c, states[i].name, states[i].title, PR_UNIT_NANOSECONDS, "samples"), ns,
                         1);
}

/* A sample of the thread's stack: it stands for the time since the sample before, at most the interval. */
static void add_sample(struct tachyon *r, struct pr_tachyon_thread *thread, uint64_t delta_us, unsigned state)
{
    const int64_t interval_ns = (int64_t)r->header.interval_us * NS_PER_US;
    const uint32_t fact = pr_build_fact(&r->c, thread->leaf, thread->thread);
    pr_build_add(&r->c, fact, r->metric, interval_ns, 1);
    add_by_state(r, fact, interval_ns, state);
    thread->time_us += delta_us;
    const uint64_t since_us = thread->time_us - r->header.start_us;
    const uint64_t long_us = delta_us < r->header.interval_us ? delta_us : r->header.interval_us;
    if (since_us <= INT64_MAX / NS_PER_US && since_us >= long_us)
        pr_build_slice(&r->c, fact, (int64_t)(since_us - long_us) * NS_PER_US, (int64_t)long_us * NS_PER_US);
    r->samples++;
}

static void find_leaf(struct tachyon *r, struct pr_tachyon_thread *thread)
{
    thread->leaf = PR_ROOT;
    for (size_t i = 0; i < thread->depth; i++)
        thread->leaf = pr_build_child(&r->c, thread->leaf, pr_build_forward(&r->c, thread->stack[i]));
}

static bool take_repeats(struct tachyon *r, struct pr_tachyon_bytes *bytes, struct pr_tachyon_thread *thread)
{
    const uint64_t count = pr_tachyon_varint(bytes);
    for (uint64_t i = 0; i < count && r->c.status == PR_OK; i++) {
        const uint64_t delta = pr_tachyon_varint(bytes), state = pr_tachyon_number(bytes, 1);
        if (bytes->failed)
            return false;
        add_sample(r, thread, delta, (unsigned)state);
    }
    return !bytes->failed;
}

/* One sample with a stack that differs from the thread's last one. */
static bool take_stack(struct tachyon *r, struct pr_tachyon_bytes *bytes, struct pr_tachyon_thread *thread,
                       unsigned encoding)
{
    const uint64_t delta = pr_tachyon_varint(bytes);
    const unsigned state = (unsigned)pr_tachyon_number(bytes, 1);
    uint64_t kept = encoding == FULL ? 0 : pr_tachyon_varint(bytes);
    const uint64_t count = pr_tachyon_varint(bytes);
    if (encoding == POP_PUSH) /* how many are gone; more than there are is all of them */
        kept = kept < thread->depth ? thread->depth - kept : 0;
    if (!pr_tachyon_stack_change(bytes, thread, kept, count))
        return false;
    find_leaf(r, thread);
    add_sample(r, thread, delta, state);
    return true;
}

static bool take_record(struct tachyon *r, struct pr_tachyon_bytes *bytes)
{
    const uint64_t tid = pr_tachyon_number(bytes, 8), interpreter = pr_tachyon_number(bytes, 4);
    const unsigned encoding = (unsigned)pr_tachyon_number(bytes, 1);
    struct pr_tachyon_thread *thread = bytes->failed || encoding > POP_PUSH ? NULL : thread_of(r, tid, interpreter);
    if (!thread)
        return false;
    return encoding == REPEAT ? take_repeats(r, bytes, thread) : take_stack(r, bytes, thread, encoding);
}

/* Records refer to those before them, so nothing after one that makes no sense can be read. */
static enum pr_status read_samples(struct tachyon *r)
{
    struct pr_tachyon_bytes bytes;
    enum pr_status status = PR_OK;
    const uint64_t length = r->header.texts_offset - HEADER;
    if (!pr_tachyon_bytes_init(&bytes, &r->c, length, r->header.compression)) {
        pr_tachyon_bytes_clear(&bytes);
        return PR_OK;
    }
    bytes.big_endian = r->big_endian;
    while (status == PR_OK && pr_build_going(&r->c) && pr_tachyon_more(&bytes))
        if (!take_record(r, &bytes) && r->c.status == PR_OK)
            status = bytes.is_cut ? bytes.status
                                  : pr_cut(r->c.err, PR_ERR_DAMAGED, pr_source_offset(r->c.src), "sample",
                                           "it makes no sense");
    if (status == PR_OK)
        status = bytes.status;
    for (size_t step; bytes.left && !bytes.is_cut; bytes.left -= step) { /* what is left, for the tables after it */
        step = bytes.left < PR_TACHYON_STEP ? (size_t)bytes.left : PR_TACHYON_STEP;
        if (!pr_source_need(r->c.src, step))
            break;
        pr_source_skip(r->c.src, step);
    }
    pr_tachyon_bytes_clear(&bytes);
    return status;
}

/* ---- texts and frames -------------------------------------------------------------------------------------------- */

struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

static uint64_t take_varint(struct cursor *cursor)
{
    uint64_t number;
    const size_t length = pr_varint_get(cursor->at, cursor->end, &number);
    cursor->failed = cursor->failed || !length;
    cursor->at += length;
    return cursor->failed ? 0 : number;
}

/* All the rest of the input. */
static enum pr_status read_tables(struct tachyon *r)
{
    struct pr_source *src = r->c.src;
    while (pr_source_need(src, 1)) {
        const size_t here = (size_t)(src->end - src->at);
        if (r->tables.length + here > MAX_TABLES)
            return pr_cut(r->c.err, PR_ERR_LIMIT, pr_source_offset(src), "frames", "there are too many");
        pr_buf_add(&r->tables, src->at, here);
        pr_source_skip(src, here);
    }
    if (r->tables.failed)
        return pr_fail_memory(r->c.err);
    if (src->error.code != PR_ERR_NONE)
        return pr_cut(r->c.err, src->error.code, pr_source_offset(src), "frames", "%s", src->error.text);
    return PR_OK;
}

struct texts {
    pr_str *string; /* [count] */
    size_t count, capacity;
};

static void take_texts(struct tachyon *r, struct cursor cursor, struct texts *texts)
{
    while (cursor.at < cursor.end && r->c.status == PR_OK) {
        const uint64_t length = take_varint(&cursor);
        if (cursor.failed || length > (size_t)(cursor.end - cursor.at)) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            return;
        }
        if (!pr_grow(&texts->string, &texts->capacity, texts->count + 1, sizeof *texts->string)) {
            pr_build_no_memory(&r->c);
            return;
        }
        texts->string[texts->count++] = pr_build_string(&r->c, cursor.at, (size_t)length);
        cursor.at += length;
    }
}

/* File, function, line, and where in the lines it is, of which only the first is shown. */
static bool take_frame(struct cursor *cursor, uint64_t *file, uint64_t *function, int64_t *line)
{
    *file = take_varint(cursor);
    *function = take_varint(cursor);
    *line = pr_unzigzag(take_varint(cursor));
    for (int i = 0; i < 3; i++) /* last line, column, last column */
        take_varint(cursor);
    cursor->failed = cursor->failed || cursor->at >= cursor->end;
    cursor->at += !cursor->failed; /* an instruction */
    return !cursor->failed;
}

/* "~" and no line: the garbage collector, native code. */
static void define_frame(struct tachyon *r, const struct texts *texts, uint32_t number, uint64_t file,
                         uint64_t function, int64_t line)
{
    if (file >= texts->count || function >= texts->count) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        return;
    }
    const struct pr_text path = pr_profile_text(r->c.profile, texts->string[file]);
    const bool is_special = path.length == 1 && *path.bytes == '~';
    const struct pr_place place = {.function = texts->string[function],
                                   .file = is_special ? 0 : texts->string[file],
                                   .line = line,
                                   .kind = is_special ? PR_FRAME_OTHER : PR_FRAME_PYTHON};
    pr_build_define(&r->c, number, &place);
}

/* Frames up to COUNT, or where they end. */
static void take_frames(struct tachyon *r, struct cursor cursor, const struct texts *texts, uint64_t count)
{
    uint64_t file, function;
    int64_t line;
    for (uint32_t i = 0; i < count && cursor.at < cursor.end && r->c.status == PR_OK; i++) {
        if (!take_frame(&cursor, &file, &function, &line))
            return;
        define_frame(r, texts, i, file, function, line);
    }
}

/* The last 32 bytes: how many texts and frames, and the size of the file. */
static uint64_t frame_count(struct tachyon *r, size_t *end)
{
    const uint64_t size = r->header.texts_offset + r->tables.length;
    if (r->tables.length < FOOTER)
        return UINT32_MAX;
    const uint8_t *footer = (const uint8_t *)r->tables.bytes + r->tables.length - FOOTER;
    if (number_at(r, footer + 8, 8) != size)
        return UINT32_MAX;
    *end = r->tables.length - FOOTER;
    return number_at(r, footer + 4, 4);
}

static enum pr_status take_tables(struct tachyon *r)
{
    const size_t length = r->tables.length;
    const uint64_t texts_bytes = r->header.frames_offset - r->header.texts_offset;
    size_t end = length;
    const uint64_t count = frame_count(r, &end);
    const bool is_whole = end != length && texts_bytes <= end;
    const uint8_t *at = (const uint8_t *)r->tables.bytes;
    const size_t middle = texts_bytes < end ? (size_t)texts_bytes : end;
    struct texts texts = {0};
    if (length) {
        take_texts(r, (struct cursor){at, at + middle, false}, &texts);
        take_frames(r, (struct cursor){at + middle, at + end, false}, &texts, count);
    }
    free(texts.string);
    return is_whole ? PR_OK
                    : pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "frames",
                             "the input ends in the tables of texts and frames");
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static enum pr_status read_all(struct tachyon *r)
{
    struct pr_source *src = r->c.src;
    if (!pr_source_need(src, HEADER))
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(src), "header", "the input ends in it");
    r->big_endian = *src->at == 'T';
    if (!take_header(r, src->at))
        return pr_fail(r->c.err, PR_ERR_DAMAGED, 0, "header", "its tables are not where they could be");
    if (!r->header.version || r->header.version > 2)
        return pr_fail(r->c.err, PR_ERR_UNSUPPORTED, 4, "header", "version %" PRIu32 " is not known",
                       r->header.version);
    if (!r->header.interval_us || r->header.interval_us > INT64_MAX / NS_PER_US)
        return pr_fail(r->c.err, PR_ERR_DAMAGED, 20, "header", "the time between samples makes no sense");
    pr_source_skip(src, HEADER);
    r->c.profile->meta.format_version = (int)r->header.version;
    r->process = pr_build_process(&r->c, 0, 0);
    r->metric = main_metric(r);
    enum pr_status status = read_samples(r);
    if (status == PR_FAILED || r->c.status == PR_FAILED)
        return PR_FAILED;
    struct pr_error ignored = {0};
    struct pr_error *err = r->c.err;
    if (status != PR_OK) /* the first error counts */
        r->c.err = &ignored;
    enum pr_status tables = read_tables(r);
    if (tables != PR_FAILED)
        tables = take_tables(r) == PR_CUT ? PR_CUT : tables;
    r->c.err = err;
    return status != PR_OK && tables != PR_FAILED ? status : tables;
}

static void add_notes(struct tachyon *r)
{
    pr_build_note(&r->c, "recorded by Python %" PRIu32 ".%" PRIu32 ".%" PRIu32 ", a sample every %s",
                  r->header.python >> 16, r->header.python >> 8 & 0xff, r->header.python & 0xff,
                  pr_ms_text((int64_t)r->header.interval_us * NS_PER_US).text);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct tachyon r = {.keys = {.words = 2}};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_all(&r);
    if (status != PR_FAILED && r.c.status != PR_FAILED && !r.samples)
        status = status == PR_CUT ? PR_FAILED : pr_fail(err, PR_ERR_DAMAGED, 0, "sample", "it has no samples");
    if (status != PR_FAILED)
        add_notes(&r);
    for (uint32_t i = 0; i < r.keys.count; i++)
        free(r.threads[i].stack);
    free(r.threads);
    pr_idset_clear(&r.keys);
    pr_buf_clear(&r.tables);
    return pr_build_finish(&r.c, status);
}

/* The magic as a number, in either byte order, and a low version. */
static unsigned probe(struct pr_source *src)
{
    if (!pr_source_need(src, 8))
        return 0;
    const bool big_endian = !memcmp(src->at, "TACH", 4);
    if (!big_endian && memcmp(src->at, "HCAT", 4) != 0)
        return 0;
    return big_endian ? (!src->at[4] && !src->at[5] && !src->at[6] ? 56 : 0)
                      : (!src->at[5] && !src->at[6] && !src->at[7] ? 56 : 0);
}

const struct pr_reader pr_tachyon_reader = {"tachyon", "Tachyon recording", probe, read};
