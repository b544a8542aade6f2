/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU profile of gperftools: machine words, then the map of the process as text.
 *
 * - Words are those of the machine that recorded: of 4 or 8 bytes, in either order. The first five are 0, 3 (of
 *   head), 0 (the version), the period in microseconds, 0 (padding).
 * - A sample is how often it was seen, its depth, and that number of addresses, leaf first. 0, 1, 0 ends them.
 * - vmprof begins in the same way, but with 5 and its version in the place of the first sample.
 *
 * Source: gperftools 2.10 docs/cpuprofile-fileformat.html.
 */
#include "capture/base/checked.h"
#include "capture/readers/address_samples.h"
#include "capture/parse/lines.h"
#include "capture/builder/reader.h"

#include <string.h>

enum { HEAD_WORDS = 5, MAX_PERIOD_US = 10 * 1000 * 1000 };

struct words {
    size_t size;
    bool big_endian;
};

static uint64_t get_word(const struct words *words, const uint8_t *at)
{
    uint64_t word = 0;
    for (size_t i = 0; i < words->size; i++)
        word = word << 8 | at[words->big_endian ? i : words->size - 1 - i];
    return word;
}

/* True if this is the head, in words of that form; *PERIOD_US is then its period. */
static bool is_head(const struct words *words, const uint8_t *at, size_t length, uint64_t *period_us)
{
    static const uint64_t head[HEAD_WORDS] = {0, 3, 0, 0, 0};
    if (length < HEAD_WORDS * words->size)
        return false;
    for (size_t i = 0; i < HEAD_WORDS; i++)
        if (i != 3 && get_word(words, at + i * words->size) != head[i])
            return false;
    *period_us = get_word(words, at + 3 * words->size);
    return *period_us && *period_us <= MAX_PERIOD_US;
}

static bool find_form(struct pr_source *src, struct words *words, uint64_t *period_us)
{
    static const struct words forms[] = {{8, false}, {4, false}, {8, true}, {4, true}};
    struct pr_source view = pr_source_view(src, HEAD_WORDS * 8);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        *words = forms[i];
        if (is_head(words, view.at, (size_t)(view.end - view.at), period_us))
            return true;
    }
    return false;
}

struct gperftools {
    struct pr_profile_builder c;
    struct pr_address_samples samples;
    struct words words;
    uint64_t period_us;
};

static enum pr_status cut(struct gperftools *r)
{
    const struct pr_error *why = &r->c.src->error;
    if (why->code != PR_ERR_NONE)
        return pr_cut(r->c.err, why->code, pr_source_offset(r->c.src), "CPU sample", "%s", why->text);
    return pr_cut(r->c.err, PR_ERR_TRUNCATED, pr_source_offset(r->c.src), "CPU sample",
                  "the input ends in the samples");
}

static void begin_sample(struct gperftools *r, uint64_t count)
{
    int64_t times = pr_signed_saturated(count);
    int64_t period_ns = (int64_t)r->period_us * 1000;
    struct pr_address_values values = {{times > INT64_MAX / period_ns ? INT64_MAX : times * period_ns, times},
                                       {times, 0}};
    pr_address_sample_begin(&r->samples, &values);
}

/* PR_END: the samples are complete. */
static enum pr_status read_sample(struct gperftools *r)
{
    struct pr_source *src = r->c.src;
    const size_t size = r->words.size;
    if (!pr_source_need(src, 2 * size))
        return cut(r);
    uint64_t count = get_word(&r->words, src->at), depth = get_word(&r->words, src->at + size);
    uint64_t most = r->c.options->limits.max_depth, room = PR_SOURCE_MAX_WINDOW / size - 2;
    if (depth > (most < room ? most : room))
        return pr_cut(r->c.err, PR_ERR_LIMIT, pr_source_offset(src), "CPU sample", "a stack is too deep");
    if (!pr_source_need(src, (size_t)(2 + depth) * size))
        return cut(r);
    const uint8_t *at = src->at + 2 * size;
    bool ends = !count && depth == 1 && !get_word(&r->words, at);
    if (!ends)
        begin_sample(r, count);
    for (uint64_t i = 0; i < depth && !ends; i++, at += size)
        pr_address_sample_push(&r->samples, get_word(&r->words, at));
    pr_source_skip(src, (size_t)(2 + depth) * size);
    return ends ? PR_END : PR_OK;
}

/* "7f9c47b3d000-7...": what begins like a line of the map. */
static bool begins_with_addresses(struct pr_text line)
{
    uint64_t address;
    const uint32_t digits = pr_text_hex(line, &address);
    return digits && digits < line.length && line.bytes[digits] == '-';
}

/* Lines that do not belong to the map are no loss: the writer puts others there too. */
static enum pr_status read_map(struct gperftools *r)
{
    struct pr_lines lines = pr_lines_begin(r->c.src, r->c.err);
    while (pr_build_going(&r->c) && pr_lines_next(&lines)) {
        if (!lines.ended)
            pr_address_map_is_cut(&r->samples);
        else if (!pr_address_map_line(&r->samples, lines.text) && begins_with_addresses(lines.text))
            pr_build_damage_at(&r->c, PR_DAMAGE_LINES, lines.offset);
    }
    return pr_lines_status(&lines);
}

static enum pr_status read_all(struct gperftools *r)
{
    enum pr_status status = PR_OK;
    if (!find_form(r->c.src, &r->words, &r->period_us))
        return pr_fail(r->c.err, PR_ERR_UNKNOWN, 0, "CPU profile head", "the first words are not those of gperftools");
    pr_source_skip(r->c.src, HEAD_WORDS * r->words.size);
    while (status == PR_OK && pr_build_going(&r->c))
        status = read_sample(r);
    return status == PR_END ? read_map(r) : status;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct gperftools r = {.period_us = 0};
    r.samples = (struct pr_address_samples){.c = &r.c, .addresses = {.words = 1}, .leaf_is_exact = true};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    if (status == PR_OK)
        status = read_all(&r);
    if (status != PR_FAILED) {
        const unsigned metrics[] = {pr_build_metric(&r.c, "cpu", "Time", PR_UNIT_NANOSECONDS, "samples"),
                                    pr_build_metric(&r.c, "samples", "Samples", PR_UNIT_COUNT, NULL)};
        pr_address_samples_collect(&r.samples, metrics, 2);
    }
    pr_address_samples_clear(&r.samples);
    return pr_build_finish(&r.c, status);
}

/* Four words have one value each; of 4 or 8 bytes, but zeros are worth half. */
static unsigned probe(struct pr_source *src)
{
    struct words words;
    uint64_t period_us;
    if (!find_form(src, &words, &period_us))
        return 0;
    const struct pr_source view = pr_source_view(src, (HEAD_WORDS + 1) * words.size);
    if ((size_t)(view.end - view.at) == (HEAD_WORDS + 1) * words.size &&
        get_word(&words, view.at + HEAD_WORDS * words.size) > UINT32_MAX) /* nothing is seen so often */
        return 0;
    return (unsigned)words.size * 8 * 4 / 2;
}

const struct pr_reader pr_gperftools_reader = {"gperftools", "gperftools CPU profile", probe, read};
