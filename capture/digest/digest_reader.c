/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests: the reader. The head, then column by column into rows, then the profile.
 *
 * A digest was made by a program and not by a run that may have died: it is complete and correct, or it is refused.
 */
#include "capture/base/checked.h"
#include "capture/base/utf8.h"
#include "capture/base/varint.h"
#include "capture/digest/digest_to_profile.h"
#include "capture/digest/digest_column_input.h"
#include "capture/builder/reader.h"

#include <stdlib.h>

struct digest_input {
    struct pr_source *src;
    const struct pr_load_options *options;
    struct pr_profile *profile;
    struct pr_error *err;
    unsigned major, minor;
    uint8_t *head;                   /* owned */
    const uint8_t *at, *end;         /* of the head */
    struct pr_digest_entry *entries; /* [count], owned */
    size_t count, capacity;
    bool *seen; /* [pr_digest_column_count], owned */
    struct pr_digest_rows rows;
    struct pr_unpack unpack;
    char *text; /* the string that is being read, owned */
    size_t text_capacity;
};

/* 8 bytes of magic. A version that we cannot read bids too: its error says which it is. */
static unsigned probe(struct pr_source *src)
{
    if (!pr_source_need(src, PR_DIGEST_MAGIC_BYTES))
        return 0;
    return memcmp(src->at, PR_DIGEST_MAGIC, PR_DIGEST_MAGIC_BYTES) ? 0 : PR_DIGEST_MAGIC_BYTES * 8;
}

static enum pr_status damaged(struct digest_input *r, const char *doing, const char *why)
{
    return pr_fail(r->err, PR_ERR_DAMAGED, pr_source_offset(r->src), doing, "%s", why);
}

static enum pr_status cut(struct digest_input *r, const char *doing)
{
    if (r->src->error.code != PR_ERR_NONE && r->err && r->err->code == PR_ERR_NONE)
        *r->err = r->src->error;
    return pr_fail(r->err, PR_ERR_TRUNCATED, pr_source_offset(r->src), doing,
                   "the digest ends here, and only all of it can be used");
}

static uint64_t fixed(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* ---- the head --------------------------------------------------------------------------------------------------- */

static enum pr_status read_head(struct digest_input *r)
{
    const char doing[] = "head of the digest";
    const size_t before = PR_DIGEST_START_BYTES + PR_DIGEST_HASH_BYTES;
    if (!pr_source_need(r->src, before))
        return cut(r, doing);
    const uint8_t *start = r->src->at;
    if (memcmp(start, PR_DIGEST_MAGIC, PR_DIGEST_MAGIC_BYTES) != 0)
        return pr_fail(r->err, PR_ERR_DAMAGED, 0, doing, "this is not a digest: it does not begin like one");
    r->major = (unsigned)fixed(start + PR_DIGEST_MAGIC_BYTES, 2);
    r->minor = (unsigned)fixed(start + PR_DIGEST_MAGIC_BYTES + 2, 2);
    const size_t length = (size_t)fixed(start + PR_DIGEST_MAGIC_BYTES + 4, 4);
    if (r->major != PR_DIGEST_MAJOR)
        return pr_fail(r->err, PR_ERR_UNSUPPORTED, PR_DIGEST_MAGIC_BYTES, doing,
                       "digest version %u; this build reads %d", r->major, PR_DIGEST_MAJOR);
    if (length > PR_DIGEST_MAX_HEAD)
        return damaged(r, doing, "it is longer than heads can be");
    if (!pr_source_need(r->src, before + length))
        return cut(r, doing);
    start = r->src->at;
    XXH64_state_t hash;
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, start, PR_DIGEST_START_BYTES);
    XXH64_update(&hash, start + before, length);
    if (XXH64_digest(&hash) != fixed(start + PR_DIGEST_START_BYTES, PR_DIGEST_HASH_BYTES))
        return damaged(r, doing, "its checksum is wrong: the digest is damaged");
    r->head = malloc(length + 1);
    if (!r->head)
        return pr_fail_memory(r->err);
    memcpy(r->head, start + before, length);
    r->at = r->head;
    r->end = r->head + length;
    pr_source_skip(r->src, before + length);
    return PR_OK;
}

static bool head_number(struct digest_input *r, uint64_t *value)
{
    const size_t length = pr_varint_get(r->at, r->end, value);
    if (!length || (length == PR_VARINT_BYTES && r->at[length - 1] > 1)) /* over 64 bits */
        return false;
    r->at += length;
    return true;
}

static size_t head_left(const struct digest_input *r)
{
    return (size_t)(r->end - r->at);
}

static bool read_place(struct digest_input *r, struct pr_digest_entry *entry)
{
    if (entry->place == PR_DIGEST_IN_HEAD) {
        if (entry->raw_bytes > head_left(r))
            return false;
        entry->bytes = r->at;
        r->at += entry->raw_bytes;
        return true;
    }
    if (entry->place > PR_DIGEST_ZSTD || !head_number(r, &entry->packed_bytes) || head_left(r) < PR_DIGEST_HASH_BYTES)
        return false;
    entry->hash = fixed(r->at, PR_DIGEST_HASH_BYTES);
    r->at += PR_DIGEST_HASH_BYTES;
    return entry->place == PR_DIGEST_ZSTD || entry->packed_bytes == entry->raw_bytes;
}

static bool read_entry(struct digest_input *r, struct pr_digest_entry *entry)
{
    *entry = (struct pr_digest_entry){0};
    const size_t length = *r->at++;
    if (!length || length > PR_DIGEST_MAX_NAME || head_left(r) < length + 2)
        return false;
    memcpy(entry->name, r->at, length);
    entry->type = r->at[length];
    entry->place = r->at[length + 1];
    r->at += length + 2;
    return head_number(r, &entry->count) && head_number(r, &entry->raw_bytes) && entry->count <= entry->raw_bytes &&
           read_place(r, entry);
}

static enum pr_status read_entries(struct digest_input *r)
{
    while (r->at < r->end) {
        if (!pr_grow(&r->entries, &r->capacity, r->count + 1, sizeof *r->entries))
            return pr_fail_memory(r->err);
        if (!read_entry(r, &r->entries[r->count++]))
            return damaged(r, "head of the digest", "a column in it cannot be");
    }
    return PR_OK;
}

/* Limits how much few bytes may unpack to, before any memory is taken for it. */
static enum pr_status check_sizes(struct digest_input *r)
{
    uint64_t packed = pr_source_offset(r->src), raw = 0, most = UINT64_MAX / 4 / PR_DIGEST_MAX_RATIO;
    for (size_t i = 0; i < r->count; i++) {
        const struct pr_digest_entry *entry = &r->entries[i];
        if (entry->packed_bytes > most - packed || entry->raw_bytes > UINT64_MAX / 4 - raw)
            return damaged(r, "head of the digest", "a column in it cannot be so long");
        packed += entry->packed_bytes;
        raw += entry->raw_bytes;
    }
    if (raw > PR_DIGEST_FREE_BYTES + packed * PR_DIGEST_MAX_RATIO)
        return pr_fail(r->err, PR_ERR_LIMIT, pr_source_offset(r->src), "head of the digest",
                       "it unpacks to more than %d times its size", PR_DIGEST_MAX_RATIO);
    return PR_OK;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static const struct pr_digest_column *find_column(const char *name)
{
    for (size_t i = 0; i < pr_digest_column_count; i++) {
        if (!strcmp(pr_digest_columns[i].name, name))
            return &pr_digest_columns[i];
    }
    return NULL;
}

static enum pr_status wrong_column(struct digest_input *r, const char *why)
{
    return damaged(r, r->unpack.doing, why);
}

/* The rows for COUNT values of COLUMN; NULL with the error set. */
static char *rows_for(struct digest_input *r, const struct pr_digest_column *column, size_t count)
{
    struct pr_digest_rows *rows = &r->rows;
    if (column->array == PR_DIGEST_RUN) {
        if (count == 1)
            return (char *)&rows->run;
        wrong_column(r, "there is one value in it, or none");
        return NULL;
    }
    if (!rows->rows[column->array]) {
        rows->rows[column->array] = pr_arena_array(&r->profile->arena, count, pr_digest_row_bytes[column->array]);
        rows->count[column->array] = count;
        if (!rows->rows[column->array])
            pr_fail_memory(r->err);
    } else if (rows->count[column->array] != count) {
        wrong_column(r, "it has another number of values than its neighbours");
        return NULL;
    }
    return rows->rows[column->array];
}

/* Stores a number as its kind in memory. False: it does not fit. */
static bool store(char *at, enum pr_digest_kind kind, uint64_t value, bool is_signed)
{
    const bool negative = is_signed && (int64_t)value < 0;
    switch (kind) {
    case PR_DIGEST_U8:
    case PR_DIGEST_BOOL: {
        const uint8_t u8 = (uint8_t)value;
        memcpy(at, &u8, sizeof u8);
        return value <= (kind == PR_DIGEST_BOOL ? 1 : UINT8_MAX);
    }
    case PR_DIGEST_U32: {
        const uint32_t u32 = (uint32_t)value;
        memcpy(at, &u32, sizeof u32);
        return value <= UINT32_MAX;
    }
    case PR_DIGEST_I32: {
        const int32_t i32 = (int32_t)value;
        memcpy(at, &i32, sizeof i32);
        return negative ? (int64_t)value >= INT32_MIN : value <= INT32_MAX;
    }
    case PR_DIGEST_U64:
        memcpy(at, &value, sizeof value);
        return true; /* differences wrap around */
    case PR_DIGEST_I64:
        memcpy(at, &value, sizeof value);
        return is_signed || value <= INT64_MAX;
    case PR_DIGEST_MAYBE: {
        const struct pr_maybe maybe = {true, (int64_t)value};
        memcpy(at, &maybe, sizeof maybe);
        return true;
    }
    case PR_DIGEST_WORDS:
    case PR_DIGEST_BYTES:
        break;
    }
    return false;
}

static enum pr_status read_numbers(struct digest_input *r, const struct pr_digest_column *column,
                                   const struct pr_digest_entry *entry, char *rows)
{
    const size_t stride = pr_digest_row_bytes[column->array];
    const bool is_signed = entry->type == PR_DIGEST_SIGNED || entry->type == PR_DIGEST_DELTA;
    uint64_t value, before = 0;
    char *at = rows + column->offset;
    for (uint64_t i = 0; i < entry->count; i++, at += stride) {
        uint8_t byte = 0;
        if (!(entry->type == PR_DIGEST_BYTE ? pr_unpack_bytes(&r->unpack, &byte, 1)
                                            : pr_unpack_number(&r->unpack, &value)))
            return PR_FAILED;
        if (entry->type == PR_DIGEST_BYTE)
            value = byte;
        else if (is_signed)
            value = (uint64_t)pr_unzigzag(value);
        if (entry->type == PR_DIGEST_DELTA)
            value += before;
        before = value;
        if (!store(at, column->kind, value, is_signed))
            return wrong_column(r, "a number in it is too large");
    }
    return PR_OK;
}

/* One text into reader->text. */
static enum pr_status read_text(struct digest_input *r, const struct pr_digest_entry *entry, uint64_t *length)
{
    /* The name of a place is made of two others. */
    const uint64_t most = r->options->limits.max_string_bytes * 2 + PR_UNPACK_BYTES;
    if (!pr_unpack_number(&r->unpack, length))
        return PR_FAILED;
    if (*length > entry->raw_bytes)
        return wrong_column(r, "a text in it is longer than all of it");
    if (*length > most)
        return pr_fail(r->err, PR_ERR_LIMIT, pr_source_offset(r->src), r->unpack.doing, "a text of %llu bytes",
                       (unsigned long long)*length);
    if (!pr_grow(&r->text, &r->text_capacity, (size_t)*length + 1, 1))
        return pr_fail_memory(r->err);
    return pr_unpack_bytes(&r->unpack, r->text, (size_t)*length) ? PR_OK : PR_FAILED;
}

static enum pr_status read_texts(struct digest_input *r, const struct pr_digest_column *column,
                                 const struct pr_digest_entry *entry, char *rows)
{
    struct pr_strings *strings = &r->profile->strings;
    const size_t stride = pr_digest_row_bytes[column->array];
    char *at = rows + column->offset;
    for (uint64_t i = 0; i < entry->count; i++, at += stride) {
        uint64_t length;
        if (read_text(r, entry, &length) == PR_FAILED)
            return PR_FAILED;
        if (column->kind == PR_DIGEST_BYTES) {
            const uint32_t known = strings->count;
            const pr_str string = pr_strings_add(strings, r->text, (size_t)length);
            if (string == PR_NO_STR)
                return pr_fail_memory(r->err);
            if (string != known)
                return wrong_column(r, "a text in it occurs twice");
            continue;
        }
        /* Words of ours are shown as they are: anything a stranger put there instead is made harmless. */
        pr_utf8_make_plain(r->text, (size_t)length);
        const char *words = pr_arena_copy(&r->profile->arena, r->text, (size_t)length);
        if (!words)
            return pr_fail_memory(r->err);
        memcpy(at, &words, sizeof words);
    }
    return PR_OK;
}

static enum pr_status read_values(struct digest_input *r, const struct pr_digest_column *column,
                                  const struct pr_digest_entry *entry)
{
    const bool is_text = column->kind == PR_DIGEST_WORDS || column->kind == PR_DIGEST_BYTES;
    if (is_text != (entry->type == PR_DIGEST_TEXT) || entry->type < PR_DIGEST_UNSIGNED || entry->type > PR_DIGEST_TEXT)
        return wrong_column(r, "its values are of another type");
    if (r->seen[column - pr_digest_columns])
        return wrong_column(r, "it occurs twice");
    r->seen[column - pr_digest_columns] = true;
    char *rows = rows_for(r, column, (size_t)entry->count);
    if (!rows)
        return PR_FAILED;
    return is_text ? read_texts(r, column, entry, rows) : read_numbers(r, column, entry, rows);
}

static enum pr_status read_column(struct digest_input *r, const struct pr_digest_entry *entry)
{
    const struct pr_digest_column *column = find_column(entry->name);
    pr_unpack_begin(&r->unpack, entry);
    if (!column)
        pr_unpack_rest(&r->unpack);
    else if (read_values(r, column, entry) == PR_FAILED)
        return PR_FAILED;
    return pr_unpack_end(&r->unpack);
}

static enum pr_status read_columns(struct digest_input *r)
{
    r->seen = calloc(pr_digest_column_count, sizeof *r->seen);
    if (!r->seen)
        return pr_fail_memory(r->err);
    for (size_t i = 0; i < r->count; i++) {
        if (read_column(r, &r->entries[i]) == PR_FAILED)
            return PR_FAILED;
    }
    if (pr_source_need(r->src, 1))
        return damaged(r, "end of the digest", "something follows it");
    if (r->src->error.code != PR_ERR_NONE)
        return cut(r, "end of the digest");
    return PR_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Its input may not have been complete: a digest says so as the capture did. */
static enum pr_status problem_of(const struct pr_digest_run *run, struct pr_error *err)
{
    if (!run->incomplete)
        return PR_OK;
    const uint64_t offset = run->problem_offset.known ? (uint64_t)run->problem_offset.value : PR_NO_OFFSET;
    const bool known = run->problem_code > PR_ERR_NONE && run->problem_code <= PR_ERR_PARTIAL;
    return pr_cut(err, known ? (enum pr_error_code)run->problem_code : PR_ERR_DAMAGED, offset,
                  run->problem_doing ? run->problem_doing : "", "%s", run->problem_text ? run->problem_text : "");
}

static enum pr_status read_digest(struct digest_input *r)
{
    if (read_head(r) == PR_FAILED || read_entries(r) == PR_FAILED || check_sizes(r) == PR_FAILED ||
        read_columns(r) == PR_FAILED || pr_digest_to_profile(&r->rows, r->options, r->profile, r->err) == PR_FAILED)
        return PR_FAILED;
    r->profile->origin.digest_major = r->major;
    r->profile->origin.digest_minor = r->minor;
    return problem_of(&r->rows.run, r->err);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_error problem = {0};
    struct digest_input *r = calloc(1, sizeof *r);
    if (!r)
        return pr_fail_memory(err);
    *r = (struct digest_input){.src = src, .options = options, .profile = profile, .err = err ? err : &problem};
    r->unpack.src = src;
    r->unpack.progress = options->progress;
    r->unpack.progress_context = options->progress_context;
    r->unpack.err = r->err;
    const enum pr_status status = read_digest(r);
    pr_unpack_clear(&r->unpack);
    free(r->head);
    free(r->entries);
    free(r->seen);
    free(r->text);
    free(r);
    return status;
}

const struct pr_reader pr_digest_reader = {"digest", "profrender digest", probe, read};
