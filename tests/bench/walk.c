/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the records of a memray capture of version 12 or 13, decodes them and only adds up a sum: no analysis can be
 * faster than this. Unpacking, windows and numbers are those of the reader; one thread does it all.
 *
 *     walk CAPTURE
 */
#include "profrender/load.h"
#include "capture/memray/memray_plain.h"
#include "capture/heap/pipeline.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t sum; /* of all numbers, so that none is optimised away */

static uint64_t address(struct pr_decoder *d, unsigned place)
{
    struct pr_memray *r = d->r;
    if (place != PR_MEMRAY_RECENT)
        return r->recent[(r->newest + place) % PR_MEMRAY_RING];
    r->newest = (r->newest - 1) % PR_MEMRAY_RING;
    return r->recent[r->newest] = pr_get_delta(d, &r->last_pointer) << 3;
}

static enum pr_status walk_allocation(struct pr_decoder *d, unsigned type)
{
    sum += address(d, type >> 3 & 15);
    const unsigned allocator = type & 7 ? type & 7 : *d->at++;
    if (!pr_allocator_is_simple_free(allocator)) {
        if (d->r->header.native_traces)
            sum += pr_get_delta(d, &d->r->last_native);
        sum += pr_get_uv(d) + allocator;
    }
    d->r->records.allocations++;
    return PR_OK;
}

/* Plain ones, away from the end of the window: when only the numbers matter, nearly all the time is spent here. */
__attribute__((always_inline)) static inline void walk_plain(struct pr_decoder *d, bool extracts)
{
    struct pr_memray *r = d->r;
    const uint8_t *const last = d->end - PR_SHORT_RECORD;
    struct pr_plain p = pr_plain_begin(d), next;
    uint64_t count = 0, numbers = 0;
    for (; p.at <= last && pr_plain_is(*p.at); count++) {
        const unsigned type = *p.at;
        next = p;
#define READ(is_new, is_free) pr_read_plain(extracts, is_new, is_free, r->recent, &next)
        if (!PR_FOR_PLAIN(type, READ))
            break;
#undef READ
        p = next;
        numbers += p.address + p.size + (pr_plain_is_free(type) ? 0 : type & 7);
    }
    pr_plain_end(d, &p);
    r->records.allocations += count;
    sum += numbers;
}

PR_EXTRACTS static void walk_plain_extracting(struct pr_decoder *d)
{
    walk_plain(d, true);
}

static bool walk_plain_allocations(struct pr_decoder *d)
{
    const uint8_t *const start = d->at;
    if (d->extracts)
        walk_plain_extracting(d);
    else
        walk_plain(d, false);
    return d->at != start;
}

static enum pr_status walk_object(struct pr_decoder *d, unsigned type)
{
    sum += address(d, type >> 1 & 15);
    if (d->r->header.native_traces && type & 1)
        sum += pr_get_delta(d, &d->r->last_native);
    return PR_OK;
}

static enum pr_status walk_two_numbers(struct pr_decoder *d)
{
    sum += pr_get_uv(d);
    sum += pr_get_uv(d);
    return PR_OK;
}

/* Types: doc/formats/memray.md, "Versions 12 and 13: type byte". */
static enum pr_status walk_record(struct pr_decoder *d, struct pr_error *err)
{
    if (!d->in_tail && !d->r->header.native_traces && walk_plain_allocations(d))
        return PR_OK;
    const unsigned type = *d->at++;
    if (type & 0x80)
        return walk_allocation(d, type);
    if (type & 0x40)
        return walk_two_numbers(d); /* frame push */
    if (type & 0x20)
        return walk_object(d, type);
    if (type & 0x10)
        return PR_OK; /* frame pop */
    switch (type) {
    case 2: /* memory sample */
    case 5: /* native frame */
        return walk_two_numbers(d);
    case 6: /* a list of images begins */
        return PR_OK;
    case 7:
        return pr_decoder_long(d, pr_memray_read_image, err);
    case 10:
        return pr_decoder_long(d, pr_memray_read_thread_name, err);
    case 12: /* context switch */
        pr_get_u64(d);
        return PR_OK;
    case 14:
        return pr_decoder_long(d, pr_memray_read_code, err);
    default: /* the trailer, or whatever comes instead */
        return PR_END;
    }
}

static enum pr_status walk(void *producer, struct pr_belt *belt, struct pr_error *err)
{
    return pr_decoder_run(producer, belt, walk_record, err);
}

static enum pr_status nothing(void *consumer, struct pr_batch *batch, struct pr_error *err)
{
    (void)consumer;
    (void)batch;
    (void)err;
    return PR_OK;
}

static enum pr_status walk_all(struct pr_memray *r, struct pr_error *err)
{
    const struct pr_limits *limits = &r->options->limits;
    if (pr_strings_init(&r->profile->strings, err) == PR_FAILED ||
        pr_memray_read_header(r->src, limits, r->profile, &r->header, err) == PR_FAILED ||
        pr_stacks_init(&r->builder, r->profile, limits, err) == PR_FAILED)
        return PR_FAILED;
    if (r->header.version->produce != pr_memray_produce_v12 || r->header.aggregated)
        return pr_fail(err, PR_ERR_ABSENT, PR_NO_OFFSET, NULL, "not a capture of version 12 or 13 with all records");
    const struct pr_pipeline pipeline = {walk, r, {{nothing, NULL}}, 1, false};
    return pr_pipeline_run(&pipeline, err);
}

int main(int argc, char **argv)
{
    const struct pr_load_options options = pr_load_options_default();
    struct pr_profile profile = {0};
    struct pr_memray r = {.options = &options, .profile = &profile, .thread = PR_NO_ID, .native.ignored = true};
    struct pr_error err = {0};
    if (argc != 2)
        return 2;
    if (pr_source_open(argv[1], NULL, &r.src, &err) == PR_FAILED || walk_all(&r, &err) == PR_FAILED) {
        fprintf(stderr, "walk: %s: %s\n", argv[1], err.text);
        return 1;
    }
    printf("%" PRIu64 " allocations and frees, sum %" PRIx64 "\n", r.records.allocations, sum);
    return 0; /* the process's exit frees everything */
}
