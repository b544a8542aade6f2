/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From places to frames. As `perf script` has it, an address is looked up as it was recorded, return addresses too;
 * what no map has is "[unknown]". A file without a function there gives "module+0xoffset", like in other formats.
 */
#include "capture/perf_data/perf_machine.h"
#include "capture/perf_data/perf_places.h"
#include "capture/readers/address_names.h"
#include "capture/readers/perf_names.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

#include <inttypes.h>
#include <stdio.h>

struct maker {
    struct pr_profile_builder *c;
    struct pr_perf_places *places;
    struct pr_perf_frames *frames;
    struct pr_address_names names;
    struct pr_perf_symbols kernel, jit;
    bool asked_kernel, has_kernel, has_jit, used_jit;
    uint32_t jit_pid; /* whose list `jit` is, if any was asked for */
    bool asked_jit;
};

static void add_frame(struct maker *m, pr_frame_id frame)
{
    struct pr_perf_frames *frames = m->frames;
    if (frames->count < UINT32_MAX && pr_grow(&frames->frame, &frames->capacity, frames->count + 1, sizeof frame))
        frames->frame[frames->count++] = frame;
    else
        pr_build_no_memory(m->c);
}

static void add_named(struct maker *m, struct pr_text function, pr_str file, enum pr_frame_kind kind)
{
    struct pr_place place;
    if (!pr_perf_python(m->c, function, &place))
        place = (struct pr_place){.function = pr_build_string(m->c, function.bytes, function.length),
                                  .file = file, .kind = kind};
    add_frame(m, pr_build_frame(m->c, &place));
}

static void add_text(struct maker *m, const char *name, enum pr_frame_kind kind)
{
    add_named(m, pr_text_of(name), 0, kind);
}

static void add_file(struct maker *m, uint32_t number, uint64_t offset)
{
    const struct pr_perf_file *file = &m->places->file[number];
    const struct pr_text path = pr_profile_text(m->c->profile, file->path);
    struct pr_native_place place;
    const struct pr_address_question question = {
        .number = number,
        .path = file->path,
        .mapping = {file->offset, file->size_bytes, pr_profile_text(m->c->profile, file->build_id)},
        .offset = offset,
    };
    if (!path.length || *path.bytes != '/' || path.bytes[1] == '/') { /* "[vdso]", "//anon" and the like */
        add_named(m, path, file->path, PR_FRAME_NATIVE);
    } else if (pr_address_names_find(&m->names, &question, &place)) {
        for (uint32_t i = place.count; i-- > 0;)
            add_frame(m, pr_address_names_frame(&m->names, &place, i));
    } else {
        add_frame(m, pr_address_offset(m->c, file->path, offset));
    }
}

/* Places of one process come after one another only by chance, but few processes write code. */
static void find_list(struct maker *m, uint32_t pid)
{
    if (m->asked_jit && m->jit_pid == pid)
        return;
    pr_perf_symbols_clear(&m->jit);
    m->asked_jit = true;
    m->jit_pid = pid;
    m->has_jit = m->c->options->native != PR_NATIVE_OFFSETS && pr_perf_machine_jit(&m->jit, pid);
    m->used_jit = m->used_jit || m->has_jit;
}

static void add_jit(struct maker *m, uint32_t pid, uint64_t address)
{
    char path[48], unknown[56];
    uint64_t start;
    find_list(m, pid);
    const char *name = m->has_jit ? pr_perf_symbols_find(&m->jit, address, &start) : NULL;
    snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map", pid);
    snprintf(unknown, sizeof unknown, "[perf-%" PRIu32 ".map]", pid);
    add_named(m, pr_text_of(name ? name : unknown), pr_build_text(m->c, path), PR_FRAME_NATIVE);
}

static void find_kernel(struct maker *m)
{
    const struct pr_profile *profile = m->c->profile;
    const struct pr_perf_kernel kernel = {pr_profile_text(profile, m->places->kernel_build_id).bytes,
                                          pr_profile_text(profile, m->places->kernel_release).bytes,
                                          m->places->kernel_text};
    m->asked_kernel = true;
    m->has_kernel = m->c->options->native != PR_NATIVE_OFFSETS && pr_perf_machine_kernel(&m->kernel, &kernel);
}

/* The kernel's own functions may have moved since; modules are named where nothing has. */
static const char *kernel_function(struct maker *m, const struct pr_perf_kernel_part *part, uint64_t address)
{
    const struct pr_text name = pr_profile_text(m->c->profile, part->name);
    const bool is_core = pr_text_starts(name, "[kernel");
    uint64_t start;
    if (!m->asked_kernel)
        find_kernel(m);
    if (!m->has_kernel || (m->kernel.moved && !is_core))
        return NULL;
    const char *function = pr_perf_symbols_find(&m->kernel, address + m->kernel.moved, &start);
    return function && (is_core || start >= part->start) ? function : NULL;
}

static void add_kernel(struct maker *m, uint64_t address)
{
    const struct pr_span *span = pr_spans_find(&m->places->parts, address);
    if (!span) {
        add_text(m, m->places->part_count ? "[unknown]" : "[kernel.kallsyms]", PR_FRAME_KERNEL);
        return;
    }
    const struct pr_perf_kernel_part *part = &m->places->part[span->number];
    const char *function = part->is_symbol ? NULL : kernel_function(m, part, address);
    add_named(m, function ? pr_text_of(function) : pr_profile_text(m->c->profile, part->name),
              part->is_symbol ? 0 : part->name, PR_FRAME_KERNEL);
}

static void add_place(struct maker *m, const uint64_t *key)
{
    switch ((enum pr_perf_space)pr_high(key[0])) {
    case PR_PERF_FILE:
        add_file(m, pr_low(key[0]), key[1]);
        break;
    case PR_PERF_JIT:
        add_jit(m, pr_low(key[0]), key[1]);
        break;
    case PR_PERF_KERNEL:
        add_kernel(m, key[1]);
        break;
    case PR_PERF_GUEST:
        add_text(m, "[guest]", PR_FRAME_OTHER);
        break;
    case PR_PERF_HYPERVISOR:
        add_text(m, "[hypervisor]", PR_FRAME_KERNEL);
        break;
    default:
        add_text(m, "[unknown]", PR_FRAME_NATIVE);
        break;
    }
}

void pr_perf_frames_make(struct pr_profile_builder *c, struct pr_perf_places *places, struct pr_perf_frames *frames)
{
    struct maker m = {.c = c, .places = places, .frames = frames};
    frames->first = calloc(places->keys.count + (size_t)1, sizeof *frames->first);
    if (!frames->first || !pr_spans_sort(&places->parts))
        pr_build_no_memory(c);
    pr_address_names_init(&m.names, c, places->file_keys.count);
    for (uint32_t i = 0; i < places->keys.count && c->status == PR_OK; i++) {
        add_place(&m, &places->keys.keys[(size_t)i * 2]);
        frames->first[i + 1] = (uint32_t)frames->count;
    }
    if (m.used_jit)
        pr_build_note(c, "names of generated code are from /tmp/perf-PID.map as it is now");
    pr_address_names_end(&m.names);
    pr_perf_symbols_clear(&m.kernel);
    pr_perf_symbols_clear(&m.jit);
}

void pr_perf_frames_clear(struct pr_perf_frames *frames)
{
    free(frames->first);
    free(frames->frame);
}
