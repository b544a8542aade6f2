/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about a snapshot of PyTorch's memory. */
#include "capture/snapshots/cuda_notes.h"

#include "capture/base/size_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NOTES = 64, SHOWN_DEVICES = 8 };

struct notes {
    struct pr_profile *profile;
    const char *text[MOST_NOTES];
    uint32_t count;
    bool no_memory;
};

/* What the segments of a device are made of at the end. */
struct usage {
    uint64_t segments, reserved, allocated, pending, lost, free, free_blocks, largest;
    uint64_t size_count[4], size_bytes[4]; /* of free blocks: under 1, 20, 200 MiB, and above */
};

static void note(struct notes *notes, const char *format, ...) PR_PRINTF(2, 3);

static void note(struct notes *notes, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (notes->count == MOST_NOTES)
        return;
    const char *copy = pr_arena_copy(&notes->profile->arena, text, strlen(text));
    notes->no_memory = notes->no_memory || !copy;
    if (copy)
        notes->text[notes->count++] = copy;
}

pr_str pr_cuda_thread_name(struct pr_profile *profile, uint32_t device, uint64_t stream)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "device %" PRIu32 ", stream %" PRIu64, device, stream);
    const pr_str name = pr_strings_add(&profile->strings, text, (size_t)length);
    return name == PR_NO_STR ? 0 : name;
}

pr_frame_id pr_cuda_before(struct pr_cuda_snapshot *s)
{
    static const char name[] = "(allocated before the trace)";
    const pr_str function = pr_strings_add(&s->stacks.profile->strings, name, sizeof name - 1);
    const pr_frame_id frame =
        function == PR_NO_STR ? PR_NO_ID : pr_stacks_frame(&s->stacks, function, 0, 0, PR_FRAME_OTHER);
    s->no_memory = s->no_memory || frame == PR_NO_ID;
    return frame == PR_NO_ID ? 0 : frame;
}

/* ---- how full the segments are ---------------------------------------------------------------------------------- */

static unsigned size_class(uint64_t bytes)
{
    const uint64_t mib = 1 << 20;
    return bytes < mib ? 0 : bytes < 20 * mib ? 1 : bytes < 200 * mib ? 2 : 3;
}

static struct usage usage_of(const struct pr_cuda_snapshot *s, uint32_t device)
{
    struct usage usage = {0};
    for (size_t i = 0; i < s->segment_count; i++) {
        if (s->segments[i].device != device)
            continue;
        usage.segments++;
        usage.reserved += s->segments[i].size;
    }
    for (size_t i = 0; i < s->block_count; i++) {
        const struct pr_cuda_block *block = &s->blocks[i];
        if (s->segments[block->segment].device != device)
            continue;
        if (block->active) {
            *(block->allocated ? &usage.allocated : &usage.pending) += block->requested;
            usage.lost += block->size > block->requested ? block->size - block->requested : 0;
            continue;
        }
        const unsigned class = size_class(block->size);
        usage.free += block->size;
        usage.free_blocks++;
        usage.largest = block->size > usage.largest ? block->size : usage.largest;
        usage.size_count[class]++;
        usage.size_bytes[class] += block->size;
    }
    return usage;
}

static void note_free_blocks(struct notes *notes, uint32_t device, const struct usage *usage)
{
    static const char *const classes[] = {"under 1 MiB", "of 1 to 20 MiB", "of 20 to 200 MiB", "of 200 MiB and more"};
    char text[240];
    size_t used = 0;
    for (unsigned i = 0; i < 4 && used < sizeof text; i++)
        if (usage->size_count[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu64 " %s (%s)", used ? ", " : "",
                                     usage->size_count[i], classes[i], pr_size_text(usage->size_bytes[i]).text);
    if (usage->free_blocks)
        note(notes, "device %" PRIu32 ", free blocks by size: %s", device, text);
}

static void note_device(struct notes *notes, const struct pr_cuda_snapshot *s, uint32_t device)
{
    const struct usage usage = usage_of(s, device);
    if (!usage.segments)
        return;
    note(notes,
         "device %" PRIu32 " at the end: %s reserved in %" PRIu64 " segment%s, %s of it allocated, %s free in %" PRIu64
         " block%s of at most %s, %s lost to rounding%s%s%s",
         device, pr_size_text(usage.reserved).text, usage.segments, usage.segments == 1 ? "" : "s",
         pr_size_text(usage.allocated).text, pr_size_text(usage.free).text, usage.free_blocks,
         usage.free_blocks == 1 ? "" : "s", pr_size_text(usage.largest).text, pr_size_text(usage.lost).text,
         usage.pending ? ", " : "", usage.pending ? pr_size_text(usage.pending).text : "",
         usage.pending ? " in use by other streams after their free" : "");
    note_free_blocks(notes, device, &usage);
}

static void note_devices(struct notes *notes, const struct pr_cuda_facts *facts, uint32_t count)
{
    for (uint32_t device = 0; device < count && device < SHOWN_DEVICES; device++)
        if (facts->peak_bytes[device])
            note(notes, "device %" PRIu32 " had at most %s allocated", device,
                 pr_size_text(facts->peak_bytes[device]).text);
    note(notes, "peak and totals are of %" PRIu32 " devices together; --threads split shows each device and stream",
         count);
}

/* ---- what else there is to know --------------------------------------------------------------------------------- */

static void note_ooms(struct notes *notes, const struct pr_cuda_facts *facts)
{
    for (uint64_t i = 0; i < facts->oom_count && i < PR_CUDA_SHOWN_OOMS; i++) {
        const struct pr_cuda_oom *oom = &facts->ooms[i];
        note(notes,
             "out of memory on device %" PRIu32 ": asked for %s with %s reserved, %s of it free%s%s; the device had %s",
             oom->device, pr_size_text(oom->asked).text, pr_size_text(oom->reserved).text, pr_size_text(oom->free).text,
             oom->largest ? " in blocks of at most " : "", oom->largest ? pr_size_text(oom->largest).text : "",
             pr_size_text(oom->device_free).text);
    }
    if (facts->oom_count > PR_CUDA_SHOWN_OOMS)
        note(notes, "out of memory %" PRIu64 " more times", facts->oom_count - PR_CUDA_SHOWN_OOMS);
}

static void note_what_is_missing(struct notes *notes, const struct pr_cuda_facts *facts)
{
    if (!facts->entry_count)
        note(notes, "it has no trace: only what was in use when it was taken is known");
    else if (facts->before_count)
        note(notes,
             "%" PRIu64 " blocks (%s) were allocated before the first of the %" PRIu64
             " entries: the recording began later, or its ring of max_entries was full and the oldest are lost",
             facts->before_count, pr_size_text(facts->before_bytes).text, facts->entry_count);
    if (facts->entry_count && !facts->has_times)
        note(notes, "its entries have no times; PyTorch has recorded them since 2.1");
}

enum pr_status pr_cuda_add_notes(const struct pr_cuda_facts *facts, const struct pr_cuda_snapshot *s,
                                 struct pr_profile *profile, struct pr_error *err)
{
    struct notes notes = {.profile = profile};
    const struct pr_text settings = pr_profile_text(profile, s->settings);
    note_ooms(&notes, facts);
    for (uint32_t device = 0; device < s->device_count && device < SHOWN_DEVICES; device++)
        note_device(&notes, s, device);
    if (s->device_count > 1)
        note_devices(&notes, facts, s->device_count);
    note_what_is_missing(&notes, facts);
    if (settings.length)
        note(&notes, "PYTORCH_CUDA_ALLOC_CONF=%.*s", (int)(settings.length < 200 ? settings.length : 200),
             settings.bytes);
    const char **texts = pr_arena_array(&profile->arena, notes.count, sizeof *texts);
    if (!texts || notes.no_memory)
        return pr_fail_memory(err);
    memcpy(texts, notes.text, notes.count * sizeof *texts);
    profile->notes = texts;
    profile->note_count = notes.count;
    return PR_OK;
}
