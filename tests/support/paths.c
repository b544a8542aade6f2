/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over a call tree that is invented along the way: no call has the same callee twice. */
#include "tests/support/paths.h"

#include "tests/support/random_capture.h"

#include <inttypes.h>
#include <stdio.h>

enum { FUNCTIONS = 4000, LINES = 3, FRAMES = FUNCTIONS * LINES, MODULES = 300, THREADS = 4, MAX_DEPTH = 64 };
enum { SAMPLES = 2000, SAMPLE_MS = 100, USUAL_DEPTH = 12, DESCENT = 40 };

struct call {
    uint32_t frame, callees; /* what runs, and how many it has called */
};

struct walk {
    struct capture *capture;
    uint64_t random, frames[FRAMES];
    struct call stack[MAX_DEPTH]; /* the outermost is not a frame: it calls what a thread runs */
    unsigned depth, descent;      /* of the stack; calls until the next return */
};

static void define_frames(struct walk *walk)
{
    static const char *const verbs[] = {"load", "parse", "build", "merge", "encode", "resolve", "update", "check"};
    static const char *const nouns[] = {"batch", "index", "schema", "request", "table", "token", "session"};
    static const char *const folders[] = {"/srv/shop/src/shop", "/srv/shop/src/shop/api", "/usr/lib/python3.12/json",
                                          "/srv/venv/lib/python3.12/site-packages/engine"};
    char name[40], file[80];
    for (uint32_t i = 0; i < FRAMES; i++) {
        const uint32_t function = i / LINES, module = function % MODULES, place = function / MODULES;
        snprintf(name, sizeof name, "%s_%s_%" PRIu32, verbs[function % 8], nouns[function % 7], function);
        snprintf(file, sizeof file, "%s/%s_%" PRIu32 ".py", folders[module % 4], nouns[module % 7], module);
        walk->frames[i] = capture_frame(walk->capture, name, file, (int32_t)(10 + 40 * place + 3 * (i % LINES)));
    }
}

/* A callee that the innermost call has not called before: a new path. */
static void call(struct walk *walk)
{
    struct call *caller = &walk->stack[walk->depth - 1];
    const uint32_t frame = (7 * caller->frame + 1 + 13 * caller->callees++) % FRAMES;
    walk->stack[walk->depth++] = (struct call){frame, 0};
    capture_push(walk->capture, walk->frames[frame]);
}

static void leave(struct walk *walk, unsigned calls)
{
    const unsigned most = walk->depth - 1;
    calls = calls < most ? calls : most;
    walk->depth -= calls;
    if (calls)
        capture_pop(walk->capture, calls);
}

/* Back up some calls, now and then to where the thread began, in another thread or into a long descent. */
static void turn(struct walk *walk)
{
    if (walk->descent) {
        walk->descent--;
    } else if (!random_below(&walk->random, 2000)) {
        leave(walk, MAX_DEPTH);
        capture_thread(walk->capture, 1 + random_below(&walk->random, THREADS));
    } else {
        leave(walk, random_below(&walk->random, walk->depth < USUAL_DEPTH ? 2 : 4));
        walk->descent = random_below(&walk->random, 500) ? 0 : DESCENT;
    }
    leave(walk, walk->depth == MAX_DEPTH);
}

static uint64_t address_of(uint64_t number)
{
    return 0x1000000 + ((uint64_t)1 << 20) * number;
}

void paths_capture(struct capture *capture, uint64_t count)
{
    struct walk walk = {.capture = capture, .random = 1, .depth = 1};
    uint64_t samples = 0, heap_bytes = 0;
    define_frames(&walk);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size = 16 + random_below(&walk.random, 1u << random_below(&walk.random, 18));
        turn(&walk);
        call(&walk);
        capture_event(capture, PR_ALLOC_MALLOC, address_of(i), size, 0);
        heap_bytes += size;
        for (; samples * count <= i * SAMPLES; samples++)
            capture_sample(capture, samples * SAMPLE_MS, (32 << 20) + heap_bytes);
    }
    for (uint64_t i = 0; i < count; i += 2)
        capture_event(capture, PR_ALLOC_FREE, address_of(i), 0, 0);
    capture_sample(capture, (samples + 1) * SAMPLE_MS, (32 << 20) + heap_bytes / 2);
}
