/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that allocate, over an allocator with a list of free blocks for each size. */
#include "tests/support/program.h"

#include "tests/support/random_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 1200, THREADS = 4, PATHS = 3000, MAX_DEPTH = 60, SAMPLE_MS = 10, EVENTS_A_MS = 2000 };
enum { CLASSES = 4096, CLASS_BYTES = 16, SLOTS = 8000, LEAKS = 2000, BRIEF = 16 };

struct block {
    uint64_t address; /* 0 = none */
    uint32_t class;
};

/* Blocks of one size class that were freed, the last one first given out. */
struct free_list {
    uint64_t *address;
    size_t count, capacity;
};

struct thread {
    uint32_t path[PATHS][MAX_DEPTH]; /* frames, outermost first */
    uint32_t depth[PATHS];
    uint32_t stack[MAX_DEPTH], stack_depth;
    struct block slots[SLOTS]; /* blocks that live for a while */
};

struct program {
    struct capture *capture;
    uint64_t random, frames[FRAMES], next_address, left, events;
    struct free_list lists[CLASSES];
    struct thread threads[THREADS];
};

static void define_frames(struct program *p)
{
    char name[40], file[60];
    for (uint32_t i = 0; i < FRAMES; i++) {
        snprintf(name, sizeof name, "work_%" PRIu32, i / 3);
        snprintf(file, sizeof file, "/srv/app/part_%" PRIu32 ".py", i / 27);
        p->frames[i] = capture_frame(p->capture, name, file, (int32_t)(10 + i % 27 * 9));
    }
}

/* Each path leaves an earlier one somewhere, so that many share their outer frames. */
static void invent_paths(struct program *p, struct thread *thread)
{
    for (uint32_t i = 0; i < PATHS; i++) {
        const uint32_t from = i ? random_below(&p->random, i) : 0, depth = 5 + random_below(&p->random, 12) +
                              (random_below(&p->random, 10) ? 0 : random_below(&p->random, MAX_DEPTH - 20));
        uint32_t same = i ? random_below(&p->random, depth < thread->depth[from] ? depth : thread->depth[from]) : 0;
        for (uint32_t at = 0; at < depth; at++)
            thread->path[i][at] = at < same ? thread->path[from][at] : random_below(&p->random, FRAMES);
        thread->depth[i] = depth;
    }
}

static uint32_t size_of(struct program *p)
{
    const uint32_t kind = random_below(&p->random, 1000);
    if (kind < 700)
        return 16 + random_below(&p->random, 884);
    if (kind < 940)
        return 520 + random_below(&p->random, 1528);
    if (kind < 990)
        return 2048 + random_below(&p->random, 7000);
    return 9000 + random_below(&p->random, 51000);
}

static struct block allocate(struct program *p)
{
    const uint32_t size = size_of(p), class = size / CLASS_BYTES;
    struct free_list *list = &p->lists[class];
    struct block block = {list->count ? list->address[--list->count] : p->next_address, class};
    if (block.address == p->next_address)
        p->next_address += (class + 1) * CLASS_BYTES;
    capture_event(p->capture, random_below(&p->random, 16) ? PR_ALLOC_MALLOC : PR_ALLOC_CALLOC, block.address, size, 0);
    p->events++;
    p->left--;
    return block;
}

static void release(struct program *p, struct block *block)
{
    struct free_list *list = &p->lists[block->class];
    if (!block->address)
        return;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 16;
        list->address = realloc(list->address, list->capacity * sizeof *list->address);
        if (!list->address)
            abort();
    }
    list->address[list->count++] = block->address;
    capture_event(p->capture, PR_ALLOC_FREE, block->address, 0, 0);
    p->events++;
    *block = (struct block){0};
}

/* From the stack that the thread is in to that of PATH. */
static void go_to(struct program *p, struct thread *thread, uint32_t path)
{
    uint32_t same = 0;
    while (same < thread->stack_depth && same < thread->depth[path] && thread->stack[same] == thread->path[path][same])
        same++;
    if (thread->stack_depth > same)
        capture_pop(p->capture, thread->stack_depth - same);
    for (uint32_t at = same; at < thread->depth[path]; at++) {
        thread->stack[at] = thread->path[path][at];
        capture_push(p->capture, p->frames[thread->stack[at]]);
    }
    thread->stack_depth = thread->depth[path];
}

/* What a call allocates. */
static void work(struct program *p, struct thread *thread)
{
    struct block brief[BRIEF] = {{0}};
    for (uint32_t i = 60 + random_below(&p->random, 300); i && p->left; i--) {
        struct block *block = random_below(&p->random, 4) ? &thread->slots[random_below(&p->random, SLOTS)]
                                                          : &brief[random_below(&p->random, BRIEF)];
        release(p, block);
        *block = allocate(p);
    }
    for (uint32_t i = 0; i < BRIEF; i++)
        release(p, &brief[i]);
}

void program_capture(struct capture *capture, uint64_t count)
{
    struct program *p = calloc(1, sizeof *p);
    uint64_t samples = 0;
    if (!p)
        abort();
    *p = (struct program){.capture = capture, .random = 1, .next_address = 0x1000000, .left = count};
    define_frames(p);
    for (uint32_t i = 0; i < THREADS; i++)
        invent_paths(p, &p->threads[i]);
    while (p->left) {
        const uint32_t number = random_below(&p->random, THREADS);
        capture_thread(capture, 1 + number);
        for (uint32_t calls = 1 + random_below(&p->random, 8); calls && p->left; calls--) {
            go_to(p, &p->threads[number], random_below(&p->random, PATHS));
            work(p, &p->threads[number]);
        }
        for (; samples * EVENTS_A_MS * SAMPLE_MS <= p->events; samples++)
            capture_sample(capture, samples * SAMPLE_MS, (32 << 20) + (p->next_address >> 1));
    }
    for (uint32_t number = 0; number < THREADS; number++) { /* the last blocks of each thread are never freed */
        capture_thread(capture, 1 + number);
        for (uint32_t i = LEAKS; i < SLOTS; i++)
            release(p, &p->threads[number].slots[i]);
    }
    for (uint32_t i = 0; i < CLASSES; i++)
        free(p->lists[i].address);
    free(p);
}
