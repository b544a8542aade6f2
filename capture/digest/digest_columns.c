/* SPDX-License-Identifier: Apache-2.0 */
/* All columns of a digest. Names are for ever: a column whose meaning changes gets a new one. */
#include "capture/digest/digest_format.h"

_Static_assert(sizeof(bool) == 1, "PR_DIGEST_BOOL is a byte");
_Static_assert(sizeof(enum pr_oom) == sizeof(uint32_t), "as which it is stored");

enum { PR_DIGEST_SIZE = sizeof(size_t) == 8 ? PR_DIGEST_U64 : PR_DIGEST_U32 };

#define VALUES(kind, type, below) PR_DIGEST_##kind, PR_DIGEST_##type, PR_DIGEST_##below
#define RUN(name, member, kind, type, below) ROW(name, RUN, pr_digest_run, member, kind, type, below)
#define ROW(name, array, row, member, kind, type, below)                                                               \
    {                                                                                                                  \
        name, PR_DIGEST_##array, VALUES(kind, type, below), offsetof(struct row, member)                               \
    }
#define DAMAGE(name, number)                                                                                           \
    RUN("damage." name, damage.kind[number].count, U64, UNSIGNED, ANY),                                                \
    RUN("damage." name ".offset", damage.kind[number].offset, U64, UNSIGNED, ANY)
#define ONE(name, array, kind, type, below)                                                                            \
    {                                                                                                                  \
        name, PR_DIGEST_##array, VALUES(kind, type, below), 0                                                          \
    }

const struct pr_digest_column pr_digest_columns[] = {
    RUN("format", meta.format, WORDS, TEXT, ANY),
    RUN("format_title", meta.format_title, WORDS, TEXT, ANY),
    RUN("format_version", meta.format_version, I32, SIGNED, ANY),
    RUN("compression", meta.compression, WORDS, TEXT, ANY),
    RUN("size_bytes", meta.size_bytes, U64, UNSIGNED, ANY),
    RUN("command_line", meta.command_line, U32, UNSIGNED, OF_STRINGS),
    RUN("pid", meta.pid, MAYBE, SIGNED, ANY),
    RUN("start_ms", meta.start_ms, MAYBE, SIGNED, ANY),
    RUN("end_ms", meta.end_ms, MAYBE, SIGNED, ANY),
    RUN("no_date", meta.no_date, BOOL, UNSIGNED, ANY),
    RUN("end_is_last_sample", meta.end_is_last_sample, BOOL, UNSIGNED, ANY),
    RUN("written_end_ms", meta.written_end_ms, I64, SIGNED, ANY),
    RUN("written_frames", meta.written_frames, U64, UNSIGNED, ANY),
    RUN("python_version", meta.python_version, I32, SIGNED, ANY),
    RUN("python_unverified", meta.python_unverified, BOOL, UNSIGNED, ANY),
    RUN("native_traces", meta.has_native_traces, BOOL, UNSIGNED, ANY),
    RUN("native_files", meta.native_files, U32, UNSIGNED, ANY),
    RUN("native_files.unnamed", meta.native_files_unnamed, U32, UNSIGNED, ANY),
    RUN("native_files.first_unnamed", meta.native_unnamed_file, U32, UNSIGNED, OF_STRINGS),
    RUN("python_allocators_traced", meta.trace_python_allocators, BOOL, UNSIGNED, ANY),
    RUN("object_lifetimes", meta.track_object_lifetimes, BOOL, UNSIGNED, ANY),
    RUN("aggregated", meta.aggregated, BOOL, UNSIGNED, ANY),
    RUN("python_allocator", meta.python_allocator, WORDS, TEXT, ANY),
    RUN("main_tid", meta.main_tid, U64, UNSIGNED, ANY),
    RUN("skipped_frames", meta.skipped_frames, U64, UNSIGNED, ANY),
    RUN("stdlib_path", meta.stdlib_path, U32, UNSIGNED, OF_STRINGS),

    RUN("made.temporary_threshold", origin.temporary_threshold, U32, UNSIGNED, ANY),
    RUN("made.max_bins", origin.max_bins, U32, UNSIGNED, ANY),
    RUN("made.native", origin.native, U32, UNSIGNED, ANY),
    RUN("runs", origin.runs, U64, UNSIGNED, ANY),
    RUN("runs.incomplete", origin.incomplete_runs, U64, UNSIGNED, ANY),
    RUN("runs.failed", origin.failed_runs, U64, UNSIGNED, ANY),
    RUN("runs.highest_peak_bytes", origin.highest_peak_bytes, I64, SIGNED, ANY),
    RUN("runs.longest_ms", origin.longest_ms, I64, SIGNED, ANY),

    RUN("records.allocations", records.allocations, U64, UNSIGNED, ANY),
    RUN("records.frees", records.frees, U64, UNSIGNED, ANY),
    RUN("records.frames", records.frames, U64, UNSIGNED, ANY),
    RUN("records.pushes", records.pushes, U64, UNSIGNED, ANY),
    RUN("records.pops", records.pops, U64, UNSIGNED, ANY),
    RUN("records.samples", records.samples, U64, UNSIGNED, ANY),
    RUN("records.thread_names", records.thread_names, U64, UNSIGNED, ANY),
    RUN("records.native_frames", records.native_frames, U64, UNSIGNED, ANY),
    RUN("records.objects", records.objects, U64, UNSIGNED, ANY),

    RUN("run.name", run.name, U32, UNSIGNED, OF_STRINGS),
    RUN("run.flow", run.flow, U32, UNSIGNED, OF_STRINGS),
    RUN("run.run", run.run, U32, UNSIGNED, OF_STRINGS),
    RUN("run.step", run.step, U32, UNSIGNED, OF_STRINGS),
    RUN("run.task", run.task, U32, UNSIGNED, OF_STRINGS),
    RUN("run.attempt", run.attempt, U32, UNSIGNED, OF_STRINGS),
    RUN("run.notes", run.notes, U32, UNSIGNED, OF_STRINGS),
    RUN("run.cut_off", run.cut_off, BOOL, UNSIGNED, ANY),
    RUN("run.wall_ns", run.wall_ns, MAYBE, SIGNED, POSITIVE),
    RUN("run.user_ns", run.user_ns, MAYBE, SIGNED, POSITIVE),
    RUN("run.system_ns", run.system_ns, MAYBE, SIGNED, POSITIVE),
    RUN("run.max_rss_bytes", run.max_rss_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("run.major_faults", run.major_faults, MAYBE, SIGNED, POSITIVE),
    RUN("run.read_bytes", run.read_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("run.written_bytes", run.written_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("run.machine_cpus", run.machine_cpus, MAYBE, SIGNED, POSITIVE),
    RUN("run.cpu_limit_millicores", run.cpu_limit_millicores, MAYBE, SIGNED, POSITIVE),
    RUN("run.memory_limit_bytes", run.memory_limit_bytes, MAYBE, SIGNED, POSITIVE),

    RUN("failure.exit", run.failure.exit, MAYBE, SIGNED, ANY),
    RUN("failure.signal", run.failure.signal, MAYBE, SIGNED, ANY),
    RUN("failure.core", run.failure.core, BOOL, UNSIGNED, ANY),
    RUN("failure.oom_kills", run.failure.oom_kills, MAYBE, SIGNED, POSITIVE),
    RUN("failure.host_oom_kills", run.failure.host_oom_kills, MAYBE, SIGNED, POSITIVE),
    RUN("failure.peak_bytes", run.failure.peak_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("failure.limit_bytes", run.failure.limit_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("failure.address_limit_bytes", run.failure.address_limit_bytes, MAYBE, SIGNED, POSITIVE),
    RUN("failure.oom_told", run.failure.told, U32, UNSIGNED, OF_OOM),
    RUN("failure.final_exception", run.failure.final_exception, U32, UNSIGNED, ANY),
    RUN("failure.traceback", run.failure.traceback, U32, UNSIGNED, OF_STRINGS),
    RUN("failure.stderr_tail", run.failure.stderr_tail, U32, UNSIGNED, OF_STRINGS),
    ROW("exception.type", EXCEPTIONS, pr_digest_exception, type, U32, UNSIGNED, OF_STRINGS),
    ROW("exception.message", EXCEPTIONS, pr_digest_exception, message, U32, UNSIGNED, OF_STRINGS),
    ROW("exception.link", EXCEPTIONS, pr_digest_exception, link, U32, UNSIGNED, OF_LINKS),
    ROW("exception.depth", EXCEPTIONS, pr_digest_exception, depth, U32, UNSIGNED, ANY),
    ROW("exception.frames", EXCEPTIONS, pr_digest_exception, frame_count, U32, UNSIGNED, ANY),
    ROW("exception.frame.function", TRACE_FRAMES, pr_trace_frame, function, U32, UNSIGNED, OF_STRINGS),
    ROW("exception.frame.file", TRACE_FRAMES, pr_trace_frame, file, U32, UNSIGNED, OF_STRINGS),
    ROW("exception.frame.line", TRACE_FRAMES, pr_trace_frame, line, I32, SIGNED, POSITIVE),

    RUN("peak_bytes", peak_bytes, I64, SIGNED, POSITIVE),
    RUN("peak_at_ms", peak_at_ms, MAYBE, SIGNED, ANY),
    RUN("peak_bin", peak_bin, U32, UNSIGNED, ANY),

    RUN("problem", incomplete, BOOL, UNSIGNED, ANY),
    RUN("problem.code", problem_code, U32, UNSIGNED, ANY),
    RUN("problem.offset", problem_offset, MAYBE, SIGNED, ANY),
    RUN("problem.doing", problem_doing, WORDS, TEXT, ANY),
    RUN("problem.text", problem_text, WORDS, TEXT, ANY),
    DAMAGE("lines_left_out", PR_DAMAGE_LINES),
    DAMAGE("records_left_out", PR_DAMAGE_RECORDS),
    DAMAGE("frames_undefined", PR_DAMAGE_FRAMES),
    DAMAGE("order_mended", PR_DAMAGE_ORDER),
    DAMAGE("values_bounded", PR_DAMAGE_BOUNDED),
    DAMAGE("values_not_numbers", PR_DAMAGE_NOT_NUMBERS),
    DAMAGE("values_assumed", PR_DAMAGE_ASSUMED),

    ONE("site_packages", SITE_PACKAGES, U32, UNSIGNED, OF_STRINGS),
    ONE("sys_path", SYS_PATH, U32, UNSIGNED, OF_STRINGS),
    ONE("string", STRINGS, BYTES, TEXT, ANY),

    ROW("input.format", INPUTS, pr_part, format, WORDS, TEXT, ANY),
    ROW("input.format_title", INPUTS, pr_part, format_title, WORDS, TEXT, ANY),
    ROW("input.format_version", INPUTS, pr_part, format_version, I32, SIGNED, ANY),
    ROW("input.compression", INPUTS, pr_part, compression, WORDS, TEXT, ANY),
    ROW("input.size_bytes", INPUTS, pr_part, size_bytes, U64, UNSIGNED, ANY),
    ROW("input.name", INPUTS, pr_part, name, U32, UNSIGNED, OF_STRINGS),
    ROW("input.has_allocations", INPUTS, pr_part, has_allocations, BOOL, UNSIGNED, ANY),

    ROW("process.pid", PROCESSES, pr_process, pid, U64, UNSIGNED, ANY),
    ROW("process.name", PROCESSES, pr_process, name, U32, UNSIGNED, OF_STRINGS),
    ROW("thread.tid", THREADS, pr_thread, tid, U64, DELTA, ANY),
    ROW("thread.name", THREADS, pr_thread, name, U32, UNSIGNED, OF_STRINGS),
    ROW("thread.process", THREADS, pr_thread, process, U32, UNSIGNED, PROCESSES),

    ROW("frame.function", FRAMES, pr_frame, function, U32, DELTA, OF_STRINGS),
    ROW("frame.file", FRAMES, pr_frame, file, U32, DELTA, OF_STRINGS),
    ROW("frame.line", FRAMES, pr_frame, line, I32, DELTA, POSITIVE),
    ROW("frame.kind", FRAMES, pr_frame, kind, U32, UNSIGNED, OF_KINDS),
    ROW("frame.definition_line", FRAMES, pr_frame, definition_line, I32, DELTA, POSITIVE),

    ONE("node.parent", NODE_PARENT, U32, DELTA, NODE_PARENT),
    ONE("node.frame", NODE_FRAME, U32, DELTA, ANY),

    RUN("fact.hybrid.known", has_hybrid, BOOL, UNSIGNED, ANY),
    RUN("fact.allocator.known", has_allocators, BOOL, UNSIGNED, ANY),
    ONE("fact.leaf", FACT_LEAF, U32, DELTA, NODE_PARENT),
    ONE("fact.hybrid", FACT_HYBRID, U32, DELTA, NODE_PARENT),
    ONE("fact.thread", FACT_THREAD, U32, UNSIGNED, THREADS),
    ONE("fact.allocator", FACT_ALLOCATOR, U8, BYTE, OF_ALLOCATORS),

    ROW("metric.name", METRICS, pr_digest_metric, name, WORDS, TEXT, ANY),
    ROW("metric.title", METRICS, pr_digest_metric, title, WORDS, TEXT, ANY),
    ROW("metric.unit", METRICS, pr_digest_metric, unit, U32, UNSIGNED, OF_UNITS),
    ROW("metric.count_name", METRICS, pr_digest_metric, count_name, WORDS, TEXT, ANY),
    ROW("metric.decimals", METRICS, pr_digest_metric, decimals, U32, UNSIGNED, OF_DECIMALS),
    ROW("metric.exact", METRICS, pr_digest_metric, has_exact, BOOL, UNSIGNED, ANY),
    ROW("metric.input", METRICS, pr_digest_metric, part, U32, UNSIGNED, ANY),
    ONE("metric.value", VALUES, I64, SIGNED, ANY),
    ONE("metric.count", COUNTS, I64, SIGNED, ANY),

    RUN("tree_estimated", tree_estimated, BOOL, UNSIGNED, ANY),
    ONE("exact.frame", EXACT_FRAME, U32, DELTA, FRAMES),
    ONE("exact.thread", EXACT_THREAD, U32, DELTA, THREADS),
    ROW("exact.self", EXACT, pr_exact, self, I64, SIGNED, ANY),
    ROW("exact.total", EXACT, pr_exact, total, I64, SIGNED, ANY),
    ROW("exact.self_count", EXACT, pr_exact, self_count, I64, SIGNED, ANY),
    ROW("exact.total_count", EXACT, pr_exact, total_count, I64, SIGNED, ANY),

    RUN("stretch.resolution_ns", slice_resolution_ns, I64, SIGNED, POSITIVE),
    ROW("stretch.start_ns", SLICES, pr_slice, start_ns, I64, DELTA, POSITIVE),
    ROW("stretch.duration_ns", SLICES, pr_slice, duration_ns, I64, SIGNED, POSITIVE),
    ROW("stretch.fact", SLICES, pr_slice, fact, U32, DELTA, FACT_LEAF),

    ONE("note", NOTES, WORDS, TEXT, ANY),

    ROW("series.name", SERIES, pr_digest_series, name, WORDS, TEXT, ANY),
    ROW("series.title", SERIES, pr_digest_series, title, WORDS, TEXT, ANY),
    ROW("series.unit", SERIES, pr_digest_series, unit, U32, UNSIGNED, OF_UNITS),
    ROW("series.points", SERIES, pr_digest_series, count, U64, UNSIGNED, ANY),
    ROW("series.clock", SERIES, pr_digest_series, clock, U32, UNSIGNED, SERIES),
    ONE("series.at_ms", TIMES, I64, DELTA, ANY),
    ONE("series.value", POINTS, I64, DELTA, ANY),

    ROW("bin.start_ms", BINS, pr_bin, start_ms, I64, DELTA, ANY),
    ROW("bin.end_ms", BINS, pr_bin, end_ms, I64, DELTA, ANY),
    ROW("bin.peak_bytes", BINS, pr_bin, peak_bytes, I64, DELTA, ANY),
    ONE("fact.first_step", FIRST_STEP, SIZE, DELTA, ANY),
    ROW("step.bin", STEPS, pr_step, bin, U32, DELTA, BINS),
    ROW("step.bytes", STEPS, pr_step, bytes, I64, DELTA, POSITIVE),
    ROW("step.count", STEPS, pr_step, count, I64, DELTA, POSITIVE),
    ONE("fact.first_move", FIRST_MOVE, SIZE, DELTA, ANY),
    ROW("move.from", MOVES, pr_lifetime, from, U32, DELTA, BINS),
    ROW("move.to", MOVES, pr_lifetime, to, U32, UNSIGNED, ANY),
    ROW("move.bytes", MOVES, pr_lifetime, bytes, I64, UNSIGNED, POSITIVE),
    ROW("move.count", MOVES, pr_lifetime, count, I64, UNSIGNED, POSITIVE),

    RUN("stats", has_stats, BOOL, UNSIGNED, ANY),
    RUN("stats.allocations", allocation_count, U64, UNSIGNED, ANY),
    RUN("stats.allocated_bytes", allocated_bytes, U64, UNSIGNED, ANY),
    ONE("stats.by_allocator", ALLOCATORS, U64, UNSIGNED, ANY),
    ROW("stats.bin.min_bytes", HISTOGRAM, pr_histogram_bin, min_bytes, U64, UNSIGNED, ANY),
    ROW("stats.bin.max_bytes", HISTOGRAM, pr_histogram_bin, max_bytes, U64, UNSIGNED, ANY),
    ROW("stats.bin.count", HISTOGRAM, pr_histogram_bin, count, U64, UNSIGNED, ANY),
    ROW("stats.size.bytes", SIZES, pr_size_count, bytes, U64, DELTA, ANY),
    ROW("stats.size.count", SIZES, pr_size_count, count, U64, UNSIGNED, ANY),
#define TOPS(list, array)                                                                                              \
    ROW("stats." list ".name", array, pr_top, name, U32, UNSIGNED, OF_STRINGS),                                        \
        ROW("stats." list ".bytes", array, pr_top, bytes, U64, UNSIGNED, ANY),                                         \
        ROW("stats." list ".count", array, pr_top, count, U64, UNSIGNED, ANY)
    TOPS("places_by_size", PLACES_BY_SIZE),
    TOPS("places_by_count", PLACES_BY_COUNT),
    TOPS("modules_by_size", MODULES_BY_SIZE),
    TOPS("modules_by_count", MODULES_BY_COUNT),
};

const size_t pr_digest_column_count = sizeof pr_digest_columns / sizeof *pr_digest_columns;

const size_t pr_digest_row_bytes[PR_DIGEST_ARRAYS] = {
    [PR_DIGEST_RUN] = sizeof(struct pr_digest_run),
    [PR_DIGEST_STRINGS] = sizeof(struct pr_text),
    [PR_DIGEST_SITE_PACKAGES] = sizeof(pr_str),
    [PR_DIGEST_SYS_PATH] = sizeof(pr_str),
    [PR_DIGEST_PROCESSES] = sizeof(struct pr_process),
    [PR_DIGEST_THREADS] = sizeof(struct pr_thread),
    [PR_DIGEST_FRAMES] = sizeof(struct pr_frame),
    [PR_DIGEST_NODE_PARENT] = sizeof(pr_node_id),
    [PR_DIGEST_NODE_FRAME] = sizeof(pr_frame_id),
    [PR_DIGEST_FACT_LEAF] = sizeof(pr_node_id),
    [PR_DIGEST_FACT_HYBRID] = sizeof(pr_node_id),
    [PR_DIGEST_FACT_THREAD] = sizeof(uint32_t),
    [PR_DIGEST_FACT_ALLOCATOR] = sizeof(uint8_t),
    [PR_DIGEST_METRICS] = sizeof(struct pr_digest_metric),
    [PR_DIGEST_VALUES] = sizeof(int64_t),
    [PR_DIGEST_COUNTS] = sizeof(int64_t),
    [PR_DIGEST_EXACT_FRAME] = sizeof(pr_frame_id),
    [PR_DIGEST_EXACT_THREAD] = sizeof(uint32_t),
    [PR_DIGEST_EXACT] = sizeof(struct pr_exact),
    [PR_DIGEST_SLICES] = sizeof(struct pr_slice),
    [PR_DIGEST_NOTES] = sizeof(const char *),
    [PR_DIGEST_SERIES] = sizeof(struct pr_digest_series),
    [PR_DIGEST_TIMES] = sizeof(int64_t),
    [PR_DIGEST_POINTS] = sizeof(int64_t),
    [PR_DIGEST_BINS] = sizeof(struct pr_bin),
    [PR_DIGEST_FIRST_STEP] = sizeof(size_t),
    [PR_DIGEST_STEPS] = sizeof(struct pr_step),
    [PR_DIGEST_FIRST_MOVE] = sizeof(size_t),
    [PR_DIGEST_MOVES] = sizeof(struct pr_lifetime),
    [PR_DIGEST_ALLOCATORS] = sizeof(uint64_t),
    [PR_DIGEST_HISTOGRAM] = sizeof(struct pr_histogram_bin),
    [PR_DIGEST_SIZES] = sizeof(struct pr_size_count),
    [PR_DIGEST_PLACES_BY_SIZE] = sizeof(struct pr_top),
    [PR_DIGEST_PLACES_BY_COUNT] = sizeof(struct pr_top),
    [PR_DIGEST_MODULES_BY_SIZE] = sizeof(struct pr_top),
    [PR_DIGEST_MODULES_BY_COUNT] = sizeof(struct pr_top),
    [PR_DIGEST_INPUTS] = sizeof(struct pr_part),
    [PR_DIGEST_EXCEPTIONS] = sizeof(struct pr_digest_exception),
    [PR_DIGEST_TRACE_FRAMES] = sizeof(struct pr_trace_frame),
};
