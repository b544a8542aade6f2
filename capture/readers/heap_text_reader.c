/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heap profiles as text, of tcmalloc (gperftools) and of jemalloc: for each stack what is in use, and what was
 * allocated.
 *
 *     heap profile:  18003:   300019 [ 27005:   447997] @ heapprofile          heap_v2/524288
 *       9001:   216024 [ 13502:   324048] @ 0x5634e12d3246 0x5634e12d33c5       @ 0x7f98bb0a2630 0x7f98bb0a2d21
 *                                                                                 t*: 76: 2432 [0: 0]
 *     MAPPED_LIBRARIES:                                                           t0: 76: 2432 [0: 0]
 *     5634e12d3000-5634e12d4000 r-xp 00001000 00:00 1 /app/hashtab
 *
 * - Objects and bytes in use, in brackets those of all time; stacks are leaf first. jemalloc's `t*` is the sum of its
 *   threads, which follow.
 * - `heap_v2/RATE` is a sample of one in RATE bytes: n objects of mean size s represent n / (1 - exp(-s / RATE)).
 *   `heap/RATE` has twice the rate in it; `heapprofile` counted all.
 * - jemalloc's stacks begin in its own library, which would have all of each metric: they begin at its caller instead,
 *   as jeprof shows them.
 * - Both write the map, last. It has a short form: `--- Memory map: ---`, `source=/home`, `00400000-00fcb000:
 *   $source/server`.
 * - jemalloc keeps what was freed only if configured to: otherwise the two metrics are absent.
 *
 * Source: google/pprof profile/legacy_profile.go (parseHeap, scaleHeapSample); jemalloc 5.3 src/prof_data.c;
 * gperftools 2.10.
 */
#include "capture/readers/address_samples.h"
#include "capture/readers/heap_scale.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include <inttypes.h>
#include <string.h>

static const char tcmalloc_head[] = "heap profile:", jemalloc_head[] = "heap_v2/", maps_head[] = "MAPPED_LIBRARIES:",
                  short_maps_head[] = "--- Memory map: ---";

/* Objects and bytes, in use and of all time. */
struct counts {
    int64_t used_count, used_bytes, all_count, all_bytes;
};

struct heap_text {
    struct pr_profile_builder c;
    struct pr_address_samples samples;
    double rate; /* 0 = nothing to scale */
    bool is_jemalloc, in_maps, known_all;
    bool pending; /* jemalloc: a stack waits for its sum */
};

/* Takes the next whole number off TEXT, past any of SKIP before it. */
static bool take_number(struct pr_text *text, const char *skip, int64_t *number)
{
    struct pr_decimal decimal;
    while (text->length && *text->bytes && strchr(skip, *text->bytes))
        *text = pr_text_from(*text, 1);
    size_t length = pr_decimal_parse(text->bytes, text->length, &decimal);
    *number = pr_decimal_scaled(decimal, 0);
    *text = pr_text_from(*text, length);
    return length && *number >= 0;
}

/* `9001: 216024 [ 13502: 324048]`; what follows stays in TEXT. */
static bool take_counts(struct pr_text *text, struct counts *counts)
{
    return take_number(text, " \t", &counts->used_count) && take_number(text, " :", &counts->used_bytes) &&
           take_number(text, " [", &counts->all_count) && take_number(text, " :", &counts->all_bytes);
}

static struct pr_address_values values_of(struct heap_text *r, struct counts counts)
{
    pr_heap_scale(r->rate, &counts.used_count, &counts.used_bytes);
    pr_heap_scale(r->rate, &counts.all_count, &counts.all_bytes);
    r->known_all = r->known_all || counts.all_count || counts.all_bytes;
    return (struct pr_address_values){{counts.used_bytes, counts.used_count, counts.all_bytes, counts.all_count},
                                      {counts.used_count, 0, counts.all_count, 0}};
}

static bool push_addresses(struct heap_text *r, struct pr_text text)
{
    while (text.length && r->c.status == PR_OK) {
        uint64_t address;
        uint32_t length = 0;
        while (length < text.length && text.bytes[length] != ' ')
            length++;
        if (length && !pr_text_number((struct pr_text){text.bytes, length}, &address))
            return false;
        if (length)
            pr_address_sample_push(&r->samples, address);
        text = pr_text_from(text, length < text.length ? length + (size_t)1 : length);
    }
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* `heap_v2/524288` after the last `@`. */
static void take_rate(struct heap_text *r, struct pr_text text)
{
    const char *slash = memchr(text.bytes, '/', text.length);
    uint64_t rate = 0;
    if (slash)
        pr_text_number(pr_text_from(text, (size_t)(slash - text.bytes) + 1), &rate);
    if (pr_text_starts(text, "heap_v2/") || pr_text_starts(text, "heapz_v2/"))
        r->rate = (double)rate;
    else if (pr_text_starts(text, "heap/"))
        r->rate = (double)rate / 2;
}

static bool take_head(struct heap_text *r, struct pr_text line)
{
    const char *at = line.length ? memrchr(line.bytes, '@', line.length) : NULL;
    r->is_jemalloc = pr_text_starts(line, jemalloc_head);
    if (r->is_jemalloc)
        take_rate(r, line);
    else if (at)
        take_rate(r, pr_text_trim(pr_text_from(line, (size_t)(at - line.bytes) + 1)));
    return r->is_jemalloc || pr_text_starts(line, tcmalloc_head);
}

static bool take_tcmalloc(struct heap_text *r, struct pr_text line)
{
    struct counts counts;
    const char *at = memchr(line.bytes, '@', line.length);
    if (!at || !take_counts(&line, &counts))
        return false;
    const struct pr_address_values values = values_of(r, counts);
    pr_address_sample_begin(&r->samples, &values);
    return push_addresses(r, pr_text_trim(pr_text_from(line, (size_t)(at - line.bytes) + 1)));
}

/* A stack, and the line of its sum; the sum of all stacks, before the first one, is not a stack. */
static bool take_jemalloc(struct heap_text *r, struct pr_text line)
{
    struct counts counts;
    if (*line.bytes == '@') {
        pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->pending);
        r->pending = true;
        pr_address_sample_begin(&r->samples, &(struct pr_address_values){{0}, {0}});
        return push_addresses(r, pr_text_trim(pr_text_from(line, 1)));
    }
    const char *colon = memchr(line.bytes, ':', line.length);
    if (*line.bytes != 't' || !colon)
        return false;
    bool is_sum = pr_text_starts(line, "t*:");
    line = pr_text_from(line, (size_t)(colon - line.bytes) + 1);
    if (!take_counts(&line, &counts))
        return false;
    if (is_sum && r->pending && r->samples.sample_count) {
        r->samples.samples[r->samples.sample_count - 1].values = values_of(r, counts);
        r->pending = false;
    }
    return true;
}

/* False: the line has no meaning. */
static bool take_line(struct heap_text *r, struct pr_text line)
{
    line = pr_text_trim(line);
    if (!line.length || *line.bytes == '#')
        return true;
    if (pr_text_starts(line, maps_head) || pr_text_starts(line, short_maps_head)) {
        r->in_maps = true;
        return true;
    }
    if (r->in_maps) /* `source=/home` is what `$source` in paths stands for, which stays as it is */
        return pr_address_map_line(&r->samples, line) || memchr(line.bytes, '=', line.length);
    return r->is_jemalloc ? take_jemalloc(r, line) : take_tcmalloc(r, line);
}

static enum pr_status read_lines(struct heap_text *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    if (!pr_lines_next(&lines) || !take_head(r, lines.text))
        return pr_fail(r->c.err, PR_ERR_UNKNOWN, 0, "heap profile", "the first line is not that of a heap profile");
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (!lines.ended && !r->in_maps) /* a number or a stack may be cut short */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "heap profile", "the input ends in a line");
        if (!lines.ended)
            pr_address_map_is_cut(&r->samples);
        else if (!take_line(r, lines.text))
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, r->pending);
    const enum pr_status status = pr_lines_status(&lines);
    if (status != PR_END || r->in_maps)
        return status;
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "heap profile",
                  "the input ends before the map of the files of code");
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct heap_text r = {.rate = 0};
    r.samples = (struct pr_address_samples){.c = &r.c, .addresses = {.words = 1}, .skips_allocator = true};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.c.skips_allocators = true;
    if (status == PR_OK)
        status = read_lines(&r);
    if (status != PR_FAILED) {
        const bool all = r.known_all || !r.is_jemalloc;
        const unsigned metrics[PR_ADDRESS_METRICS] = {
            pr_build_metric(&r.c, "inuse_space", "In use", PR_UNIT_BYTES, "objects"),
            pr_build_metric(&r.c, "inuse_objects", "Objects in use", PR_UNIT_COUNT, NULL),
            all ? pr_build_metric(&r.c, "alloc_space", "Allocated", PR_UNIT_BYTES, "objects") : 0,
            all ? pr_build_metric(&r.c, "alloc_objects", "Allocated objects", PR_UNIT_COUNT, NULL) : 0,
        };
        pr_address_samples_collect(&r.samples, metrics, all ? 4 : 2);
    }
    pr_address_samples_clear(&r.samples);
    return pr_build_finish(&r.c, status);
}

/* What the first line begins with: 13 or 8 bytes. */
static unsigned probe(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, sizeof tcmalloc_head);
    struct pr_text text = {(const char *)view.at, (uint32_t)(view.end - view.at)};
    if (pr_text_starts(text, tcmalloc_head))
        return 8 * (sizeof tcmalloc_head - 1);
    return pr_text_starts(text, jemalloc_head) ? 8 * (sizeof jemalloc_head - 1) : 0;
}

const struct pr_reader pr_heap_text_reader = {"heap-text", "heap profile of tcmalloc or jemalloc", probe, read};
