/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/nettrace/nettrace_blocks.h"

#include "capture/base/little_endian.h"

#include <string.h>

/* Tags of versions 4 and 5. */
enum { NULL_REFERENCE = 1, BEGIN_OBJECT = 5, END_OBJECT = 6 };

enum {
    OLD_HEADER = PR_NETTRACE_MAGIC_BYTES + 4 + 20, /* "!FastSerialization.1" after its length */
    NEW_HEADER = PR_NETTRACE_MAGIC_BYTES + 3 * 4,
    OLD_TRACE = 8 * 2 + 2 * 8 + 4 * 4, /* the fields of the object Trace, which has no size */
    TYPE_NAME_MAX = 64,
    BLOCK_MAX = PR_SOURCE_MAX_WINDOW / 2
};

static enum pr_status unsupported(struct pr_source *src, unsigned version, struct pr_error *err)
{
    return pr_fail(err, PR_ERR_UNSUPPORTED, pr_source_offset(src), "trace",
                   "version %u of the format is not supported; 4, 5 and 6 are", version);
}

enum pr_status pr_nettrace_open(struct pr_nettrace_stream *stream, struct pr_source *src, struct pr_error *err)
{
    static const char old[] = "\x14\0\0\0!FastSerialization.1";
    *stream = (struct pr_nettrace_stream){.src = src};
    if (!pr_source_need(src, NEW_HEADER) || memcmp(src->at, PR_NETTRACE_MAGIC, PR_NETTRACE_MAGIC_BYTES) != 0)
        return pr_fail(err, PR_ERR_DAMAGED, pr_source_offset(src), "trace", "it does not begin like a .NET trace");
    if (!pr_le32(src->at + 8)) {
        stream->version = pr_le32(src->at + 12);
        if (stream->version != 6)
            return unsupported(src, stream->version, err);
        pr_source_skip(src, NEW_HEADER);
        return PR_OK;
    }
    if (!pr_source_need(src, OLD_HEADER) || memcmp(src->at + PR_NETTRACE_MAGIC_BYTES, old, sizeof old - 1) != 0)
        return pr_fail(err, PR_ERR_DAMAGED, pr_source_offset(src), "trace", "what follows the magic is unknown");
    pr_source_skip(src, OLD_HEADER);
    stream->version = 4; /* until its object Trace says better */
    return PR_OK;
}

/* ---- what ends --------------------------------------------------------------------------------------------------- */

static enum pr_status ends_here(struct pr_nettrace_stream *stream, struct pr_error *err)
{
    if (stream->src->error.code && err)
        *err = stream->src->error;
    else
        pr_cut(err, PR_ERR_TRUNCATED, pr_source_offset(stream->src), "block", "the input ends before the trace does");
    return PR_CUT;
}

static enum pr_status no_block(struct pr_nettrace_stream *stream, struct pr_error *err)
{
    return pr_cut(err, PR_ERR_DAMAGED, pr_source_offset(stream->src), "block", "what follows is not a block of a "
                                                                               "trace");
}

/* SIZE bytes at `at`, or what there is. */
static enum pr_status give(struct pr_nettrace_stream *stream, size_t size, struct pr_nettrace_block *block,
                           struct pr_error *err)
{
    struct pr_source *src = stream->src;
    if (size > BLOCK_MAX)
        return pr_cut(err, PR_ERR_LIMIT, pr_source_offset(src), "block", "a block is over %d MiB", BLOCK_MAX >> 20);
    pr_source_need(src, size);
    const size_t there = (size_t)(src->end - src->at);
    block->is_cut = there < size;
    block->offset = pr_source_offset(src);
    block->bytes = (struct pr_nettrace_bytes){src->at, src->at + (block->is_cut ? there : size), false};
    stream->taken = (size_t)(block->bytes.end - block->bytes.at);
    stream->in_object = stream->version != 6;
    return block->is_cut ? ends_here(stream, err) : PR_OK;
}

/* ---- version 6 --------------------------------------------------------------------------------------------------- */

static enum pr_status next_new(struct pr_nettrace_stream *stream, struct pr_nettrace_block *block, struct pr_error *err)
{
    if (!pr_source_need(stream->src, 4))
        return ends_here(stream, err);
    const uint32_t header = pr_le32(stream->src->at), kind = header >> 24;
    block->kind = kind < PR_NETTRACE_OTHER ? (enum pr_nettrace_kind)kind : PR_NETTRACE_OTHER;
    pr_source_skip(stream->src, 4);
    if (block->kind == PR_NETTRACE_END)
        return PR_END;
    return give(stream, header & 0xffffff, block, err);
}

/* ---- versions 4 and 5 -------------------------------------------------------------------------------------------- */

static enum pr_nettrace_kind kind_of(const uint8_t *name, size_t length)
{
    static const struct {
        const char *name;
        enum pr_nettrace_kind kind;
    } kinds[] = {{"Trace", PR_NETTRACE_TRACE},
                 {"EventBlock", PR_NETTRACE_EVENTS},
                 {"MetadataBlock", PR_NETTRACE_METADATA},
                 {"StackBlock", PR_NETTRACE_STACKS},
                 {"SPBlock", PR_NETTRACE_SEQUENCE_POINT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && !memcmp(kinds[i].name, name, length))
            return kinds[i].kind;
    return PR_NETTRACE_OTHER;
}

/* Tags, version, minimum version and name of the type of the next object: 3 + 4 + 4 + 4 + name + 1 bytes. */
static enum pr_status read_type(struct pr_nettrace_stream *stream, enum pr_nettrace_kind *kind, uint32_t *version,
                                struct pr_error *err)
{
    enum { BEFORE_NAME = 15 };
    struct pr_source *src = stream->src;
    if (!pr_source_need(src, 1))
        return ends_here(stream, err);
    if (*src->at == NULL_REFERENCE)
        return PR_END;
    if (!pr_source_need(src, BEFORE_NAME))
        return ends_here(stream, err);
    const uint32_t length = pr_le32(src->at + 11);
    if (src->at[0] != BEGIN_OBJECT || src->at[1] != BEGIN_OBJECT || src->at[2] != NULL_REFERENCE ||
        length > TYPE_NAME_MAX)
        return no_block(stream, err);
    if (!pr_source_need(src, BEFORE_NAME + length + 1))
        return ends_here(stream, err);
    if (src->at[BEFORE_NAME + length] != END_OBJECT)
        return no_block(stream, err);
    *kind = kind_of(src->at + BEFORE_NAME, length);
    *version = pr_le32(src->at + 3);
    pr_source_skip(src, BEFORE_NAME + length + 1);
    return PR_OK;
}

static enum pr_status next_old(struct pr_nettrace_stream *stream, struct pr_nettrace_block *block, struct pr_error *err)
{
    struct pr_source *src = stream->src;
    uint32_t version = 0;
    const enum pr_status status = read_type(stream, &block->kind, &version, err);
    if (status != PR_OK)
        return status;
    if (block->kind == PR_NETTRACE_TRACE) {
        if (version < 4 || version > 5)
            return unsupported(src, version, err);
        stream->version = version;
        return give(stream, OLD_TRACE, block, err);
    }
    if (!pr_source_need(src, 4))
        return ends_here(stream, err);
    const uint32_t size = pr_le32(src->at);
    pr_source_skip(src, 4);
    const size_t padding = (size_t)(-pr_source_offset(src) & 3);
    if (!pr_source_need(src, padding))
        return ends_here(stream, err);
    pr_source_skip(src, padding);
    return give(stream, size, block, err);
}

/* Past the block in hand, and the tag that ends it. */
static enum pr_status leave(struct pr_nettrace_stream *stream, struct pr_error *err)
{
    pr_source_skip(stream->src, stream->taken);
    stream->taken = 0;
    if (!stream->in_object)
        return PR_OK;
    stream->in_object = false;
    if (!pr_source_need(stream->src, 1))
        return ends_here(stream, err);
    if (*stream->src->at != END_OBJECT)
        return no_block(stream, err);
    pr_source_skip(stream->src, 1);
    return PR_OK;
}

enum pr_status pr_nettrace_next(struct pr_nettrace_stream *stream, struct pr_nettrace_block *block,
                                struct pr_error *err)
{
    *block = (struct pr_nettrace_block){.kind = PR_NETTRACE_END};
    const enum pr_status status = leave(stream, err);
    if (status != PR_OK)
        return status;
    return stream->version == 6 ? next_new(stream, block, err) : next_old(stream, block, err);
}
