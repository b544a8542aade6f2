/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of Go as text, which /debug/pprof/NAME?debug=1 and pprof.Lookup(NAME).WriteTo(w, 1) write: heap and allocs,
 * goroutine, threadcreate and those of programs, mutex and block.
 *
 *     heap profile: 361: 1108848 [396: 5893680] @ heap/8192     goroutine profile: total 12   --- mutex:
 *     1: 4096 [3: 12288] @ 0x47e36c 0x4e1e25                    11 @ 0x442dd1 0x47effd        cycles/second=2596119316
 *     # 0x4e1e24 main.keep+0x64 /src/main.go:5                  # labels: {"a":"b"}           sampling period=2
 *                                                               # 0x47effc ...                386577 793 @ 0x4e1ed4
 *
 * Stacks are leaf first; tabs separate the fields of functions. The lines after a stack have its functions, without
 * Go's own allocator: these are the frames. `go tool pprof` takes the addresses instead, which mean nothing without the
 * program. Heap profiles are samples of one in half the number after `heap/` bytes. What mutexes cost was multiplied by
 * the sampling period when it was recorded: so says the protobuf of the same moment. pprof's reader of this text does
 * that again.
 *
 * The first line has the sums of all stacks, except for mutexes and blocks: where they have less, the end is missing.
 *
 * Source: Go src/runtime/pprof/pprof.go (printCountProfile, writeHeapInternal, writeProfileInternal,
 * printStackRecord), src/runtime/mprof.go (saveBlockEventStack); google/pprof profile/legacy_profile.go.
 */
#include "capture/readers/heap_scale.h"
#include "capture/base/checked.h"
#include "capture/builder/profile_builder.h"
#include "capture/builder/reader.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char heap_head[] = "heap profile: ", total_head[] = " profile: total ", block_head[] = "--- contention:",
                  mutex_head[] = "--- mutex:", cycles_head[] = "cycles/second=", period_head[] = "sampling period=";

enum kind { HEAP, COUNTS, WAITS };
enum { METRICS = 4, NUMBERS = 4, MOST_NAME = 100, LOOK_BYTES = 64 * 1024 };

struct go_text {
    struct pr_profile_builder c;
    enum kind kind;
    uint32_t thread;
    unsigned metrics[METRICS];
    double rate; /* of heap profiles; 0: nothing to scale */
    int64_t cycles_per_s, period;
    int64_t numbers[NUMBERS]; /* of the stack at hand */
    int64_t missing[NUMBERS]; /* of the sums in the first line, what no stack had yet */
    bool has_stack, has_functions;
    pr_frame_id *frames; /* [frame_count] of it, leaf first */
    size_t frame_count, frame_capacity;
    uint64_t labels; /* lines of labels that were left out */
};

/* ---- a stack ----------------------------------------------------------------------------------------------------- */

static void push(struct go_text *r, const struct pr_place *place)
{
    if (!pr_grow(&r->frames, &r->frame_capacity, r->frame_count + 1, sizeof *r->frames))
        pr_build_no_memory(&r->c);
    else
        r->frames[r->frame_count++] = pr_build_frame(&r->c, place);
}

static int64_t ns_of(const struct go_text *r, int64_t cycles)
{
    return pr_double_scaled((double)cycles, 1e9 / (r->cycles_per_s > 0 ? (double)r->cycles_per_s : 1e9));
}

static void add_values(struct go_text *r, uint32_t fact)
{
    int64_t *n = r->numbers;
    switch (r->kind) {
    case HEAP:
        pr_heap_scale(r->rate, &n[0], &n[1]);
        pr_heap_scale(r->rate, &n[2], &n[3]);
        pr_build_add(&r->c, fact, r->metrics[0], n[1], n[0]);
        pr_build_add(&r->c, fact, r->metrics[1], n[0], 0);
        pr_build_add(&r->c, fact, r->metrics[2], n[3], n[2]);
        pr_build_add(&r->c, fact, r->metrics[3], n[2], 0);
        break;
    case COUNTS:
        pr_build_add(&r->c, fact, r->metrics[0], n[0], 0);
        break;
    case WAITS:
        pr_build_add(&r->c, fact, r->metrics[0], ns_of(r, n[0]), n[1]);
        pr_build_add(&r->c, fact, r->metrics[1], n[1], 0);
        break;
    }
}

static void end_stack(struct go_text *r)
{
    pr_node_id node = PR_ROOT;
    if (!r->has_stack)
        return;
    for (size_t i = r->frame_count; i-- > 0 && r->c.status == PR_OK;)
        node = pr_build_child(&r->c, node, r->frames[i]);
    add_values(r, pr_build_fact(&r->c, node, r->thread));
    r->has_stack = r->has_functions = false;
    r->frame_count = 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Takes the next whole number off TEXT, past blanks, colons and brackets. */
static bool take_number(struct pr_text *text, int64_t *number)
{
    struct pr_decimal decimal;
    while (text->length && *text->bytes && strchr(" :[", *text->bytes))
        *text = pr_text_from(*text, 1);
    const size_t length = pr_decimal_parse(text->bytes, text->length, &decimal);
    *number = pr_decimal_scaled(decimal, 0);
    *text = pr_text_from(*text, length);
    return length && *number >= 0;
}

/* The word up to a blank or tab; what follows it stays in TEXT. */
static struct pr_text take_word(struct pr_text *text)
{
    struct pr_text word = pr_text_trim(*text);
    const char *const end = word.bytes + word.length;
    const char *at = word.bytes;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    *text = (struct pr_text){at, (uint32_t)(end - at)};
    return (struct pr_text){word.bytes, (uint32_t)(at - word.bytes)};
}

static void push_named(struct go_text *r, const char *name)
{
    push(r, &(struct pr_place){.function = pr_build_text(&r->c, name), .kind = PR_FRAME_NATIVE});
}

/*
 * Where a line of functions is missing, an address is all that is known. Addresses of 0 fill stacks of threadcreate up:
 * a stack of nothing else is one frame, called as `go tool pprof` calls it.
 */
static bool take_addresses(struct go_text *r, struct pr_text text)
{
    bool fills_up = false;
    while (pr_text_trim(text).length && r->c.status == PR_OK) {
        uint64_t address;
        char name[24];
        if (!pr_text_number(take_word(&text), &address))
            return false;
        snprintf(name, sizeof name, "0x%" PRIx64, address);
        fills_up |= !address;
        if (address)
            push_named(r, name);
    }
    if (fills_up && !r->frame_count)
        push_named(r, "<unknown>");
    return true;
}

static const unsigned number_count[] = {[HEAP] = 4, [COUNTS] = 1, [WAITS] = 2};

static bool take_numbers(const struct go_text *r, struct pr_text *text, int64_t *numbers)
{
    for (unsigned i = 0; i < number_count[r->kind]; i++)
        if (!take_number(text, &numbers[i]))
            return false;
    return true;
}

/* `2: 20 [3: 30] @ 0x47e36c 0x4e1e25` */
static bool take_stack(struct go_text *r, struct pr_text line)
{
    const char *at = memchr(line.bytes, '@', line.length);
    end_stack(r);
    if (!at)
        return false;
    if (!take_numbers(r, &line, r->numbers))
        return false;
    for (unsigned i = 0; i < NUMBERS; i++)
        r->missing[i] = pr_subtract_saturated(r->missing[i], r->numbers[i]);
    r->has_stack = true;
    return take_addresses(r, pr_text_from(line, (size_t)(at - line.bytes) + 1));
}

/* `# 0x4e1e24 main.keep+0x64 /src/main.go:5` */
static bool take_function(struct go_text *r, struct pr_text line)
{
    line = pr_text_from(line, 1);
    take_word(&line);
    struct pr_text function = take_word(&line), file = pr_text_trim(line);
    const char *plus = function.length ? memrchr(function.bytes, '+', function.length) : NULL;
    const char *colon = file.length ? memrchr(file.bytes, ':', file.length) : NULL;
    uint64_t number = 0;
    if (!function.length) /* an address that Go knows no function for */
        return true;
    if (!r->has_stack)
        return false;
    if (plus)
        function.length = (uint32_t)(plus - function.bytes);
    if (colon && pr_text_number(pr_text_from(file, (size_t)(colon - file.bytes) + 1), &number))
        file.length = (uint32_t)(colon - file.bytes);
    r->frame_count = r->has_functions ? r->frame_count : 0;
    r->has_functions = true;
    push(r, &(struct pr_place){.function = pr_build_string(&r->c, function.bytes, function.length),
                               .file = pr_build_string(&r->c, file.bytes, file.length),
                               .line = number < INT32_MAX ? (int64_t)number : 0,
                               .kind = PR_FRAME_NATIVE});
    return true;
}

static bool take_setting(struct pr_text line, const char *head, int64_t *value)
{
    struct pr_text rest = pr_text_from(line, strlen(head));
    return pr_text_starts(line, head) && take_number(&rest, value);
}

/* False: the line has no meaning. */
static bool take_line(struct go_text *r, struct pr_text line)
{
    line = pr_text_trim(line);
    if (!line.length) {
        end_stack(r);
        return true;
    }
    if (pr_text_starts(line, "#\t0x"))
        return take_function(r, line);
    if (*line.bytes == '#') { /* labels, and counts of the collector */
        r->labels += pr_text_starts(line, "# labels:");
        return true;
    }
    if (r->kind == WAITS &&
        (take_setting(line, cycles_head, &r->cycles_per_s) || take_setting(line, period_head, &r->period)))
        return true;
    return take_stack(r, line);
}

/* ---- the first line ---------------------------------------------------------------------------------------------- */

/* Where "goroutine profile: total 12" has the end of its name; 0: it is none. */
static uint32_t name_length(struct pr_text line)
{
    const char *at = memmem(line.bytes, line.length, total_head, sizeof total_head - 1);
    const size_t length = at ? (size_t)(at - line.bytes) : 0;
    return length <= MOST_NAME && !memchr(line.bytes, '\n', length) ? (uint32_t)length : 0;
}

static void add_heap_metrics(struct go_text *r)
{
    r->metrics[0] = pr_build_metric(&r->c, "inuse_space", "In use", PR_UNIT_BYTES, "objects");
    r->metrics[1] = pr_build_metric(&r->c, "inuse_objects", "Objects in use", PR_UNIT_COUNT, NULL);
    r->metrics[2] = pr_build_metric(&r->c, "alloc_space", "Allocated", PR_UNIT_BYTES, "objects");
    r->metrics[3] = pr_build_metric(&r->c, "alloc_objects", "Allocated objects", PR_UNIT_COUNT, NULL);
}

static void add_count_metric(struct go_text *r, struct pr_text name)
{
    const pr_str text = pr_build_string(&r->c, name.bytes, name.length);
    const char *const kept = pr_profile_text(r->c.profile, text).bytes;
    if (r->c.status == PR_OK)
        r->metrics[0] = pr_build_metric(&r->c, kept, kept, PR_UNIT_COUNT, NULL);
}

/* After the words of the first line. */
static void take_sums(struct go_text *r, struct pr_text text)
{
    if (!take_numbers(r, &text, r->missing))
        memset(r->missing, 0, sizeof r->missing);
}

static bool take_head(struct go_text *r, struct pr_text line)
{
    if (pr_text_starts(line, heap_head)) {
        const char *slash = memrchr(line.bytes, '/', line.length);
        int64_t rate = 0;
        struct pr_text text = slash ? pr_text_from(line, (size_t)(slash - line.bytes) + 1) : line;
        if (slash && take_number(&text, &rate))
            r->rate = (double)rate / 2;
        r->kind = HEAP;
        take_sums(r, pr_text_from(line, sizeof heap_head - 1));
        add_heap_metrics(r);
    } else if (pr_text_starts(line, block_head) || pr_text_starts(line, mutex_head)) {
        r->kind = WAITS;
        r->metrics[0] = pr_build_metric(&r->c, "delay", "Delay", PR_UNIT_NANOSECONDS, "contentions");
        r->metrics[1] = pr_build_metric(&r->c, "contentions", "Contentions", PR_UNIT_COUNT, NULL);
    } else {
        const uint32_t length = name_length(line);
        r->kind = COUNTS;
        if (!length)
            return false;
        take_sums(r, pr_text_from(line, length + sizeof total_head - 1));
        add_count_metric(r, (struct pr_text){line.bytes, length});
    }
    return true;
}

static bool has_missing(const struct go_text *r)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        if (r->missing[i] > 0)
            return true;
    return false;
}

static enum pr_status read_lines(struct go_text *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    if (!pr_lines_next(&lines) || !take_head(r, lines.text))
        return pr_fail(r->c.err, PR_ERR_UNKNOWN, 0, "profile of Go", "the first line is not that of a profile");
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (!lines.ended) /* a number or a name may be cut short */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "profile of Go", "the input ends in a line");
        if (!take_line(r, lines.text)) {
            r->frame_count = 0;
            r->has_stack = false;
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
        }
    }
    const enum pr_status status = pr_lines_status(&lines);
    if (status != PR_END || !has_missing(r))
        return status;
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "profile of Go",
                  "its stacks have less than its first line counts");
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct go_text r = {.kind = HEAP};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK) {
        r.thread = pr_build_thread(&r.c, pr_build_process(&r.c, 0, 0), 0);
        status = read_lines(&r);
    }
    if (status != PR_FAILED)
        end_stack(&r);
    if (status != PR_FAILED && r.period > 1)
        pr_build_note(&r.c, "one of %" PRIi64 " events was recorded, and counts as many; old versions of Go did not "
                            "multiply them", r.period);
    if (status != PR_FAILED && r.labels)
        pr_build_note(&r.c, "%" PRIu64 " line%s of labels %s left out", r.labels, r.labels == 1 ? "" : "s",
                      r.labels == 1 ? "was" : "were");
    free(r.frames);
    return pr_build_finish(&r.c, status);
}

/* Heap profiles of Go have functions; those without are read as tcmalloc's. */
static unsigned probe(struct pr_source *src)
{
    const struct pr_source view = pr_source_view(src, LOOK_BYTES);
    const struct pr_text text = {(const char *)view.at, (uint32_t)(view.end - view.at)};
    const char *const line = text.length ? memchr(text.bytes, '\n', text.length) : NULL;
    if (!line)
        return 0;
    const struct pr_text head = {text.bytes, (uint32_t)(line - text.bytes)};
    if (pr_text_starts(text, heap_head))
        return memmem(text.bytes, text.length, "\n#\t0x", 5) ? 8 * (sizeof heap_head + 4) : 0;
    if (pr_text_starts(text, block_head) || pr_text_starts(text, mutex_head))
        return memmem(text.bytes, text.length, cycles_head, sizeof cycles_head - 1) ? 8 * sizeof cycles_head : 0;
    return name_length(head) ? 8 * (sizeof total_head - 1) : 0;
}

const struct pr_reader pr_go_text_reader = {"go-text", "profile of Go as text (debug=1)", probe, read};
