/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 512 bytes: a header, the content, zeros up to the next block. */
#include "capture/input/tar.h"

#include "capture/base/ascii.h"
#include "capture/input/layer.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, MAX_EXTENSION_BYTES = 64 * 1024 };

/* Where fields are in a header, and how long they are. */
enum {
    NAME_AT = 0, NAME_SIZE = 100, SIZE_AT = 124, SIZE_SIZE = 12, SUM_AT = 148, SUM_SIZE = 8, TYPE_AT = 156,
    MAGIC_AT = 257, PREFIX_AT = 345, PREFIX_SIZE = 155
};

/* Octal digits; false for anything else. */
static bool octal(const uint8_t *field, size_t size, uint64_t *number)
{
    size_t at = 0;
    *number = 0;
    while (at < size && field[at] == ' ')
        at++;
    const size_t first = at;
    for (; at < size && field[at] >= '0' && field[at] <= '7'; at++)
        *number = *number << 3 | (uint64_t)(field[at] - '0');
    return at > first && (at == size || field[at] == ' ' || !field[at]);
}

/* The size of a file: octal digits or, for 8 GiB and more, GNU's big-endian number after a bit that marks it. */
static bool read_size(const uint8_t *field, uint64_t *size)
{
    if (field[0] != 0x80)
        return octal(field, SIZE_SIZE, size);
    *size = 0;
    for (size_t i = 1; i < SIZE_SIZE; i++) {
        if (*size >> 56)
            return false;
        *size = *size << 8 | field[i];
    }
    return true;
}

static bool is_zero(const uint8_t *block)
{
    return !block[0] && !memcmp(block, block + 1, BLOCK - 1);
}

/* The sum of all bytes of the header, with spaces instead of the sum. */
static bool sum_is_right(const uint8_t *header)
{
    uint64_t sum = 0, written;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_SIZE ? ' ' : header[i];
    return octal(header + SUM_AT, SUM_SIZE, &written) && written == sum;
}

bool pr_tar_is_one(struct pr_source *src)
{
    return pr_source_need(src, BLOCK) && !memcmp(src->at + MAGIC_AT, "ustar", 5) && sum_is_right(src->at);
}

struct pr_tar pr_tar_begin(struct pr_source *src)
{
    return (struct pr_tar){.src = src, .next_offset = pr_source_offset(src)};
}

static enum pr_status broken(struct pr_tar *tar, enum pr_error_code code, const char *why, struct pr_error *err)
{
    if (tar->src->error.code != PR_ERR_NONE)
        return pr_cut(err, tar->src->error.code, pr_source_offset(tar->src), "tar", "%s", tar->src->error.text);
    return pr_cut(err, code, pr_source_offset(tar->src), "tar", "%s", why);
}

/* Moves to OFFSET, past what was not read. False: the archive ends before. */
static bool move_to(struct pr_source *src, uint64_t offset)
{
    while (pr_source_offset(src) < offset) {
        const uint64_t left = offset - pr_source_offset(src);
        if (!pr_source_need(src, 1))
            return false;
        const size_t here = pr_source_available(src);
        pr_source_skip(src, left < here ? (size_t)left : here);
    }
    return true;
}

static void keep_name(struct pr_tar *tar, const uint8_t *bytes, size_t length)
{
    const size_t most = length < sizeof tar->name - 1 ? length : sizeof tar->name - 1, skipped = length - most;
    const size_t used = strnlen((const char *)bytes + skipped, most);
    memcpy(tar->name, bytes + skipped, used); /* of a long one, the end */
    tar->name[used] = '\0';
}

/* What headers of extensions said of the file after them. */
struct said {
    bool named, sized, is_wrong;
    uint64_t size_bytes;
};

/* The size in a record of a pax header counts instead of that in the header, which has no room for one of 8 GiB. */
static void read_pax_size(struct said *said, const uint8_t *digits, size_t length)
{
    said->sized = true;
    said->size_bytes = 0;
    said->is_wrong = !length;
    for (size_t i = 0; i < length && !said->is_wrong; i++) {
        said->is_wrong = digits[i] < '0' || digits[i] > '9' ||
                         __builtin_mul_overflow(said->size_bytes, 10, &said->size_bytes) ||
                         __builtin_add_overflow(said->size_bytes, (uint64_t)(digits[i] - '0'), &said->size_bytes);
    }
}

/* `27 path=runs/nightly/notes.md`: records of a pax header. */
static void read_pax(struct pr_tar *tar, const uint8_t *bytes, size_t length, struct said *said)
{
    for (size_t at = 0; at < length;) {
        size_t size = 0, digits = at;
        while (digits < length && pr_is_digit(bytes[digits]) && size <= length)
            size = size * 10 + (size_t)(bytes[digits++] - '0');
        if (digits == at || digits + 1 >= length || bytes[digits] != ' ' || size <= digits + 1 - at ||
            size > length - at)
            return;
        const uint8_t *text = bytes + digits + 1;
        const size_t text_length = size - (digits + 1 - at) - 1; /* without the newline */
        if (text_length > 5 && !memcmp(text, "path=", 5)) {
            keep_name(tar, text + 5, text_length - 5);
            said->named = true;
        }
        if (text_length > 5 && !memcmp(text, "size=", 5))
            read_pax_size(said, text + 5, text_length - 5);
        at += size;
    }
}

static void name_of(struct pr_tar *tar, const uint8_t *header)
{
    char text[PREFIX_SIZE + NAME_SIZE + 2];
    const int prefix = (int)strnlen((const char *)header + PREFIX_AT, PREFIX_SIZE),
              name = (int)strnlen((const char *)header + NAME_AT, NAME_SIZE);
    const bool posix = !memcmp(header + MAGIC_AT, "ustar\0", 6);
    const int length = snprintf(text, sizeof text, "%.*s%s%.*s", posix ? prefix : 0, header + PREFIX_AT,
                                posix && prefix ? "/" : "", name, header + NAME_AT);
    keep_name(tar, (const uint8_t *)text, (size_t)length);
}

/* Reads the header at the source. False: it is damaged. */
static bool read_header(struct pr_tar *tar, const struct said *said)
{
    const uint8_t *header = tar->src->at;
    if (!sum_is_right(header) || !read_size(header + SIZE_AT, &tar->size_bytes) || said->is_wrong)
        return false;
    const uint8_t type = header[TYPE_AT];
    if (said->sized && type != 'x' && type != 'g' && type != 'L' && type != 'K')
        tar->size_bytes = said->size_bytes;
    if (!said->named)
        name_of(tar, header);
    return tar->size_bytes <= UINT64_MAX / 4;
}

/* Reads a header of extensions, whose content is at the source. Others say nothing of the next file. */
static void read_extension(struct pr_tar *tar, uint8_t type, struct said *said)
{
    const bool extends = (type == 'x' || type == 'L') && tar->size_bytes <= MAX_EXTENSION_BYTES;
    const size_t size = (size_t)tar->size_bytes;
    if (!extends || !pr_source_need(tar->src, size)) {
        *said = (struct said){.named = false};
        return;
    }
    if (type == 'x')
        read_pax(tar, tar->src->at, size, said);
    else
        keep_name(tar, tar->src->at, strnlen((const char *)tar->src->at, size));
    said->named = said->named || type == 'L';
}

enum pr_status pr_tar_next(struct pr_tar *tar, struct pr_error *err)
{
    struct pr_source *src = tar->src;
    for (struct said said = {.named = false};;) {
        if (!move_to(src, tar->next_offset))
            return broken(tar, PR_ERR_TRUNCATED, "the archive ends in the middle of a file", err);
        if (!pr_source_need(src, BLOCK))
            return pr_source_need(src, 1) || src->error.code != PR_ERR_NONE
                       ? broken(tar, PR_ERR_TRUNCATED, "the archive ends in the middle of a header", err)
                       : PR_END;
        if (is_zero(src->at))
            return PR_END;
        if (!read_header(tar, &said))
            return broken(tar, PR_ERR_DAMAGED, "the header of a file is damaged", err);
        const uint8_t type = src->at[TYPE_AT];
        pr_source_skip(src, BLOCK);
        tar->next_offset = pr_source_offset(src) + (tar->size_bytes + BLOCK - 1) / BLOCK * BLOCK;
        if (type == '0' || !type || type == '7') /* 7: contiguous, POSIX's word for a file in one piece */
            return PR_OK;
        if (type != '5' && type < '7' && type > '0')
            return PR_SKIPPED;
        read_extension(tar, type, &said);
    }
}

/* ---- a member as a source --------------------------------------------------------------------------------------- */

struct member_source {
    struct pr_layer layer;
    struct pr_source *archive; /* borrowed: it outlives the member */
    uint64_t left_bytes;
};

enum { STEP_BYTES = 64 * 1024 };

static void member_step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    struct member_source *member = (struct member_source *)layer;
    struct pr_source *archive = member->archive;
    if (!member->left_bytes) {
        pr_layer_stop(layer);
        return;
    }
    if (!pr_source_need(archive, 1)) {
        struct pr_error *problem = pr_layer_stop(layer);
        if (archive->error.code != PR_ERR_NONE)
            *problem = archive->error;
        pr_cut(problem, PR_ERR_TRUNCATED, layer->source.end_offset, NULL, "the archive ends in the middle of it");
        return;
    }
    size_t count = pr_source_available(archive);
    count = count < room ? count : room;
    count = count < member->left_bytes ? count : (size_t)member->left_bytes;
    memcpy(out, archive->at, count);
    pr_source_skip(archive, count);
    member->left_bytes -= count;
    pr_layer_add(layer, count);
}

static void member_close(struct pr_source *src)
{
    pr_layer_free(src->state);
}

static const struct pr_source_class member_class = {.fill = pr_layer_fill, .close = member_close};

struct pr_source *pr_tar_open(struct pr_tar *tar)
{
    struct member_source *member = pr_layer_new(sizeof *member, &member_class, tar->name, NULL, NULL, STEP_BYTES);
    if (!member)
        return NULL;
    member->layer.step = member_step;
    member->layer.size_bytes = tar->size_bytes;
    member->layer.source.budget = tar->src->budget; /* of what is packed in it; it was read already */
    member->archive = tar->src;
    member->left_bytes = tar->size_bytes;
    return &member->layer.source;
}
