/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that end too early or have wrong bytes in them: everything before the damage is kept. */
#include "tests/support/unit.h"

#include "profrender/load.h"
#include "tests/support/invariants.h"
#include "tests/support/packing.h"
#include "tests/support/profile_text.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

/* The forms of a capture: each header version, with and without native stacks, and aggregated. */
enum { FIRST_VERSION = 6, LAST_VERSION = 13, FORMS = 4 };

static bool has_form(int version, unsigned form)
{
    return version >= 10 || form < 2;
}

static struct capture_head head_of(int version, unsigned form)
{
    return (struct capture_head){.version = version, .native_traces = form & 1, .aggregated = form & 2,
                                 .main_tid = 1, .skipped_frames = 1};
}

/* Loads the first LENGTH of BYTES from memory of exactly that size, so that the sanitizers see a read too far. */
static enum pr_status load_exact(const void *bytes, size_t length, struct pr_profile **profile, struct pr_error *err)
{
    uint8_t *copy = malloc(length + !length);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    enum pr_status status = pr_load_memory("damaged", copy, length, NULL, profile, err);
    free(copy);
    if (*profile)
        check_invariants(*profile);
    assert_int_equal(status == PR_FAILED, !*profile);
    assert_int_equal(status == PR_OK, err->code == PR_ERR_NONE);
    return status;
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* An unfinished capture, and where its records end. */
struct told {
    struct capture capture;
    size_t header;     /* bytes */
    size_t *end;       /* [records + 1]; [0] is after the definitions that come first */
    uint64_t *events;  /* [records + 1] allocations and frees until there */
    unsigned records;
};

static void tell(struct told *told, const struct capture_head *head, unsigned records)
{
    *told = (struct told){.records = records};
    told->end = calloc(records + 1, sizeof *told->end);
    told->events = calloc(records + 1, sizeof *told->events);
    assert_true(told->end && told->events);
    for (unsigned count = 0; count <= records; count++) { /* of one seed, the shorter run begins the longer one */
        capture_clear(&told->capture);
        capture_begin(&told->capture, head);
        told->header = told->capture.out.length;
        story_tell(&told->capture, 11, count);
        told->end[count] = told->capture.out.length;
        told->events[count] = told->capture.events;
    }
}

static void told_clear(struct told *told)
{
    capture_clear(&told->capture);
    free(told->end);
    free(told->events);
}

static struct pr_buf text_of(const struct pr_profile *profile)
{
    struct pr_buf text = {0};
    profile_text(profile, &text);
    return text;
}

static void assert_cut_in_header(const struct told *told, size_t length)
{
    struct pr_profile *profile;
    struct pr_error err = {0};
    assert_int_equal(load_exact(told->capture.out.bytes, length, &profile, &err), PR_FAILED);
    if (length == 0)
        assert_int_equal(err.code, PR_ERR_EMPTY);
    else if (length >= 7) /* before, it may be anything */
        assert_int_equal(err.code, PR_ERR_TRUNCATED);
}

/* Cut at each byte after the header: the result is what was known at the end of the last complete record. */
static void assert_cuts(const struct told *told)
{
    struct pr_buf last = {0};
    unsigned record = 0;
    for (size_t length = 0; length < told->header; length++)
        assert_cut_in_header(told, length);
    for (size_t length = told->header; length <= told->capture.out.length; length++) {
        while (record < told->records && told->end[record + 1] <= length)
            record++;
        struct pr_profile *profile;
        struct pr_error err = {0};
        assert_int_equal(load_exact(told->capture.out.bytes, length, &profile, &err), PR_CUT);
        assert_int_equal(err.code, PR_ERR_TRUNCATED);
        assert_true(err.offset <= length);
        assert_false(profile->complete);
        if (length >= told->end[0]) {
            struct pr_buf text = text_of(profile);
            assert_int_equal(profile->records.allocations + profile->records.frees, told->events[record]);
            assert_int_equal(err.offset, told->end[record]);
            if (length == told->end[record]) {
                pr_buf_clear(&last);
                last = text;
            } else {
                assert_string_equal(text.bytes, last.bytes);
                pr_buf_clear(&text);
            }
        }
        pr_profile_free(profile);
    }
    pr_buf_clear(&last);
}

static void a_capture_cut_at_any_byte_keeps_what_came_before(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        for (unsigned native = 0; native < 2; native++) {
            struct capture_head head = head_of(version, native);
            struct told told;
            tell(&told, &head, version == 6 ? 20 : 50);
            assert_cuts(&told);
            told_clear(&told);
        }
    }
}

/* The sums may only grow with more input; the packed form is cut, so that whole blocks and parts of them are lost. */
static void assert_sums_grow(const uint8_t *bytes, size_t length, size_t step)
{
    uint64_t read = 0;
    int64_t allocated = 0;
    for (size_t cut = 0; cut < length; cut += step) {
        struct pr_profile *profile;
        struct pr_error err = {0};
        if (load_exact(bytes, cut, &profile, &err) == PR_FAILED)
            continue;
        int metric = pr_profile_metric(profile, profile->meta.aggregated ? "leaked" : "allocated");
        const struct pr_records_read *records = &profile->records;
        uint64_t now = records->allocations + records->frees + records->pushes + records->frames + records->samples;
        assert_true(now >= read);
        assert_true(profile->metrics[metric].total_value >= allocated);
        read = now;
        allocated = profile->metrics[metric].total_value;
        pr_profile_free(profile);
    }
    assert_true(read > 0);
}

static void what_is_read_grows_with_what_is_there(void **state)
{
    (void)state;
    for (int version = FIRST_VERSION; version <= LAST_VERSION; version++) {
        for (unsigned form = 0; form < FORMS; form++) {
            const struct capture_head head = head_of(version, form);
            struct capture capture;
            if (!has_form(version, form))
                continue;
            story_capture(&capture, &head, 3, form < 2 ? 100 : 20);
            struct bytes packed = pack_lz4((struct bytes){(uint8_t *)capture.out.bytes, capture.out.length});
            assert_sums_grow((const uint8_t *)capture.out.bytes, capture.out.length, 17);
            assert_sums_grow(packed.at, packed.length, 17);
            bytes_free(&packed);
            capture_clear(&capture);
        }
    }
}

/* ---- wrong bytes ------------------------------------------------------------------------------------------------- */

/* Whatever the result, it comes in time and keeps its rules; before the wrong byte everything is unchanged. */
static void assert_survives(const uint8_t *bytes, size_t length)
{
    struct pr_profile *profile;
    struct pr_error err = {0};
    load_exact(bytes, length, &profile, &err);
    pr_profile_free(profile);
}

static void assert_survives_wrong_bytes(struct bytes bytes)
{
    static const uint8_t wrong[] = {0, 0xff};
    for (size_t at = 0; at < bytes.length; at++) {
        const uint8_t right = bytes.at[at];
        for (unsigned i = 0; i < sizeof wrong; i++) {
            bytes.at[at] = wrong[i];
            if (wrong[i] != right)
                assert_survives(bytes.at, bytes.length);
        }
        bytes.at[at] = right;
    }
}

static void any_wrong_byte_is_survived(void **state)
{
    (void)state;
    static const int versions[] = {6, 7, 11, 13}; /* one of each kind of records */
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        for (unsigned form = 0; form < FORMS; form++) {
            const struct capture_head head = head_of(versions[i], form);
            struct capture capture;
            if (!has_form(versions[i], form))
                continue;
            story_capture(&capture, &head, 5, form < 2 ? 30 : 4);
            assert_survives_wrong_bytes((struct bytes){(uint8_t *)capture.out.bytes, capture.out.length});
            capture_clear(&capture);
        }
    }
}

static void any_wrong_byte_of_a_packed_capture_is_survived(void **state)
{
    (void)state;
    const struct capture_head head = {.version = 13};
    struct capture capture;
    story_capture(&capture, &head, 7, 100);
    struct bytes packed = pack_lz4((struct bytes){(uint8_t *)capture.out.bytes, capture.out.length});
    assert_survives_wrong_bytes(packed);
    bytes_free(&packed);
    capture_clear(&capture);
}

static void many_wrong_bits_are_survived(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned round = 0; round < 1000; round++) {
        int version = FIRST_VERSION + (int)(round % 8);
        unsigned form = random_below(&random, has_form(version, 3) ? FORMS : 2);
        const struct capture_head head = head_of(version, form);
        struct capture capture;
        story_capture(&capture, &head, round, form < 2 ? 200 : 30);
        for (unsigned flips = 1 + random_below(&random, 5); flips; flips--) {
            uint32_t at = random_below(&random, (uint32_t)capture.out.length);
            capture.out.bytes[at] = (char)(capture.out.bytes[at] ^ (char)(1 << random_below(&random, 8)));
        }
        assert_survives((const uint8_t *)capture.out.bytes, capture.out.length);
        capture_clear(&capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capture_cut_at_any_byte_keeps_what_came_before),
        cmocka_unit_test(what_is_read_grows_with_what_is_there),
        cmocka_unit_test(any_wrong_byte_is_survived),
        cmocka_unit_test(any_wrong_byte_of_a_packed_capture_is_survived),
        cmocka_unit_test(many_wrong_bits_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
