/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `perf script`: a block for each sample, followed by a blank line.
 *
 *     python3 4711/4712 [003] 970.545085:    2004008 cpu-clock:u:
 *             7f3c1228 put+0x3d (/app/hashtab)
 *             7f3c13c5 main+0xdb (/app/hashtab)
 *
 * - The head is a command, which may hold spaces, and, each of them only if it was asked for, a thread or
 *   process/thread, a processor, a time, a period and an event. A single frame may follow on the same line.
 * - Frames are leaf first. Instructions are not distinguished, only functions. An `[unknown]` one is named after its
 *   object. With -F srcline, the place in the source follows a frame on a line of its own, after two blanks.
 * - Every event is a metric. Periods of cpu-clock and task-clock are nanoseconds, those of others are counts; without
 *   a period a sample counts 1. Only for clocks is the time of a sample known to be the end of its period.
 * - CPython 3.12 writes its functions as `py::name:file` (perf trampolines); those are Python frames.
 * - `perf record -k` makes the header say, in one moment, what the time of day and the clock of the samples were:
 *   `# reference time: ... = 1795860050.069395 (TOD) = 43244.031425394 (monotonic)`. `profrender record` writes it too.
 * - Lines of mappings, forks and names (--show-mmap-events and the like) have PERF_RECORD_... instead of an event.
 *
 * Source: tools/perf/builtin-script.c of Linux 6.1, process_event and its print functions; the two files of the
 * collection.
 */
#include "capture/readers/perf_names.h"
#include "capture/base/text.h"
#include "capture/parse/words.h"
#include "capture/builder/reader.h"

#include "capture/base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_BYTES = 64 * 1024, MAX_COMMAND = 256 /* 16 on Linux, with blanks before a short one */ };

struct head {
    struct pr_text comm, event; /* event: empty = unknown */
    bool has_pid, has_tid, has_time, has_period;
    uint64_t pid, tid;
    struct pr_decimal time, period;
    struct pr_text rest; /* what follows the event */
};

/* ---- heads ------------------------------------------------------------------------------------------------------ */

static bool is_whole(struct pr_text word)
{
    for (uint32_t i = 0; i < word.length; i++)
        if (!pr_is_digit(word.bytes[i]))
            return false;
    return word.length != 0;
}

/* `4711` or `4711/4712` */
static bool take_ids(struct pr_text word, struct head *head)
{
    const char *slash = memchr(word.bytes, '/', word.length);
    struct pr_text pid = {word.bytes, slash ? (uint32_t)(slash - word.bytes) : 0};
    struct pr_text tid = slash ? pr_text_from(word, pid.length + (size_t)1) : word;
    head->has_pid = slash != NULL;
    head->has_tid = is_whole(tid) && pr_text_number(tid, &head->tid) &&
                    (!slash || (is_whole(pid) && pr_text_number(pid, &head->pid)));
    return head->has_tid;
}

/* `970.545085:` */
static bool is_time(struct pr_text word, struct pr_decimal *time)
{
    return word.length > 3 && pr_is_digit(*word.bytes) && word.bytes[word.length - 1] == ':' &&
           memchr(word.bytes, '.', word.length) && pr_decimal_parse(word.bytes, word.length, time) + 1 == word.length;
}

/* `[003]` */
static bool is_processor(struct pr_text word)
{
    return word.length > 2 && *word.bytes == '[' && word.bytes[word.length - 1] == ']' &&
           is_whole((struct pr_text){word.bytes + 1, word.length - 2});
}

/* What follows the thread: times and events, and flags before them that are of no interest. */
static bool take_values(struct pr_text rest, struct head *head)
{
    struct pr_text word = pr_fields_word(&rest);
    if (is_processor(word))
        word = pr_fields_word(&rest);
    if (word.length == 5 && !is_whole(word) && word.bytes[4] != ':') /* irqs-off and the like: "d..2." */
        word = pr_fields_word(&rest);
    head->has_time = is_time(word, &head->time);
    if (head->has_time)
        word = pr_fields_word(&rest);
    head->has_period = is_whole(word);
    if (head->has_period) {
        pr_decimal_parse(word.bytes, word.length, &head->period);
        word = pr_fields_word(&rest);
    }
    head->event = (struct pr_text){word.bytes, word.length ? word.length - 1 : 0};
    head->rest = rest;
    if (!word.length)
        return head->has_time || head->has_pid;
    return word.length > 1 && word.bytes[word.length - 1] == ':' && !pr_is_digit(*word.bytes);
}

/* WORD and REST after a command: a thread and values, or a time and what follows it. */
static bool take_sample(struct pr_text line, struct pr_text word, struct pr_text rest, struct head *head)
{
    *head = (struct head){.has_pid = false};
    if (take_ids(word, head))
        return take_values(rest, head);
    *head = (struct head){.has_pid = false};
    return is_time(word, &head->time) && take_values(pr_text_from(line, (size_t)(word.bytes - line.bytes)), head);
}

/* The command ends before the first number that times and events can follow. */
static bool parse_head(struct pr_text line, struct head *head)
{
    struct pr_text rest = line;
    for (struct pr_text word = pr_fields_word(&rest); word.length && word.bytes - line.bytes <= MAX_COMMAND;
         word = pr_fields_word(&rest)) {
        struct pr_text comm = pr_text_trim((struct pr_text){line.bytes, (uint32_t)(word.bytes - line.bytes)});
        if (comm.length && take_sample(line, word, rest, head)) {
            head->comm = comm;
            return true;
        }
    }
    return false;
}

/* `python3 4711 970.545085: PERF_RECORD_MMAP2 4711/4711: [0x55d16b2d9000(0x2000) ...` */
static bool is_record(struct pr_text line)
{
    static const char mark[] = " PERF_RECORD_";
    return memmem(line.bytes, line.length, mark, sizeof mark - 1) != NULL;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

struct frame_line {
    struct pr_text symbol, object;
};

/* Where the bracket that the last byte of TEXT closes was opened; 0 = nowhere. */
static uint32_t find_open(struct pr_text text)
{
    uint32_t depth = 0;
    for (uint32_t at = text.length; at-- > 0;) {
        depth += text.bytes[at] == ')';
        if (text.bytes[at] == '(' && --depth == 0)
            return at;
    }
    return 0;
}

/* Takes `+0x3d` off the end. */
static struct pr_text without_offset(struct pr_text symbol)
{
    const char *plus = symbol.length ? memrchr(symbol.bytes, '+', symbol.length) : NULL;
    uint32_t at = plus ? (uint32_t)(plus - symbol.bytes) : 0;
    uint64_t offset;
    struct pr_text behind = pr_text_from(symbol, plus ? at + (size_t)1 : 0);
    return plus && pr_text_starts(behind, "0x") && pr_text_number(behind, &offset) ? (struct pr_text){symbol.bytes, at}
                                                                                  : symbol;
}

/* `7f3c1228 put+0x3d (/app/hashtab)` */
static bool parse_frame(struct pr_text line, struct frame_line *frame)
{
    struct pr_text rest = line, address = pr_fields_word(&rest);
    uint64_t number;
    if (!address.length || pr_text_hex(address, &number) != address.length)
        return false;
    rest = pr_text_trim(rest);
    uint32_t open = rest.length && rest.bytes[rest.length - 1] == ')' ? find_open(rest) : 0;
    bool has_object = open > 0 && rest.bytes[open - 1] == ' ';
    frame->object = (struct pr_text){"", 0};
    frame->symbol = rest;
    if (has_object) {
        frame->object = (struct pr_text){rest.bytes + open + 1, rest.length - open - 2};
        frame->symbol = (struct pr_text){rest.bytes, open - 1};
    }
    frame->symbol = without_offset(pr_text_trim(frame->symbol));
    return frame->symbol.length;
}

static bool is_kernel(struct pr_text object)
{
    static const char *const user[] = {"[vdso", "[vsyscall", "[unknown", "[heap", "[stack", "[anon", "[uprobes"};
    for (size_t i = 0; i < sizeof user / sizeof *user; i++)
        if (pr_text_starts(object, user[i]))
            return false;
    return (object.length && *object.bytes == '[') || memmem(object.bytes, object.length, "vmlinux", 7) ||
           memmem(object.bytes, object.length, ".ko", 3);
}

struct perf_script {
    struct pr_profile_builder c;
    pr_frame_id *stack; /* leaf first */
    size_t depth, capacity;
    struct pr_place last; /* of the last frame of the stack */
    bool open;          /* a head was read, its block has not ended */
    uint32_t thread;
    unsigned metric;
    int64_t value, end_ns; /* of the open sample; end_ns is where it ended, for clocks */
    bool in_time;
    uint64_t samples;
};

static pr_str intern(struct perf_script *r, struct pr_text text)
{
    return pr_build_string(&r->c, text.bytes, text.length);
}

/* Unknown symbols are named after their object. */
static pr_str unknown_symbol(struct perf_script *r, struct pr_text object)
{
    char name[256];
    struct pr_text base = pr_text_file_name(object);
    if (!base.length || *base.bytes == '[')
        return base.length ? intern(r, base) : pr_build_text(&r->c, "[unknown]");
    uint32_t length = base.length < sizeof name - 2 ? base.length : (uint32_t)sizeof name - 2;
    name[0] = '[';
    memcpy(name + 1, base.bytes, length);
    name[length + 1] = ']';
    return pr_build_string(&r->c, name, length + 2);
}

static void push_frame(struct perf_script *r, const struct frame_line *frame)
{
    struct pr_place place;
    bool inlined = pr_text_is(frame->object, "inlined"), unknown = pr_text_is(frame->symbol, "[unknown]");
    if (!pr_perf_python(&r->c, frame->symbol, &place))
        place = (struct pr_place){.function = unknown ? unknown_symbol(r, frame->object) : intern(r, frame->symbol),
                                  .file = inlined ? 0 : intern(r, frame->object),
                                  .kind = is_kernel(frame->object) ? PR_FRAME_KERNEL : PR_FRAME_NATIVE};
    if (r->depth >= r->c.options->limits.max_depth) {
        if (r->c.status == PR_OK)
            r->c.status = pr_cut(r->c.err, PR_ERR_LIMIT, pr_source_offset(r->c.src), "frame", "a stack is too deep");
    } else if (pr_grow(&r->stack, &r->capacity, r->depth + 1, sizeof *r->stack)) {
        r->stack[r->depth++] = pr_build_frame(&r->c, &place);
        r->last = place;
    } else {
        pr_build_no_memory(&r->c);
    }
}

/* `  /src/hashtab.c:13`, of the frame before; `??:0` where it is not known. */
static bool take_source(struct perf_script *r, struct pr_text line)
{
    uint64_t number;
    const char *colon = memrchr(line.bytes, ':', line.length);
    if (!pr_text_starts(line, "  ") || !colon || !r->open || !r->depth)
        return false;
    struct pr_text file = pr_text_trim((struct pr_text){line.bytes, (uint32_t)(colon - line.bytes)});
    if (!pr_text_number(pr_text_from(line, file.length + (size_t)3), &number))
        return false;
    if (number && number <= INT32_MAX) {
        r->last.file = intern(r, file);
        r->last.line = (int32_t)number;
        r->stack[r->depth - 1] = pr_build_frame(&r->c, &r->last);
    }
    return true;
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

static void end_sample(struct perf_script *r)
{
    pr_node_id node = PR_ROOT;
    if (!r->open)
        return;
    while (r->depth)
        node = pr_build_child(&r->c, node, r->stack[--r->depth]);
    uint32_t fact = pr_build_fact(&r->c, node, r->thread);
    pr_build_add(&r->c, fact, r->metric, r->value, 1);
    if (r->in_time)
        pr_build_slice(&r->c, fact, pr_subtract_saturated(r->end_ns, r->value), r->value);
    r->open = false;
}

/* Events have the names that perf gives them, and titles without precision; samples without an event are "samples". */
static unsigned metric_of(struct perf_script *r, const struct head *head)
{
    const enum pr_unit unit = head->has_period ? pr_perf_unit(head->event) : PR_UNIT_COUNT;
    if (!head->event.length)
        return pr_build_metric(&r->c, "samples", "Samples", unit, "samples");
    const char *name = pr_build_word(&r->c, head->event);
    const char *title = pr_build_word(&r->c, pr_perf_title(head->event));
    return pr_build_metric(&r->c, name, title, unit, "samples");
}

static void begin_sample(struct perf_script *r, const struct head *head)
{
    struct frame_line frame;
    pr_str comm = intern(r, head->comm);
    uint32_t process = pr_build_process(&r->c, head->pid, head->has_pid ? comm : 0);
    r->thread = pr_build_thread(&r->c, process, head->tid);
    pr_build_name_thread(&r->c, r->thread, comm);
    r->metric = metric_of(r, head);
    r->value = head->has_period ? pr_decimal_scaled(head->period, 0) : 1;
    r->in_time = head->has_time && head->has_period && pr_perf_is_clock(head->event);
    r->end_ns = r->in_time ? pr_decimal_scaled(head->time, 9) : 0;
    r->depth = 0;
    r->open = true;
    r->samples++;
    if (parse_frame(head->rest, &frame) && frame.object.length)
        push_frame(r, &frame);
}

/* The number that TEXT has after MARK; *REST is what follows it. */
static bool number_after(struct pr_text text, const char *mark, struct pr_decimal *number, struct pr_text *rest)
{
    const char *at = text.length ? memmem(text.bytes, text.length, mark, strlen(mark)) : NULL;
    const struct pr_text found = pr_text_from(text, at ? (size_t)(at - text.bytes) + strlen(mark) : text.length);
    const size_t length = pr_decimal_parse(found.bytes, found.length, number);
    *rest = pr_text_from(found, length);
    return length != 0;
}

/* When the clock of the samples was 0. */
static void take_reference(struct perf_script *r, struct pr_text line)
{
    enum { DIGITS_OF_NS = 9 };
    struct pr_decimal wall, clock;
    struct pr_text rest = line;
    if (!pr_text_starts(line, "# reference time: ") || !number_after(line, " = ", &wall, &rest) ||
        !pr_text_starts(rest, " (TOD)") || !number_after(rest, " = ", &clock, &rest))
        return;
    const int64_t wall_ns = pr_decimal_scaled(wall, DIGITS_OF_NS);
    r->c.slices_epoch_ns =
        (struct pr_maybe){true, pr_subtract_saturated(wall_ns, pr_decimal_scaled(clock, DIGITS_OF_NS))};
}

static void take_line(struct perf_script *r, struct pr_text line)
{
    struct frame_line frame;
    struct head head;
    bool indented = line.length && pr_is_blank(*line.bytes);
    if (!pr_text_trim(line).length) {
        end_sample(r);
    } else if (*line.bytes == '#') {
        take_reference(r, line);
    } else if (r->open && indented && parse_frame(line, &frame)) {
        push_frame(r, &frame);
    } else if (!is_record(line) && parse_head(line, &head)) {
        end_sample(r);
        begin_sample(r, &head);
    } else if (!is_record(line) && !take_source(r, line)) {
        pr_build_damage(&r->c, PR_DAMAGE_LINES, 1);
    }
}

static enum pr_status read_lines(struct perf_script *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (lines.text.length && !lines.ended) /* the stack lacks its callers: left out */
            return pr_cut(r->c.err, PR_ERR_TRUNCATED, lines.offset, "sample", "the input ends in a line");
        take_line(r, lines.text);
    }
    if (!lines.failed)
        end_sample(r);
    return pr_lines_status(&lines);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct perf_script r = {.depth = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_lines(&r);
    if (!r.samples && status == PR_CUT)
        status = PR_FAILED;
    if (!r.samples && status == PR_END)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "sample", "it has no samples");
    free(r.stack);
    return pr_build_finish(&r.c, status);
}

/* A head, best with thread and time, which no other text has, and frames below it. */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_OF_HEAD = 24, BITS_OF_HALF = 5, BITS_A_FRAME = 12, MOST_BITS = 60 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    unsigned bits = 0;
    while (bits < MOST_BITS && pr_lines_next(&lines)) {
        struct head head;
        struct frame_line frame;
        if (!pr_text_trim(lines.text).length || *lines.text.bytes == '#' || is_record(lines.text))
            continue;
        if (bits && *lines.text.bytes == '\t' && parse_frame(lines.text, &frame))
            bits += frame.object.length ? BITS_A_FRAME : BITS_A_FRAME / 2;
        else if (parse_head(lines.text, &head))
            bits += bits ? 0 : head.has_time && head.has_tid ? BITS_OF_HEAD : BITS_OF_HALF;
        else if (bits && pr_text_starts(lines.text, "  "))
            continue; /* a place in the source */
        else
            break;
    }
    if (bits == BITS_OF_HALF) /* a word and a fraction, or a time, may occur anywhere */
        return 0;
    return bits < MOST_BITS ? bits : MOST_BITS;
}

const struct pr_reader pr_perf_reader = {"perf", "perf script", probe, read};
