/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed ("folded") stacks: a line for each stack, frames from the root joined by `;`, a space, a number. The common
 * language of flamegraph.pl, inferno, perf, py-spy, async-profiler and bpftrace.
 *
 * - The number follows the last space: frames hold spaces. It may have a fraction or be below 0. It has no unit, and
 *   none is made up: perf's collapser writes periods in ns, py-spy counts samples.
 * - Lines repeat (their numbers add up), may be empty and may end with \r\n. A line without frames is time without a
 *   stack.
 * - `difffolded.pl` writes two numbers, before and after: such a file has them in every line, and no stack twice.
 * - py-spy 0.4: a frame is `name (file:line)`, the line that ran; with threads the first frame is `thread (0x1F)` or
 *   `thread (24677): name`, with subprocesses before it `process 12:"python x.py"`, a child's after its parents'.
 * - stackcollapse-perf.pl, inferno and bpftrace's collapser put the name of the process first, like a frame. It is one
 *   where what begins a stack is below it, unless it may be what calls that.
 * - inferno and stackcollapse-perf.pl: suffix `_[k]` is the kernel, `_[i]` inlined, `_[j]` compiled at run time; they
 *   stay part of the name.
 * - Fil: a frame is `file:line (name)`, the number is bytes at the peak. Such a file has the stacks with 99 % of them,
 *   at least 100 and at most 10,000.
 *
 * Source: FlameGraph flamegraph.pl and difffolded.pl (v1.0); py-spy 0.4.3 src/flamegraph.rs and src/stack_trace.rs;
 * inferno 0.12 src/collapse/perf.rs; Fil 2024.11 memapi/src/flamegraph.rs and src/memorytracking.rs.
 */
#include "capture/builder/profile_builder.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include "capture/base/textmap.h"
#include "capture/model/start_frames.h"

#include <string.h>

enum { LOOK_BYTES = 64 * 1024, LONG_LOOK_BYTES = 1024 * 1024, LOOK_LINES = 256 };

/* A parsed line. */
struct stack_line {
    struct pr_text stack;
    struct pr_decimal before, weight;
};

/* Splits the number after the last space off TEXT, with the spaces before it. */
static bool split_number(struct pr_text *text, struct pr_decimal *number)
{
    size_t at = text->length;
    while (at && text->bytes[at - 1] != ' ' && text->bytes[at - 1] != '\t')
        at--;
    size_t length = text->length - at;
    if (!at || !length || pr_decimal_parse(text->bytes + at, length, number) != length)
        return false;
    for (text->length = (uint32_t)at; text->length; text->length--)
        if (text->bytes[text->length - 1] != ' ' && text->bytes[text->length - 1] != '\t')
            break;
    return true;
}

/* LINE ends in a number, or with TWO, a pair of them; and it is one line by old Mac line ends too. */
static bool split_line(struct pr_text line, bool two, struct stack_line *out)
{
    *out = (struct stack_line){.stack = line};
    if (line.length && memchr(line.bytes, '\r', line.length))
        return false;
    return split_number(&out->stack, &out->weight) && (!two || split_number(&out->stack, &out->before));
}

/* Takes the first frame off STACK: up to the next `;`. */
static struct pr_text take_frame(struct pr_text *stack)
{
    struct pr_text rest = *stack;
    const char *end = memchr(rest.bytes, ';', rest.length);
    size_t length = end ? (size_t)(end - rest.bytes) : rest.length;
    *stack = pr_text_from(rest, end ? length + 1 : length);
    return (struct pr_text){rest.bytes, (uint32_t)length};
}

/* ---- what kind of file ------------------------------------------------------------------------------------------ */

static bool is_plain(struct pr_text line)
{
    for (size_t i = 0; i < line.length; i++)
        if ((unsigned char)line.bytes[i] < ' ' && line.bytes[i] != '\t')
            return false;
    return true;
}

/*
 * Evidence is bounded: a line with a number at its end is soon found in other texts, every one of many lines is not. A
 * thread before the frames is the strongest evidence, whatever its name looks like.
 */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_A_LINE = 2, BITS_OF_THREAD = 64, MOST_BITS = 32, WITHOUT_FRAMES = 4 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    if (view.at < view.end && !memchr(view.at, '\n', (size_t)(view.end - view.at)))
        view = pr_source_view(src, LONG_LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    unsigned bits = 0;
    bool joined = false;
    while (pr_lines_next(&lines) && (lines.ended || (src->at_eof && view.end == src->end))) {
        struct stack_line line;
        if (!lines.text.length)
            continue;
        if (!is_plain(lines.text))
            return 0;
        if (!split_line(lines.text, false, &line)) {
            if (lines.ended || !joined)
                return 0;
            break; /* the input was cut in its last line */
        }
        const bool has_thread = pr_text_starts(line.stack, "thread (");
        joined = joined || has_thread || memchr(line.stack.bytes, ';', line.stack.length);
        bits += has_thread ? BITS_OF_THREAD : BITS_A_LINE;
    }
    unsigned most = joined ? MOST_BITS : WITHOUT_FRAMES;
    return bits < most ? bits : most;
}

/* Two numbers in every line, and no stack twice: as difffolded.pl writes it. */
static bool is_difference(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    struct pr_strings stacks;
    uint32_t count = 0;
    if (pr_strings_init(&stacks, NULL) == PR_FAILED)
        return false;
    while (pr_lines_next(&lines) && lines.ended && count < LOOK_LINES) {
        struct stack_line line;
        if (!lines.text.length)
            continue;
        const uint32_t known = stacks.count;
        if (!split_line(lines.text, true, &line) || !line.stack.length ||
            pr_strings_add(&stacks, line.stack.bytes, line.stack.length) != known) {
            count = 0;
            break;
        }
        count++;
    }
    pr_strings_clear(&stacks);
    return count > 1;
}

/* Whether the stacks are of Fil, the memory profiler for Python: all frames are written as it alone does. */
static bool is_of_fil(struct pr_source *src)
{
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    bool found = false;
    for (uint32_t count = 0; count < LOOK_LINES && pr_lines_next(&lines) && lines.ended; count++) {
        struct stack_line line;
        if (!split_line(lines.text, false, &line))
            continue;
        while (line.stack.length) {
            const struct pr_text frame = take_frame(&line.stack);
            const bool is_own = pr_frame_text_is_of_fil(frame);
            if (!is_own && !pr_text_is(frame, "[No Python stack]"))
                return false;
            found |= is_own;
        }
    }
    return found;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

struct collapsed {
    struct pr_profile_builder c;
    struct pr_textmap frames;        /* by their texts */
    struct pr_textmap named_threads; /* numbers of threads that have none in the file, from 1 */
    uint32_t named_thread_count;
};

static pr_frame_id make_frame(struct collapsed *r, struct pr_text text)
{
    struct pr_frame_text frame = pr_frame_text_parse(text);
    const struct pr_place place = {.function = pr_build_string(&r->c, frame.name.bytes, frame.name.length),
                                   .file = pr_build_string(&r->c, frame.file.bytes, frame.file.length),
                                   .line = frame.line,
                                   .kind = pr_frame_kind_of(frame.name, frame.file)};
    return pr_build_frame(&r->c, &place);
}

/* The frame of TEXT, which is parsed once. */
static pr_frame_id frame_of(struct collapsed *r, struct pr_text text)
{
    uint32_t *frame = pr_textmap_at(&r->frames, text.bytes, text.length);
    if (!frame) {
        pr_build_no_memory(&r->c);
        return 0;
    }
    if (*frame == PR_TEXTMAP_NEW)
        *frame = make_frame(r, text);
    return *frame;
}

struct named_process {
    uint64_t pid;
    struct pr_text name;
};

/* The text that NAME begins, whose quotes hold what they hold in STACK, `;` too. Length 0: they do not close. */
static struct pr_text quoted(struct pr_text name, struct pr_text stack)
{
    const struct pr_text inside = pr_text_from(stack, (size_t)(name.bytes - stack.bytes) + 1);
    const char *close = memmem(inside.bytes, inside.length, "\";", 2);
    return (struct pr_text){name.bytes, close ? (uint32_t)(close - name.bytes) + 1 : 0};
}

/*
 * `process 12:"python x.py"`. CLOSES: quotes that begin in STACK may close; false from the first that do not, so that a
 * line is not searched for each of them.
 */
static bool take_process(struct pr_text *stack, struct named_process *process, bool *closes)
{
    struct pr_text rest = *stack, text = take_frame(&rest);
    if (!pr_text_starts(text, "process "))
        return false;
    text = pr_text_from(text, strlen("process "));
    if (!pr_text_number(text, &process->pid))
        return false;
    const char *colon = memchr(text.bytes, ':', text.length);
    struct pr_text name = pr_text_from(text, colon ? (size_t)(colon - text.bytes) + 1 : text.length);
    if (*closes && name.length && name.bytes[0] == '"') {
        const struct pr_text whole = quoted(name, *stack);
        *closes = whole.length > 0;
        if (whole.length) {
            name = whole;
            rest = pr_text_from(*stack, (size_t)(name.bytes - stack->bytes) + name.length + 1);
        }
    }
    if (name.length > 1 && name.bytes[0] == '"' && name.bytes[name.length - 1] == '"')
        name = (struct pr_text){name.bytes + 1, name.length - 2};
    process->name = name;
    *stack = rest;
    return true;
}

/* The last of the processes that STACK begins with: a child comes after its parents. */
static uint32_t process_of(struct collapsed *r, struct pr_text *stack)
{
    struct named_process last = {0};
    bool closes = true;
    while (take_process(stack, &last, &closes))
        continue;
    return pr_build_process(&r->c, last.pid, pr_build_string(&r->c, last.name.bytes, last.name.length));
}

static uint64_t number_of_name(struct collapsed *r, struct pr_text name)
{
    uint32_t *number = pr_textmap_at(&r->named_threads, name.bytes, name.length);
    if (!number) {
        pr_build_no_memory(&r->c);
        return 0;
    }
    if (*number == PR_TEXTMAP_NEW)
        *number = ++r->named_thread_count;
    return *number;
}

/* `thread (0x7F..)`, `thread (24677): name`, `thread (name)` */
static bool take_thread(struct collapsed *r, struct pr_text *stack, uint32_t process, uint32_t *thread)
{
    struct pr_text rest = *stack, text = take_frame(&rest);
    const char *close = pr_text_starts(text, "thread (") ? memchr(text.bytes, ')', text.length) : NULL;
    if (!close)
        return false;
    size_t start = strlen("thread (");
    struct pr_text inner = {text.bytes + start, (uint32_t)((size_t)(close - text.bytes) - start)};
    struct pr_text behind = pr_text_from(text, (size_t)(close - text.bytes) + 1), name = inner;
    uint64_t tid;
    if (pr_text_starts(behind, ": "))
        name = pr_text_from(behind, 2);
    else if (behind.length)
        return false;
    bool numbered = pr_text_number(inner, &tid);
    *thread = pr_build_thread(&r->c, process, numbered ? tid : number_of_name(r, name));
    if (!numbered || behind.length)
        pr_build_name_thread(&r->c, *thread, pr_build_string(&r->c, name.bytes, name.length));
    *stack = rest;
    return true;
}

static void add_line(struct collapsed *r, const struct stack_line *line, bool two)
{
    struct pr_text stack = line->stack;
    const uint32_t process = process_of(r, &stack);
    uint32_t thread;
    pr_node_id node = PR_ROOT;
    if (!take_thread(r, &stack, process, &thread))
        thread = pr_build_thread(&r->c, process, 0);
    while (stack.length && pr_build_going(&r->c))
        node = pr_build_child(&r->c, node, frame_of(r, take_frame(&stack)));
    uint32_t fact = pr_build_fact(&r->c, node, thread);
    pr_build_add_decimal(&r->c, fact, 0, line->weight, 0);
    if (two)
        pr_build_add_decimal(&r->c, fact, 1, line->before, 0);
}

static enum pr_status read_lines(struct collapsed *r, bool two)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    uint64_t stacks = 0;
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        struct stack_line line;
        if (split_line(lines.text, two, &line)) {
            add_line(r, &line, two);
            stacks++;
        } else if (lines.text.length && !lines.ended) {
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "stack", "the last line has no number");
        } else if (lines.text.length) {
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
        }
    }
    if (!stacks && r->c.profile->damage.kind[PR_DAMAGE_LINES].count && !lines.failed)
        return pr_fail(r->c.err, PR_ERR_DAMAGED, 0, "stack", "no line has a stack and a number");
    return pr_lines_status(&lines);
}

/* ---- names of processes ----------------------------------------------------------------------------------------- */

/* Whether a root NAME may call what begins a stack: "__GI___clone3", "_dl_start_user", "0x7f001234", "[unknown]". */
static bool may_call_start(struct pr_text name)
{
    return pr_text_starts(name, "_") || pr_text_starts(name, "0x") || pr_text_starts(name, "[") ||
           pr_is_native_start(name) || pr_begins_stack(name);
}

/* Roots that are above what begins a stack name a process. The same name further below is still that of a function. */
static void name_processes(struct collapsed *r)
{
    const struct pr_profile *profile = r->c.profile;
    struct pr_stack_table *stacks = &r->c.builder;
    for (pr_node_id node = 1; node < stacks->nodes.count && pr_build_going(&r->c); node++) {
        const pr_node_id root = pr_stacks_parent(stacks, node);
        if (root == PR_ROOT || pr_stacks_parent(stacks, root) != PR_ROOT)
            continue;
        const struct pr_frame above = pr_stacks_frame_get(stacks, pr_stacks_node_frame(stacks, root)),
                              frame = pr_stacks_frame_get(stacks, pr_stacks_node_frame(stacks, node));
        if (above.kind == PR_FRAME_NATIVE && !above.file && pr_begins_stack(pr_profile_text(profile, frame.function)) &&
            !may_call_start(pr_profile_text(profile, above.function))) {
            const struct pr_place process = {.function = above.function, .kind = PR_FRAME_OTHER};
            pr_stacks_set_frame(stacks, root, pr_build_frame(&r->c, &process));
        }
    }
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct collapsed r = {.named_thread_count = 0};
    const bool two = is_difference(src), fil = !two && is_of_fil(src);
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = pr_textmap_init(&r.frames, err);
    if (status == PR_OK)
        status = pr_textmap_init(&r.named_threads, err);
    if (fil)
        pr_build_metric(&r.c, "peak", "Peak", PR_UNIT_BYTES, NULL);
    else
        pr_build_metric(&r.c, "weight", two ? "After" : "Weight", PR_UNIT_NONE, NULL);
    if (two)
        pr_build_metric(&r.c, "before", "Before", PR_UNIT_NONE, NULL);
    if (status == PR_OK)
        status = read_lines(&r, two);
    if (fil)
        pr_build_note(&r.c, "recorded by Fil, which leaves out the smallest stacks: at least 99 %% of its peak, or "
                            "10,000 stacks, are here");
    name_processes(&r);
    pr_textmap_clear(&r.frames);
    pr_textmap_clear(&r.named_threads);
    return pr_build_finish(&r.c, status);
}

const struct pr_reader pr_collapsed_reader = {"collapsed", "collapsed stacks", probe, read};
