/* SPDX-License-Identifier: Apache-2.0 */
/* The payload, decoded here as doc/formats/payload.md describes: trees, totals and names survive it. */
#include "tests/support/unit.h"

#include "profrender/tree_sums.h"
#include "profrender/load.h"
#include "profrender/window.h"
#include "render/html/pack.h"
#include "render/payload/payload.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/profile_maker.h"
#include "tests/support/random_capture.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

/* ---- a decoder */

struct column {
    char name[32];
    int64_t *value; /* [count]; of raw: the bytes */
    size_t count;
};

struct decoded {
    struct pr_traits traits;
    struct pr_payload payload;
    struct pr_buf bytes;
    json_t *head;
    struct column column[64];
    size_t column_count;
};

static uint64_t take_uv(const unsigned char **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= (uint64_t)(**at & 0x7F) << shift;
        if (*(*at)++ < 0x80)
            return value;
    }
}

static int64_t take_sv(const unsigned char **at)
{
    uint64_t value = take_uv(at);
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static void decode_column(struct column *column, const char *type, const unsigned char *at, size_t size)
{
    const unsigned char *end = at + size;
    int64_t last = 0;
    column->value = calloc(column->count + 1, sizeof *column->value);
    assert_non_null(column->value);
    for (size_t i = 0; i < column->count; i++) {
        if (!strcmp(type, "u8") || !strcmp(type, "raw"))
            column->value[i] = *at++;
        else if (!strcmp(type, "uv"))
            column->value[i] = (int64_t)take_uv(&at);
        else if (!strcmp(type, "sv"))
            column->value[i] = take_sv(&at);
        else if (!strcmp(type, "dv"))
            last = column->value[i] = last + take_sv(&at);
        else
            fail_msg("unknown type %s", type);
    }
    assert_ptr_equal(at, end);
}

static void decode(struct decoded *decoded)
{
    const unsigned char *bytes = (const unsigned char *)decoded->bytes.bytes;
    size_t head_length = bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    decoded->head = json_loadb((const char *)bytes + 4, head_length, 0, NULL);
    assert_non_null(decoded->head);
    const unsigned char *at = bytes + 4 + head_length;
    json_t *entry, *list = json_object_get(decoded->head, "columns");
    size_t i;
    json_array_foreach(list, i, entry)
    {
        struct column *column = &decoded->column[decoded->column_count++];
        size_t size = (size_t)json_integer_value(json_array_get(entry, 3));
        snprintf(column->name, sizeof column->name, "%s", json_string_value(json_array_get(entry, 0)));
        column->count = (size_t)json_integer_value(json_array_get(entry, 2));
        decode_column(column, json_string_value(json_array_get(entry, 1)), at, size);
        at += size;
    }
    assert_ptr_equal(at, bytes + decoded->bytes.length);
}

/* PAYLOAD, with a text of at most MAX_BYTES if possible. */
static enum pr_status make(const struct pr_profile *profile, const struct pr_traits *traits,
                           const struct pr_children *children, uint32_t max_nodes, size_t max_bytes,
                           struct pr_crew *crew, struct pr_payload *payload, struct pr_error *err)
{
    *payload = (struct pr_payload){0};
    enum pr_status status = pr_fold_make(profile, children, max_nodes, &payload->fold, err);
    if (status != PR_FAILED)
        status = pr_payload_prepare(profile, traits, payload, err);
    return status == PR_FAILED ? status : pr_payload_pack(payload, max_bytes, crew, err);
}

/* Takes PROFILE over. */
static struct decoded encode(struct pr_profile *profile, uint32_t max_nodes)
{
    struct decoded decoded = {0};
    struct pr_children children = {0};
    assert_int_equal(pr_traits_make(profile, NULL, &decoded.traits, NULL), PR_OK);
    assert_int_equal(pr_tree_children(&profile->tree, &children, NULL), PR_OK);
    assert_int_equal(make(profile, &decoded.traits, &children, max_nodes, SIZE_MAX, NULL, &decoded.payload, NULL),
                     PR_OK);
    assert_int_equal(pr_payload_encode(profile, &decoded.traits, &decoded.payload.fold, &decoded.bytes, NULL), PR_OK);
    decode(&decoded);
    pr_children_clear(&children);
    pr_profile_free(profile);
    return decoded;
}

static void clear(struct decoded *decoded)
{
    for (size_t i = 0; i < decoded->column_count; i++)
        free(decoded->column[i].value);
    json_decref(decoded->head);
    pr_buf_clear(&decoded->bytes);
    pr_payload_clear(&decoded->payload);
    pr_traits_clear(&decoded->traits);
}

static const struct column *column_of(const struct decoded *decoded, const char *name)
{
    for (size_t i = 0; i < decoded->column_count; i++) {
        if (!strcmp(decoded->column[i].name, name))
            return &decoded->column[i];
    }
    return NULL;
}

static int64_t at(const struct decoded *decoded, const char *name, size_t i)
{
    const struct column *column = column_of(decoded, name);
    assert_non_null(column);
    assert_true(i < column->count);
    return column->value[i];
}

static const char *string_at(const struct decoded *decoded, int64_t number)
{
    static char text[256];
    const struct column *length = column_of(decoded, "strings.length"), *bytes = column_of(decoded, "strings.bytes");
    size_t start = 0, i;
    for (i = 0; i < (size_t)number; i++)
        start += (size_t)length->value[i];
    assert_true(length->value[number] < (int64_t)sizeof text);
    for (i = 0; i < (size_t)length->value[number]; i++)
        text[i] = (char)bytes->value[start + i];
    text[i] = '\0';
    return text;
}

static const char *function_of(const struct decoded *decoded, size_t node)
{
    int64_t frame = at(decoded, "nodes.frame", node - 1);
    return string_at(decoded, at(decoded, "frames.function", (size_t)frame));
}

/* What metric 0 adds up to at and below a node. */
static int64_t total_of(const struct decoded *decoded, size_t node)
{
    const struct column *leaf = column_of(decoded, "facts.leaf"), *up = column_of(decoded, "nodes.up");
    int64_t total = 0;
    for (size_t i = 0; i < leaf->count; i++) {
        size_t above = (size_t)leaf->value[i];
        while (above > node)
            above -= (size_t)up->value[above - 1];
        if (above == node)
            total += at(decoded, "metric.0.value", i);
    }
    return total;
}

/* ---- profiles */

static struct maker *new_maker(void)
{
    struct maker *maker = maker_new();
    maker_metric(maker, "peak", "Peak", PR_UNIT_BYTES, "allocations");
    maker_metric(maker, "leaked", "Leaked", PR_UNIT_BYTES, NULL);
    maker_thread(maker, 18446744073709551615u, "main");
    maker_thread(maker, 7, "");
    return maker;
}

static void add(struct maker *maker, const char *stack, uint32_t thread, int64_t value, int64_t leaked)
{
    pr_node_id leaf = *stack ? maker_stack(maker, stack) : PR_ROOT;
    size_t fact = maker_fact(maker, leaf, thread, PR_ALLOC_MALLOC);
    maker_value(maker, fact, 0, value, value ? 1 : 0);
    maker_value(maker, fact, 1, leaked, 0);
}

static struct pr_profile *small_profile(void)
{
    struct maker *maker = new_maker();
    add(maker, "main@app.py:1 load@io.py:5", 0, 100, 10);
    add(maker, "main@app.py:1 save@io.py:9", 1, 50, 0);
    add(maker, "main@app.py:2", 0, 7, 7);
    add(maker, "main@app.py:1 load@io.py:5 parse@io.py:70", 0, 1LL << 40, 0);
    add(maker, "", 0, 3, 0);
    return maker_finish(maker);
}

static struct pr_profile *wide_profile(void)
{
    struct maker *maker = new_maker();
    char stack[64];
    for (int i = 0; i < 100; i++) {
        snprintf(stack, sizeof stack, "main@a.py:1 f%d@a.py:2 g@a.py:3", i);
        add(maker, stack, 0, i + 1, i == 0 ? 1000 : 0);
    }
    return maker_finish(maker);
}

/* ---- tests */

static void the_tree_and_its_facts_survive(void **state)
{
    (void)state;
    struct decoded decoded = encode(small_profile(), 1000);
    assert_int_equal(json_integer_value(json_object_get(decoded.head, "nodeCount")), 6);
    assert_true(json_is_false(json_object_get(decoded.head, "folded")));
    assert_null(column_of(&decoded, "folded.node"));
    assert_int_equal(total_of(&decoded, 0), 100 + 50 + 7 + (1LL << 40) + 3);
    assert_string_equal(function_of(&decoded, 1), "main");
    assert_string_equal(function_of(&decoded, 2), "load");
    assert_string_equal(function_of(&decoded, 3), "parse");
    assert_string_equal(function_of(&decoded, 4), "save");
    assert_int_equal(total_of(&decoded, 2), 100 + (1LL << 40));
    assert_int_equal(total_of(&decoded, 5), 7);
    assert_int_equal(at(&decoded, "facts.thread", 3), 1);
    assert_int_equal(at(&decoded, "facts.allocator", 0), PR_ALLOC_MALLOC);
    assert_int_equal(at(&decoded, "facts.leaf", 0), 0);
    clear(&decoded);
}

static void the_head_says_what_there_is(void **state)
{
    (void)state;
    struct decoded decoded = encode(small_profile(), 1000);
    json_t *metric = json_array_get(json_object_get(decoded.head, "metrics"), 0);
    json_t *thread = json_array_get(json_object_get(decoded.head, "threads"), 0);
    assert_string_equal(json_string_value(json_object_get(metric, "name")), "peak");
    assert_string_equal(json_string_value(json_object_get(metric, "unit")), "bytes");
    assert_int_equal(json_integer_value(json_object_get(metric, "total")), total_of(&decoded, 0));
    assert_int_equal(json_integer_value(json_object_get(metric, "totalCount")), 5);
    assert_null(json_object_get(json_array_get(json_object_get(decoded.head, "metrics"), 1), "totalCount"));
    assert_null(column_of(&decoded, "metric.1.count"));
    assert_string_equal(json_string_value(json_object_get(thread, "tid")), "18446744073709551615");
    assert_string_equal(string_at(&decoded, json_integer_value(json_object_get(thread, "name"))), "main");
    assert_string_equal(json_string_value(json_array_get(json_object_get(decoded.head, "allocators"), PR_ALLOC_MALLOC)),
                        "MALLOC");
    assert_true(json_is_null(json_object_get(decoded.head, "startMs")));
    assert_true(json_is_null(json_object_get(decoded.head, "heapPeak")));
    clear(&decoded);
}

static void folding_keeps_every_total(void **state)
{
    (void)state;
    for (uint32_t max = 1; max < 210; max++) {
        struct decoded decoded = encode(wide_profile(), max);
        const struct pr_fold *fold = &decoded.payload.fold;
        const uint32_t room = max < 2 ? 2 : max; /* the root, and what is folded below it */
        int64_t folded = 0;
        assert_true(fold->count <= room);
        assert_int_equal(total_of(&decoded, 0), 5050);
        for (uint32_t i = 0; i < fold->count; i++) {
            if (fold->smaller[i]) {
                assert_string_equal(function_of(&decoded, i), "smaller frames");
                folded += fold->smaller[i];
            }
        }
        assert_int_equal(folded, fold->folded_frames);
        uint32_t boxes = 0;
        for (uint32_t i = 0; i < fold->count; i++)
            boxes += fold->smaller[i] > 0;
        assert_int_equal(fold->count - boxes + fold->folded_frames, 202); /* nothing missing, nothing counted twice */
        assert_true(max >= 202 ? !folded : folded > 0);
        clear(&decoded);
    }
}

static void the_heaviest_of_any_view_stay(void **state)
{
    (void)state;
    struct decoded decoded = encode(wide_profile(), 8);
    bool has_leak = false, has_peak = false;
    for (uint32_t i = 1; i < decoded.payload.fold.count; i++) {
        has_leak |= !strcmp(function_of(&decoded, i), "f0"); /* 1 byte of the peak, the whole of what is left */
        has_peak |= !strcmp(function_of(&decoded, i), "f99");
    }
    assert_true(has_leak);
    assert_true(has_peak);
    assert_int_equal(column_of(&decoded, "folded.node")->count, column_of(&decoded, "folded.count")->count);
    clear(&decoded);
}

static void names_are_safe_to_show(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    pr_frame_id frame = maker_frame(maker, "</script>\x1b\xff\xe2\x80\xae", "a\nb.py", -5, PR_FRAME_PYTHON);
    size_t fact = maker_fact(maker, maker_node(maker, PR_ROOT, frame), 0, PR_ALLOC_NONE);
    maker_value(maker, fact, 0, 1, 1);
    struct decoded decoded = encode(maker_finish(maker), 10);
    assert_string_equal(function_of(&decoded, 1), "</script>\\x1b\\xff\\u202e");
    assert_string_equal(string_at(&decoded, at(&decoded, "frames.file", 0)), "a\\nb.py");
    assert_int_equal(at(&decoded, "frames.line", 0), 0); /* -5 is not a line */
    assert_null(column_of(&decoded, "facts.allocator"));
    clear(&decoded);
}

static void a_long_series_becomes_buckets_and_keeps_its_extremes(void **state)
{
    (void)state;
    struct maker *maker = new_maker();
    unsigned series = maker_series(maker, "rss", "RSS", PR_UNIT_BYTES);
    unsigned empty = maker_series(maker, "heap", "Heap", PR_UNIT_BYTES);
    for (int i = 0; i < 10001; i++)
        maker_point(maker, series, 1000 + 10 * i, i == 5000 ? 999999 : i == 7000 ? -1 : 100);
    struct decoded decoded = encode(maker_finish(maker), 10);
    const struct column *when = column_of(&decoded, "series.0.at"), *min = column_of(&decoded, "series.0.min");
    const struct column *mean = column_of(&decoded, "series.0.mean"), *max = column_of(&decoded, "series.0.max");
    int64_t lowest = 100, highest = 100;
    assert_int_equal(when->count, 3334); /* 3 points each */
    assert_int_equal(when->value[1], 1030);
    for (size_t i = 0; i < when->count; i++) {
        lowest = min->value[i] < lowest ? min->value[i] : lowest;
        highest = max->value[i] > highest ? max->value[i] : highest;
        assert_true(min->value[i] <= mean->value[i] && mean->value[i] <= max->value[i]);
    }
    assert_int_equal(lowest, -1);
    assert_int_equal(highest, 999999);
    assert_int_equal(empty, 1);
    assert_int_equal(column_of(&decoded, "series.1.at")->count, 0);
    clear(&decoded);
}

/*
 * A stack with native frames between its Python ones, and one that ends in native ones: Python stacks alone have nodes
 * of their own, which no page shows.
 */
static struct pr_profile *native_profile(void)
{
    struct maker *maker = new_maker();
    pr_frame_id glue = maker_frame(maker, "call", "call.c", 3, PR_FRAME_NATIVE);
    pr_frame_id work = maker_frame(maker, "work", "app.py", 2, PR_FRAME_PYTHON);
    pr_node_id outer = maker_stack(maker, "main@app.py:1"), python = maker_stack(maker, "main@app.py:1 work@app.py:2");
    pr_node_id between = maker_node(maker, maker_node(maker, outer, glue), work);
    for (int i = 0; i < 3; i++) {
        size_t fact = maker_fact(maker, python, 0, PR_ALLOC_MALLOC);
        maker_hybrid(maker, fact,
                     maker_node(maker, between, maker_frame(maker, i ? "a" : "b", "lib.so", i, PR_FRAME_NATIVE)));
        maker_value(maker, fact, 0, 10, 1);
    }
    return maker_finish(maker);
}

static void native_frames_take_the_place_of_the_python_stack(void **state)
{
    (void)state;
    struct decoded decoded = encode(native_profile(), 100);
    assert_int_equal(pr_fold_frames(&decoded.payload.fold), 6); /* main, call, work, b, a:1, a:2 */
    assert_int_equal(column_of(&decoded, "nodes.up")->count, 6);
    assert_int_equal(column_of(&decoded, "facts.leaf")->count, 3);
    assert_int_equal(at(&decoded, "facts.leaf", 0), 4);
    assert_null(column_of(&decoded, "folded.node"));
    clear(&decoded);
}

static void native_frames_are_folded_like_others(void **state)
{
    (void)state;
    struct decoded decoded = encode(native_profile(), 4);
    assert_int_equal(pr_fold_frames(&decoded.payload.fold), 6);
    assert_int_equal(decoded.payload.fold.boxes, 1);
    assert_int_equal(decoded.payload.fold.folded_frames, 4); /* work and below */
    assert_int_equal(column_of(&decoded, "facts.leaf")->count, 1);
    assert_int_equal(at(&decoded, "metric.0.value", 0), 30);
    assert_int_equal(at(&decoded, "metric.0.count", 0), 3);
    clear(&decoded);
}

/* ---- the history */

static struct pr_profile *random_profile(uint64_t seed)
{
    struct capture capture;
    struct pr_profile *profile;
    struct pr_load_options options = pr_load_options_default();
    options.max_bins = 64;
    story_capture(&capture, &(struct capture_head){.version = 13}, seed, 3000);
    assert_int_equal(pr_load_memory("story", capture.out.bytes, capture.out.length, &options, &profile, NULL), PR_OK);
    capture_clear(&capture);
    assert_in_range(profile->bin_count, 17, 64);
    return profile;
}

/* What the page's fact has at the peak of BIN: the last of its steps up to there. */
static int64_t decoded_at(const struct decoded *decoded, size_t fact, int64_t bin)
{
    size_t first = 0;
    int64_t bytes = 0, now = 0;
    for (size_t i = 0; i < fact; i++)
        first += (size_t)at(decoded, "steps.count", i);
    for (size_t i = first; i < first + (size_t)at(decoded, "steps.count", fact); i++) {
        now += at(decoded, "steps.bin", i);
        if (now <= bin)
            bytes += at(decoded, "steps.bytes", i);
    }
    return bytes;
}

/* What the page's fact allocated in the bins FIRST to LAST and had after them. */
static int64_t decoded_left(const struct decoded *decoded, size_t fact, int64_t first_bin, int64_t last_bin)
{
    size_t first = 0;
    int64_t bytes = 0, from = 0;
    for (size_t i = 0; i < fact; i++)
        first += (size_t)at(decoded, "moves.count", i);
    for (size_t i = first; i < first + (size_t)at(decoded, "moves.count", fact); i++) {
        const int64_t for_bins = at(decoded, "moves.to", i);
        from += at(decoded, "moves.from", i);
        if (from >= first_bin && from <= last_bin && (!for_bins || from + for_bins > last_bin))
            bytes += at(decoded, "moves.bytes", i);
    }
    return bytes;
}

/* Sums by node of the page, from the page's facts and from the profile's. */
static void assert_window(const struct decoded *decoded, const struct pr_profile *profile, struct pr_window window)
{
    const struct pr_fold *fold = &decoded->payload.fold;
    const struct column *leaf = column_of(decoded, "facts.leaf");
    int64_t *peak = calloc(fold->count, sizeof *peak), *leaks = calloc(fold->count, sizeof *leaks);
    int64_t *value = calloc(profile->fact_count, sizeof *value), *count = calloc(profile->fact_count, sizeof *count);
    pr_window_peak(profile, &window, value, count);
    for (size_t i = 0; i < profile->fact_count; i++)
        peak[fold->number[profile->fact_leaf[i]]] += value[i];
    pr_window_leaks(profile, &window, value, count);
    for (size_t i = 0; i < profile->fact_count; i++)
        leaks[fold->number[profile->fact_leaf[i]]] += value[i];
    for (size_t i = 0; i < leaf->count; i++) {
        peak[leaf->value[i]] -= decoded_at(decoded, i, pr_window_highest(profile, &window));
        leaks[leaf->value[i]] -= decoded_left(decoded, i, window.first, window.last);
    }
    for (uint32_t node = 0; node < fold->count; node++) {
        assert_true(peak[node] == 0);
        assert_true(leaks[node] == 0);
    }
    free(peak);
    free(leaks);
    free(value);
    free(count);
}

static void windows_of_the_page_are_those_of_the_profile(void **state)
{
    (void)state;
    for (uint32_t max_nodes = 1000; max_nodes; max_nodes = max_nodes > 5 ? 5 : 0) {
        struct pr_profile *profile = random_profile(11);
        struct decoded decoded = encode(random_profile(11), max_nodes);
        assert_int_equal(decoded.payload.bin_count, profile->bin_count);
        assert_int_equal(json_integer_value(json_object_get(decoded.head, "binsRecorded")), profile->bin_count);
        for (uint32_t bin = 0; bin < profile->bin_count; bin++) {
            assert_true(at(&decoded, "bins.start", bin) == profile->bins[bin].start_ms);
            assert_true(at(&decoded, "bins.end", bin) == profile->bins[bin].end_ms);
            assert_true(at(&decoded, "bins.peak", bin) == profile->bins[bin].peak_bytes);
        }
        for (uint32_t first = 0; first < profile->bin_count; first += 5)
            for (uint32_t last = first; last < profile->bin_count; last += 7)
                assert_window(&decoded, profile, (struct pr_window){first, last});
        clear(&decoded);
        pr_profile_free(profile);
    }
}

/* With less and less room, each time anew, by a crew, and from the payload that was packed before: the same text. */
static void bins_are_merged_until_the_text_fits(void **state)
{
    (void)state;
    struct pr_profile *profile = random_profile(3);
    struct pr_children children = {0};
    struct pr_traits traits = {0};
    struct pr_payload again;
    struct pr_crew *crew = pr_crew_new(3);
    assert_int_equal(pr_traits_make(profile, NULL, &traits, NULL), PR_OK);
    assert_int_equal(pr_tree_children(&profile->tree, &children, NULL), PR_OK);
    assert_int_equal(make(profile, &traits, &children, 1000, SIZE_MAX, NULL, &again, NULL), PR_OK);
    size_t max_bytes = SIZE_MAX;
    bool is_last = false;
    for (uint32_t bins = profile->bin_count; !is_last; bins = bins > 2 ? (bins + 1) / 2 : 0) {
        struct pr_payload payload, at_once;
        is_last = !bins; /* without room: what else there is stays */
        max_bytes = is_last ? 0 : max_bytes;
        assert_int_equal(make(profile, &traits, &children, 1000, max_bytes, NULL, &payload, NULL), PR_OK);
        assert_int_equal(make(profile, &traits, &children, 1000, max_bytes, crew, &at_once, NULL), PR_OK);
        assert_int_equal(pr_payload_pack(&again, max_bytes, crew, NULL), PR_OK);
        assert_int_equal(payload.bin_count, bins);
        assert_true(payload.text.length > 0 && (is_last || payload.text.length <= max_bytes));
        assert_string_equal(payload.text.bytes, at_once.text.bytes);
        assert_string_equal(payload.text.bytes, again.text.bytes);
        assert_int_equal(at_once.bin_count, bins);
        assert_int_equal(again.bin_count, bins);
        max_bytes = payload.text.length - 1;
        pr_payload_clear(&payload);
        pr_payload_clear(&at_once);
    }
    pr_payload_clear(&again);
    pr_children_clear(&children);
    pr_traits_clear(&traits);
    pr_profile_free(profile);
    pr_crew_free(crew);
}

/* The first payload of a large page: all packs of a payload, but of the nodes that are heaviest; the same bins. */
static void a_first_payload_has_the_bins_of_the_whole(void **state)
{
    (void)state;
    struct pr_profile *profile = random_profile(3);
    struct pr_children children = {0};
    struct pr_traits traits = {0};
    struct pr_payload whole, first = {0};
    assert_int_equal(pr_traits_make(profile, NULL, &traits, NULL), PR_OK);
    assert_int_equal(pr_tree_children(&profile->tree, &children, NULL), PR_OK);
    assert_int_equal(make(profile, &traits, &children, 1000, SIZE_MAX, NULL, &whole, NULL), PR_OK);
    assert_int_equal(pr_fold_make(profile, &children, 5, &first.fold, NULL), PR_OK);
    assert_int_equal(pr_payload_prepare(profile, &traits, &first, NULL), PR_OK);
    assert_int_equal(pr_payload_pack_first(&first, &whole, NULL), PR_OK);
    assert_true(whole.bin_count > 1 && first.fold.count < whole.fold.count);
    const char *bins = strchr(first.text.bytes, ' '), *changes = strchr(bins + 1, ' ');
    const char *bins_of_whole = strchr(whole.text.bytes, ' ');
    assert_non_null(changes);
    assert_memory_equal(bins, bins_of_whole, (size_t)(changes - bins) + 1);
    assert_null(strchr(changes + 1, ' '));
    char *before = strdup(first.text.bytes);
    assert_int_equal(pr_payload_pack_first(&first, &whole, NULL), PR_OK); /* again, after the whole was shortened */
    assert_string_equal(first.text.bytes, before);
    free(before);
    pr_payload_clear(&first);
    pr_payload_clear(&whole);
    pr_children_clear(&children);
    pr_traits_clear(&traits);
    pr_profile_free(profile);
}

static size_t unbase64(const char *text, size_t length, unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned group = 0, bits = 0;
    size_t count = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        assert_non_null(digit);
        group = group << 6 | (unsigned)(digit - digits);
        bits += 6;
        if (bits >= 8)
            bytes[count++] = (unsigned char)(group >> (bits -= 8));
    }
    return count;
}

static void packing_can_be_undone(void **state)
{
    static const char text[] = "0123456789abcdef0123456789abcdef0123456789abcdef\0 end";
    (void)state;
    for (size_t length = 1; length < sizeof text; length++) {
        struct pr_buf bytes = {0}, packed = {0};
        unsigned char frame[256];
        char again[256];
        pr_buf_add(&bytes, text, length);
        assert_int_equal(pr_pack(&bytes, PR_PACK_TREE, &packed, NULL), PR_OK);
        assert_int_equal(packed.length % 4, 0);
        size_t size = unbase64(packed.bytes, packed.length, frame);
        assert_int_equal(ZSTD_decompress(again, sizeof again, frame, size), length);
        assert_memory_equal(again, text, length);
        pr_buf_clear(&bytes);
        pr_buf_clear(&packed);
    }
}

/* Numbers that are those of another metric, megabytes before, take no room a second time. */
static void packing_looks_as_far_back_as_there_is(void **state)
{
    enum { PART = 1 << 19, ALL = 10 << 20 };
    struct pr_buf bytes = {0}, packed = {0};
    uint32_t random = 1;
    (void)state;
    unsigned char *frame = malloc(ALL), *again = malloc(ALL);
    char *all = pr_buf_room(&bytes, ALL);
    assert_true(frame && again && all);
    memset(all, 0, ALL);
    for (size_t i = 0; i < PART; i++) {
        random = random * 1664525 + 1013904223;
        all[i] = all[ALL - PART + i] = (char)(random >> 24);
    }
    pr_buf_use(&bytes, ALL);
    assert_int_equal(pr_pack(&bytes, PR_PACK_TREE, &packed, NULL), PR_OK);
    assert_in_range(packed.length, PART, PART + PART / 2);
    const size_t size = unbase64(packed.bytes, packed.length, frame);
    assert_int_equal(ZSTD_decompress(again, ALL, frame, size), ALL);
    assert_memory_equal(again, all, ALL);
    free(frame);
    free(again);
    pr_buf_clear(&bytes);
    pr_buf_clear(&packed);
}

/* A profile in which COUNT slices of 10 ns follow one another on two threads, after a gap of 5 ns on the second. */
static struct pr_profile *profile_in_time(size_t count)
{
    struct maker *maker = maker_new();
    const unsigned cpu = maker_metric(maker, "cpu", "Time", PR_UNIT_NANOSECONDS, NULL);
    const uint32_t first = maker_thread(maker, 1, "main"), second = maker_thread(maker, 2, "");
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@a.py:1 f@a.py:2"), first, PR_ALLOC_NONE), cpu, 1, 0);
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@a.py:1"), first, PR_ALLOC_NONE), cpu, 1, 0);
    maker_value(maker, maker_fact(maker, maker_stack(maker, "g@a.py:1"), second, PR_ALLOC_NONE), cpu, 1, 0);
    struct pr_profile *profile = maker_finish(maker);
    struct pr_slice *slices = pr_arena_array(&profile->arena, count + 1, sizeof *slices);
    assert_non_null(slices);
    for (size_t i = 0; i < count; i++)
        slices[i] = (struct pr_slice){10 * (int64_t)i, 10, i % 3 ? 0 : 1, 0};
    slices[count] = (struct pr_slice){5, 10, 2, 0};
    profile->slices = slices;
    profile->slice_count = count + 1;
    return profile;
}

static void what_ran_when_survives(void **state)
{
    (void)state;
    struct decoded decoded = encode(profile_in_time(4), 10);
    static const int64_t facts[] = {0, 1, 0, 2}, gaps[] = {0, 0, 0, 5}, durations[] = {10, 20, 10, 10};
    assert_int_equal(column_of(&decoded, "stretches.fact")->count, 4); /* two neighbours are one */
    for (size_t i = 0; i < 4; i++) { /* facts of the page are sorted by node: main comes before f */
        assert_int_equal(at(&decoded, "stretches.fact", i), facts[i]);
        assert_int_equal(at(&decoded, "stretches.gap", i), gaps[i]);
        assert_int_equal(at(&decoded, "stretches.duration", i), durations[i]);
    }
    json_t *time = json_object_get(decoded.head, "time");
    assert_int_equal(json_integer_value(json_object_get(time, "metric")), 0);
    assert_int_equal(json_integer_value(json_object_get(time, "resolutionNs")), 0);
    assert_true(json_is_false(json_object_get(time, "lacksClock")));
    clear(&decoded);
}

static void many_slices_become_fewer_and_lose_no_time(void **state)
{
    (void)state;
    enum { MANY = 100000, MOST = 20000 };
    struct decoded decoded = encode(profile_in_time(MANY), 10);
    const struct column *durations = column_of(&decoded, "stretches.duration");
    int64_t sum = 0;
    for (size_t i = 0; i < durations->count; i++)
        sum += durations->value[i];
    assert_int_equal(sum, 10 * (MANY + 1));
    assert_true(durations->count > 100 && durations->count <= MOST);
    assert_true(json_integer_value(json_object_get(json_object_get(decoded.head, "time"), "resolutionNs")) > 0);
    assert_int_equal(at(&decoded, "stretches.fact", durations->count - 1), 2);
    clear(&decoded);
}

static void exact_figures_survive(void **state)
{
    (void)state;
    struct maker *maker = maker_new();
    const unsigned cpu = maker_metric(maker, "cpu", "Time", PR_UNIT_NANOSECONDS, "calls");
    const pr_frame_id lost = maker_frame(maker, "lost", "a.py", 3, PR_FRAME_PYTHON);
    maker_value(maker, maker_fact(maker, maker_stack(maker, "main@a.py:1"), 0, PR_ALLOC_NONE), cpu, 1, 1);
    struct pr_profile *profile = maker_finish(maker);
    const uint32_t threads[] = {0};
    const struct pr_exact row = {-1, INT64_MAX, 3, 4};
    profile->exact_frame = &lost; /* a function that is nowhere in the tree */
    profile->exact_thread = threads;
    profile->exact_count = 1;
    struct pr_metric metric = profile->metrics[0];
    metric.exact = &row;
    profile->metrics = &metric;
    struct decoded decoded = encode(profile, 10);
    const size_t frame = (size_t)at(&decoded, "exact.frame", 0);
    assert_string_equal(string_at(&decoded, at(&decoded, "frames.function", frame)), "lost");
    assert_int_equal(at(&decoded, "exact.thread", 0), 0);
    assert_int_equal(at(&decoded, "exact.0.self", 0), -1);
    assert_int_equal(at(&decoded, "exact.0.total", 0), INT64_MAX);
    assert_int_equal(at(&decoded, "exact.0.selfCount", 0), 3);
    assert_int_equal(at(&decoded, "exact.0.totalCount", 0), 4);
    clear(&decoded);
}

static void an_empty_profile_has_a_payload(void **state)
{
    (void)state;
    struct decoded decoded = encode(maker_finish(maker_new()), 10);
    assert_int_equal(json_integer_value(json_object_get(decoded.head, "nodeCount")), 1);
    assert_int_equal(column_of(&decoded, "facts.leaf")->count, 0);
    clear(&decoded);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const struct pr_slice slice = {0, 10, 0, 0};
    struct pr_profile *profile = random_profile(5);
    profile->slices = &slice;
    profile->slice_count = 1;
    enum { FOLDS = 50, HALVES = 100 };
    struct pr_children children = {0};
    struct pr_traits traits = {0};
    assert_int_equal(pr_traits_make(profile, NULL, &traits, NULL), PR_OK);
    assert_int_equal(pr_tree_children(&profile->tree, &children, NULL), PR_OK);
    for (unsigned long n = 1;; n++) {
        struct pr_payload payload;
        struct pr_error err = {0};
        alloc_fail_at(n);
        enum pr_status status = make(profile, &traits, &children, FOLDS, HALVES, NULL, &payload, &err);
        bool failed = alloc_fail_stop();
        pr_payload_clear(&payload);
        if (!failed)
            break;
        assert_int_equal(status, PR_FAILED);
        assert_int_equal(err.code, PR_ERR_MEMORY);
    }
    pr_children_clear(&children);
    pr_traits_clear(&traits);
    pr_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_and_its_facts_survive),
        cmocka_unit_test(the_head_says_what_there_is),
        cmocka_unit_test(folding_keeps_every_total),
        cmocka_unit_test(the_heaviest_of_any_view_stay),
        cmocka_unit_test(windows_of_the_page_are_those_of_the_profile),
        cmocka_unit_test(bins_are_merged_until_the_text_fits),
        cmocka_unit_test(a_first_payload_has_the_bins_of_the_whole),
        cmocka_unit_test(names_are_safe_to_show),
        cmocka_unit_test(a_long_series_becomes_buckets_and_keeps_its_extremes),
        cmocka_unit_test(native_frames_take_the_place_of_the_python_stack),
        cmocka_unit_test(native_frames_are_folded_like_others),
        cmocka_unit_test(what_ran_when_survives),
        cmocka_unit_test(many_slices_become_fewer_and_lose_no_time),
        cmocka_unit_test(exact_figures_survive),
        cmocka_unit_test(packing_can_be_undone),
        cmocka_unit_test(packing_looks_as_far_back_as_there_is),
        cmocka_unit_test(an_empty_profile_has_a_payload),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("payload", tests, NULL, NULL);
}
