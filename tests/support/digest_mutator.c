/* SPDX-License-Identifier: Apache-2.0 */
/* A digest is taken apart into its unpacked columns; in the result no column is packed. */
#include "tests/support/digest_mutator.h"

#include "profrender/buf.h"
#include "capture/base/hash.h"
#include "capture/digest/digest_format.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <zstd.h>

enum { MAX_COLUMNS = 256, MAX_COLUMN_BYTES = 1 << 16, MAX_TYPE = 6 };

struct column {
    char name[256];
    uint8_t name_length, type;
    uint64_t count;
    struct pr_buf bytes; /* unpacked */
};

struct parts {
    struct column columns[MAX_COLUMNS];
    size_t count;
};

struct walk {
    const uint8_t *at, *end, *body, *body_end;
};

bool is_digest(const uint8_t *bytes, size_t length)
{
    return length > PR_DIGEST_START_BYTES + PR_DIGEST_HASH_BYTES &&
           !memcmp(bytes, PR_DIGEST_MAGIC, PR_DIGEST_MAGIC_BYTES);
}

static bool number(struct walk *walk, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; walk->at < walk->end && shift < 64; shift += 7) {
        const uint8_t byte = *walk->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static void add_number(struct pr_buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        pr_buf_byte(out, (unsigned)(value | 0x80) & 0xff);
    pr_buf_byte(out, (unsigned)value);
}

static bool unpack(struct column *column, uint8_t place, const uint8_t *packed, size_t length, uint64_t raw)
{
    if (raw > MAX_COLUMN_BYTES)
        return false;
    if (place != PR_DIGEST_ZSTD) {
        pr_buf_add(&column->bytes, packed, length);
        return !column->bytes.failed;
    }
    char *bytes = malloc(MAX_COLUMN_BYTES);
    const size_t got = bytes ? ZSTD_decompress(bytes, MAX_COLUMN_BYTES, packed, length) : 0;
    if (bytes && !ZSTD_isError(got))
        pr_buf_add(&column->bytes, bytes, got);
    free(bytes);
    return got == raw;
}

static bool take_column(struct walk *walk, struct column *column)
{
    uint64_t raw, packed;
    *column = (struct column){.name_length = *walk->at++};
    if ((size_t)(walk->end - walk->at) < column->name_length + 2u)
        return false;
    memcpy(column->name, walk->at, column->name_length);
    column->type = walk->at[column->name_length];
    const uint8_t place = walk->at[column->name_length + 1];
    walk->at += column->name_length + 2;
    if (!number(walk, &column->count) || !number(walk, &raw))
        return false;
    if (place == PR_DIGEST_IN_HEAD) {
        if (raw > (size_t)(walk->end - walk->at))
            return false;
        walk->at += raw;
        return unpack(column, place, walk->at - raw, (size_t)raw, raw);
    }
    if (!number(walk, &packed) || walk->end - walk->at < PR_DIGEST_HASH_BYTES ||
        packed > (size_t)(walk->body_end - walk->body))
        return false;
    walk->at += PR_DIGEST_HASH_BYTES;
    walk->body += packed;
    return unpack(column, place, walk->body - packed, (size_t)packed, raw);
}

static bool take_apart(const uint8_t *bytes, size_t length, struct parts *parts)
{
    const size_t before = PR_DIGEST_START_BYTES + PR_DIGEST_HASH_BYTES;
    const size_t head = bytes[12] | (size_t)bytes[13] << 8 | (size_t)bytes[14] << 16 | (size_t)bytes[15] << 24;
    if (head > length - before)
        return false;
    const uint8_t *at = bytes + before;
    struct walk walk = {at, at + head, at + head, bytes + length};
    while (walk.at < walk.end && parts->count < MAX_COLUMNS) {
        if (!take_column(&walk, &parts->columns[parts->count++]))
            return false;
    }
    return parts->count > 0;
}

static void add_fixed(struct pr_buf *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        pr_buf_byte(out, (unsigned)(value >> 8 * i) & 0xff);
}

static void add_entry(struct pr_buf *head, struct pr_buf *body, const struct column *column)
{
    enum { SMALL = 64 };
    const struct pr_buf *bytes = &column->bytes;
    const bool is_small = bytes->length <= SMALL;
    pr_buf_byte(head, column->name_length);
    pr_buf_add(head, column->name, column->name_length);
    pr_buf_byte(head, column->type);
    pr_buf_byte(head, is_small ? PR_DIGEST_IN_HEAD : PR_DIGEST_PLAIN);
    add_number(head, column->count);
    add_number(head, bytes->length);
    if (is_small) {
        pr_buf_add(head, bytes->bytes, bytes->length);
        return;
    }
    add_number(head, bytes->length);
    add_fixed(head, XXH64(bytes->bytes, bytes->length, 0), PR_DIGEST_HASH_BYTES);
    pr_buf_add(body, bytes->bytes, bytes->length);
}

/* The digest of PARTS, with the first bytes of START. Returns its length, 0 when there is no room for it. */
static size_t put_together(const struct parts *parts, uint8_t *start, size_t max)
{
    struct pr_buf head = {0}, body = {0}, out = {0};
    for (size_t i = 0; i < parts->count; i++)
        add_entry(&head, &body, &parts->columns[i]);
    pr_buf_add(&out, start, PR_DIGEST_START_BYTES - 4);
    add_fixed(&out, head.length, 4);
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, out.bytes, out.failed ? 0 : out.length);
    XXH64_update(&hash, head.bytes, head.length);
    add_fixed(&out, XXH64_digest(&hash), PR_DIGEST_HASH_BYTES);
    pr_buf_add(&out, head.bytes, head.length);
    pr_buf_add(&out, body.bytes, body.length);
    size_t length = out.failed || head.failed || body.failed || out.length > max ? 0 : out.length;
    if (length)
        memcpy(start, out.bytes, length);
    pr_buf_clear(&head);
    pr_buf_clear(&body);
    pr_buf_clear(&out);
    return length;
}

/* Numbers at which something may go wrong, and small ones. */
static uint64_t draw_number(uint64_t *random)
{
    static const uint64_t special[] = {0,          1,         2,          UINT32_MAX,        UINT32_MAX - 1,
                                       UINT64_MAX, INT64_MAX, 1ull << 63, (uint64_t)1 << 32, 0x7fffffff};
    switch (random_below(random, 4)) {
    case 0:
        return special[random_below(random, sizeof special / sizeof *special)];
    case 1:
        return random_next(random) >> random_below(random, 64);
    default:
        return random_below(random, 64);
    }
}

/* Another number instead of VALUE: often one near it, which may still be valid. */
static uint64_t instead_of(uint64_t value, uint64_t *random)
{
    enum { NEAR = 3 };
    return random_below(random, 2) ? value + random_below(random, 2 * NEAR + 1) - NEAR : draw_number(random);
}

/* Replaces one of them by another number; their count stays the same. */
static void change_number(struct column *column, uint64_t *random)
{
    struct pr_buf changed = {0};
    if (!column->bytes.length)
        return;
    struct walk walk = {(const uint8_t *)column->bytes.bytes,
                        (const uint8_t *)column->bytes.bytes + column->bytes.length, NULL, NULL};
    const uint64_t chosen = random_below(random, column->count < UINT32_MAX ? (uint32_t)column->count : UINT32_MAX);
    uint64_t value;
    for (uint64_t i = 0; number(&walk, &value); i++)
        add_number(&changed, i == chosen ? instead_of(value, random) : value);
    pr_buf_clear(&column->bytes);
    column->bytes = changed;
}

static void change_bytes(struct column *column, uint64_t *random, mutate_bytes *blind)
{
    enum { MORE = 16 };
    const size_t length = column->bytes.length;
    if (column->type == PR_DIGEST_BYTE && length) {
        column->bytes.bytes[random_below(random, (uint32_t)length)] = (char)random_below(random, 20);
        return;
    }
    uint8_t *room = malloc(length + MORE);
    if (!room || !blind) {
        free(room);
        return;
    }
    if (length)
        memcpy(room, column->bytes.bytes, length);
    const size_t made = blind(room, length, length + MORE);
    column->bytes.length = 0;
    pr_buf_add(&column->bytes, room, made);
    free(room);
}

static void drop_column(struct parts *parts, size_t at)
{
    pr_buf_clear(&parts->columns[at].bytes);
    parts->count--;
    memmove(&parts->columns[at], &parts->columns[at + 1], (parts->count - at) * sizeof *parts->columns);
}

static void change(struct parts *parts, uint64_t *random, mutate_bytes *blind)
{
    const size_t at = random_below(random, (uint32_t)parts->count);
    struct column *column = &parts->columns[at], *other = &parts->columns[random_below(random, (uint32_t)parts->count)];
    const struct pr_buf bytes = column->bytes;
    switch (random_below(random, 16)) {
    case 0:
        column->type = (uint8_t)random_below(random, MAX_TYPE + 1);
        break;
    case 1:
        column->count += random_below(random, 3) - 1u;
        break;
    case 2:
        drop_column(parts, at);
        break;
    case 3:
        column->name[random_below(random, column->name_length + 1u)] = (char)random_below(random, 256);
        break;
    case 4:
        column->bytes = other->bytes;
        other->bytes = bytes;
        break;
    case 5:
        change_bytes(column, random, blind);
        break;
    default:
        if (column->type == PR_DIGEST_BYTE || column->type == PR_DIGEST_TEXT)
            change_bytes(column, random, blind);
        else
            change_number(column, random);
    }
}

size_t mutate_digest(uint8_t *bytes, size_t length, size_t max, unsigned seed, mutate_bytes *blind)
{
    uint64_t random = seed;
    struct parts *parts = calloc(1, sizeof *parts);
    size_t made = 0;
    if (parts && is_digest(bytes, length) && take_apart(bytes, length, parts)) {
        for (uint32_t changes = 1 + random_below(&random, 3); changes && parts->count; changes--)
            change(parts, &random, blind);
        made = put_together(parts, bytes, max);
    }
    for (size_t i = 0; parts && i < parts->count; i++)
        pr_buf_clear(&parts->columns[i].bytes);
    free(parts);
    return made ? made : blind ? blind(bytes, length, max) : length;
}
