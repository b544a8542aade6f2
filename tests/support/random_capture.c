/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions are drawn in the same order whatever the version; a version that cannot express something leaves it out. */
#include "tests/support/random_capture.h"

enum { THREADS = 3, FRAMES = 12, DEPTH = 9, ADDRESSES = 24, MAP_PAGES = 16, NATIVE_FRAMES = 5 };

struct story {
    struct capture *capture;
    uint64_t random;
    uint64_t frames[FRAMES];
    unsigned depth[THREADS], thread;
    uint64_t ms;
};

uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((random_next(state) >> 32) * bound >> 32);
}

static uint32_t draw(struct story *story, uint32_t bound)
{
    return random_below(&story->random, bound);
}

/* Small sizes, zeros and, now and then, large ones. */
static uint64_t draw_size(struct story *story)
{
    uint32_t bits = draw(story, 24);
    return draw(story, 8) ? draw(story, 1u << bits) : 0;
}

static void begin(struct story *story)
{
    static const char *const functions[FRAMES] = {"<module>", "main", "load", "parse", "f", "g", "h", "<lambda>",
                                                  "__init__", "\xc3\xa9t\xc3\xa9", "a b", ""};
    static const char *const files[] = {"/srv/app/main.py", "/usr/lib/python3.12/json/decoder.py",
                                        "/srv/venv/lib/python3.12/site-packages/pkg/core.py", "<frozen runpy>"};
    for (unsigned i = 0; i < FRAMES; i++)
        story->frames[i] = capture_frame(story->capture, functions[i], files[i % 4], (int32_t)(10 * i));
    if (!story->capture->head.native_traces)
        return;
    static const struct capture_segment segments[] = {{0, 0x1000}, {0x2000, 0x800}};
    capture_map_start(story->capture);
    capture_image(story->capture, "/usr/bin/python3.12", 0x400000, segments, 2);
    capture_image(story->capture, "/usr/lib/libc.so.6", 0x7f0000000000, segments, 1);
    for (uint64_t i = 0; i < NATIVE_FRAMES; i++)
        capture_native_frame(story->capture, 0x400100 + 16 * i, i);
}

static void simple_event(struct story *story)
{
    static const enum pr_allocator allocators[] = {PR_ALLOC_MALLOC,  PR_ALLOC_CALLOC, PR_ALLOC_REALLOC,
                                                   PR_ALLOC_POSIX_MEMALIGN, PR_ALLOC_VALLOC, PR_ALLOC_MALLOC};
    uint64_t address = 0x10000 + 16 * (uint64_t)draw(story, ADDRESSES);
    uint64_t size = draw_size(story), native = draw(story, NATIVE_FRAMES + 1);
    enum pr_allocator allocator = allocators[draw(story, 6)];
    if (draw(story, 2))
        capture_event(story->capture, PR_ALLOC_FREE, address, 0, 0);
    else
        capture_event(story->capture, allocator, address, size, native);
}

static void mapping_event(struct story *story)
{
    uint64_t start = 0x7000000 + 4096 * (uint64_t)draw(story, MAP_PAGES);
    uint64_t size = 4096 * (uint64_t)draw(story, MAP_PAGES), native = draw(story, NATIVE_FRAMES + 1);
    capture_event(story->capture, draw(story, 2) ? PR_ALLOC_MMAP : PR_ALLOC_MUNMAP, start, size, native);
}

static void stack_event(struct story *story)
{
    unsigned *depth = &story->depth[story->thread];
    uint64_t frame = story->frames[draw(story, FRAMES)];
    unsigned popped = 1 + draw(story, 3);
    if (draw(story, 5) < 3 && *depth < DEPTH) {
        capture_push(story->capture, frame);
        ++*depth;
    } else if (*depth) {
        popped = popped < *depth ? popped : *depth;
        capture_pop(story->capture, popped);
        *depth -= popped;
    }
}

static void rare_event(struct story *story)
{
    static const char *const names[] = {"MainThread", "worker", "", "Thread-1 (run)"};
    uint32_t kind = draw(story, 4), which = draw(story, 4);
    uint64_t address = 0x20000 + 16 * (uint64_t)draw(story, ADDRESSES);
    switch (kind) {
    case 0:
        capture_thread_name(story->capture, names[which]);
        break;
    case 1:
        if (story->capture->head.native_traces)
            capture_native_frame(story->capture, 0x400200 + address, which);
        break;
    case 2:
        if (story->capture->head.version >= 12)
            capture_object(story->capture, address, which % 2, which);
        break;
    default:
        story->ms += 1 + which * 5;
        capture_sample(story->capture, story->ms, address * 64);
        break;
    }
}

void story_tell(struct capture *capture, uint64_t seed, unsigned records)
{
    struct story story = {.capture = capture, .random = seed};
    begin(&story);
    for (unsigned i = THREADS; i > 0; i--) { /* version 6 has a thread only where a record names it */
        capture_thread(capture, i);
        capture_thread_name(capture, "started");
    }
    for (unsigned i = 0; i < records; i++) {
        uint32_t kind = draw(&story, 16);
        if (kind < 7) {
            simple_event(&story);
        } else if (kind < 9) {
            mapping_event(&story);
        } else if (kind < 14) {
            stack_event(&story);
        } else if (kind < 15) {
            story.thread = draw(&story, THREADS);
            capture_thread(capture, 1 + story.thread);
        } else {
            rare_event(&story);
        }
    }
}

/* One draw a statement: the order of those in an initializer is the compiler's. */
static void tell_row(struct story *story, uint32_t stacks)
{
    struct capture_row row = {.generation = story->capture->head.native_traces};
    row.tid = 1 + draw(story, THREADS);
    row.allocator = draw(story, 2) ? PR_ALLOC_MALLOC : PR_ALLOC_MMAP;
    row.native = draw(story, NATIVE_FRAMES + 1) * row.generation;
    row.stack = draw(story, stacks + 1);
    row.peak_count = draw(story, 3);
    row.peak_bytes = draw_size(story) * !!row.peak_count;
    row.leaked_count = 1 + draw(story, 3);
    row.leaked_bytes = draw_size(story);
    capture_row(story->capture, &row);
}

static void tell_totals(struct capture *capture, uint64_t seed, unsigned rows)
{
    struct story story = {.capture = capture, .random = seed};
    for (unsigned i = 0; i < 4; i++)
        capture_total_sample(capture, 10 * i, 4096 * (uint64_t)draw(&story, 100), 64 * (uint64_t)draw(&story, 100));
    capture_thread(capture, 1);
    capture_thread_name(capture, "MainThread");
    begin(&story);
    for (uint32_t i = 0; i < rows; i++) /* a parent has each frame once, and comes before its children */
        capture_stack(capture, story.frames[i % FRAMES], i / FRAMES);
    for (uint32_t i = 0; i < rows; i++)
        tell_row(&story, rows);
}

void story_capture(struct capture *capture, const struct capture_head *head, uint64_t seed, unsigned records)
{
    capture_begin(capture, head);
    if (head->aggregated)
        tell_totals(capture, seed, records);
    else
        story_tell(capture, seed, records);
    capture_end(capture);
}
