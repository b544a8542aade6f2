/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run begins, and where its samples do on its timeline. */
#include "capture/model/run_times.h"
#include "tests/support/unit.h"

static struct pr_maybe at(int64_t ms)
{
    return (struct pr_maybe){true, ms};
}

static void is(struct pr_maybe found, int64_t value)
{
    assert_true(found.known);
    assert_int_equal(found.value, value);
}

static void a_run_begins_where_it_is_first_known(void **state)
{
    (void)state;
    int64_t early[] = {700, 900}, late[] = {1200};
    struct pr_series series[] = {{.at_ms = late, .count = 1}, {.at_ms = early, .count = 2}, {.at_ms = NULL}};
    struct pr_profile profile = {.series = series};
    assert_false(pr_times_origin_ms(&profile).known);
    profile.meta.end_ms = at(2000);
    is(pr_times_origin_ms(&profile), 2000);
    profile.meta.start_ms = at(1000);
    is(pr_times_origin_ms(&profile), 1000);
    profile.series_count = 1;
    is(pr_times_origin_ms(&profile), 1000);
    profile.series_count = 3; /* the last one is empty */
    is(pr_times_origin_ms(&profile), 700);
    profile.meta.no_date = true;
    is(pr_times_origin_ms(&profile), 0);
}

static void samples_are_on_the_timeline_if_they_have_its_clock(void **state)
{
    (void)state;
    int64_t points[] = {1000, 5000};
    struct pr_series series = {.at_ms = points, .count = 2};
    struct pr_profile profile = {.series = &series, .slices_start_ms = at(1250)};
    assert_false(pr_times_of_slices_ns(&profile).known); /* no timeline */
    profile.series_count = 1;
    is(pr_times_of_slices_ns(&profile), 250000000);
    profile.slices_start_ms = at(200); /* what the first sample ends may have begun a little before the run */
    is(pr_times_of_slices_ns(&profile), 0);
    profile.slices_start_ms = at(0);
    is(pr_times_of_slices_ns(&profile), 0);
    profile.slices_start_ms = at(-1);
    assert_false(pr_times_of_slices_ns(&profile).known);
    profile.slices_start_ms = at(5000);
    is(pr_times_of_slices_ns(&profile), 4000000000);
    profile.slices_start_ms = at(5001); /* after the run: of another one */
    assert_false(pr_times_of_slices_ns(&profile).known);
    profile.meta.end_ms = at(6000);
    is(pr_times_of_slices_ns(&profile), 4001000000);
    profile.slices_lack_clock = true;
    assert_false(pr_times_of_slices_ns(&profile).known);
    profile.slices_lack_clock = false;
    profile.meta.no_date = true;
    assert_false(pr_times_of_slices_ns(&profile).known);
    profile.meta.no_date = false;
    profile.slices_start_ms.known = false;
    assert_false(pr_times_of_slices_ns(&profile).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_begins_where_it_is_first_known),
        cmocka_unit_test(samples_are_on_the_timeline_if_they_have_its_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
