/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `perf record` writes, to a file or to a pipe: doc/formats/perf-data.md.
 *
 * A file begins with where its parts are: the events, the records, and after them what the recording says of itself. A
 * pipe has all of it as records. Both are read forward, once.
 */
#include "capture/builder/reader.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/perf_data/perf_build_ids.h"
#include "capture/perf_data/perf_features.h"
#include "capture/perf_data/perf_records.h"
#include "capture/readers/perf_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What perf itself adds to the kernel's records. Source: tools/lib/perf/include/perf/event.h. */
enum {
    USER_RECORDS = 64,
    RECORD_ATTR = 64,
    RECORD_TRACING_DATA = 66,
    RECORD_BUILD_ID = 67,
    RECORD_FINISHED_ROUND = 68,
    RECORD_AUXTRACE = 71,
    RECORD_FEATURE = 80,
    RECORD_COMPRESSED = 81,
    RECORD_FINISHED_INIT = 82, /* what was there before the program began is written; since Linux 5.19 */
    RECORD_COMPRESSED2 = 83
};

enum { HEADER = 104, PIPE_HEADER = 16, MAX_EVENTS_BYTES = 32 << 20, MAX_FEATURE_BYTES = 32 << 20 };

struct section {
    uint64_t offset, size;
};

struct header {
    uint64_t size, attr_size;
    struct section attrs, data;
    uint64_t features[PR_PERF_FEATURES / 64];
};

static enum pr_status cut(struct pr_perf *r, const char *what)
{
    const struct pr_error *why = &r->c.src->error;
    if (why->code != PR_ERR_NONE)
        return pr_cut(r->c.err, why->code, pr_source_offset(r->c.src), what, "%s", why->text);
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), what, "the input ends in it");
}

/* Moves on by COUNT bytes, however many. False: the input ends before. */
static bool skip(struct pr_source *src, uint64_t count)
{
    enum { STEP = 1 << 20 };
    while (count) {
        const size_t step = count < STEP ? (size_t)count : STEP;
        if (!pr_source_need(src, step))
            return false;
        pr_source_skip(src, step);
        count -= step;
    }
    return true;
}

/* ---- records of perf itself ------------------------------------------------------------------------------------- */

static enum pr_status take_record(struct pr_perf *r, struct pr_perf_queued record, const uint8_t *content);

/* An event in a pipe, and its ids. */
static void take_attr(struct pr_perf *r, const struct pr_perf_queued *record, struct pr_perf_bytes content)
{
    struct pr_perf_bytes peek = content;
    pr_perf_skip(&peek, sizeof(uint32_t));
    const uint32_t size = pr_perf_u32(&peek);
    if (!pr_perf_attrs_add(&r->attrs, &content, size ? size : 64))
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, record->offset);
    else
        pr_perf_attrs_add_ids(&r->attrs, (uint32_t)r->attrs.count - 1, content);
    if (r->attrs.no_memory)
        pr_build_no_memory(&r->c);
}

/* Takes the whole records of what was unpacked, and keeps the rest for the next piece. */
static enum pr_status take_unpacked(struct pr_perf *r, uint64_t offset)
{
    enum pr_status status = PR_OK;
    size_t at = 0;
    while (status == PR_OK && r->unpacked.length - at >= PR_PERF_HEAD && pr_build_going(&r->c)) {
        const uint8_t *bytes = (const uint8_t *)r->unpacked.bytes + at;
        struct pr_perf_bytes head = pr_perf_bytes_of(r, bytes, PR_PERF_HEAD);
        const uint32_t type = pr_perf_u32(&head), misc = pr_perf_u16(&head), size = pr_perf_u16(&head);
        if (size < PR_PERF_HEAD)
            return pr_cut(r->c.err, PR_ERR_DAMAGED, offset, "compressed record", "a record in it has no length");
        if (size > r->unpacked.length - at)
            break;
        at += size;
        if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 || type == RECORD_AUXTRACE)
            return pr_cut(r->c.err, PR_ERR_DAMAGED, offset, "compressed record", "it holds a record of packed bytes");
        const struct pr_perf_queued record = {.offset = offset, .length = size - PR_PERF_HEAD,
                                              .kind = (type < UINT16_MAX ? type : UINT16_MAX) | misc << 16};
        status = take_record(r, record, bytes + PR_PERF_HEAD);
    }
    r->unpacked.length -= at;
    if (r->unpacked.length)
        memmove(r->unpacked.bytes, r->unpacked.bytes + at, r->unpacked.length);
    return status;
}

/* A piece of the one stream that all these records are. What it unpacks to counts like other unpacking. */
static enum pr_status take_packed(struct pr_perf *r, uint64_t offset, struct pr_perf_bytes content)
{
    enum { STEP = 128 * 1024 };
    ZSTD_inBuffer in = {.src = content.at, .size = pr_perf_left(&content)};
    enum pr_status status = PR_OK;
    if (!r->zstd && !(r->zstd = ZSTD_createDCtx()))
        return pr_fail_memory(r->c.err);
    for (bool more = true; status == PR_OK && r->c.status == PR_OK && (more || in.pos < in.size);) {
        ZSTD_outBuffer out = {.dst = pr_buf_room(&r->unpacked, STEP), .size = STEP};
        if (!out.dst)
            return pr_fail_memory(r->c.err);
        const size_t result = ZSTD_decompressStream(r->zstd, &out, &in);
        if (ZSTD_isError(result))
            return pr_cut(r->c.err, PR_ERR_DAMAGED, offset, "compressed record", "%s", ZSTD_getErrorName(result));
        pr_buf_use(&r->unpacked, out.pos);
        more = out.pos == out.size;
        if (r->c.src->budget && !pr_unpack_budget_spend(r->c.src->budget, out.pos, offset, r->c.err))
            return PR_CUT;
        status = take_unpacked(r, offset);
    }
    return status;
}

static enum pr_status end_round(struct pr_perf *r)
{
    return pr_perf_queue_round(&r->queue, pr_perf_apply, r) ? PR_OK : pr_fail_memory(r->c.err);
}

/* A record with its CONTENT, which is in memory. */
static enum pr_status take_record(struct pr_perf *r, struct pr_perf_queued record, const uint8_t *content)
{
    struct pr_perf_bytes bytes = pr_perf_bytes_of(r, content, record.length);
    switch (record.kind & 0xffff) {
    case RECORD_ATTR:
        take_attr(r, &record, bytes);
        return PR_OK;
    case RECORD_BUILD_ID:
        pr_perf_build_id_take(r, record.kind >> 16, bytes);
        return PR_OK;
    case RECORD_FINISHED_ROUND:
        r->has_marks = true;
        r->in_round = false;
        return end_round(r);
    case RECORD_FINISHED_INIT:
        r->has_marks = true;
        return PR_OK;
    case RECORD_FEATURE: {
        const uint64_t feature = pr_perf_u64(&bytes);
        if (!bytes.failed && feature < PR_PERF_FEATURES)
            pr_perf_feature_take(r, (unsigned)feature, bytes);
        return PR_OK;
    }
    case RECORD_COMPRESSED:
        return take_packed(r, record.offset, bytes);
    case RECORD_COMPRESSED2: {
        const uint64_t size = pr_perf_u64(&bytes);
        return take_packed(r, record.offset, pr_perf_take(&bytes, size));
    }
    default:
        r->in_round = r->in_round || (record.kind & 0xffff) == PR_PERF_RECORD_SAMPLE;
        if ((record.kind & 0xffff) < USER_RECORDS)
            pr_perf_order(r, record, content);
        return PR_OK;
    }
}

/* Bytes after a record that its size does not count. */
static uint64_t bytes_after(struct pr_perf *r, unsigned type, struct pr_perf_bytes content)
{
    if (type == RECORD_TRACING_DATA)
        return (pr_perf_u32(&content) + UINT64_C(7)) & ~UINT64_C(7);
    if (type != RECORD_AUXTRACE)
        return 0;
    const uint64_t size = pr_perf_u64(&content);
    r->facts.traces += size;
    return size;
}

/* The last compressed record ends with a whole record too. */
static enum pr_status end_records(struct pr_perf *r, uint64_t offset)
{
    return r->unpacked.length ? pr_cut(r->c.err, PR_ERR_TRUNCATED, offset, "compressed record",
                                       "the recording ends in a record of it")
                              : PR_END;
}

/* Records up to END, an offset of the source. PR_END: all of them were read. */
static enum pr_status read_records(struct pr_perf *r, uint64_t end)
{
    struct pr_source *src = r->c.src;
    enum pr_status status = PR_OK;
    while (status == PR_OK && pr_build_going(&r->c)) {
        const uint64_t offset = pr_source_offset(src);
        if (offset >= end || !pr_source_need(src, 1))
            return offset < end && (end != UINT64_MAX || src->error.code != PR_ERR_NONE) ? cut(r, "record")
                                                                                         : end_records(r, offset);
        if (!pr_source_need(src, PR_PERF_HEAD))
            return cut(r, "record");
        struct pr_perf_bytes head = pr_perf_bytes_of(r, src->at, PR_PERF_HEAD);
        const uint32_t type = pr_perf_u32(&head), misc = pr_perf_u16(&head), size = pr_perf_u16(&head);
        if (size < PR_PERF_HEAD)
            return pr_cut(r->c.err, PR_ERR_DAMAGED, offset, "record", "its length is %" PRIu32, size);
        if (!pr_source_need(src, size))
            return cut(r, "record");
        const struct pr_perf_queued record = {.offset = offset, .length = size - PR_PERF_HEAD,
                                              .kind = (type < UINT16_MAX ? type : UINT16_MAX) | misc << 16};
        const uint64_t after = bytes_after(r, type, pr_perf_bytes_of(r, src->at + PR_PERF_HEAD, record.length));
        status = take_record(r, record, src->at + PR_PERF_HEAD);
        pr_source_skip(src, size);
        if (status == PR_OK && !skip(src, after))
            return cut(r, "record");
    }
    return status;
}

/* ---- a file ----------------------------------------------------------------------------------------------------- */

static struct section take_section(struct pr_perf_bytes *bytes)
{
    const uint64_t offset = pr_perf_u64(bytes);
    return (struct section){offset, pr_perf_u64(bytes)};
}

/* The features are a bit mask of 64-bit numbers; where the kernel's numbers are of 32 bits, so may they be. */
static void take_header(struct pr_perf_bytes bytes, struct header *header)
{
    pr_perf_skip(&bytes, 8);
    header->size = pr_perf_u64(&bytes);
    header->attr_size = pr_perf_u64(&bytes);
    header->attrs = take_section(&bytes);
    header->data = take_section(&bytes);
    take_section(&bytes); /* of types of events, which nothing writes any more */
    for (size_t i = 0; i < PR_PERF_FEATURES / 64; i++)
        header->features[i] = pr_perf_u64(&bytes);
}

/* SECTION of the bytes from the file's beginning on. */
static bool in_front(struct pr_perf_bytes front, struct section section, struct pr_perf_bytes *part)
{
    pr_perf_skip(&front, section.offset);
    *part = pr_perf_take(&front, section.size);
    return !part->failed;
}

/* The events are before the records, as every writer has them; FRONT is all of the file up to those. */
static enum pr_status read_events(struct pr_perf *r, const struct header *header, struct pr_perf_bytes front)
{
    enum { SECTION = 16 };
    struct pr_perf_bytes events, ids;
    if (header->attr_size < SECTION || !in_front(front, header->attrs, &events))
        return pr_fail(r->c.err, PR_ERR_DAMAGED, header->attrs.offset, "events", "they are not before the records");
    while (pr_perf_left(&events) >= header->attr_size && r->c.status == PR_OK) {
        const bool good = pr_perf_attrs_add(&r->attrs, &events, header->attr_size - SECTION);
        const struct section section = take_section(&events);
        if (r->attrs.no_memory)
            return pr_fail_memory(r->c.err);
        if (!good)
            return pr_fail(r->c.err, PR_ERR_DAMAGED, header->attrs.offset, "events", "one of them makes no sense");
        if (in_front(front, section, &ids))
            pr_perf_attrs_add_ids(&r->attrs, (uint32_t)r->attrs.count - 1, ids);
        else
            pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, section.offset);
    }
    if (r->attrs.no_memory)
        return pr_fail_memory(r->c.err);
    return r->attrs.count ? PR_OK
                          : pr_fail(r->c.err, PR_ERR_DAMAGED, header->attrs.offset, "events", "there are none");
}

static enum pr_status read_front(struct pr_perf *r, struct header *header)
{
    struct pr_source *src = r->c.src;
    if (!pr_source_need(src, HEADER))
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(src), "header", "the input ends in it");
    take_header(pr_perf_bytes_of(r, src->at, HEADER), header);
    if (header->data.offset < HEADER || header->data.offset > MAX_EVENTS_BYTES)
        return pr_fail(r->c.err, PR_ERR_DAMAGED, 40, "header", "records cannot begin at byte %" PRIu64,
                       header->data.offset);
    if (!pr_source_need(src, (size_t)header->data.offset))
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(src), "events", "the input ends in them");
    const enum pr_status status =
        read_events(r, header, pr_perf_bytes_of(r, src->at, (size_t)header->data.offset));
    pr_source_skip(src, (size_t)header->data.offset);
    return status;
}

/* Takes feature number FEATURE, which is at SECTION, if nothing after it was read yet. */
static enum pr_status read_feature(struct pr_perf *r, unsigned feature, struct section section)
{
    struct pr_source *src = r->c.src;
    const uint64_t at = pr_source_offset(src);
    if (!section.size || !pr_perf_feature_wanted(feature))
        return PR_OK;
    if (section.offset < at || section.size > MAX_FEATURE_BYTES) {
        pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, section.offset);
        return PR_OK;
    }
    if (!skip(src, section.offset - at) || !pr_source_need(src, (size_t)section.size))
        return cut(r, "what the recording says of itself");
    pr_perf_feature_take(r, feature, pr_perf_bytes_of(r, src->at, (size_t)section.size));
    pr_source_skip(src, (size_t)section.size);
    return PR_OK;
}

/* A file is whole if all of its sections are there, those that are not read too. */
static enum pr_status read_rest(struct pr_perf *r, const struct section section[PR_PERF_FEATURES])
{
    const uint64_t at = pr_source_offset(r->c.src);
    uint64_t end = at;
    for (unsigned i = 0; i < PR_PERF_FEATURES; i++)
        if (section[i].size > UINT64_MAX - section[i].offset)
            pr_build_damage_at(&r->c, PR_DAMAGE_RECORDS, section[i].offset);
        else if (section[i].size && section[i].offset + section[i].size > end)
            end = section[i].offset + section[i].size;
    return skip(r->c.src, end - at) ? PR_OK : cut(r, "what the recording says of itself");
}

/* A table of sections, one for each bit of the header; their content follows in the same order. */
static enum pr_status read_features(struct pr_perf *r, const struct header *header)
{
    enum { SECTION = 16 };
    struct section section[PR_PERF_FEATURES] = {{0, 0}};
    enum pr_status status = PR_OK;
    for (unsigned i = 0; i < PR_PERF_FEATURES; i++) {
        if (!(header->features[i / 64] >> i % 64 & 1))
            continue;
        if (!pr_source_need(r->c.src, SECTION))
            return cut(r, "what the recording says of itself");
        struct pr_perf_bytes bytes = pr_perf_bytes_of(r, r->c.src->at, SECTION);
        section[i] = take_section(&bytes);
        pr_source_skip(r->c.src, SECTION);
    }
    for (unsigned i = 0; i < PR_PERF_FEATURES && status == PR_OK && pr_build_going(&r->c); i++)
        status = read_feature(r, i, section[i]);
    return status == PR_OK && pr_build_going(&r->c) ? read_rest(r, section) : status;
}

/*
 * Build ids come after the records, and unwinding needs them before, to know whether a file of code is the one that
 * ran. Of a file that can be read out of order they are read twice: here and in their turn.
 */
static void peek_build_ids(struct pr_perf *r, const struct header *header)
{
    enum { SECTION = 16 };
    const unsigned before = (unsigned)__builtin_popcountll(header->features[0] & ((1u << PR_PERF_BUILD_IDS) - 1));
    uint8_t table[SECTION];
    if (!(header->features[0] >> PR_PERF_BUILD_IDS & 1) || header->data.size > UINT64_MAX / 2 ||
        !pr_source_peek(r->c.src, header->data.offset + header->data.size + before * SECTION, table, SECTION))
        return;
    struct pr_perf_bytes bytes = pr_perf_bytes_of(r, table, SECTION);
    const struct section section = take_section(&bytes);
    uint8_t *content = section.size <= MAX_FEATURE_BYTES ? malloc((size_t)section.size + 1) : NULL;
    if (!content && section.size <= MAX_FEATURE_BYTES)
        pr_build_no_memory(&r->c);
    if (content && pr_source_peek(r->c.src, section.offset, content, (size_t)section.size))
        pr_perf_feature_take(r, PR_PERF_BUILD_IDS, pr_perf_bytes_of(r, content, (size_t)section.size));
    free(content);
}

static enum pr_status read_file(struct pr_perf *r)
{
    struct header header;
    enum pr_status status = read_front(r, &header);
    if (status != PR_OK)
        return status;
    peek_build_ids(r, &header);
    const bool is_ended = header.data.size && header.data.size <= UINT64_MAX - header.data.offset;
    status = read_records(r, is_ended ? header.data.offset + header.data.size : UINT64_MAX);
    if (status == PR_END && !is_ended)
        return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "recording",
                      "perf was not ended properly: names of events and build ids are missing");
    return status == PR_END ? read_features(r, &header) : status;
}

/* ---- a pipe ----------------------------------------------------------------------------------------------------- */

/*
 * A pipe has no size, but perf ends each round of records with a mark, the last one too. A perf that writes no marks
 * (before Linux 3.17) has none before the samples either.
 */
static enum pr_status read_pipe(struct pr_perf *r)
{
    const enum pr_status status = read_records(r, UINT64_MAX);
    if (status == PR_END && r->has_marks && r->in_round)
        return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "recording",
                      "the pipe ends within a round of records, which perf ends with a mark");
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static enum pr_status read_all(struct pr_perf *r)
{
    struct pr_source *src = r->c.src;
    if (!pr_source_need(src, PIPE_HEADER))
        return pr_fail(r->c.err, PR_ERR_TRUNCATED, 0, "header", "the input ends in it");
    r->big_endian = *src->at == '2';
    struct pr_perf_bytes size = pr_perf_bytes_of(r, src->at + 8, 8);
    if (pr_perf_u64(&size) != PIPE_HEADER)
        return read_file(r);
    pr_source_skip(src, PIPE_HEADER);
    return read_pipe(r);
}

/* Events that have samples become metrics in their order. [attrs.count], NULL: no memory. */
static unsigned *make_metrics(struct pr_perf *r)
{
    unsigned *metric_of = calloc(r->attrs.count + 1, sizeof *metric_of);
    bool *is_used = calloc(r->attrs.count + 1, sizeof *is_used);
    for (uint32_t i = 0; is_used && i < r->stacks.facts.count; i++)
        is_used[r->stacks.facts.keys[(size_t)i * 2 + 1]] = true;
    for (size_t i = 0; metric_of && is_used && i < r->attrs.count; i++) {
        char name[256];
        if (!is_used[i])
            continue;
        pr_perf_attr_name(&r->attrs.attr[i], name, sizeof name);
        const char *word = pr_build_word(&r->c, pr_text_of(name));
        const char *title = pr_build_word(&r->c, pr_perf_title(pr_text_of(name)));
        metric_of[i] = pr_build_metric(&r->c, word, title, pr_perf_attr_unit(&r->attrs.attr[i], name), "samples");
    }
    if (!metric_of || !is_used)
        pr_build_no_memory(&r->c);
    free(is_used);
    return metric_of;
}

static void add_notes(struct pr_perf *r)
{
    const struct pr_perf_facts *facts = &r->facts;
    const struct pr_text version = pr_profile_text(r->c.profile, facts->version);
    if (version.length)
        pr_build_note(&r->c, "recorded by perf %.*s", (int)(version.length < 100 ? version.length : 100),
                      version.bytes);
    if (facts->lost)
        pr_build_note(&r->c, "the kernel lost %" PRIu64 " record%s: perf record -m takes larger buffers", facts->lost,
                      facts->lost == 1 ? "" : "s");
    if (facts->throttled)
        pr_build_note(&r->c, "the kernel stopped sampling for a moment %" PRIu64 " time%s, because there were too "
                      "many samples", facts->throttled, facts->throttled == 1 ? "" : "s");
    pr_perf_callers_note(&r->callers, &r->c, &r->places);
    if (facts->traces)
        pr_build_note(&r->c, "hardware traces (AUX) are not read");
}

static void finish(struct pr_perf *r)
{
    struct pr_perf_frames frames = {0};
    if (!pr_perf_queue_flush(&r->queue, pr_perf_apply, r))
        pr_build_no_memory(&r->c);
    if (r->c.status == PR_FAILED)
        return;
    pr_build_damage(&r->c, PR_DAMAGE_ORDER, r->queue.late);
    pr_perf_build_ids_assign(r);
    const enum pr_status limit = r->c.status; /* a limit keeps what came before: its stacks need frames too */
    if (limit == PR_CUT)
        r->c.status = PR_OK;
    pr_perf_frames_make(&r->c, &r->places, &frames);
    unsigned *metric_of = make_metrics(r);
    if (r->c.status == PR_OK)
        pr_perf_stacks_finish(&r->stacks, &r->c, &frames, metric_of);
    add_notes(r);
    if (limit == PR_CUT && r->c.status == PR_OK)
        r->c.status = limit;
    pr_perf_frames_clear(&frames);
    free(metric_of);
}

static void clear(struct pr_perf *r)
{
    pr_perf_attrs_clear(&r->attrs);
    pr_perf_maps_clear(&r->processes);
    pr_perf_places_clear(&r->places);
    pr_perf_callers_clear(&r->callers);
    pr_perf_stacks_clear(&r->stacks);
    pr_perf_queue_clear(&r->queue);
    pr_idset_clear(&r->tids);
    free(r->comm);
    pr_idset_clear(&r->build_id_paths);
    free(r->build_id);
    pr_idset_clear(&r->counted);
    free(r->last_count);
    pr_buf_clear(&r->unpacked);
    ZSTD_freeDCtx(r->zstd);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_perf *r = calloc(1, sizeof *r);
    if (!r)
        return pr_fail_memory(err);
    enum pr_status status = pr_build_init(&r->c, src, options, profile, err);
    if (status == PR_OK && pr_perf_stacks_init(&r->stacks, &r->c))
        status = read_all(r);
    if (status != PR_FAILED && r->c.status != PR_FAILED)
        finish(r);
    if (status != PR_FAILED && r->c.status != PR_FAILED && !r->facts.samples)
        status = status == PR_CUT ? PR_FAILED : pr_fail(err, PR_ERR_DAMAGED, 0, "sample", "it has no samples");
    clear(r);
    status = pr_build_finish(&r->c, status);
    free(r);
    return status;
}

/* The magic, in either byte order. */
static unsigned probe(struct pr_source *src)
{
    if (!pr_source_need(src, 8) || (memcmp(src->at, "PERFILE2", 8) != 0 && memcmp(src->at, "2ELIFREP", 8) != 0))
        return 0;
    return 8 * 8;
}

const struct pr_reader pr_perf_data_reader = {"perf-data", "perf.data recording", probe, read};
