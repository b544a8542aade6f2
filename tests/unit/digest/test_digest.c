/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: nothing is lost on the way, and nothing invalid is accepted. */
#include "tests/support/unit.h"

#include "capture/base/hash.h"
#include "profrender/load.h"
#include "profrender/digest.h"
#include "capture/digest/digest_format.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/invariants.h"
#include "tests/support/packing.h"
#include "tests/support/profile_maker.h"
#include "tests/support/same_profile.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>

enum { VERSION_AT = PR_DIGEST_MAGIC_BYTES, LENGTH_AT = 12, HASH_AT = PR_DIGEST_START_BYTES, HEAD_AT = HASH_AT + 8 };

static struct pr_buf write_digest(const struct pr_profile *profile)
{
    struct pr_buf bytes = {0};
    struct pr_error err = {0};
    assert_int_equal(pr_digest_write(profile, &bytes, &err), PR_OK);
    return bytes;
}

static struct pr_profile *read_with(const struct pr_buf *bytes, const struct pr_load_options *options,
                                    struct pr_error *err)
{
    struct pr_profile *profile = NULL;
    enum pr_status status = pr_load_memory("made.prz", bytes->bytes, bytes->length, options, &profile, err);
    assert_int_equal(status == PR_FAILED, !profile);
    assert_int_equal(status == PR_OK, err->code == PR_ERR_NONE);
    return profile;
}

static struct pr_profile *read_digest(const struct pr_buf *bytes)
{
    struct pr_error err = {0};
    struct pr_profile *profile = read_with(bytes, NULL, &err);
    if (!profile)
        fail_msg("%s: %s", err.doing, err.text);
    return profile;
}

/* The digest BYTES, which are cleared, is refused; returns why. */
static struct pr_error refused(struct pr_buf bytes)
{
    struct pr_error err = {0};
    struct pr_profile *profile = read_with(&bytes, NULL, &err);
    assert_null(profile);
    pr_buf_clear(&bytes);
    return err;
}

/* Frees the profile. */
static void assert_round_trip(struct pr_profile *profile)
{
    struct pr_buf bytes = write_digest(profile);
    struct pr_profile *same = read_digest(&bytes);
    const char *what = profiles_differ(profile, same);
    if (what)
        fail_msg("another profile: %s", what);
    struct pr_buf again = write_digest(same);
    assert_int_equal(bytes.length, again.length);
    assert_memory_equal(bytes.bytes, again.bytes, bytes.length);
    assert_int_equal(same->origin.digest_major, PR_DIGEST_MAJOR);
    assert_int_equal(same->origin.digest_bytes, bytes.length);
    pr_buf_clear(&bytes);
    pr_buf_clear(&again);
    pr_profile_free(profile);
    pr_profile_free(same);
}

static struct pr_profile *story_of(const struct capture_head *head, uint64_t seed, unsigned records)
{
    struct capture capture;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    story_capture(&capture, head, seed, records);
    assert_int_not_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, NULL, &profile, &err),
                         PR_FAILED);
    capture_clear(&capture);
    return profile;
}

static struct pr_profile *story_profile(int version, bool aggregated, uint64_t seed, unsigned records)
{
    return story_of(&(struct capture_head){.version = version, .aggregated = aggregated}, seed, records);
}

/* Something of everything that a profile can have, except time bins. */
static struct pr_profile *rich_profile(void)
{
    static const struct pr_exact exact[] = {{1, 2, 3, 4}, {-5, 6, INT64_MAX, INT64_MIN}};
    static const pr_frame_id exact_frame[] = {2, 0};
    static const uint32_t exact_thread[] = {0, 1};
    static const struct pr_slice slices[] = {{0, 10, 1, 0}, {10, INT64_MAX - 10, 1, 0}, {5, 1, 0, 1}};
    static const char *const notes[] = {"3 lines are no stack", "second na\xc3\xafve note"};
    struct maker *maker = maker_new();
    unsigned time = maker_metric(maker, "time", "Time", PR_UNIT_NONE, NULL);
    unsigned calls = maker_metric(maker, "calls", "Calls", PR_UNIT_COUNT, "calls");
    maker_thread(maker, UINT64_MAX, "worker");
    maker_thread(maker, 0, "");
    pr_node_id leaf = maker_stack(maker, "main@app.py:9 load@io.py:4");
    pr_node_id native = maker_node(maker, leaf, maker_frame(maker, "malloc", "libc.so.6", 0, PR_FRAME_NATIVE));
    size_t first = maker_fact(maker, leaf, 1, PR_ALLOC_NONE), second = maker_fact(maker, PR_ROOT, 0, PR_ALLOC_NONE);
    maker_hybrid(maker, first, native);
    maker_value(maker, first, time, 1250, 0);
    maker_value(maker, second, time, INT64_MAX / 2, 0);
    maker_value(maker, first, calls, 3, 7);
    unsigned rss = maker_series(maker, "rss", "RSS", PR_UNIT_BYTES);
    maker_point(maker, rss, INT64_MIN, INT64_MAX);
    maker_point(maker, rss, 12, -1);
    maker_series(maker, "empty", "Nothing", PR_UNIT_PERCENT);
    maker_meta(maker)->command_line = maker_string(maker, "app.py --quick");
    struct pr_profile *profile = maker_finish(maker);
    ((struct pr_metric *)profile->metrics)[0].decimals = 3;
    ((struct pr_metric *)profile->metrics)[0].exact = exact;
    ((struct pr_frame *)profile->frames)[0].definition_line = 7;
    profile->tree_estimated = true;
    profile->exact_count = 2;
    profile->exact_frame = exact_frame;
    profile->exact_thread = exact_thread;
    profile->slice_count = 3;
    profile->slices = slices;
    profile->slice_resolution_ns = 1000;
    profile->slices_lack_clock = true;
    profile->slices_start_ms = (struct pr_maybe){true, -17};
    profile->note_count = 2;
    profile->notes = notes;
    return profile;
}

/* Everything that a run can have, how it ended, and two inputs of different kinds. */
static struct pr_profile *failed_run(void)
{
    static struct pr_trace_frame frames[3];
    static struct pr_exception exceptions[3];
    static struct pr_part inputs[2];
    struct maker *maker = maker_new();
    unsigned peak = maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    unsigned cpu = maker_metric(maker, "cpu", "CPU", PR_UNIT_NANOSECONDS, NULL);
    maker_thread(maker, 1, "main");
    size_t fact = maker_fact(maker, maker_stack(maker, "main@app.py:9"), 0, PR_ALLOC_NONE);
    maker_value(maker, fact, peak, 4096, 1);
    maker_value(maker, fact, cpu, 17, 0);
    for (int i = 0; i < 3; i++)
        frames[i] = (struct pr_trace_frame){maker_string(maker, i ? "load" : "main"), maker_string(maker, "io.py"), i};
    exceptions[0] = (struct pr_exception){.type = maker_string(maker, "OSError"), .frame_count = 2, .frames = frames};
    exceptions[1] = (struct pr_exception){.type = maker_string(maker, "KeyError"),
                                          .message = maker_string(maker, "'\xff\x1b[31m'"),
                                          .link = PR_LINK_CONTEXT,
                                          .depth = UINT32_MAX};
    exceptions[2] = (struct pr_exception){.type = maker_string(maker, "RuntimeError"),
                                          .link = PR_LINK_CAUSE,
                                          .frame_count = 1,
                                          .frames = frames + 2};
    inputs[0] = (struct pr_part){"memray", "memray capture", 13, "lz4", 9000, maker_string(maker, "run.bin"), true};
    inputs[1] = (struct pr_part){"pstats", "pstats", 0, NULL, 900, maker_string(maker, "run.pstats"), false};
    const struct pr_run run = {
        .name = maker_string(maker, "Nightly"), .flow = maker_string(maker, "sales"),
        .run = maker_string(maker, "17"),       .step = maker_string(maker, "train"),
        .task = maker_string(maker, "3"),       .attempt = maker_string(maker, "1"),
        .cut_off = true,                        .wall_ns = {true, INT64_MAX},
        .user_ns = {true, 0},                   .system_ns = {true, 1},
        .max_rss_bytes = {true, 2},             .major_faults = {true, 3},
        .read_bytes = {true, 4},                .written_bytes = {true, 5},
        .machine_cpus = {true, 6},              .cpu_limit_millicores = {true, 7},
        .memory_limit_bytes = {true, 8},        .gpu_memory_bytes = {true, 9},
        .notes = maker_string(maker, "# Notes\n\nof *people*\n"),
        .failure = {.exit = {true, INT64_MIN},
                    .signal = {true, 9},
                    .core = true,
                    .oom_kills = {true, 1},
                    .host_oom_kills = {true, 2},
                    .peak_bytes = {true, 95},
                    .limit_bytes = {true, 100},
                    .address_limit_bytes = {true, 101},
                    .told = PR_OOM_LIKELY,
                    .oom = PR_OOM_YES,
                    .exception_count = 3,
                    .exceptions = exceptions,
                    .final_exception = 2,
                    .traceback = maker_string(maker, "Traceback ...\n"),
                    .stderr_tail = maker_string(maker, "last words")}};
    struct pr_profile *profile = maker_finish(maker);
    profile->run = run;
    profile->meta.no_date = true;
    profile->parts = inputs;
    profile->part_count = 2;
    ((struct pr_metric *)profile->metrics)[1].part = 1;
    return profile;
}

static void captures_of_every_version_come_back(void **state)
{
    (void)state;
    for (int version = 6; version <= 13; version++) {
        for (uint64_t seed = 1; seed <= 8; seed++)
            assert_round_trip(story_profile(version, false, seed, 40 * (unsigned)seed));
    }
}

static void aggregated_captures_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        assert_round_trip(story_profile(13, true, seed, 60));
}

static void everything_a_profile_can_have_comes_back(void **state)
{
    (void)state;
    assert_round_trip(rich_profile());
}

static void a_run_comes_back_with_its_end(void **state)
{
    (void)state;
    assert_round_trip(failed_run());
}

/* A digest's verdict on lack of memory is derived again from its facts: it cannot claim anything else. */
static void conclusions_are_drawn_and_not_believed(void **state)
{
    (void)state;
    struct pr_profile *profile = failed_run();
    profile->run.failure.exit = (struct pr_maybe){true, 0};
    profile->run.failure.signal = (struct pr_maybe){0};
    struct pr_buf bytes = write_digest(profile);
    pr_profile_free(profile);
    profile = read_digest(&bytes);
    assert_int_equal(profile->run.failure.oom, PR_OOM_NO);
    assert_int_equal(profile->run.failure.exception_count, 0);
    assert_int_equal(profile->run.failure.final_exception, 0);
    assert_false(pr_failure_is_one(&profile->run.failure));
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

static void a_profile_of_nothing_comes_back(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    assert_round_trip(maker_finish(maker));
}

static void what_broke_off_stays_broken_off(void **state)
{
    (void)state;
    struct capture capture;
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    capture_begin(&capture, &(struct capture_head){.version = 13});
    story_tell(&capture, 5, 100); /* and no end */
    assert_int_equal(pr_load_memory("killed", capture.out.bytes, capture.out.length, NULL, &profile, &err), PR_CUT);
    assert_false(profile->complete);
    assert_round_trip(profile);
    capture_clear(&capture);
}

static void hostile_words_are_made_harmless(void **state)
{
    (void)state;
    static const char *const notes[] = {"\x1b[31mred\x7f \xc2\x9b \xff\xc3\xa9\n"};
    struct pr_profile *profile = rich_profile();
    profile->notes = notes;
    profile->note_count = 1;
    struct pr_buf bytes = write_digest(profile);
    pr_profile_free(profile);
    profile = read_digest(&bytes);
    assert_string_equal(profile->notes[0], "?[31mred? ?? ?\xc3\xa9?");
    pr_profile_free(profile);
    pr_buf_clear(&bytes);
}

/* ---- damage ----------------------------------------------------------------------------------------------------- */

static void every_cut_is_refused(void **state)
{
    (void)state;
    struct pr_profile *profile = story_profile(13, false, 3, 200);
    struct pr_buf bytes = write_digest(profile);
    for (size_t length = PR_DIGEST_MAGIC_BYTES; length < bytes.length; length++) {
        struct pr_buf cut = {0};
        pr_buf_add(&cut, bytes.bytes, length);
        assert_int_equal(refused(cut).code, PR_ERR_TRUNCATED);
    }
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    for (size_t at = 0; at < bytes.length; at++) {
        static const int changes[] = {1, 0x80, 0xff};
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            struct pr_buf changed = {0};
            pr_buf_add(&changed, bytes.bytes, bytes.length);
            changed.bytes[at] = (char)(changed.bytes[at] ^ changes[i]);
            refused(changed);
        }
    }
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void what_comes_after_it_is_noticed(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    pr_buf_byte(&bytes, 0);
    assert_int_equal(refused(bytes).code, PR_ERR_DAMAGED);
    pr_profile_free(profile);
}

static void a_packed_digest_is_a_digest(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    for (int i = 0; i < PACKING_COUNT; i++) {
        struct bytes plain = bytes_of(bytes.bytes, bytes.length), packed = packings[i].pack(plain);
        struct pr_buf buf = {.bytes = (char *)packed.at, .length = packed.length};
        struct pr_profile *same = read_digest(&buf);
        assert_null(profiles_differ(profile, same));
        pr_profile_free(same);
        bytes_free(&packed);
        bytes_free(&plain);
    }
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

/* ---- versions --------------------------------------------------------------------------------------------------- */

/* Makes the length and the checksum of the head those of a head that ends at END. */
static void seal(struct pr_buf *bytes, size_t end)
{
    XXH64_state_t hash;
    for (unsigned i = 0; i < 4; i++)
        bytes->bytes[LENGTH_AT + i] = (char)((end - HEAD_AT) >> 8 * i);
    XXH64_reset(&hash, 0);
    XXH64_update(&hash, bytes->bytes, HASH_AT);
    XXH64_update(&hash, bytes->bytes + HEAD_AT, end - HEAD_AT);
    const uint64_t value = XXH64_digest(&hash);
    for (unsigned i = 0; i < 8; i++)
        bytes->bytes[HASH_AT + i] = (char)(value >> 8 * i);
}

static size_t head_end(const struct pr_buf *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes->bytes + LENGTH_AT;
    return HEAD_AT + (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16);
}

/* The digest with ENTRY at the end of its head, and BODY at the very end. */
static struct pr_buf with_entry(const struct pr_buf *bytes, const void *entry, size_t length, const char *body)
{
    struct pr_buf out = {0};
    const size_t end = head_end(bytes);
    pr_buf_add(&out, bytes->bytes, end);
    pr_buf_add(&out, entry, length);
    pr_buf_add(&out, bytes->bytes + end, bytes->length - end);
    pr_buf_text(&out, body);
    assert_false(out.failed);
    seal(&out, end + length);
    return out;
}

#define WITH_ENTRY(bytes, entry, body) with_entry(bytes, entry, sizeof(entry) - 1, body)

static void a_newer_major_version_is_refused_by_name(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    bytes.bytes[VERSION_AT] = 2;
    seal(&bytes, head_end(&bytes));
    struct pr_error err = refused(bytes);
    assert_int_equal(err.code, PR_ERR_UNSUPPORTED);
    assert_string_equal(err.text, "digest version 2; this build reads 1");
    pr_profile_free(profile);
}

static void columns_of_a_newer_minor_version_are_skipped(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    bytes.bytes[VERSION_AT + 2] = 9;
    struct pr_buf later = WITH_ENTRY(&bytes, "\x05later\x2a\0\3\3abc", "");
    struct pr_profile *same = read_digest(&later);
    assert_null(profiles_differ(profile, same));
    assert_int_equal(same->origin.digest_minor, 9);
    pr_profile_free(same);
    pr_buf_clear(&later);

    char entry[] = "\x05later\x2a\1\3\3\3hashhash";
    uint64_t hash = XXH64("abc", 3, 0);
    memcpy(entry + sizeof entry - 9, &hash, sizeof hash);
    later = WITH_ENTRY(&bytes, entry, "abc");
    same = read_digest(&later);
    assert_null(profiles_differ(profile, same));
    pr_profile_free(same);
    pr_buf_clear(&later);
    assert_int_equal(refused(WITH_ENTRY(&bytes, entry, "abd")).code, PR_ERR_DAMAGED);
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void columns_that_cannot_be_are_refused(void **state)
{
    (void)state;
    /* Name, type, place, values, bytes; then the bytes, or length and checksum of a packed column. */
    static const struct {
        const char *entry;
        size_t length;
        enum pr_error_code code;
    } wrong[] = {
#define ENTRY(text) text, sizeof text - 1
        {ENTRY("\0\1\0\1\1\1"), PR_ERR_DAMAGED}, /* without a name */
        {ENTRY("\x03pi"), PR_ERR_DAMAGED},       /* cut short */
        {ENTRY("\x03pid\2\0\1"), PR_ERR_DAMAGED},
        {ENTRY("\x03pid\2\0\1\2\1"), PR_ERR_DAMAGED},   /* longer than the head */
        {ENTRY("\x03pid\2\0\2\1\1"), PR_ERR_DAMAGED},   /* more values than bytes */
        {ENTRY("\x03pid\2\0\2\2\1\1"), PR_ERR_DAMAGED}, /* two of what may exist once */
        {ENTRY("\x03pid\2\0\1\2\1\1"), PR_ERR_DAMAGED}, /* bytes after the value */
        {ENTRY("\x03pid\2\0\1\1\xff"), PR_ERR_DAMAGED}, /* a number that does not end, */
        {ENTRY("\x03pid\2\0\1\xb\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), PR_ERR_DAMAGED}, /* or is too long */
        {ENTRY("\x03pid\2\0\1\xa\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"), PR_ERR_DAMAGED},
        {ENTRY("\x03pid\0\0\1\1\1"), PR_ERR_DAMAGED}, /* types that do not exist, */
        {ENTRY("\x03pid\6\0\1\1\1"), PR_ERR_DAMAGED},
        {ENTRY("\x03pid\5\0\1\1\0"), PR_ERR_DAMAGED}, /* or of something else */
        {ENTRY("\x03pid\2\3\1\1\1"), PR_ERR_DAMAGED}, /* a place that does not exist */
        {ENTRY("\013compression\2\0\1\1\1"), PR_ERR_DAMAGED},
        {ENTRY("\013compression\5\0\1\2\5a"), PR_ERR_DAMAGED},                       /* a text longer than its column */
        {ENTRY("\016format_version\2\0\1\6\xff\xff\xff\xff\xff\1"), PR_ERR_DAMAGED}, /* more than 32 bits */
        {ENTRY("\011fact.leaf\3\0\2\2\0\0"), PR_ERR_DAMAGED},                        /* there already */
        {ENTRY("\x03pid\2\1\1\1\1hashhash"), PR_ERR_TRUNCATED},                      /* its byte is not there */
        {ENTRY("\x03pid\2\1\1\1\2hashhash"), PR_ERR_DAMAGED},                        /* as it is, and shorter */
        {ENTRY("\x05later\2\2\1\xff\xff\xff\xff\x3f\1hashhash"), PR_ERR_LIMIT},
        {ENTRY("\x05later\2\2\1\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1hashhash"), PR_ERR_DAMAGED},
#undef ENTRY
    };
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pr_error err = refused(with_entry(&bytes, wrong[i].entry, wrong[i].length, ""));
        if (err.code != wrong[i].code)
            fail_msg("entry %zu: code %d, %s: %s", i, (int)err.code, err.doing, err.text);
    }
    struct pr_error err = refused(WITH_ENTRY(&bytes, "\x03pid\2\2\1\1\4hashhash", "no\1d"));
    assert_int_equal(err.code, PR_ERR_DAMAGED); /* not really zstd */
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void a_head_longer_than_heads_is_refused(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    bytes.bytes[LENGTH_AT + 2] = 0x11;
    assert_int_equal(refused(bytes).code, PR_ERR_DAMAGED);
    pr_profile_free(profile);
}

/* ---- what is in it ---------------------------------------------------------------------------------------------- */

/* The writer trusts its profile, so a profile that breaks a rule makes a digest that breaks it, all checksums right. */
#define BREAK(name, ...)                                                                                               \
    static void break_##name(struct pr_profile *p)                                                                     \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
#define FRAMES ((struct pr_frame *)p->frames)
#define METRICS ((struct pr_metric *)p->metrics)

BREAK(root, ((pr_node_id *)p->tree.parent)[0] = 1)
BREAK(parent, ((pr_node_id *)p->tree.parent)[1] = 2)
BREAK(frame, ((pr_frame_id *)p->tree.frame)[1] = 99)
BREAK(sibling, (((pr_node_id *)p->tree.parent)[2] = 0, ((pr_frame_id *)p->tree.frame)[2] = p->tree.frame[1]))
BREAK(no_tree, p->tree.count = 0)
BREAK(function, FRAMES[1].function = 99)
BREAK(file, FRAMES[1].file = 99)
BREAK(line, FRAMES[1].line = -1)
BREAK(kind, FRAMES[1].kind = 4)
BREAK(definition, FRAMES[1].definition_line = -1)
BREAK(twins, FRAMES[1] = p->frames[0])
BREAK(thread_name, ((struct pr_thread *)p->threads)[0].name = 99)
BREAK(process, ((struct pr_thread *)p->threads)[0].process = 1)
BREAK(process_name, ((struct pr_process *)p->processes)[0].name = 99)
BREAK(leaf, ((pr_node_id *)p->fact_leaf)[0] = 99)
BREAK(hybrid, ((pr_node_id *)p->fact_hybrid)[0] = 99)
BREAK(thread, ((uint32_t *)p->fact_thread)[0] = 2)
BREAK(command_line, p->meta.command_line = 99)
BREAK(unit, METRICS[0].unit = 99)
BREAK(decimals, METRICS[0].decimals = 19)
BREAK(metric_twice, METRICS[1].name = p->metrics[0].name)
BREAK(exact_thread, {
    static const uint32_t threads[] = {0, 2};
    p->exact_thread = threads;
})
BREAK(exact_order, {
    static const uint32_t threads[] = {1, 0};
    p->exact_thread = threads;
})
BREAK(exact_frame, {
    static const pr_frame_id frames[] = {0, 99};
    p->exact_frame = frames;
})
BREAK(slice_order, {
    static const struct pr_slice slices[] = {{5, 1, 0, 0}, {0, 10, 1, 0}};
    p->slices = slices;
    p->slice_count = 2;
})
BREAK(slice_back, {
    static const struct pr_slice slices[] = {{5, 1, 0, 0}, {4, 10, 0, 0}};
    p->slices = slices;
    p->slice_count = 2;
})
BREAK(slice_fact, {
    static const struct pr_slice slices[] = {{5, 1, 2, 0}};
    p->slices = slices;
    p->slice_count = 1;
})
BREAK(slice_end, {
    static const struct pr_slice slices[] = {{5, INT64_MAX, 0, 0}};
    p->slices = slices;
    p->slice_count = 1;
})
BREAK(peak, p->peak_bytes = -1)
BREAK(series_unit, ((struct pr_series *)p->series)[0].unit = 99)

static void profiles_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static void (*const breaks[])(struct pr_profile *) = {
        break_root,         break_parent,       break_frame,        break_sibling,      break_no_tree,
        break_function,     break_file,         break_line,         break_kind,         break_definition,
        break_twins,        break_thread_name,  break_process,      break_process_name, break_leaf,
        break_hybrid,       break_thread,       break_command_line, break_unit,         break_decimals,
        break_metric_twice, break_exact_thread, break_exact_order,  break_exact_frame,  break_slice_order,
        break_slice_back,   break_slice_fact,   break_slice_end,    break_peak,         break_series_unit,
    };
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct pr_profile *profile = rich_profile();
        breaks[i](profile);
        if (refused(write_digest(profile)).code != PR_ERR_DAMAGED)
            fail_msg("break %zu was accepted", i);
        pr_profile_free(profile);
    }
}

#define EXCEPTIONS ((struct pr_exception *)p->run.failure.exceptions)

BREAK(run_name, p->run.name = 99)
BREAK(run_notes, p->run.notes = 99)
BREAK(wall, p->run.wall_ns.value = -1)
BREAK(limit, p->run.memory_limit_bytes.value = INT64_MIN)
BREAK(oom_kills, p->run.failure.oom_kills.value = -1)
BREAK(told, p->run.failure.told = (enum pr_oom)(PR_OOM_YES + 1))
BREAK(final_exception, p->run.failure.final_exception = 3)
BREAK(traceback, p->run.failure.traceback = 99)
BREAK(exception_type, EXCEPTIONS[0].type = 99)
BREAK(exception_link, EXCEPTIONS[0].link = (enum pr_exception_link)(PR_LINK_CONTEXT + 1))
BREAK(exception_frame, ((struct pr_trace_frame *)EXCEPTIONS[0].frames)[1].file = 99)
BREAK(exception_line, ((struct pr_trace_frame *)EXCEPTIONS[0].frames)[1].line = -1)
BREAK(input_name, ((struct pr_part *)p->parts)[0].name = 99)
BREAK(input_of_metric, METRICS[0].part = 2)
BREAK(no_inputs, p->part_count = 0)

static void runs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static void (*const breaks[])(struct pr_profile *) = {
        break_run_name,        break_run_notes,      break_wall,            break_limit,          break_oom_kills,
        break_told,            break_final_exception, break_traceback,      break_exception_type, break_exception_link,
        break_exception_frame, break_exception_line, break_input_name,      break_input_of_metric, break_no_inputs,
    };
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct pr_profile *profile = failed_run();
        breaks[i](profile);
        if (refused(write_digest(profile)).code != PR_ERR_DAMAGED)
            fail_msg("break %zu was accepted", i);
        pr_profile_free(profile);
    }
}

/* The column exception.frames gives the share of each exception in a list. */
static void frames_of_exceptions_are_all_used_and_not_more(void **state)
{
    (void)state;
    static const char *const counts[] = {"\2\0\2", "\1\0\1", "\3\0\1"};
    static const char sane[] = "exception.frames\1\0\3\3\2\0\1";
    struct pr_profile *profile = failed_run();
    struct pr_buf bytes = write_digest(profile);
    char *at = memmem(bytes.bytes, head_end(&bytes), sane, sizeof sane - 1);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct pr_buf changed = {0};
        pr_buf_add(&changed, bytes.bytes, bytes.length);
        memcpy(changed.bytes + (at - bytes.bytes) + sizeof sane - 4, counts[i], 3);
        seal(&changed, head_end(&changed));
        assert_int_equal(refused(changed).code, PR_ERR_DAMAGED);
    }
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

#define BINS ((struct pr_bin *)p->bins)
#define STEPS ((struct pr_step *)p->steps)
#define MOVES ((struct pr_lifetime *)p->moves)

/* The first entry of a fact that is followed by another one. */
static size_t first_of_two(const struct pr_profile *p, const size_t *first)
{
    for (size_t fact = 0; fact < p->fact_count; fact++) {
        if (first[fact + 1] - first[fact] > 1)
            return first[fact];
    }
    fail_msg("the story has no fact with two");
    return 0;
}

BREAK(bin_order, BINS[1].end_ms = BINS[0].end_ms - 1)
BREAK(bin_peak, BINS[0].peak_bytes = p->peak_bytes + 1)
BREAK(peak_bin, p->peak_bin = p->bin_count)
BREAK(first_step, ((size_t *)p->fact_first_step)[1] = 9999999)
BREAK(first_step_start, ((size_t *)p->fact_first_step)[0] = 1)
BREAK(first_move, ((size_t *)p->fact_first_lifetime)[p->fact_count / 2] = 9999999)
BREAK(step_bin, STEPS[0].bin = p->bin_count)
BREAK(step_order, STEPS[first_of_two(p, p->fact_first_step) + 1].bin = STEPS[first_of_two(p, p->fact_first_step)].bin)
BREAK(step_bytes, STEPS[0].bytes = -1)
BREAK(step_count, STEPS[0].count = -1)
BREAK(move_from, MOVES[0].from = p->bin_count)
BREAK(move_to, MOVES[0].to = MOVES[0].from)
BREAK(move_beyond, MOVES[0].to = p->bin_count)
BREAK(move_order, MOVES[first_of_two(p, p->fact_first_lifetime) + 1] = MOVES[first_of_two(p, p->fact_first_lifetime)])
BREAK(move_bytes, MOVES[0].bytes = -1)
BREAK(move_counts, MOVES[0].count = INT64_MAX)
BREAK(top_name, p->stats.by_size[0].name = 999999)
BREAK(allocator, ((uint8_t *)p->fact_allocator)[0] = PR_ALLOC_COUNT)
BREAK(size_order, ((struct pr_size_count *)p->stats.sizes)[1].bytes = 0)

static void histories_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static void (*const breaks[])(struct pr_profile *) = {
        break_bin_order,   break_bin_peak, break_peak_bin,    break_first_step, break_first_step_start,
        break_first_move,  break_step_bin, break_step_order,  break_step_bytes, break_step_count,
        break_move_from,   break_move_to,  break_move_beyond, break_move_order, break_move_bytes,
        break_move_counts, break_top_name, break_allocator,   break_size_order,
    };
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct pr_profile *profile = story_profile(13, false, 11, 600);
        breaks[i](profile);
        if (refused(write_digest(profile)).code != PR_ERR_DAMAGED)
            fail_msg("break %zu was accepted", i);
        pr_profile_free(profile);
    }
}

static void limits_hold_for_digests_too(void **state)
{
    (void)state;
    struct pr_profile *profile = rich_profile();
    struct pr_buf bytes = write_digest(profile);
    for (int i = 0; i < 5; i++) {
        struct pr_load_options options = pr_load_options_default();
        uint64_t *const limits[] = {&options.limits.max_frames, &options.limits.max_nodes, &options.limits.max_threads,
                                    &options.limits.max_depth, &options.limits.max_string_bytes};
        *limits[i] = 0;
        struct pr_error err = {0};
        struct pr_profile *refused_one = read_with(&bytes, &options, &err);
        if (i < 4) { /* a text of 64 KiB is never too long */
            assert_null(refused_one);
            assert_int_equal(err.code, PR_ERR_LIMIT);
        }
        pr_profile_free(refused_one);
    }
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

/* Points at equal distances pack a thousandfold: such a digest is padded, so that it is not taken for a bomb. */
static void what_packs_too_well_can_be_read(void **state)
{
    (void)state;
    enum { POINTS = 3 << 20 };
    struct maker *maker = maker_new();
    unsigned series = maker_series(maker, "rss", "RSS", PR_UNIT_BYTES);
    for (int64_t i = 0; i < POINTS; i++)
        maker_point(maker, series, i * 10, 4096);
    assert_round_trip(maker_finish(maker));
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static struct pr_error insist(const struct pr_buf *bytes, unsigned bits, uint32_t threshold, uint32_t bins)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_error err = {0};
    options.insist = bits;
    options.temporary_threshold = threshold;
    options.max_bins = bins;
    pr_profile_free(read_with(bytes, &options, &err));
    return err;
}

enum { BOTH = PR_INSIST_TEMPORARY_THRESHOLD | PR_INSIST_MAX_BINS };

static void another_threshold_is_refused(void **state)
{
    (void)state;
    struct pr_profile *profile = story_profile(13, false, 2, 100);
    struct pr_buf bytes = write_digest(profile);
    assert_int_equal(insist(&bytes, 0, 9, 0).code, PR_ERR_NONE);
    assert_int_equal(insist(&bytes, BOTH, 1, PR_BINS_AUTO).code, PR_ERR_NONE);
    struct pr_error err = insist(&bytes, BOTH, 5, PR_BINS_AUTO);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_string_equal(err.text, "made with --temporary-threshold 1 and cannot answer for 5; "
                                  "make another, with profrender digest --temporary-threshold 5");
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static struct pr_profile *load_with(const struct pr_buf *bytes, uint32_t bins, enum pr_native_use native)
{
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    options.insist = PR_INSIST_MAX_BINS;
    options.max_bins = bins;
    options.native = native;
    if (pr_load_memory("story", bytes->bytes, bytes->length, &options, &profile, &err) == PR_FAILED)
        fail_msg("%s", err.text);
    return profile;
}

/* Bins can be merged later; the result is that of a load with that number. */
static void fewer_bins_are_those_of_the_capture(void **state)
{
    (void)state;
    struct capture capture;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        story_capture(&capture, &(struct capture_head){.version = 13}, seed, 800);
        struct pr_profile *fine = load_with(&capture.out, 512, PR_NATIVE_AUTO);
        struct pr_buf bytes = write_digest(fine);
        for (uint32_t bins = 1; bins < fine->bin_count + 9; bins += 1 + bins / 4) {
            struct pr_profile *wanted = load_with(&capture.out, bins, PR_NATIVE_AUTO);
            struct pr_profile *got = load_with(&bytes, bins, PR_NATIVE_AUTO);
            const char *what = profiles_differ(wanted, got);
            if (what)
                fail_msg("story %d, %d bins of %d: %s", (int)seed, (int)bins, (int)fine->bin_count, what);
            pr_profile_free(wanted);
            pr_profile_free(got);
        }
        pr_buf_clear(&bytes);
        pr_profile_free(fine);
        capture_clear(&capture);
    }
}

/* With a number that is too small for bins half as wide, a load has given the bins that there are. */
static void more_bins_that_are_no_finer_are_those_of_the_capture(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 3, 800);
    struct pr_profile *coarse = load_with(&capture.out, 9, PR_NATIVE_AUTO);
    struct pr_buf bytes = write_digest(coarse);
    const uint32_t count = coarse->bin_count;
    assert_in_range(count, 5, 9);
    for (uint32_t bins = count; bins < 2 * count - 1; bins++) {
        struct pr_profile *wanted = load_with(&capture.out, bins, PR_NATIVE_AUTO);
        struct pr_profile *got = load_with(&bytes, bins, PR_NATIVE_AUTO);
        const char *what = profiles_differ(wanted, got);
        if (what)
            fail_msg("%d bins of %d: %s", (int)bins, (int)count, what);
        pr_profile_free(wanted);
        pr_profile_free(got);
    }
    assert_int_equal(insist(&bytes, BOTH, 1, 2 * count).code, PR_ERR_ABSENT);
    pr_buf_clear(&bytes);
    pr_profile_free(coarse);
    capture_clear(&capture);
}

static void finer_bins_are_refused(void **state)
{
    (void)state;
    struct capture capture;
    story_capture(&capture, &(struct capture_head){.version = 13}, 3, 800);
    struct pr_profile *coarse = load_with(&capture.out, 4, PR_NATIVE_AUTO);
    struct pr_buf bytes = write_digest(coarse);
    struct pr_error err = insist(&bytes, BOTH, 1, 8);
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_string_equal(err.text, "the digest was made with --bins 4 and cannot answer for 8; "
                                  "make another: profrender digest --bins 8");
    assert_int_equal(insist(&bytes, BOTH, 1, 0).code, PR_ERR_ABSENT);
    pr_buf_clear(&bytes);
    pr_profile_free(coarse);
    capture_clear(&capture);
}

static void without_native_stacks_it_is_as_the_capture_without_them(void **state)
{
    (void)state;
    struct capture capture;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        story_capture(&capture, &(struct capture_head){.version = 13, .native_traces = true}, seed, 400);
        struct pr_profile *wanted = load_with(&capture.out, 512, PR_NATIVE_OFF);
        struct pr_profile *native = load_with(&capture.out, 512, PR_NATIVE_AUTO);
        assert_non_null(native->fact_hybrid);
        struct pr_buf bytes = write_digest(native);
        struct pr_profile *got = load_with(&bytes, 512, PR_NATIVE_OFF);
        const char *what = profiles_differ(wanted, got);
        if (what)
            fail_msg("story %d: %s", (int)seed, what);
        assert_round_trip(native);
        pr_profile_free(wanted);
        pr_profile_free(got);
        pr_buf_clear(&bytes);
        capture_clear(&capture);
    }
}

static void native_frames_without_names_are_no_answer_to_require(void **state)
{
    (void)state;
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = rich_profile(); /* has native frames, all of them with names */
    struct pr_buf bytes = write_digest(profile);
    struct pr_error err = {0};
    options.native = PR_NATIVE_REQUIRE;
    pr_profile_free(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_NONE);
    pr_buf_clear(&bytes);
    profile->meta.native_files = 3;
    profile->meta.native_files_unnamed = 2;
    bytes = write_digest(profile);
    assert_null(read_with(&bytes, &options, &err));
    assert_string_equal(err.text, "the digest has no names for native frames from 2 of 3 files");
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void functions_of_addresses_cannot_be_taken_back(void **state)
{
    (void)state;
    struct pr_load_options options = pr_load_options_default();
    struct pr_profile *profile = rich_profile();
    struct pr_error err = {0};
    profile->fact_hybrid = NULL; /* of a tool other than memray */
    profile->meta.native_files = 3;
    profile->meta.native_files_unnamed = 2;
    struct pr_buf bytes = write_digest(profile);
    options.native = PR_NATIVE_OFFSETS;
    assert_null(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    err = (struct pr_error){0};
    options.native = PR_NATIVE_OFF;
    pr_profile_free(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_NONE);
    pr_buf_clear(&bytes);
    profile->meta.native_files = 2; /* none have names */
    bytes = write_digest(profile);
    options.native = PR_NATIVE_OFFSETS;
    struct pr_profile *got = read_with(&bytes, &options, &err);
    assert_int_equal(got->meta.native_files, 0); /* as if none had been looked for */
    pr_profile_free(got);
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

static void require_asks_captures_of_memray_for_native_frames(void **state)
{
    (void)state;
    struct pr_load_options options = pr_load_options_default();
    struct pr_error err = {0};
    options.native = PR_NATIVE_REQUIRE;
    struct pr_profile *memray = story_profile(13, true, 2, 100), *other = rich_profile();
    struct pr_buf bytes = write_digest(memray);
    assert_null(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_ABSENT);
    assert_string_equal(err.text, "the digest has no native frames");
    pr_buf_clear(&bytes);
    other->fact_hybrid = NULL;
    err = (struct pr_error){0};
    bytes = write_digest(other);
    pr_profile_free(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_NONE);
    pr_buf_clear(&bytes);
    pr_profile_free(memray);
    pr_profile_free(other);
}

/* Without temporaries and bins, the options for them do not matter. */
static void options_without_effect_are_not_refused(void **state)
{
    (void)state;
    struct pr_profile *profile = story_profile(13, true, 2, 100);
    struct pr_buf bytes = write_digest(profile);
    assert_int_equal(insist(&bytes, BOTH, 5, 9).code, PR_ERR_NONE);
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void fail_each_of_writing(const struct pr_profile *profile)
{
    for (unsigned long n = 1;; n++) {
        struct pr_buf bytes = {0};
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_digest_write(profile, &bytes, &err);
        bool failed = alloc_fail_stop();
        if (status == PR_FAILED) {
            assert_int_equal(err.code, PR_ERR_MEMORY);
            assert_int_equal(bytes.length, 0);
        }
        pr_buf_clear(&bytes);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
    }
}

static void fail_each_of_reading(const struct pr_buf *bytes, const struct pr_load_options *options)
{
    for (unsigned long n = 1;; n++) {
        struct pr_profile *same = NULL;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = pr_load_memory("made.prz", bytes->bytes, bytes->length, options, &same, &err);
        bool failed = alloc_fail_stop();
        assert_int_equal(status == PR_FAILED, !same);
        if (status == PR_FAILED)
            assert_int_equal(err.code, PR_ERR_MEMORY);
        pr_profile_free(same);
        if (!failed)
            break;
    }
}

/* Also without the native stacks that a digest has, and with fewer bins: what has to be put together anew. */
static void no_allocation_of_a_digest_is_missed(void **state)
{
    (void)state;
    struct pr_load_options other = pr_load_options_default();
    other.native = PR_NATIVE_OFF;
    other.max_bins = 2;
    struct pr_profile *profiles[] = {story_profile(13, false, 4, 60), rich_profile(), failed_run(),
                                     story_of(&(struct capture_head){.version = 13, .native_traces = true}, 3, 200)};
    assert_non_null(profiles[1]->fact_hybrid);
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct pr_buf bytes = write_digest(profiles[i]);
        fail_each_of_writing(profiles[i]);
        fail_each_of_reading(&bytes, NULL);
        fail_each_of_reading(&bytes, &other);
        pr_buf_clear(&bytes);
        pr_profile_free(profiles[i]);
    }
}

static bool stop(void *context, uint64_t done_bytes, uint64_t size_bytes)
{
    (void)done_bytes;
    (void)size_bytes;
    return --*(int *)context > 0;
}

static void reading_can_be_interrupted(void **state)
{
    (void)state;
    struct pr_profile *profile = story_profile(13, false, 4, 600);
    struct pr_buf bytes = write_digest(profile);
    struct pr_load_options options = pr_load_options_default();
    struct pr_error err = {0};
    int calls = 3;
    options.progress = stop;
    options.progress_context = &calls;
    assert_null(read_with(&bytes, &options, &err));
    assert_int_equal(err.code, PR_ERR_IO);
    assert_string_equal(err.text, "interrupted");
    pr_buf_clear(&bytes);
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_of_every_version_come_back),
        cmocka_unit_test(aggregated_captures_come_back),
        cmocka_unit_test(everything_a_profile_can_have_comes_back),
        cmocka_unit_test(a_run_comes_back_with_its_end),
        cmocka_unit_test(conclusions_are_drawn_and_not_believed),
        cmocka_unit_test(a_profile_of_nothing_comes_back),
        cmocka_unit_test(what_broke_off_stays_broken_off),
        cmocka_unit_test(hostile_words_are_made_harmless),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(what_comes_after_it_is_noticed),
        cmocka_unit_test(a_packed_digest_is_a_digest),
        cmocka_unit_test(a_newer_major_version_is_refused_by_name),
        cmocka_unit_test(columns_of_a_newer_minor_version_are_skipped),
        cmocka_unit_test(columns_that_cannot_be_are_refused),
        cmocka_unit_test(a_head_longer_than_heads_is_refused),
        cmocka_unit_test(profiles_that_cannot_be_are_refused),
        cmocka_unit_test(histories_that_cannot_be_are_refused),
        cmocka_unit_test(runs_that_cannot_be_are_refused),
        cmocka_unit_test(frames_of_exceptions_are_all_used_and_not_more),
        cmocka_unit_test(limits_hold_for_digests_too),
        cmocka_unit_test(what_packs_too_well_can_be_read),
        cmocka_unit_test(another_threshold_is_refused),
        cmocka_unit_test(fewer_bins_are_those_of_the_capture),
        cmocka_unit_test(more_bins_that_are_no_finer_are_those_of_the_capture),
        cmocka_unit_test(finer_bins_are_refused),
        cmocka_unit_test(without_native_stacks_it_is_as_the_capture_without_them),
        cmocka_unit_test(native_frames_without_names_are_no_answer_to_require),
        cmocka_unit_test(functions_of_addresses_cannot_be_taken_back),
        cmocka_unit_test(require_asks_captures_of_memray_for_native_frames),
        cmocka_unit_test(options_without_effect_are_not_refused),
        cmocka_unit_test(no_allocation_of_a_digest_is_missed),
        cmocka_unit_test(reading_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
