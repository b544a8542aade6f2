/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of readers of other profiles, as text. Running out of memory ends the test.
 *
 *     struct pr_profile *profile = reading("trace-event", text, strlen(text), PR_OK);
 *     char *stacks = reading_stacks(profile, "cpu");             // "1|main a.py:1;f b.py:2 500 x3\n..."
 *     assert_string_equal(stacks, wanted);
 *     free(stacks);
 *     pr_profile_free(profile);
 *
 * or all of it at once: assert_stacks("trace-event", text, "cpu", "1|main a.py:1;f b.py:2 500 x3\n").
 */
#ifndef TESTS_SUPPORT_LOAD_HELPERS_H
#define TESTS_SUPPORT_LOAD_HELPERS_H

#include "profrender/load.h"

/*
 * Reads BYTES with the reader called FORMAT (NULL: the content decides), and checks that it ends with STATUS and that
 * the profile keeps its rules. Owner: pr_profile_free; NULL after PR_FAILED.
 */
struct pr_profile *reading(const char *format, const void *bytes, size_t length, enum pr_status status);

/*
 * A line for each fact that has METRIC: the thread's number (and its name in brackets), `|`, frames from the root as
 * `function file:line` joined by `;`, the value, and the count after an `x`. In the order of the text; owned: free it.
 */
char *reading_stacks(const struct pr_profile *profile, const char *metric);

/* PROFILE has these stacks of METRIC. */
void assert_metric(const struct pr_profile *profile, const char *metric, const char *stacks);

/* TEXT is recognised as FORMAT, and is complete, and has these stacks. */
void assert_stacks(const char *format, const char *text, const char *metric, const char *stacks);

/* The same for a text that is read to its end, but with damage: KIND, COUNT times, and no other. */
void assert_damaged_stacks(const char *format, const char *text, const char *metric, const char *stacks,
                           enum pr_damage_kind kind, uint64_t count);

/* PROFILE has that damage and no other, and says that it is not complete. */
void assert_damage(const struct pr_profile *profile, enum pr_damage_kind kind, uint64_t count);

/* PROFILE has a note with that beginning. */
void assert_note(const struct pr_profile *profile, const char *beginning);

/*
 * Each beginning of the input is refused or read up to there, with a reason and a profile that keeps its rules; and so
 * is each input in which one byte is another.
 */
void assert_survives_damage(const char *format, const void *bytes, size_t length);

/* Each allocation that fails while the input is read is reported as an error. */
void assert_needs_memory(const void *bytes, size_t length);

#endif
