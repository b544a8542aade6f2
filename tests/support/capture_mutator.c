/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture is cut into its header and records; records are dropped, repeated, moved, or changed after their type.
 * Where a record cannot be recognised, everything from there on counts as one.
 */
#include "tests/support/capture_mutator.h"

#include "capture/input/source.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RECORDS = 4096 };

struct shape {
    uint32_t version;
    bool native, aggregated;
    size_t records; /* how many were found */
    uint32_t start[MAX_RECORDS + 1]; /* of each; [0] is the end of the header, [records] that of the file */
};

/* ---- finding the records ---------------------------------------------------------------------------------------- */

struct walk {
    const uint8_t *at, *end;
    bool over; /* the bytes ended before the record did */
};

static void skip(struct walk *walk, size_t count)
{
    if ((size_t)(walk->end - walk->at) < count) {
        walk->over = true;
        walk->at = walk->end;
    } else {
        walk->at += count;
    }
}

static uint64_t number(struct walk *walk, unsigned length)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < length && walk->at + i < walk->end; i++)
        value |= (uint64_t)walk->at[i] << 8 * i;
    skip(walk, length);
    return value;
}

static uint64_t varint(struct walk *walk)
{
    uint64_t value = 0;
    for (unsigned shift = 0; walk->at < walk->end && shift < 70; shift += 7) {
        uint8_t byte = *walk->at++;
        value |= (uint64_t)(byte & 0x7f) << (shift < 64 ? shift : 0);
        if (byte < 0x80)
            return value;
    }
    walk->over = true;
    return value;
}

static void texts(struct walk *walk, unsigned count)
{
    while (count--) {
        const uint8_t *nul = walk->at < walk->end ? memchr(walk->at, 0, (size_t)(walk->end - walk->at)) : NULL;
        skip(walk, nul ? (size_t)(nul - walk->at) + 1 : SIZE_MAX);
    }
}

static void varints(struct walk *walk, unsigned count)
{
    while (count--)
        varint(walk);
}

static void code_object(struct walk *walk)
{
    varint(walk);
    texts(walk, 2);
    varint(walk);
    skip(walk, varint(walk));
}

static void record_v12(struct walk *walk, const struct shape *shape)
{
    unsigned type = (unsigned)number(walk, 1);
    if (type & 0x80) {
        varints(walk, (type >> 3 & 15) == 15);
        unsigned allocator = type & 7 ? type & 7 : (unsigned)number(walk, 1);
        if (allocator != 1 && allocator != 5)
            varints(walk, 1 + shape->native);
    } else if (type & 0x40) {
        varints(walk, 2);
    } else if (type & 0x20) {
        varints(walk, (type >> 1 & 15) == 15);
        varints(walk, shape->native && type & 1);
    } else if (type == 2 || type == 5) {
        varints(walk, 2);
    } else if (type == 7) {
        texts(walk, 1);
        varints(walk, 1);
        skip(walk, 8);
    } else if (type == 8) {
        skip(walk, 8);
        varints(walk, 1);
    } else if (type == 10) {
        texts(walk, 1);
    } else if (type == 12) {
        skip(walk, 8);
    } else if (type == 14) {
        code_object(walk);
    }
}

static void record_v7(struct walk *walk)
{
    unsigned byte = (unsigned)number(walk, 1), allocator = byte >> 4;
    switch (byte & 15) {
    case 1:
        varints(walk, allocator == 2 || allocator == 15 ? 1 : 2);
        break;
    case 2:
        varints(walk, allocator == 2 || allocator == 15 ? 2 : 3);
        break;
    case 3:
        varints(walk, 1);
        texts(walk, 2);
        varints(walk, 1);
        break;
    case 4:
        varints(walk, 1);
        break;
    case 5:
    case 11:
        varints(walk, 2);
        break;
    case 7:
        texts(walk, 1);
        varints(walk, 1);
        skip(walk, 8);
        break;
    case 8:
        skip(walk, 8);
        varints(walk, 1);
        break;
    case 10:
        texts(walk, 1);
        break;
    case 12:
        skip(walk, 8);
        break;
    default:
        break;
    }
}

static void record_v6(struct walk *walk)
{
    static const uint8_t fixed[11] = {[1] = 40, [2] = 8, [3] = 16, [4] = 16, [7] = 16, [8] = 16, [9] = 8, [10] = 16};
    uint64_t type = number(walk, 4);
    if (type > 10)
        return;
    skip(walk, fixed[type]);
    if (type == 2) {
        texts(walk, 2);
        skip(walk, 4);
    } else if (type == 6) {
        texts(walk, 1);
        skip(walk, 16);
    } else if (type == 9) {
        texts(walk, 1);
    }
}

static void record_aggregated(struct walk *walk, const struct shape *shape)
{
    const bool packed = shape->version >= 12;
    switch (number(walk, 1)) {
    case 1:
        skip(walk, 24);
        break;
    case 2:
        skip(walk, 72);
        break;
    case 3:
        packed ? varints(walk, 2) : skip(walk, 12);
        break;
    case 4:
        packed ? varints(walk, 3) : skip(walk, 8);
        packed ? skip(walk, 1) : texts(walk, 2);
        skip(walk, packed ? 0 : 5);
        break;
    case 5:
        varints(walk, 2);
        break;
    case 7:
        texts(walk, 1);
        varints(walk, 1);
        skip(walk, 8);
        break;
    case 8:
        skip(walk, 8);
        varints(walk, 1);
        break;
    case 10:
        texts(walk, 1);
        break;
    case 12:
        skip(walk, 8);
        break;
    case 13:
        varints(walk, 1 + shape->native);
        break;
    case 14:
        code_object(walk);
        break;
    default:
        break;
    }
}

static bool header(struct walk *walk, struct shape *shape)
{
    if (walk->end - walk->at < 7 || memcmp(walk->at, "memray", 7) != 0)
        return false;
    skip(walk, 7);
    shape->version = (uint32_t)number(walk, 4);
    if (shape->version < 6 || shape->version > 13)
        return false;
    skip(walk, shape->version >= 12 ? 4 : 0);
    shape->native = number(walk, 1);
    shape->aggregated = shape->version >= 10 && number(walk, 1);
    skip(walk, 32);
    texts(walk, 1);
    skip(walk, shape->version >= 9 ? 20 : 4);
    skip(walk, shape->version >= 8 ? 1 : 4);
    skip(walk, shape->version >= 12 ? 2 : shape->version >= 11);
    if (shape->version >= 13) {
        texts(walk, 1);
        for (unsigned list = 0; list < 2; list++)
            while (walk->at < walk->end && *walk->at)
                texts(walk, 1);
        skip(walk, 2);
    }
    return !walk->over;
}

static bool find_records(struct shape *shape, const uint8_t *bytes, size_t length)
{
    struct walk walk = {bytes, bytes + length, false};
    shape->records = 0;
    if (!header(&walk, shape))
        return false;
    shape->start[0] = (uint32_t)(walk.at - bytes);
    while (walk.at < walk.end && shape->records < MAX_RECORDS) {
        if (shape->records == MAX_RECORDS - 1)
            walk.at = walk.end;
        else if (shape->aggregated)
            record_aggregated(&walk, shape);
        else if (shape->version >= 12)
            record_v12(&walk, shape);
        else if (shape->version >= 7)
            record_v7(&walk);
        else
            record_v6(&walk);
        shape->start[++shape->records] = (uint32_t)(walk.at - bytes);
    }
    return true;
}

/* ---- changing them ---------------------------------------------------------------------------------------------- */

/* Replaces OLD_LENGTH bytes at AT by WITH_LENGTH bytes. Returns the new length; the old one if there is no room. */
static size_t replace(uint8_t *bytes, size_t length, size_t max, size_t at, size_t old_length, const uint8_t *with,
                      size_t with_length)
{
    if (length - old_length + with_length > max)
        return length;
    memmove(bytes + at + with_length, bytes + at + old_length, length - at - old_length);
    memcpy(bytes + at, with, with_length);
    return length - old_length + with_length;
}

/* Changes what follows the type of the record [START, END). */
static size_t change_record(uint8_t *bytes, size_t length, size_t max, size_t start, size_t end, size_t type_bytes,
                            mutate_bytes *blind)
{
    uint8_t piece[256];
    size_t at = start + type_bytes;
    if (at >= end)
        return length;
    size_t old = end - at < sizeof piece / 2 ? end - at : sizeof piece / 2;
    memcpy(piece, bytes + at, old);
    return replace(bytes, length, max, at, old, piece, blind(piece, old, sizeof piece));
}

/* Puts a copy of the bytes [FROM, TO) before AT. */
static size_t repeat(uint8_t *bytes, size_t length, size_t max, size_t from, size_t to, size_t at)
{
    uint8_t *copy = malloc(to - from + 1);
    if (!copy)
        return length;
    memcpy(copy, bytes + from, to - from);
    length = replace(bytes, length, max, at, 0, copy, to - from);
    free(copy);
    return length;
}

static size_t mutate_records(const struct shape *shape, uint8_t *bytes, size_t length, size_t max, uint64_t *random,
                             mutate_bytes *blind)
{
    const uint32_t records = (uint32_t)shape->records, first = random_below(random, records);
    uint32_t count = 1 + random_below(random, random_below(random, 4) ? 4 : records - first);
    count = count < records - first ? count : records - first;
    const uint32_t from = shape->start[first], to = shape->start[first + count];
    const uint32_t place = shape->start[random_below(random, records + 1)];
    switch (random_below(random, 10)) {
    case 0: /* gone */
        return replace(bytes, length, max, from, to - from, bytes, 0);
    case 1:
    case 2: /* again, somewhere */
        return repeat(bytes, length, max, from, to, place);
    case 3: /* nothing from there on */
        return from;
    case 4: /* another type, or another flag */
        bytes[from] = (uint8_t)random_next(random);
        return length;
    case 5: /* one bit of the type */
        bytes[from] ^= (uint8_t)(1u << random_below(random, 8));
        return length;
    default:
        return change_record(bytes, length, max, from, shape->start[first + 1], shape->version == 6 ? 4 : 1, blind);
    }
}

/* Replaces an LZ4 frame by its content, if it fits. */
static size_t unpack(uint8_t *bytes, size_t length, size_t max)
{
    static const uint8_t lz4[] = {0x04, 0x22, 0x4d, 0x18};
    struct pr_source *src;
    if (length < sizeof lz4 || memcmp(bytes, lz4, sizeof lz4) != 0)
        return length;
    uint8_t *packed = malloc(length);
    if (!packed)
        return length;
    memcpy(packed, bytes, length);
    if (pr_source_open_memory("seed", packed, length, NULL, &src, NULL) == PR_OK) {
        pr_source_need(src, max);
        size_t have = (size_t)(src->end - src->at);
        length = have < max ? have : max;
        memcpy(bytes, src->at, length);
        pr_source_close(src);
    }
    free(packed);
    return length;
}

size_t mutate_capture(uint8_t *bytes, size_t length, size_t max, unsigned seed, mutate_bytes *blind)
{
    uint64_t random = seed;
    uint32_t way = random_below(&random, 16);
    if (way == 0)
        return blind(bytes, length, max);
    length = unpack(bytes, length, max);
    struct shape *shape = malloc(sizeof *shape);
    if (!shape || !find_records(shape, bytes, length) || !shape->records)
        length = blind(bytes, length, max);
    else if (way == 1)
        length = change_record(bytes, length, max, 0, shape->start[0], 7, blind);
    else
        length = mutate_records(shape, bytes, length, max, &random, blind);
    free(shape);
    return length;
}

size_t cross_captures(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length, uint8_t *out, size_t max,
                      unsigned seed)
{
    uint64_t random = seed;
    size_t length = 0;
    struct shape *one = malloc(sizeof *one), *two = malloc(sizeof *two);
    if (one && two && find_records(one, a, a_length) && find_records(two, b, b_length) &&
        one->version == two->version && one->native == two->native && one->aggregated == two->aggregated) {
        const size_t kept = one->start[random_below(&random, (uint32_t)one->records + 1)];
        const size_t from = two->start[random_below(&random, (uint32_t)two->records + 1)];
        if (kept + (b_length - from) <= max) {
            length = kept + (b_length - from);
            memcpy(out, a, kept);
            memcpy(out + kept, b + from, b_length - from);
        }
    }
    free(one);
    free(two);
    return length;
}
