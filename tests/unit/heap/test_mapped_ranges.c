/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings against a plain list of pieces, and against single bytes. */
#include "tests/support/unit.h"

#include "capture/heap/mapped_ranges.h"
#include "tests/support/alloc_fail.h"
#include "tests/support/random_capture.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS = 64, PAGES = 200 };

/* What is known of each mapping, by fact: bytes, pieces, and how often the cuts reported it as gone. */
struct held {
    int64_t bytes[FACTS], pieces[FACTS], ends[FACTS];
};

static void note_cut(void *context, const struct pr_piece *piece, uint64_t bytes, int count, bool last)
{
    struct held *held = context;
    assert_true(bytes > 0 && bytes <= piece->end - piece->start);
    assert_true(count >= -1 && count <= 1);
    assert_true((count == -1) == (bytes == piece->end - piece->start));
    assert_int_equal(piece->born, piece->fact * 2);
    held->bytes[piece->fact] -= (int64_t)bytes;
    held->pieces[piece->fact] += count;
    held->ends[piece->fact] += last;
}

/* The model: each mapping is a row of pages, independent of all others. */
struct model {
    unsigned facts;
    bool page[FACTS][PAGES];
    int64_t ends[FACTS];
};

static unsigned pieces_of(const struct model *model, unsigned fact)
{
    unsigned pieces = 0;
    for (unsigned i = 0; i < PAGES; i++)
        pieces += model->page[fact][i] && (i == 0 || !model->page[fact][i - 1]);
    return pieces;
}

static unsigned pages_of(const struct model *model, unsigned fact)
{
    unsigned pages = 0;
    for (unsigned i = 0; i < PAGES; i++)
        pages += model->page[fact][i];
    return pages;
}

static void model_add(struct model *model, uint32_t first, uint32_t count)
{
    memset(&model->page[model->facts++][first], 1, count);
}

static void model_cut(struct model *model, uint32_t first, uint32_t count)
{
    for (unsigned fact = 0; fact < model->facts; fact++) {
        unsigned hit = 0;
        for (unsigned i = first; i < first + count; i++)
            hit += model->page[fact][i] && (i == first || !model->page[fact][i - 1]);
        memset(&model->page[fact][first], 0, count);
        model->ends[fact] += hit == 1 && !pieces_of(model, fact);
    }
}

static void assert_as_model(const struct held *held, const struct model *model)
{
    for (unsigned fact = 0; fact < model->facts; fact++) {
        assert_true(held->bytes[fact] == pages_of(model, fact) * INT64_C(4096));
        assert_true(held->pieces[fact] == pieces_of(model, fact));
        assert_true(held->ends[fact] == model->ends[fact]);
    }
}

static bool note_piece(void *context, const struct pr_piece *piece, bool first)
{
    struct held *held = context;
    held->bytes[piece->fact] += (int64_t)(piece->end - piece->start);
    held->pieces[piece->fact]++;
    held->ends[piece->fact] += first;
    return true;
}

/* The remaining pieces are reported one by one, the first one of each mapping as such. */
static void assert_left(struct pr_mapped_ranges *mappings, const struct model *model)
{
    struct held left = {0};
    assert_true(pr_mapped_ranges_each(mappings, note_piece, &left));
    for (unsigned fact = 0; fact < model->facts; fact++) {
        assert_true(left.bytes[fact] == pages_of(model, fact) * INT64_C(4096));
        assert_true(left.pieces[fact] == pieces_of(model, fact));
        assert_int_equal(left.ends[fact], pages_of(model, fact) > 0);
    }
}

static void random_mappings_agree_with_single_pages(void **state)
{
    (void)state;
    const uint64_t base = UINT64_C(0x7f0000000000), page = 4096;
    static struct model model;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct pr_mapped_ranges mappings = {0};
        struct held held = {0};
        uint64_t random = seed;
        memset(&model, 0, sizeof model);
        while (model.facts < FACTS) {
            uint32_t first = random_below(&random, PAGES), count = random_below(&random, PAGES - first + 1);
            uint32_t fact = model.facts;
            if (random_below(&random, 3)) {
                count = count < 30 ? count : 30;
                model_add(&model, first, count);
                held.bytes[fact] = (int64_t)(count * page);
                held.pieces[fact] = count > 0;
                assert_true(pr_mapped_ranges_add(&mappings, base + first * page, count * page, fact, fact * 2));
            } else {
                model_cut(&model, first, count);
                assert_true(pr_mapped_ranges_cut(&mappings, base + first * page, count * page, note_cut, &held));
            }
            assert_as_model(&held, &model);
        }
        assert_left(&mappings, &model);
        pr_mapped_ranges_clear(&mappings);
    }
}

/* What one cut of [4000, 4000 + SIZE) at AT does to it, as bytes removed and pieces added. */
static void assert_cut(uint64_t at, uint64_t size, int64_t bytes, int64_t count)
{
    struct pr_mapped_ranges mappings = {0};
    struct held held = {0};
    assert_true(pr_mapped_ranges_add(&mappings, 4000, 1000, 1, 2));
    assert_true(pr_mapped_ranges_cut(&mappings, at, size, note_cut, &held));
    assert_true(-held.bytes[1] == bytes);
    assert_int_equal(held.pieces[1], count);
    pr_mapped_ranges_clear(&mappings);
}

static void a_cut_takes_start_end_middle_or_all(void **state)
{
    (void)state;
    assert_cut(3000, 1000, 0, 0);
    assert_cut(3000, 1001, 1, 0);
    assert_cut(4000, 999, 999, 0);
    assert_cut(4000, 1000, 1000, -1);
    assert_cut(3999, 1002, 1000, -1);
    assert_cut(4001, 998, 998, 1);
    assert_cut(4001, 999, 999, 0);
    assert_cut(4999, 5000, 1, 0);
    assert_cut(5000, 5000, 0, 0);
    assert_cut(4500, 0, 0, 0);
    assert_cut(0, UINT64_MAX, 1000, -1);
    assert_cut(4500, UINT64_MAX, 500, 0); /* would wrap: ends at the end of the address space */
}

static void a_mapping_over_a_living_one_cuts_nothing(void **state)
{
    (void)state;
    struct pr_mapped_ranges mappings = {0};
    struct held held = {0};
    for (uint32_t fact = 0; fact < 10; fact++)
        assert_true(pr_mapped_ranges_add(&mappings, 0x1000, 0x1000, fact, fact * 2));
    assert_true(pr_mapped_ranges_cut(&mappings, 0x1000, 0x1000, note_cut, &held));
    for (uint32_t fact = 0; fact < 10; fact++) {
        assert_true(held.bytes[fact] == -0x1000);
        assert_int_equal(held.pieces[fact], -1);
    }
    pr_mapped_ranges_clear(&mappings);
}

static void a_mapping_of_nothing_adds_nothing(void **state)
{
    (void)state;
    struct pr_mapped_ranges mappings = {0};
    struct held held = {0};
    assert_true(pr_mapped_ranges_add(&mappings, 0x1000, 0, 1, 2));
    assert_true(pr_mapped_ranges_cut(&mappings, 0, UINT64_MAX, note_cut, &held));
    assert_int_equal(held.pieces[1], 0);
    pr_mapped_ranges_clear(&mappings);
}

static void a_mapping_that_would_wrap_ends_with_the_addresses(void **state)
{
    (void)state;
    struct pr_mapped_ranges mappings = {0};
    struct held held = {0};
    assert_true(pr_mapped_ranges_add(&mappings, UINT64_MAX - 100, 4096, 1, 2));
    assert_true(pr_mapped_ranges_cut(&mappings, UINT64_MAX - 200, UINT64_MAX, note_cut, &held));
    assert_true(held.bytes[1] == -100);
    assert_int_equal(held.pieces[1], -1);
    pr_mapped_ranges_clear(&mappings);
}

/* Rising, falling and equal addresses would be a list in a tree without balance, and the recursion as deep. */
static void a_million_sorted_mappings_end_in_time(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    for (unsigned order = 0; order < 3; order++) {
        struct pr_mapped_ranges mappings = {0};
        struct held held = {0};
        for (uint64_t i = 0; i < MANY; i++) {
            uint64_t place = order == 0 ? i : order == 1 ? MANY - i : 7;
            assert_true(pr_mapped_ranges_add(&mappings, place * 4096, 4096, 1, 2));
        }
        assert_true(pr_mapped_ranges_cut(&mappings, 0, UINT64_MAX, note_cut, &held));
        assert_int_equal(held.pieces[1], -MANY);
        pr_mapped_ranges_clear(&mappings);
    }
}

/* Mappings on top of one another, all cut again and again: pieces that come back in another order would do the same. */
static void a_stack_of_mappings_that_is_cut_ends_in_time(void **state)
{
    (void)state;
    enum { MANY = 5000, CUTS = 200, BYTES = 4 * CUTS };
    for (unsigned side = 0; side < 3; side++) {
        struct pr_mapped_ranges mappings = {0};
        struct held held = {0};
        for (uint64_t i = 0; i < MANY; i++)
            assert_true(pr_mapped_ranges_add(&mappings, BYTES, BYTES, 1, 2));
        for (uint64_t i = 0; i < CUTS; i++) {
            const uint64_t at = side == 0 ? i : side == 1 ? BYTES - 1 - i : 4 * i + 1;
            assert_true(pr_mapped_ranges_cut(&mappings, BYTES + at, 1, note_cut, &held));
        }
        assert_true(held.bytes[1] == -(int64_t)MANY * CUTS);
        assert_true(held.pieces[1] == (side == 2 ? (int64_t)MANY * CUTS : 0));
        pr_mapped_ranges_clear(&mappings);
    }
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct pr_mapped_ranges mappings = {0};
    struct held held = {0};
    unsigned refused = 0;
    for (uint64_t i = 0; i < 2000; i++) { /* cuts in the middle need room for a second piece */
        alloc_fail_at(1);
        bool added = pr_mapped_ranges_add(&mappings, i * 10, 10, 1, 2);
        alloc_fail_stop();
        refused += !added;
        if (!added)
            assert_true(pr_mapped_ranges_add(&mappings, i * 10, 10, 1, 2));
    }
    assert_true(refused > 3);
    for (uint64_t i = 0; i < 2000; i++) {
        alloc_fail_at(1);
        refused += !pr_mapped_ranges_cut(&mappings, i * 10 + 4, 2, note_cut, &held);
        alloc_fail_stop();
    }
    assert_true(refused > 4);
    assert_true(held.bytes[1] == -4000);
    pr_mapped_ranges_clear(&mappings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mappings_agree_with_single_pages),
        cmocka_unit_test(a_cut_takes_start_end_middle_or_all),
        cmocka_unit_test(a_mapping_over_a_living_one_cuts_nothing),
        cmocka_unit_test(a_mapping_of_nothing_adds_nothing),
        cmocka_unit_test(a_mapping_that_would_wrap_ends_with_the_addresses),
        cmocka_unit_test(a_million_sorted_mappings_end_in_time),
        cmocka_unit_test(a_stack_of_mappings_that_is_cut_ends_in_time),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
