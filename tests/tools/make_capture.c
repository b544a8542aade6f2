/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures that no real program writes, for benchmarks and for the tests of the card.
 *
 *     build/tests/make_capture stacks 1000000 stacks.bin        a million different stacks
 *     build/tests/make_capture seeds 200 build/fuzz/corpus/memray      a folder: one of each form, of 200 records
 *
 * The same arguments give the same bytes.
 */
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/random_capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 13, THREAD = 1 };

static void begin(struct capture *capture, bool native)
{
    capture_begin(capture, &(struct capture_head){.version = VERSION, .native_traces = native});
    capture_thread(capture, THREAD);
    capture_thread_name(capture, "MainThread");
}

/* One allocation that is never freed, at its own address. */
static void allocate(struct capture *capture, uint64_t number)
{
    capture_event(capture, PR_ALLOC_MALLOC, 0x1000000 + 64 * number, 1 + number % 4096, 0);
}

static void make_empty(struct capture *capture, uint64_t size)
{
    (void)size;
    capture_begin(capture, &(struct capture_head){.version = VERSION});
}

/* SIZE different stacks of ten frames, as a trie of 16 frames a level. */
static void make_stacks(struct capture *capture, uint64_t size)
{
    enum { LEVELS = 10, FRAMES = 16 };
    uint64_t frames[FRAMES];
    char name[32];
    begin(capture, false);
    for (unsigned i = 0; i < FRAMES; i++) {
        snprintf(name, sizeof name, "step_%u", i);
        frames[i] = capture_frame(capture, name, "/srv/app/stacks.py", (int32_t)(10 + i));
    }
    for (uint64_t i = 0; i < size; i++) {
        unsigned same = 0; /* levels shared with the previous stack */
        while (i && same < LEVELS && i >> 4 * (LEVELS - 1 - same) == (i - 1) >> 4 * (LEVELS - 1 - same))
            same++;
        if (i)
            capture_pop(capture, LEVELS - same);
        for (unsigned level = same; level < LEVELS; level++)
            capture_push(capture, frames[i >> 4 * (LEVELS - 1 - level) & 15]);
        allocate(capture, i);
    }
}

static void make_paths(struct capture *capture, uint64_t size)
{
    begin(capture, false);
    paths_capture(capture, size);
}

static void make_program(struct capture *capture, uint64_t size)
{
    begin(capture, false);
    program_capture(capture, size);
}

/* SIZE allocations that are alive together, freed in another order but for the last tenth. */
static void make_live(struct capture *capture, uint64_t size)
{
    begin(capture, false);
    capture_push(capture, capture_frame(capture, "hold", "/srv/app/live.py", 7));
    for (uint64_t i = 0; i < size; i++)
        allocate(capture, i);
    uint64_t step = size / 2 * 2 + 1; /* odd, so i * step visits each place of a power of two once */
    uint64_t places = 1;
    while (places < size)
        places *= 2;
    for (uint64_t i = 0; i < places; i++) {
        uint64_t number = i * step & (places - 1);
        if (number < size / 10 * 9)
            capture_event(capture, PR_ALLOC_FREE, 0x1000000 + 64 * number, 0, 0);
    }
}

/* One stack of SIZE frames, an allocation under each. */
static void make_deep(struct capture *capture, uint64_t size)
{
    begin(capture, false);
    uint64_t frame = capture_frame(capture, "descend", "/srv/app/deep.py", 3);
    for (uint64_t i = 0; i < size; i++) {
        capture_push(capture, frame);
        allocate(capture, i);
    }
}

/* SIZE functions, all called by one. */
static void make_wide(struct capture *capture, uint64_t size)
{
    char name[32];
    begin(capture, false);
    capture_push(capture, capture_frame(capture, "main", "/srv/app/wide.py", 1));
    for (uint64_t i = 0; i < size; i++) {
        snprintf(name, sizeof name, "handler_%" PRIu64, i);
        capture_push(capture, capture_frame(capture, name, "/srv/app/wide.py", (int32_t)(i % 100000)));
        allocate(capture, i);
        capture_pop(capture, 1);
    }
}

/* SIZE threads with names, an allocation in each. */
static void make_threads(struct capture *capture, uint64_t size)
{
    char name[32];
    begin(capture, false);
    uint64_t frame = capture_frame(capture, "run", "/srv/app/threads.py", 5);
    for (uint64_t i = 0; i < size; i++) {
        snprintf(name, sizeof name, "worker-%" PRIu64, i);
        capture_thread(capture, THREAD + i);
        capture_thread_name(capture, name);
        capture_push(capture, frame);
        allocate(capture, i);
    }
}

/* SIZE memory samples, 10 ms apart, of a heap that comes and goes. */
static void make_samples(struct capture *capture, uint64_t size)
{
    uint64_t random = 1;
    begin(capture, false);
    capture_push(capture, capture_frame(capture, "serve", "/srv/app/samples.py", 9));
    for (uint64_t i = 0; i < size; i++) {
        uint32_t number = random_below(&random, 512);
        if (random_below(&random, 2))
            allocate(capture, number);
        else
            capture_event(capture, PR_ALLOC_FREE, 0x1000000 + 64 * (uint64_t)number, 0, 0);
        capture_sample(capture, 10 * i, (50 + random_below(&random, 50)) << 20);
    }
}

/* SIZE native frames in stacks of up to 20, an allocation on each; the outermost ones are the interpreter's. */
static void make_native(struct capture *capture, uint64_t size)
{
    static const struct capture_segment text = {0x1000, 0x100000};
    const uint64_t library = 0x7f0000000000, interpreter = 0x7e0000000000;
    uint64_t random = 1;
    begin(capture, true);
    capture_map_start(capture);
    capture_image(capture, "/usr/lib/libapp.so", library, &text, 1);
    capture_image(capture, "/srv/app/bin/python3.12", interpreter, &text, 1);
    capture_push(capture, capture_frame(capture, "call", "/srv/app/native.py", 11));
    for (uint64_t i = 1; i <= size; i++) {
        const bool outermost = i % 20 == 1;
        capture_native_frame(capture, (outermost ? interpreter : library) + 0x1000 + random_below(&random, 0x100000),
                             outermost ? 0 : i - 1);
        capture_event(capture, PR_ALLOC_MALLOC, 0x1000000 + 64 * (i % 1000), 1 + i % 4096, i);
    }
}

/* Hostile names as function, file, thread and command line; one of them has SIZE bytes. */
static void make_hostile(struct capture *capture, uint64_t size)
{
    static const char *const names[] = {
        "</script><img src=x onerror=document.title='ran'>",
        "<!--<script>",
        "--></style><style>*{display:none}",
        "<b>bold</b>",
        "&lt;&amp;&#x3c;&quot;",
        "\"><svg onload=document.title='ran'>",
        "' onmouseover='document.title=1",
        "javascript:document.title='ran'",
        "${document.title='ran'}`",
        "line\xe2\x80\xa8separator",
        "\xe2\x80\xaeright to left",
        "\xe2\x81\xa6isolate\xe2\x81\xa9",
        "zero\xe2\x80\x8bwidth\xef\xbb\xbf",
        "\x1b[31mred\x1b]0;title\x07",
        "line one\nline two\r\n\tline three",
        "lone \xed\xa0\x80 surrogate",
        "bad \xff\xfe\xc0\x80 utf-8 \xf0\x9f",
        "\x01\x02\x7f\xc2\x85",
        "combined z\xcc\xb6\xcc\xa7\xcc\xa8\xcc\xb4\xcc\xb5\xcc\xb6\xcc\xb7\xcc\xb8",
        "__proto__",
        "constructor",
        "toString",
        "%s%n%x",
        "../../../../etc/passwd",
        "C:\\Users\\x\\app.py",
        "\xf0\x9f\x98\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
        "",
    };
    enum { NAMES = sizeof names / sizeof *names };
    char *huge = malloc(size + 1);
    if (!huge)
        abort();
    memset(huge, 'W', size);
    huge[size] = '\0';
    capture_begin(capture, &(struct capture_head){.version = VERSION, .command_line = names[0]});
    for (unsigned i = 0; i <= NAMES; i++) {
        const char *name = i < NAMES ? names[i] : huge;
        capture_thread(capture, THREAD + i);
        capture_thread_name(capture, name);
        capture_push(capture, capture_frame(capture, "main", name, 1));
        capture_push(capture, capture_frame(capture, name, name, (int32_t)i));
        allocate(capture, i);
        capture_pop(capture, 1);
        capture_push(capture, capture_frame(capture, name, "/srv/app/hostile.py", (int32_t)i));
        allocate(capture, 1000 + i);
        capture_pop(capture, 2);
    }
    capture_sample(capture, 10, 1 << 20);
    free(huge);
}

static const struct kind {
    const char *name;
    void (*make)(struct capture *capture, uint64_t size);
    const char *size;
} kinds[] = {
    {"empty", make_empty, "ignored: a run without a record"},
    {"stacks", make_stacks, "different stacks"},
    {"paths", make_paths, "different call paths, as a program has them"},
    {"program", make_program, "allocations of a program that frees most of them"},
    {"live", make_live, "allocations alive at once"},
    {"deep", make_deep, "frames in one stack"},
    {"wide", make_wide, "functions called by one"},
    {"threads", make_threads, "threads"},
    {"samples", make_samples, "memory samples"},
    {"native", make_native, "native frames"},
    {"hostile", make_hostile, "bytes of the longest of names that are markup, control characters, bad UTF-8"},
};

static int save(const struct capture *capture, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(capture->out.bytes, 1, capture->out.length, file) == capture->out.length;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "make_capture: %s: %s\n", path, strerror(errno));
    return good ? 0 : 1;
}

/* One small capture of each form that a reader meets, for fuzzing. */
static int save_seeds(uint64_t size, const char *folder)
{
    int failed = 0;
    for (int version = 6; version <= 13; version++) {
        for (unsigned form = 0; form < (version >= 10 ? 4 : 2); form++) {
            const struct capture_head head = {.version = version, .native_traces = form & 1, .aggregated = form & 2};
            struct capture capture;
            char path[1024];
            story_capture(&capture, &head, (uint64_t)version, (unsigned)size);
            snprintf(path, sizeof path, "%s/v%d%s%s.bin", folder, version, form & 1 ? "-native" : "",
                     form & 2 ? "-aggregated" : "");
            failed |= save(&capture, path);
            capture_clear(&capture);
        }
    }
    return failed;
}

static int usage(void)
{
    fputs("usage: make_capture KIND SIZE OUT; kinds, and what SIZE counts:\n", stderr);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        fprintf(stderr, "  %-8s %s\n", kinds[i].name, kinds[i].size);
    fputs("  seeds    records in each of many captures; OUT is a folder\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return usage();
    uint64_t size = strtoull(argv[2], NULL, 10);
    if (!strcmp(argv[1], "seeds"))
        return save_seeds(size, argv[3]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(argv[1], kinds[i].name))
            continue;
        struct capture capture;
        kinds[i].make(&capture, size);
        capture_end(&capture);
        int status = save(&capture, argv[3]);
        capture_clear(&capture);
        return status;
    }
    return usage();
}
