/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of GNU `time -v`, from a file of its own (-o) or after what the program wrote to its standard error:
 *
 *     Command terminated by signal 9
 *     <TAB>Command being timed: "python etl.py"
 *     <TAB>Maximum resident set size (kbytes): 14716
 *
 * - How it ended comes before the report. `Exit status` is 0 for a program that a signal ended.
 * - A key may hold colons, "Elapsed (wall clock) time (h:mm:ss or m:ss)": it ends at ": ".
 * - Inputs and outputs are counted in blocks of 512 bytes.
 *
 * Source: GNU time 1.9, src/time.c (longstats, summarize); the three files of the collection.
 */
#include "capture/builder/profile_builder.h"
#include "capture/base/checked.h"
#include "capture/parse/frame_text.h"
#include "capture/run/stderr_tail.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include <string.h>

enum { LOOK_BYTES = 64 * 1024, BLOCK_BYTES = 512, KIB = 1024, NANOSECONDS = 9 };

static const char first_line[] = "\tCommand being timed: \"", peak_key[] = "\tMaximum resident set size (kbytes): ",
                  last_key[] = "\tExit status: ", signal_line[] = "Command terminated by signal ",
                  stop_line[] = "Command stopped by signal ", status_line[] = "Command exited with non-zero status ";

struct gnu_time {
    struct pr_profile_builder c;
    struct pr_run run;
    struct pr_buf words; /* what the program said */
    bool reports;        /* inside the report */
    bool seen;
};

static struct pr_maybe number(struct pr_text text, int32_t exponent)
{
    struct pr_decimal value;
    const struct pr_text word = pr_text_trim(text);
    if (!word.length || pr_decimal_parse(word.bytes, word.length, &value) != word.length || value.negative)
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, pr_decimal_scaled(value, exponent)};
}

/* `1:02:03` or `0:00.51` as nanoseconds. */
static struct pr_maybe wall_time(struct pr_text text)
{
    int64_t whole = 0;
    for (;;) {
        const char *colon = text.length ? memchr(text.bytes, ':', text.length) : NULL;
        const size_t length = colon ? (size_t)(colon - text.bytes) : text.length;
        const struct pr_maybe part = number((struct pr_text){text.bytes, (uint32_t)length}, NANOSECONDS);
        const struct pr_maybe sum = {part.known, pr_add_saturated(whole, part.value)};
        if (!part.known || !colon)
            return sum;
        if (__builtin_mul_overflow(sum.value, 60, &whole))
            return (struct pr_maybe){false, 0};
        text = pr_text_from(text, length + 1);
    }
}

/* The value after KEY, if the line has it. */
static bool value_of(struct pr_text line, const char *key, struct pr_text *value)
{
    if (!pr_text_starts(line, key))
        return false;
    *value = pr_text_from(line, strlen(key));
    return true;
}

/* A figure of the report; a value that is not a number, or larger than any, is damage. */
static struct pr_maybe counted(struct gnu_time *r, struct pr_maybe figure)
{
    pr_build_damage(&r->c, PR_DAMAGE_NOT_NUMBERS, !figure.known);
    pr_build_damage(&r->c, PR_DAMAGE_BOUNDED, figure.known && pr_at_end_of_range(figure.value));
    return figure;
}

static void read_report_line(struct gnu_time *r, struct pr_text line)
{
    struct pr_run *run = &r->run;
    struct pr_text value;
    if (value_of(line, "\tUser time (seconds): ", &value))
        run->user_ns = counted(r, number(value, NANOSECONDS));
    else if (value_of(line, "\tSystem time (seconds): ", &value))
        run->system_ns = counted(r, number(value, NANOSECONDS));
    else if (value_of(line, "\tElapsed (wall clock) time (h:mm:ss or m:ss): ", &value))
        run->wall_ns = counted(r, wall_time(value));
    else if (value_of(line, peak_key, &value))
        run->max_rss_bytes = pr_maybe_times(counted(r, number(value, 0)), KIB);
    else if (value_of(line, "\tMajor (requiring I/O) page faults: ", &value))
        run->major_faults = counted(r, number(value, 0));
    else if (value_of(line, "\tFile system inputs: ", &value))
        run->read_bytes = pr_maybe_times(counted(r, number(value, 0)), BLOCK_BYTES);
    else if (value_of(line, "\tFile system outputs: ", &value))
        run->written_bytes = pr_maybe_times(counted(r, number(value, 0)), BLOCK_BYTES);
    else if (value_of(line, last_key, &value)) {
        if (!run->failure.signal.known && !run->failure.exit.known)
            run->failure.exit = counted(r, number(value, 0));
        r->reports = false;
    }
}

static void read_line(struct gnu_time *r, struct pr_text line)
{
    struct pr_text value;
    if (value_of(line, signal_line, &value) || value_of(line, stop_line, &value)) {
        r->run.failure.signal = counted(r, number(value, 0));
    } else if (value_of(line, status_line, &value)) {
        r->run.failure.exit = counted(r, number(value, 0));
    } else if (value_of(line, first_line, &value)) {
        const uint32_t length = value.length - (value.length && value.bytes[value.length - 1] == '"');
        r->c.profile->meta.command_line = pr_build_string(&r->c, value.bytes, length);
        r->reports = r->seen = true;
    } else if (r->reports && *line.bytes == '\t') {
        read_report_line(r, line);
    } else {
        pr_last_words_add(&r->words, line);
    }
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct gnu_time r = {.reports = false};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    struct pr_lines lines = pr_lines_begin(src, err);
    while (status == PR_OK && pr_build_going(&r.c) && pr_lines_next(&lines))
        if (lines.text.length)
            read_line(&r, lines.text);
        else
            pr_last_words_add(&r.words, lines.text);
    if (status == PR_OK)
        status = pr_lines_status(&lines);
    if (pr_last_words_read(&r.words, profile, &r.run.failure, err) == PR_FAILED)
        status = PR_FAILED;
    if (status == PR_END && !r.seen)
        status = pr_fail(err, PR_ERR_DAMAGED, 0, "report", "it has no report of `time -v`");
    else if (status == PR_END && r.reports)
        status = pr_cut(err, PR_ERR_TRUNCATED, pr_source_offset(src), "report", "the report ends before its last line");
    pr_failure_settle(&r.run.failure);
    profile->run = r.run;
    return pr_build_finish(&r.c, status);
}

/* At the start, or after what the program itself wrote; files with a magic of their own may have such a line too. */
static unsigned probe(struct pr_source *src)
{
    enum { BITS_BEHIND_TEXT = 48 };
    struct pr_source view = pr_source_view(src, LOOK_BYTES);
    struct pr_lines lines = pr_lines_begin(&view, NULL);
    for (bool first = true; pr_lines_next(&lines); first = false)
        if (pr_text_starts(lines.text, first_line))
            return first ? 8 * (sizeof first_line - 1) : BITS_BEHIND_TEXT;
    return 0;
}

const struct pr_reader pr_gnu_time_reader = {"gnu-time", "GNU time report", probe, read};
