/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MOJO, the binary form of Austin: `MOJ`, a version, then events: a type byte and its data.
 *
 * - A whole number has 6 bits in its first byte, with 0x40 for a sign and 0x80 for "more", then 7 bits a byte. A string
 *   ends with a NUL.
 * - A stack event opens a sample of a thread; it ends with the next one. Frames and strings are defined where they are
 *   first needed, under keys of their process; only a reference to a frame adds it to the sample.
 * - Thread ids are hexadecimal. The interpreter came in version 3, columns of frames in version 2.
 *
 * Source: Austin 3.7.0 src/mojo.h, austin-python 2.4.0 austin/format/mojo.py; the two files of the collection.
 */
#include "capture/readers/austin_samples.h"
#include "capture/parse/frame_text.h"
#include "capture/builder/reader.h"
#include "capture/parse/binary_scan.h"

#include "capture/base/checked.h"
#include "capture/base/varint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERSION = 3 }; /* 4 has events for tasks that were never seen */

enum {
    EVENT_METADATA = 1,
    EVENT_STACK,
    EVENT_FRAME,
    EVENT_INVALID_FRAME,
    EVENT_FRAME_REF,
    EVENT_KERNEL_FRAME,
    EVENT_GC,
    EVENT_IDLE,
    EVENT_TIME,
    EVENT_MEMORY,
    EVENT_STRING,
    EVENT_STRING_REF
};

enum { UNKNOWN_KEY = 1 }; /* of a string that Austin could not read */

struct place {
    pr_str function, file;
    int64_t line;
};

struct mojo {
    struct pr_austin austin;
    struct pr_scan scan;
    unsigned version;
    struct pr_idset string_keys, frame_keys; /* pid and key */
    pr_str *strings;
    struct place *frames;
    size_t string_capacity, frame_capacity;
    struct pr_austin_sample sample;
    bool open;
};

static uint64_t read_magnitude(struct pr_scan *scan, bool *negative)
{
    uint8_t byte = pr_scan_u8(scan);
    uint64_t value = byte & 0x3f;
    *negative = byte & 0x40;
    for (unsigned shift = 6; byte & 0x80 && !scan->failed; shift += 7) {
        byte = pr_scan_u8(scan);
        if (shift < 64)
            pr_varint_add(&value, shift, byte);
        if (shift > 57 && (shift >= 64 ? byte & 0x7f : (byte & 0x7f) >> (64 - shift)))
            value = UINT64_MAX; /* more bits than fit */
    }
    return value;
}

static int64_t read_int(struct mojo *r)
{
    bool negative;
    uint64_t size = read_magnitude(&r->scan, &negative);
    int64_t value = pr_signed_saturated(size);
    return negative ? -value : value;
}

/* Keys are numbers or addresses: never below 0. */
static uint64_t read_key(struct mojo *r)
{
    bool negative;
    return read_magnitude(&r->scan, &negative);
}

static pr_str read_string(struct mojo *r)
{
    struct pr_profile_builder *c = &r->austin.c;
    return pr_scan_string(&r->scan, &c->profile->strings, c->options->limits.max_string_bytes);
}

static struct pr_text text_of(const struct mojo *r, pr_str string)
{
    return pr_profile_text(r->austin.c.profile, string);
}

/* The number of KEY in the current process; makes room for it in *ARRAY. False: no memory. */
static bool number_of(struct mojo *r, struct pr_idset *keys, uint64_t key, void *array, size_t *capacity, size_t size,
                      uint32_t *number)
{
    const uint64_t both[2] = {r->sample.pid, key};
    *number = PR_NO_ID;
    if (pr_grow(array, capacity, keys->count + (size_t)1, size))
        *number = pr_idset_add(keys, both, 2);
    if (*number == PR_NO_ID)
        pr_build_no_memory(&r->austin.c);
    return *number != PR_NO_ID;
}

static pr_str string_of(struct mojo *r, uint64_t key)
{
    const uint64_t both[2] = {r->sample.pid, key};
    uint32_t found = pr_idset_find(&r->string_keys, both, 2);
    if (found != PR_NO_ID)
        return r->strings[found];
    return key == UNKNOWN_KEY ? pr_build_text(&r->austin.c, "<unknown>") : 0;
}

static void flush(struct mojo *r)
{
    if (r->open && (r->sample.has_time || r->sample.has_memory))
        pr_austin_add(&r->austin, &r->sample);
    else
        pr_build_damage(&r->austin.c, PR_DAMAGE_RECORDS, r->open);
    r->open = false;
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void read_metadata(struct mojo *r)
{
    pr_str key = read_string(r), value = read_string(r);
    if (!r->scan.failed)
        pr_austin_metadata(&r->austin, text_of(r, key), text_of(r, value));
}

static void begin_stack(struct mojo *r)
{
    uint64_t pid = read_key(r);
    if (r->version >= 3)
        read_int(r); /* the interpreter */
    pr_str thread = read_string(r);
    if (r->scan.failed)
        return;
    struct pr_text name = text_of(r, thread);
    const char *colon = memchr(name.bytes, ':', name.length);
    if (colon)
        name = pr_text_from(name, (size_t)(colon - name.bytes) + 1);
    flush(r);
    r->sample = (struct pr_austin_sample){.pid = pid, .leaf = PR_ROOT};
    pr_text_hex(name, &r->sample.tid);
    r->open = true;
}

static void define_frame(struct mojo *r)
{
    uint64_t key = read_key(r), file = read_key(r), scope = read_key(r);
    int64_t line = read_int(r);
    uint32_t number;
    for (unsigned i = 0; r->version >= 2 && i < 3; i++)
        read_int(r); /* end of line, column, its end */
    if (r->scan.failed ||
        !number_of(r, &r->frame_keys, key, &r->frames, &r->frame_capacity, sizeof *r->frames, &number))
        return;
    r->frames[number] = (struct place){string_of(r, scope), string_of(r, file), line};
}

static void define_string(struct mojo *r)
{
    uint64_t key = read_key(r);
    pr_str string = read_string(r);
    uint32_t number;
    if (!r->scan.failed &&
        number_of(r, &r->string_keys, key, &r->strings, &r->string_capacity, sizeof *r->strings, &number))
        r->strings[number] = string;
}

static void push(struct mojo *r, const struct place *place)
{
    r->sample.leaf = pr_austin_child(&r->austin, r->sample.leaf, place->function, place->file, place->line);
}

static void push_mark(struct mojo *r, const char *name)
{
    push(r, &(struct place){.function = pr_build_text(&r->austin.c, name)});
}

static void push_reference(struct mojo *r)
{
    const uint64_t both[2] = {r->sample.pid, read_key(r)};
    uint32_t found = pr_idset_find(&r->frame_keys, both, 2);
    if (r->scan.failed)
        return;
    pr_build_damage(&r->austin.c, PR_DAMAGE_FRAMES, found == PR_NO_ID);
    if (found != PR_NO_ID)
        push(r, &r->frames[found]);
    else
        push_mark(r, ":INVALID:");
}

static void push_kernel_frame(struct mojo *r)
{
    struct pr_place place = {.function = read_string(r), .kind = PR_FRAME_KERNEL};
    if (!r->scan.failed)
        r->sample.leaf = pr_build_child(&r->austin.c, r->sample.leaf, pr_build_frame(&r->austin.c, &place));
}

static enum pr_status read_event(struct mojo *r, unsigned event)
{
    switch (event) {
    case EVENT_METADATA: read_metadata(r); break;
    case EVENT_STACK: begin_stack(r); break;
    case EVENT_FRAME: define_frame(r); break;
    case EVENT_INVALID_FRAME: push_mark(r, ":INVALID:"); break;
    case EVENT_FRAME_REF: push_reference(r); break;
    case EVENT_KERNEL_FRAME: push_kernel_frame(r); break;
    case EVENT_GC: push_mark(r, ":GC:"); break;
    case EVENT_IDLE: r->sample.idle = true; break;
    case EVENT_TIME:
        r->sample.time_us = read_int(r);
        r->sample.has_time = !r->scan.failed;
        break;
    case EVENT_MEMORY:
        r->sample.memory_bytes = read_int(r);
        r->sample.has_memory = !r->scan.failed;
        break;
    case EVENT_STRING: define_string(r); break;
    case EVENT_STRING_REF: read_key(r); break;
    default:
        return pr_cut(r->austin.c.err, PR_ERR_DAMAGED, r->scan.record_offset, "MOJO event", "there is no event %u",
                      event);
    }
    return r->scan.failed ? PR_CUT : PR_OK;
}

static enum pr_status read_events(struct mojo *r)
{
    struct pr_source *src = r->austin.c.src;
    enum pr_status status = PR_OK;
    while (status == PR_OK && pr_build_going(&r->austin.c)) {
        if (!pr_source_need(src, 1) && src->error.code == PR_ERR_NONE) {
            flush(r);
            break;
        }
        r->scan = pr_scan_begin(src, "MOJO event", r->austin.c.err);
        unsigned event = pr_scan_u8(&r->scan);
        status = r->scan.failed ? PR_CUT : read_event(r, event);
    }
    return status; /* if the input was cut, the open sample may lack frames: left out */
}

static enum pr_status read_all(struct mojo *r)
{
    struct pr_error *err = r->austin.c.err;
    r->scan = pr_scan_begin(r->austin.c.src, "MOJO header", err);
    const uint8_t *magic = pr_scan_bytes(&r->scan, 3, 3);
    if (!magic || memcmp(magic, "MOJ", 3))
        return pr_fail(err, PR_ERR_UNKNOWN, 0, "MOJO header", "the first bytes are not MOJ");
    r->version = (unsigned)read_int(r);
    if (r->scan.failed)
        return PR_FAILED;
    if (r->version < 1 || r->version > MAX_VERSION)
        return pr_fail(err, PR_ERR_UNSUPPORTED, 3, "MOJO header", "version %u; this build reads 1 to %d", r->version,
                       MAX_VERSION);
    r->austin.c.profile->meta.format_version = (int)r->version;
    enum pr_status status = read_events(r);
    return status == PR_CUT && !r->austin.sample_count ? PR_FAILED : status;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct mojo r = {.string_keys = {.words = 2}, .frame_keys = {.words = 2}};
    enum pr_status status = pr_build_init(&r.austin.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_all(&r);
    pr_idset_clear(&r.string_keys);
    pr_idset_clear(&r.frame_keys);
    free(r.strings);
    free(r.frames);
    pr_austin_clear(&r.austin);
    return pr_build_finish(&r.austin.c, status);
}

/* 3 bytes of magic, a version below 16, and metadata or a stack as the first event. */
static unsigned probe(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, 5);
    size_t have = (size_t)(view.end - view.at);
    if (have < 4 || memcmp(view.at, "MOJ", 3) || view.at[3] > 15)
        return 0;
    return have < 5 || view.at[4] == EVENT_METADATA || view.at[4] == EVENT_STACK ? 24 + 4 + 7 : 0;
}

const struct pr_reader pr_mojo_reader = {"mojo", "Austin samples (MOJO)", probe, read};
