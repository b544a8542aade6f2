/* SPDX-License-Identifier: Apache-2.0 */
/* Where a heap grew: of more places than are told, the largest, in their order. */
#include "tests/support/unit.h"

#include "profrender/buf.h"
#include "profrender/diff.h"
#include "tests/support/load_helpers.h"

#include <string.h>

enum { CLASSES = 6, OBJECT_BYTES = 1000 };

/* Objects that hang on the root, counts[i] of class i: its node, theirs, an edge to each, and the names. */
static struct pr_profile *heap_of(const unsigned counts[CLASSES])
{
    struct pr_buf text = {0};
    unsigned objects = 0;
    for (unsigned i = 0; i < CLASSES; i++)
        objects += counts[i];
    pr_buf_printf(&text,
                  "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"],"
                  "\"node_types\":[[\"synthetic\",\"object\"],\"string\"],"
                  "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"element\"],\"node\"]},"
                  "\"node_count\":%u,\"edge_count\":%u},\"nodes\":[0,0,1,0,%u",
                  objects + 1, objects, objects);
    for (unsigned i = 0, id = 1; i < CLASSES; i++)
        for (unsigned n = 0; n < counts[i]; n++, id++)
            pr_buf_printf(&text, ",1,%u,%u,%d,0", i + 1, id * 2 + 1, OBJECT_BYTES);
    pr_buf_text(&text, "],\"edges\":[");
    for (unsigned i = 0; i < objects; i++)
        pr_buf_printf(&text, "%s0,%u,%u", i ? "," : "", i, (i + 1) * 5);
    pr_buf_text(&text, "],\"strings\":[\"\"");
    for (unsigned i = 0; i < CLASSES; i++)
        pr_buf_printf(&text, ",\"Class%u\"", i);
    pr_buf_text(&text, "]}");
    assert_false(text.failed);
    struct pr_profile *profile = reading("heapsnapshot", text.bytes, text.length, PR_OK);
    pr_buf_clear(&text);
    return profile;
}

static void add(struct pr_diff *diff, const unsigned counts[CLASSES])
{
    struct pr_error err = {0};
    struct pr_profile *profile = heap_of(counts);
    assert_int_equal(pr_diff_add(diff, profile, &err), PR_OK);
    pr_profile_free(profile);
}

/* The last of the places is free when the fifth comes, and holds what the caller left there. */
static void the_largest_are_told_in_their_order(void **state)
{
    static const unsigned before[CLASSES] = {1, 1, 1, 1, 1, 1}, after[CLASSES] = {17, 19, 16, 20, 18, 21};
    static const int64_t grown[PR_GROWTH_POINTS] = {20, 19, 18, 17, 16};
    struct pr_growth_point points[PR_GROWTH_POINTS];
    struct pr_error err = {0};
    struct pr_diff *diff;
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < PR_GROWTH_POINTS; i++)
        points[i] = (struct pr_growth_point){.after = INT64_MAX};
    assert_int_equal(pr_diff_new(&diff, &err), PR_OK);
    add(diff, after);
    add(diff, before);
    assert_int_equal(pr_diff_finish(diff, &err), PR_OK);
    const int metric = pr_diff_metric(diff, "retained");
    assert_true(metric >= 0);
    const unsigned newest = (unsigned)metric * diff->count;
    assert_int_equal(pr_diff_growth_points(diff->profile, newest, newest + 1, points, &count, &err), PR_OK);
    assert_int_equal(count, PR_GROWTH_POINTS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(points[i].after - points[i].before, grown[i] * OBJECT_BYTES);
        assert_int_equal(points[i].objects_after - points[i].objects_before, grown[i]);
    }
    pr_diff_free(diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_are_told_in_their_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
