/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace events: the JSON of Chrome's tracing, which viztracer, py-spy, the PyTorch profiler and many others write.
 *
 * - An array of events, or an object with one in `traceEvents`. The array may lack its closing bracket.
 * - `ts` and `dur` are microseconds with decimals. `pid` and `tid` are numbers or names (PyTorch: "stream 7").
 * - Calls are X events, in any order, or pairs of B and E in order of time; M events name processes and threads.
 *   Asynchronous spans (b, n, e; S, T, p, F) are no time of threads: trace_async.h. The others (counters, flows, marks)
 *   are not calls; their number is reported. Samples of JavaScript (Profile and ProfileChunk, of Chrome's DevTools) are
 *   a metric of their own: trace_v8.h.
 * - Calls of a thread nest by containment. Of equal ones the outer ends last: its X or E is written after the other's.
 * - py-spy: samples as B and E with args.filename and args.line, the line that ran. E events of one time may come in
 *   any order, so the frame of an E is looked for in the stack.
 * - viztracer: names `func (file:line)`, the line of the definition.
 * - PyTorch: `file(line): func` in cat python_function. Operators are written as they begin, so of equal ones the outer
 *   comes first; they are inside Python's functions. PyTorch 1.12 writes those as they end, later versions as they
 *   begin: their numbers and their callers' (args "Python id", "Python parent id") rise as they are written. The span
 *   of the whole recording, in cat Trace, is not a call. A GPU is a process, named like the program and distinguished
 *   by its labels; each of its streams is a thread. What precedes the packages is cut off the files, so PyTorch's own
 *   are known by their first folder alone. Builds without kineto write only operators, without a category, in a process
 *   "CPU functions".
 *   Steps that PyTorch's profiler names are phases: trace_steps.h.
 *   What devices did is summed up by device_work.h: it is no time of the program. Nor are annotations as a device ran
 *   them (gpu_user_annotation) and what the recorder cost (overhead, in a process -1).
 * - XLA (JAX, TensorFlow): functions of Python are `$file:line name`. A process "/device:GPU:0" is a GPU: what has an
 *   args.correlation_id there is its work, and the event of that number elsewhere is what launched it; the rest there
 *   (lanes of operators, modules and steps) says the same again and is left out.
 * - Processes and threads that have a name and no call are left out: PyTorch names eight GPUs where none is used.
 *
 * Source: "Trace Event Format" (Google, 2016); viztracer 1.1.1, py-spy 0.4.3 src/chrometrace.rs; PyTorch 1.7 to 2,
 * kineto/libkineto/src/output_json.cpp; traces of JAX 0.11 on an H200.
 */
#include "capture/model/async_spans.h"
#include "capture/readers/call_sorter.h"
#include "capture/readers/device_work.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/frame_text.h"
#include "capture/readers/trace_async.h"
#include "capture/readers/trace_event_parse.h"
#include "capture/readers/trace_steps.h"
#include "capture/builder/reader.h"

#include "profrender/buf.h"
#include "capture/base/checked.h"
#include "capture/base/ms_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDING_NS = 1000,  /* a call may end this much after its caller and still be in it: times are rounded */
    SEARCH_DEPTH = 1024, /* how far down in a stack the frame of an E is looked for */
    ORDERS_A_CALL = 2 * SEARCH_DEPTH, /* room for the calls that begin in a call and end after it */
    MOST_XLA_DEVICES = 64,
    ASYNC_LAYER = PR_DEVICE_LAYER + 1, /* of slices */
    NAMED_ID_BIT = 52    /* ids of threads whose id is a name: beyond addresses, and whole in a double */
};

/* The B events of a thread that have no E yet. */
struct lane {
    struct pr_call *open; /* [depth] without durations; order: the minimum it may have */
    size_t depth, capacity;
    int64_t last_ns; /* of all that is known of the thread, X events too */
};

/* What an M event says about a process or a thread, which may have no call. */
struct naming {
    enum { OF_PROCESS, OF_THREAD, LABELS_OF_PROCESS } what;
    uint64_t pid, tid; /* as they are looked up */
    pr_str name;
};

/* Processes of XLA that are GPUs; their names come before what they did. */
struct xla_devices {
    uint64_t pid[MOST_XLA_DEVICES];
    int64_t number[MOST_XLA_DEVICES];
    uint32_t count;
};

struct trace_events {
    struct pr_profile_builder c;
    struct pr_trace_document document;
    pr_frame_id *frame_of_text; /* [document.texts.count], PR_NO_ID = none yet */
    size_t text_capacity;
    struct pr_call_sorter calls;
    int64_t place; /* of the last X, B or E among them */
    struct lane *lanes; /* by thread */
    size_t lane_capacity;
    struct pr_device_work devices;
    struct pr_trace_async async;
    uint32_t first_lane; /* threads from it on are lanes of asynchronous spans */
    unsigned async_metric;
    int64_t last_ns; /* the end of what ended last */
    struct naming *namings; /* [naming_count] in the order of the file */
    size_t naming_count, naming_capacity;
    struct pr_trace_steps steps;
    struct xla_devices xla;
    uint64_t left_out, overlapping;
    uint64_t begun_before, unended; /* calls that lack their B, or their E */
    int64_t cost_ns; /* of the recorder */
    bool sampled, has_functions; /* of Python, in PyTorch */
};

/* 0 where TO is not after FROM. */
static int64_t span(int64_t from_ns, int64_t to_ns)
{
    return to_ns > from_ns ? pr_subtract_saturated(to_ns, from_ns) : 0;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* PyTorch's `torch/nn/modules/module.py(1501): _call_impl`. */
static bool split_function(struct pr_text text, struct pr_place *place, struct pr_profile_builder *c)
{
    const char *sep = memmem(text.bytes, text.length, "): ", 3);
    const char *open = sep ? memrchr(text.bytes, '(', (size_t)(sep - text.bytes)) : NULL;
    uint64_t line;
    if (!open || open == text.bytes)
        return false;
    size_t file_length = (size_t)(open - text.bytes), name_at = (size_t)(sep - text.bytes) + 3;
    if (!pr_text_number(pr_text_from(text, file_length + 1), &line) || line > INT32_MAX)
        return false;
    place->function = pr_build_string(c, text.bytes + name_at, text.length - name_at);
    place->file = pr_build_string(c, text.bytes, file_length);
    place->definition_line = (int64_t)line;
    return true;
}

/* PyTorch's `<built-in method append of list object at 0x7f698e303840>`, which would be another one for each list. */
static pr_str add_name(struct pr_profile_builder *c, struct pr_text text)
{
    struct pr_buf name = {0};
    return pr_text_without_addresses(text, &name) ? pr_build_buf(c, &name)
                                                  : pr_build_string(c, text.bytes, text.length);
}

/* XLA's `$profiler.py:307 trace`. */
static bool split_xla_function(struct pr_text text, struct pr_place *place, struct pr_profile_builder *c)
{
    const char *space = text.length && *text.bytes == '$' ? memchr(text.bytes, ' ', text.length) : NULL;
    const char *colon = space ? memrchr(text.bytes, ':', (size_t)(space - text.bytes)) : NULL;
    uint64_t line;
    if (!colon || colon == text.bytes + 1 ||
        !pr_text_number((struct pr_text){colon + 1, (uint32_t)(space - colon - 1)}, &line) || line > INT32_MAX)
        return false;
    const size_t name_at = (size_t)(space - text.bytes) + 1;
    place->function = pr_build_string(c, text.bytes + name_at, text.length - name_at);
    place->file = pr_build_string(c, text.bytes + 1, (size_t)(colon - text.bytes) - 1);
    place->definition_line = (int64_t)line;
    return true;
}

static pr_frame_id make_frame(struct trace_events *r, const struct pr_trace_event *event)
{
    struct pr_text text = pr_strings_get(&r->document.texts, event->name);
    struct pr_frame_text parts = {.name = text};
    struct pr_place place = {.file = event->file, .line = event->line};
    if (!(event->category == PR_TRACE_FUNCTION && split_function(text, &place, &r->c)) &&
        !split_xla_function(text, &place, &r->c)) {
        if (!event->file) {
            parts = pr_frame_text_parse(text);
            place.file = pr_build_string(&r->c, parts.file.bytes, parts.file.length);
            place.definition_line = parts.line;
        }
        place.function = event->category == PR_TRACE_FUNCTION
                             ? add_name(&r->c, parts.name)
                             : pr_build_string(&r->c, parts.name.bytes, parts.name.length);
    }
    place.kind = pr_frame_kind_of(pr_profile_text(r->c.profile, place.function),
                                  pr_profile_text(r->c.profile, place.file));
    return pr_build_frame(&r->c, &place);
}

/* Names without a separate place are parsed once. */
static pr_frame_id frame_of(struct trace_events *r, const struct pr_trace_event *event)
{
    size_t known = r->text_capacity;
    if (event->file || event->category == PR_TRACE_FUNCTION)
        return make_frame(r, event);
    if (!pr_grow(&r->frame_of_text, &r->text_capacity, event->name + (size_t)1, sizeof *r->frame_of_text)) {
        pr_build_no_memory(&r->c);
        return 0;
    }
    for (; known < r->text_capacity; known++)
        r->frame_of_text[known] = PR_NO_ID;
    if (r->frame_of_text[event->name] == PR_NO_ID)
        r->frame_of_text[event->name] = make_frame(r, event);
    return r->frame_of_text[event->name];
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static uint64_t id_of(uint64_t number, pr_str name)
{
    return name ? (UINT64_C(1) << NAMED_ID_BIT) + name : number;
}

static uint32_t thread_of(struct trace_events *r, const struct pr_trace_event *event)
{
    uint32_t process = pr_build_process(&r->c, id_of(event->pid, event->pid_name), event->pid_name);
    uint32_t thread = pr_build_thread(&r->c, process, id_of(event->tid, event->tid_name));
    if (event->tid_name)
        pr_build_name_thread(&r->c, thread, event->tid_name);
    return thread;
}

static void add_call(struct trace_events *r, uint32_t thread, const struct pr_call *call)
{
    if (r->c.status == PR_OK && !pr_call_sorter_add(&r->calls, thread, call))
        pr_build_no_memory(&r->c);
}

/* What ends later gets a lower one, so that it is outside equal calls. */
static int64_t next_order(struct trace_events *r)
{
    return -++r->place * ORDERS_A_CALL;
}

/* What begins later gets a higher one, so that it is inside equal calls. */
static int64_t next_order_inside(struct trace_events *r)
{
    return ++r->place * ORDERS_A_CALL;
}

/* Functions without a caller are outside those that have one, and all of them outside operators. */
static int64_t order_of(struct trace_events *r, const struct pr_trace_event *event)
{
    const int64_t with_caller = -(INT64_C(1) << 60), without = 2 * with_caller;
    if (event->category == PR_TRACE_OPERATOR || event->category == PR_TRACE_LAUNCH)
        return next_order_inside(r);
    if (event->category != PR_TRACE_FUNCTION || event->number < 0)
        return next_order(r);
    const bool is_root = event->caller < 0, begins = event->caller < event->number;
    return (is_root ? without : with_caller) + (begins ? next_order_inside(r) : next_order(r));
}

/* What an event says about a device. Returns whether a device did it, which is no time of the program. */
static bool take_device_work(struct trace_events *r, const struct pr_trace_event *event, uint32_t thread,
                             pr_frame_id frame)
{
    const struct pr_text name = pr_strings_get(&r->document.texts, event->name);
    const int64_t end_ns = pr_add_saturated(event->ts_ns, event->duration_ns);
    const bool is_copy = event->category == PR_TRACE_COPY;
    if (event->category == PR_TRACE_LAUNCH)
        pr_device_work_launch(&r->devices, (struct pr_device_event){.start_ns = event->ts_ns, .thread = thread,
                                                                    .correlation = event->correlation, .frame = frame});
    else if (event->category == PR_TRACE_OPERATOR)
        pr_device_work_annotation(&r->devices, name, event->ts_ns, end_ns);
    else if ((is_copy || event->category == PR_TRACE_KERNEL) && event->device >= 0 && event->device <= UINT32_MAX)
        return pr_device_work_add(
            &r->devices,
            (struct pr_device_event){.start_ns = event->ts_ns, .end_ns = end_ns, .thread = thread,
                                     .correlation = event->correlation, .frame = frame,
                                     .device = (uint32_t)event->device,
                                     .kind = is_copy ? PR_DEVICE_COPY : PR_DEVICE_KERNEL},
            name);
    return false;
}

/* What an event of XLA is, by its process and its number. */
static void take_xla(const struct trace_events *r, struct pr_trace_event *event)
{
    uint32_t i = 0;
    while (i < r->xla.count && r->xla.pid[i] != event->pid)
        i++;
    event->correlation = event->xla_correlation;
    if (i == r->xla.count) {
        event->category = event->correlation > 0 ? PR_TRACE_LAUNCH : event->category;
    } else {
        const struct pr_text name = pr_strings_get(&r->document.texts, event->name);
        const bool is_copy = pr_text_starts(name, "Memcpy") || pr_text_starts(name, "Memset");
        event->category = event->correlation <= 0 ? PR_TRACE_ASIDE : is_copy ? PR_TRACE_COPY : PR_TRACE_KERNEL;
        event->device = r->xla.number[i];
    }
}

static void name_xla_device(struct trace_events *r, uint64_t pid, struct pr_text name)
{
    static const char before[] = "/device:GPU:";
    uint64_t number;
    if (r->xla.count < MOST_XLA_DEVICES && pr_text_starts(name, before) &&
        pr_text_number(pr_text_from(name, sizeof before - 1), &number) && number <= UINT32_MAX) {
        r->xla.pid[r->xla.count] = pid;
        r->xla.number[r->xla.count++] = (int64_t)number;
    }
}

static struct lane *lane_of(struct trace_events *r, uint32_t thread)
{
    size_t known = r->lane_capacity;
    if (!pr_grow(&r->lanes, &r->lane_capacity, thread + (size_t)1, sizeof *r->lanes)) {
        pr_build_no_memory(&r->c);
        return NULL;
    }
    for (; known < r->lane_capacity; known++)
        r->lanes[known] = (struct lane){.last_ns = INT64_MIN};
    return &r->lanes[thread];
}

/* Something of THREAD was there until END_NS. */
static void reach(struct trace_events *r, uint32_t thread, int64_t end_ns)
{
    struct lane *lane = lane_of(r, thread);
    if (lane && lane->last_ns < end_ns)
        lane->last_ns = end_ns;
}

static void take_call(struct trace_events *r, const struct pr_trace_event *event)
{
    const uint32_t thread = thread_of(r, event);
    const struct pr_call call = {event->ts_ns, event->duration_ns, order_of(r, event), frame_of(r, event)};
    if (!take_device_work(r, event, thread, call.frame)) {
        add_call(r, thread, &call);
        reach(r, thread, pr_add_saturated(event->ts_ns, event->duration_ns));
    }
    pr_trace_steps_time(&r->steps, event->ts_ns, event->duration_ns);
    if (event->is_annotation)
        pr_trace_steps_take(&r->steps, &r->c, pr_strings_get(&r->document.texts, event->name), event->ts_ns);
}

static void begin_call(struct trace_events *r, const struct pr_trace_event *event)
{
    const uint32_t thread = thread_of(r, event);
    const struct pr_call call = {event->ts_ns, 0, INT64_MIN, frame_of(r, event)};
    struct lane *lane = lane_of(r, thread);
    if (!lane || !pr_grow(&lane->open, &lane->capacity, lane->depth + 1, sizeof *lane->open)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->place++;
    lane->open[lane->depth++] = call;
    reach(r, thread, event->ts_ns);
}

static pr_str function_of(const struct trace_events *r, pr_frame_id frame)
{
    return pr_stacks_frame_get(&r->c.builder, frame).function;
}

/* The place in the lane of the call that EVENT ends: the innermost of its frame, else of its name; depth = none. */
static size_t find_open(struct trace_events *r, const struct lane *lane, const struct pr_trace_event *event)
{
    size_t lowest = lane->depth > SEARCH_DEPTH ? lane->depth - SEARCH_DEPTH : 0;
    if (!event->has_name)
        return lane->depth ? lane->depth - 1 : 0;
    pr_frame_id frame = frame_of(r, event);
    if (r->c.status != PR_OK)
        return lane->depth;
    for (size_t i = lane->depth; i-- > lowest;)
        if (lane->open[i].frame == frame)
            return i;
    for (size_t i = lane->depth; i-- > lowest;)
        if (function_of(r, lane->open[i].frame) == function_of(r, frame))
            return i;
    return lane->depth;
}

/* Takes the call at AT out of LANE. Calls that began in it are inside, even if their E comes later at the same time. */
static struct pr_call take_open(struct trace_events *r, struct lane *lane, size_t at)
{
    struct pr_call call = lane->open[at];
    const int64_t order = next_order(r);
    call.order = call.order > order ? call.order : order;
    for (size_t i = at + 1; i < lane->depth; i++) {
        const int64_t least = call.order + (int64_t)(i - at);
        lane->open[i].order = lane->open[i].order > least ? lane->open[i].order : least;
    }
    lane->depth--;
    memmove(lane->open + at, lane->open + at + 1, (lane->depth - at) * sizeof *lane->open);
    return call;
}

static void end_call(struct trace_events *r, const struct pr_trace_event *event)
{
    const uint32_t thread = thread_of(r, event);
    struct lane *lane = lane_of(r, thread);
    if (!lane)
        return;
    reach(r, thread, event->ts_ns);
    r->begun_before += !lane->depth;
    const size_t at = find_open(r, lane, event);
    if (at == lane->depth) {
        pr_build_damage(&r->c, PR_DAMAGE_ORDER, lane->depth > 0);
        return;
    }
    struct pr_call call = take_open(r, lane, at);
    call.duration_ns = span(call.start_ns, event->ts_ns);
    add_call(r, thread, &call);
}

/* Names are given when all calls are known. */
static void take_naming(struct trace_events *r, const struct pr_trace_event *event)
{
    const struct pr_text what = pr_strings_get(&r->document.texts, event->name);
    struct naming naming = {.pid = id_of(event->pid, event->pid_name), .tid = id_of(event->tid, event->tid_name)};
    naming.name = event->given_name;
    if (pr_text_is(what, "thread_name")) {
        naming.what = OF_THREAD;
    } else if (pr_text_is(what, "process_labels")) {
        naming.what = LABELS_OF_PROCESS;
        naming.name = event->labels;
    } else if (!pr_text_is(what, "process_name")) {
        return;
    }
    if (!naming.name)
        return;
    if (naming.what == OF_PROCESS)
        name_xla_device(r, event->pid, pr_profile_text(r->c.profile, naming.name));
    if (pr_grow(&r->namings, &r->naming_capacity, r->naming_count + 1, sizeof *r->namings))
        r->namings[r->naming_count++] = naming;
    else
        pr_build_no_memory(&r->c);
}

/* A call needs a time, and its duration, if given, must be one. */
static bool has_times(const struct pr_trace_event *event)
{
    const int64_t end_ns = pr_add_saturated(event->ts.value, event->duration.value);
    return event->ts.known && event->ts.value > INT64_MIN && event->ts.value < INT64_MAX &&
           (event->phase != 'X' || !event->has_duration ||
            (event->duration.known && event->duration.value >= 0 && event->duration.value < INT64_MAX &&
             end_ns < INT64_MAX));
}

/* A step is called what its arguments say. */
static void take_async(struct trace_events *r, struct pr_trace_event *event)
{
    const struct pr_text category = pr_strings_get(&r->document.texts, event->category_text);
    const uint32_t process = pr_build_process(&r->c, id_of(event->pid, event->pid_name), event->pid_name);
    event->category_name = pr_build_string(&r->c, category.bytes, category.length);
    const bool is_step = event->step && (event->phase == 'T' || event->phase == 'p');
    const struct pr_text name = pr_profile_text(r->c.profile, event->step);
    const struct pr_place step = {.function = event->step, .kind = pr_frame_kind_of(name, (struct pr_text){0})};
    pr_trace_async_take(&r->async, event, process, is_step ? pr_build_frame(&r->c, &step) : frame_of(r, event));
}

/* Also counters and marks, which `phase` tells. */
static bool is_of_the_program_or_a_device(const struct pr_trace_event *event)
{
    return event->category != PR_TRACE_SPAN && event->category != PR_TRACE_ASIDE && event->category != PR_TRACE_COST;
}

/* Chrome with disabled-by-default-v8.cpu_profiler, which DevTools turns on. False: it is no part of V8's profile. */
static bool take_v8(struct trace_events *r, const struct pr_trace_event *event)
{
    const struct pr_text name = pr_strings_get(&r->document.texts, event->name);
    const uint64_t pid = id_of(event->pid, event->pid_name), id = event->id_hash;
    struct pr_trace_v8 *v8 = &r->document.v8;
    if (event->phase != 'P')
        return false;
    if (pr_text_is(name, "Profile"))
        pr_trace_v8_take_profile(v8, pid, id, thread_of(r, event));
    else if (pr_text_is(name, "ProfileChunk"))
        pr_trace_v8_take_chunk(v8, pid, id, pr_trace_v8_knows(v8, pid, id) ? 0 : thread_of(r, event));
    else
        return false;
    return true;
}

static void take_event(void *context, struct pr_trace_event *event)
{
    struct trace_events *r = context;
    const bool is_async = pr_trace_is_async(event->phase);
    if (event->phase == 'X' || event->phase == 'B' || event->phase == 'E' || is_async) {
        if (!has_times(event)) {
            pr_build_damage(&r->c, PR_DAMAGE_RECORDS, 1);
            return;
        }
        event->ts_ns = event->ts.value;
        event->duration_ns = event->phase == 'X' ? event->duration.value : 0;
        const int64_t end_ns = pr_add_saturated(event->ts_ns, event->duration_ns);
        r->last_ns = end_ns > r->last_ns ? end_ns : r->last_ns;
    }
    if (r->xla.count)
        take_xla(r, event);
    r->sampled = r->sampled || event->category == PR_TRACE_SAMPLE;
    r->has_functions = r->has_functions || event->category == PR_TRACE_FUNCTION;
    if (event->category == PR_TRACE_COST)
        r->cost_ns = pr_add_saturated(r->cost_ns, event->duration_ns);
    switch (is_of_the_program_or_a_device(event) ? event->phase : '\0') {
    case 'X':
        take_call(r, event);
        break;
    case 'B':
        begin_call(r, event);
        break;
    case 'E':
        end_call(r, event);
        break;
    case 'M':
        take_naming(r, event);
        break;
    default:
        if (is_async)
            take_async(r, event);
        else if (!take_v8(r, event))
            r->left_out++;
        break;
    }
}

/* ---- from calls to stacks --------------------------------------------------------------------------------------- */

/* B events without an E ran when the recording ended: they last until the last known time of their thread. */
static void end_open_calls(struct trace_events *r)
{
    for (uint32_t thread = 0; thread < r->c.thread_ids.count && thread < r->lane_capacity; thread++) {
        struct lane *lane = &r->lanes[thread];
        r->unended += lane->depth;
        while (lane->depth) {
            struct pr_call call = take_open(r, lane, lane->depth - 1);
            call.duration_ns = span(call.start_ns, lane->last_ns);
            add_call(r, thread, &call);
        }
    }
}

static void add_span(void *context, uint32_t thread, const struct pr_call *span)
{
    add_call(context, thread, span);
}

/* Asynchronous spans are a metric of their own: no thread spent that time. */
static void add_async(struct trace_events *r)
{
    r->first_lane = r->c.thread_ids.count;
    if (!r->async.place)
        return;
    r->async_metric = pr_build_metric(&r->c, PR_ASYNC_METRIC, "Async time", PR_UNIT_NANOSECONDS, PR_ASYNC_COUNTED);
    pr_trace_async_finish(&r->async, r->last_ns, add_span, r);
}

/* The calls that are open at `at_ns`, one inside the other. */
struct stack {
    struct frame {
        pr_node_id node;
        uint32_t fact;
        int64_t end_ns; /* never after that of the frame outside */
    } *frame;
    size_t depth, capacity;
    int64_t at_ns;
    unsigned metric;
    uint32_t layer;
};

/* The innermost call runs until END_NS. */
static void run(struct trace_events *r, struct stack *stack, int64_t end_ns)
{
    if (stack->depth && end_ns > stack->at_ns) {
        uint32_t fact = stack->frame[stack->depth - 1].fact;
        pr_build_add(&r->c, fact, stack->metric, span(stack->at_ns, end_ns), 0);
        pr_build_slice_of(&r->c, stack->layer, fact, stack->at_ns, span(stack->at_ns, end_ns));
    }
    stack->at_ns = end_ns;
}

static void close_until(struct trace_events *r, struct stack *stack, int64_t at_ns)
{
    for (; stack->depth && stack->frame[stack->depth - 1].end_ns <= at_ns; stack->depth--)
        run(r, stack, stack->frame[stack->depth - 1].end_ns);
    if (stack->depth)
        run(r, stack, at_ns);
    else
        stack->at_ns = at_ns;
}

/* Where CALL, which begins now, ends; calls that it really outlives end where it begins. */
static int64_t settle_end(struct trace_events *r, struct stack *stack, const struct pr_call *call)
{
    int64_t end_ns = pr_add_saturated(call->start_ns, call->duration_ns);
    bool overlaps = false;
    for (; stack->depth; stack->depth--) {
        int64_t outer_ns = stack->frame[stack->depth - 1].end_ns;
        if (span(outer_ns, end_ns) <= ROUNDING_NS) {
            end_ns = end_ns < outer_ns ? end_ns : outer_ns;
            break;
        }
        overlaps = true;
    }
    r->overlapping += overlaps;
    return end_ns;
}

static bool open_call(struct trace_events *r, struct stack *stack, uint32_t thread, const struct pr_call *call)
{
    int64_t end_ns = settle_end(r, stack, call);
    if (!pr_grow(&stack->frame, &stack->capacity, stack->depth + 1, sizeof *stack->frame)) {
        pr_build_no_memory(&r->c);
        return false;
    }
    pr_node_id parent = stack->depth ? stack->frame[stack->depth - 1].node : PR_ROOT;
    pr_node_id node = pr_build_child(&r->c, parent, call->frame);
    uint32_t fact = pr_build_fact_in_turn(&r->c, node, thread);
    stack->frame[stack->depth++] = (struct frame){node, fact, end_ns};
    pr_build_add(&r->c, fact, stack->metric, 0, 1);
    pr_device_work_meet(&r->devices, thread, call->start_ns, call->frame, node);
    return true;
}

static void build(struct trace_events *r)
{
    struct stack stack = {.depth = 0};
    struct pr_call call;
    uint32_t thread = 0;
    if (!pr_call_sorter_sort(&r->calls))
        pr_build_no_memory(&r->c);
    for (uint32_t of = 0; r->c.status == PR_OK && pr_call_sorter_next(&r->calls, &of, &call); thread = of) {
        if (of != thread)
            close_until(r, &stack, INT64_MAX);
        stack.metric = of < r->first_lane ? 0 : r->async_metric;
        stack.layer = of < r->first_lane ? 0 : ASYNC_LAYER;
        close_until(r, &stack, call.start_ns);
        if (!open_call(r, &stack, of, &call))
            break;
    }
    close_until(r, &stack, INT64_MAX);
    free(stack.frame);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* "python (GPU 0)" */
static void add_labels(struct trace_events *r, struct pr_process *process, pr_str labels)
{
    const struct pr_text name = pr_profile_text(r->c.profile, process->name);
    const struct pr_text label = pr_profile_text(r->c.profile, labels);
    struct pr_buf text = {0};
    pr_buf_add(&text, name.bytes, name.length);
    pr_buf_text(&text, name.length ? " (" : "");
    pr_buf_add(&text, label.bytes, label.length);
    pr_buf_text(&text, name.length ? ")" : "");
    process->name = pr_build_buf(&r->c, &text);
}

static bool is_named(uint64_t id)
{
    return id >> NAMED_ID_BIT == 1;
}

/* Ids that are names are counted from 1: people see these numbers. */
static void number_named(struct trace_events *r)
{
    uint64_t processes = 0, threads = 0;
    for (uint32_t i = 0; i < r->c.process_ids.count; i++)
        if (is_named(r->c.process_ids.keys[i]))
            r->c.processes[i].pid = ++processes;
    for (uint32_t i = 0; i < r->c.thread_ids.count; i++)
        if (is_named(r->c.thread_ids.keys[2 * (size_t)i + 1]))
            r->c.threads[i].tid = ++threads;
}

/* The last name of each process and thread that has calls. */
static void give_names(struct trace_events *r)
{
    const uint32_t processes = r->c.process_ids.count;
    pr_str *labels = calloc(processes + (size_t)1, sizeof *labels);
    if (!labels)
        pr_build_no_memory(&r->c);
    for (size_t i = 0; labels && i < r->naming_count; i++) {
        const struct naming *naming = &r->namings[i];
        const uint32_t process = pr_idset_find(&r->c.process_ids, &naming->pid, 1);
        const uint64_t key[2] = {process, naming->tid};
        const uint32_t thread = pr_idset_find(&r->c.thread_ids, key, 2);
        if (process != PR_NO_ID && naming->what == OF_PROCESS)
            r->c.processes[process].name = naming->name;
        else if (process != PR_NO_ID && naming->what == LABELS_OF_PROCESS)
            labels[process] = naming->name;
        else if (thread != PR_NO_ID && naming->what == OF_THREAD)
            pr_build_name_thread(&r->c, thread, naming->name);
    }
    for (uint32_t i = 0; labels && i < processes; i++)
        if (labels[i])
            add_labels(r, &r->c.processes[i], labels[i]);
    free(labels);
}

static void tell_packages(struct trace_events *r)
{
    pr_str *packages = r->has_functions ? pr_arena_array(&r->c.profile->arena, 1, sizeof *packages) : NULL;
    if (!packages)
        return;
    *packages = pr_build_text(&r->c, "torch");
    r->c.profile->meta.site_packages = packages;
    r->c.profile->meta.site_packages_count = 1;
}

static void note(struct trace_events *r, uint64_t count, const char *what)
{
    if (count)
        pr_build_note(&r->c, "%s: %" PRIu64, what, count);
}

static void tell(struct trace_events *r)
{
    if (r->document.overflow)
        pr_build_damage_at(&r->c, PR_DAMAGE_OVERFLOWED, PR_NO_OFFSET);
    if (r->cost_ns > 0)
        pr_build_note(&r->c,
                      "the profiler itself worked for %s, which counts as time of the calls that ran meanwhile",
                      pr_ms_text(r->cost_ns).text);
    note(r, r->left_out, "events that are not calls (counters, flows, marks) were left out");
    if (r->document.v8.idle_ns > 0)
        pr_build_note(&r->c, "%s of idle time between samples of JavaScript are left out",
                      pr_ms_text(r->document.v8.idle_ns).text);
    note(r, r->document.v8.timeless,
         "samples of JavaScript have no place in time, as the start of their profile is not known");
    note(r, r->async.crowded, "asynchronous spans were left out: too many of their category were open at once");
    note(r, r->begun_before, "calls that began before the recording were left out");
    note(r, r->unended, "calls had no end and were taken to last until the last call or end of a call in their thread");
    note(r, r->async.begun_before,
         "events of asynchronous spans that began before the recording were left out");
    note(r, r->async.endless, "asynchronous spans had no end and were taken to last until the recording ended");
    note(r, r->overlapping, "overlapping calls were cut short where the next one begins");
}

static void clear(struct trace_events *r)
{
    for (size_t i = 0; i < r->lane_capacity; i++)
        free(r->lanes[i].open);
    free(r->lanes);
    free(r->namings);
    pr_device_work_clear(&r->devices);
    pr_trace_async_clear(&r->async);
    pr_call_sorter_clear(&r->calls);
    free(r->frame_of_text);
    pr_trace_document_end(&r->document);
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct trace_events r = {.last_ns = INT64_MIN};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.document.c = r.async.c = &r.c;
    r.document.take = take_event;
    r.document.context = &r;
    if (status == PR_OK)
        status = pr_trace_document_begin(&r.document);
    if (status == PR_OK)
        status = pr_trace_document_read(&r.document);
    if (status == PR_CUT && !r.place && !r.async.place)
        status = PR_FAILED;
    if (status != PR_FAILED) {
        if (r.place || !r.async.place)
            pr_build_metric(&r.c, "cpu", "Time", PR_UNIT_NANOSECONDS, r.sampled ? NULL : "calls");
        end_open_calls(&r);
        pr_trace_v8_finish(&r.document.v8);
        add_async(&r);
        pr_device_work_order(&r.devices);
        build(&r);
        give_names(&r);
        number_named(&r);
        tell_packages(&r);
        pr_device_work_finish(&r.devices, &r.c);
        tell(&r);
        pr_trace_steps_finish(&r.steps, &r.c, r.document.base_ns);
    }
    clear(&r);
    return pr_build_finish(&r.c, status);
}

/* Keys that only this format combines; one item of an array is enough. */
static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    if (peek.first == '{')
        return pr_json_evidence(&peek, "traceEvents", '[');
    unsigned phase = pr_json_evidence(&peek, "ph", '"');
    return phase && peek.first == '[' ? phase + pr_json_evidence(&peek, "pid", 0) + pr_json_evidence(&peek, "ts", '0')
                                      : 0;
}

const struct pr_reader pr_trace_event_reader = {"trace-event", "trace events", probe, read};
