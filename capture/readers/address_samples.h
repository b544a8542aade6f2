/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples whose stacks are addresses, and the map of the process that says to which file an address belongs. The map
 * comes after the samples, so they are kept until then.
 *
 *     struct pr_address_samples samples = {.c = &c, .addresses = {.words = 1}};
 *     pr_address_sample_begin(&samples, &values);
 *     pr_address_sample_push(&samples, 0x7fac41a4524a);              // leaf first
 *     pr_address_map_line(&samples, line);    // 7fac41a45000-7fac41a46000 r-xp 00001000 00:00 12  /lib/libc.so.6
 *     pr_address_samples_collect(&samples, metrics, metric_count);
 *     pr_address_samples_clear(&samples);
 *
 * A frame is the function that capture/readers/address_names.h finds, or `libc.so.6+0x124a`: name and offset of the
 * file. An address that is in no file is `0x7fac41a4524a`.
 */
#ifndef PR_CAPTURE_READERS_ADDRESS_SAMPLES_H
#define PR_CAPTURE_READERS_ADDRESS_SAMPLES_H

#include "capture/builder/profile_builder.h"

#include "capture/base/spans.h"

enum { PR_ADDRESS_METRICS = 4 };

/* What a sample adds to each metric; see pr_address_samples_collect. */
struct pr_address_values {
    int64_t value[PR_ADDRESS_METRICS], count[PR_ADDRESS_METRICS];
};

struct pr_address_samples {
    struct pr_profile_builder *c;
    struct pr_idset addresses; /* each once; words is 1 */
    uint32_t *stacks;          /* numbers of addresses, those of all samples */
    size_t stack_count, stack_capacity;
    struct pr_address_sample {
        size_t first;
        struct pr_address_values values;
    } *samples;
    size_t sample_count, sample_capacity;
    struct pr_spans spans;
    struct pr_address_map {
        uint64_t start, size_bytes, offset;
        pr_str path;
    } *maps;
    size_t map_count, map_capacity;
    bool leaf_is_exact;   /* the leaf is what ran; else it is a return address, as all others are */
    bool skips_allocator; /* leaf frames in libjemalloc and libtcmalloc are left out: what called them allocated */
};

void pr_address_sample_begin(struct pr_address_samples *samples, const struct pr_address_values *values);

/* The next address outward of the last sample. */
void pr_address_sample_push(struct pr_address_samples *samples, uint64_t address);

/*
 * A line of /proc/PID/maps, or of its short form in profiles, `START-END: PATH`; false: it is neither. Those without a
 * path are taken and have no effect.
 */
bool pr_address_map_line(struct pr_address_samples *samples, struct pr_text line);

/*
 * The last line of the map has no end: writers with a buffer of fixed size cut it there, and copies do. It is left out,
 * and a note says so.
 */
void pr_address_map_is_cut(struct pr_address_samples *samples);

/*
 * Adds all samples, on one thread of the program that the map names. METRICS[i] is the metric of value[i]; metrics from
 * METRIC_COUNT on are left out.
 */
void pr_address_samples_collect(struct pr_address_samples *samples, const unsigned *metrics, unsigned metric_count);

void pr_address_samples_clear(struct pr_address_samples *samples);

#endif
