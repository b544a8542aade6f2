/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences of words and figures.
 *
 *     PR_SAY(inquiry, &insight->headline, "{} holds {}", pr_phrase_function(frame), pr_phrase_amount(metric, bytes));
 *
 * Each {} of the words is the next phrase; {heap} is "heap", or what else the profile's memory is called.
 */
#ifndef PR_CAPTURE_EXPLAIN_SENTENCE_H
#define PR_CAPTURE_EXPLAIN_SENTENCE_H

#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/base/time.h"
#include "profrender/explain.h"
#include "profrender/heap_words.h"

/*
 * Appends WORDS with PHRASES, which end with PR_PHRASE_END, HEAP for each {heap}. False: no memory, or not as many
 * phrases as places.
 */
bool pr_sentence_add(struct pr_arena *arena, struct pr_sentence *sentence, const char *heap, const char *words,
                     const struct pr_phrase *phrases);

/* Appends the words and phrases; a lack of memory is kept in INQUIRY. */
#define PR_SAY(inquiry, sentence, ...) PR_SAY_LIST(inquiry, sentence, __VA_ARGS__, {.kind = PR_PHRASE_END})
#define PR_SAY_LIST(inquiry, sentence, words, ...)                                                                     \
    ((inquiry)->failed |=                                                                                              \
     !pr_sentence_add(&(inquiry)->explanation->arena, (sentence), pr_heap_words((inquiry)->profile)->name, (words),    \
                      (const struct pr_phrase[]){__VA_ARGS__}))

/* Words alone. */
#define PR_SAY_TEXT(inquiry, sentence, words)                                                                          \
    PR_SAY_LIST(inquiry, sentence, words, {.kind = PR_PHRASE_END})

static inline struct pr_phrase pr_phrase_function(pr_frame_id frame)
{
    return (struct pr_phrase){.kind = PR_PHRASE_FUNCTION, .frame = frame};
}

static inline struct pr_phrase pr_phrase_place(pr_frame_id frame, int32_t line)
{
    return (struct pr_phrase){.kind = PR_PHRASE_PLACE, .frame = frame, .value = line};
}

static inline struct pr_phrase pr_phrase_name(pr_str name)
{
    return (struct pr_phrase){.kind = PR_PHRASE_NAME, .name = name};
}

static inline struct pr_phrase pr_phrase_text(const char *text)
{
    return (struct pr_phrase){.kind = PR_PHRASE_TEXT, .text = pr_text_of(text)};
}

static inline struct pr_phrase pr_phrase_amount(const struct pr_metric *metric, int64_t value)
{
    return (struct pr_phrase){.kind = PR_PHRASE_AMOUNT, .unit = metric->unit, .metric = metric, .value = value};
}

static inline struct pr_phrase pr_phrase_share(const struct pr_metric *metric, int64_t value, int64_t whole)
{
    return (struct pr_phrase){
        .kind = PR_PHRASE_SHARE, .unit = metric->unit, .metric = metric, .value = value, .whole = whole};
}

/* The same of what is not a metric; SOURCE: where the value comes from, may be "". */
static inline struct pr_phrase pr_phrase_value(enum pr_unit unit, int64_t value, const char *source)
{
    return (struct pr_phrase){.kind = PR_PHRASE_AMOUNT, .unit = unit, .value = value, .text = pr_text_of(source)};
}

static inline struct pr_phrase pr_phrase_part(enum pr_unit unit, int64_t value, int64_t whole)
{
    return (struct pr_phrase){.kind = PR_PHRASE_SHARE, .unit = unit, .value = value, .whole = whole};
}

static inline struct pr_phrase pr_phrase_count(int64_t count, const char *nouns)
{
    return (struct pr_phrase){
        .kind = PR_PHRASE_COUNT, .unit = PR_UNIT_COUNT, .value = count, .text = pr_text_of(nouns)};
}

static inline struct pr_phrase pr_phrase_cores(int64_t millicores, const char *source)
{
    return (struct pr_phrase){
        .kind = PR_PHRASE_CORES, .unit = PR_UNIT_CORES, .value = millicores, .text = pr_text_of(source)};
}

/* A span of MS milliseconds, which may be any number. */
static inline struct pr_phrase pr_phrase_span(int64_t ms, const char *source)
{
    const int64_t most = INT64_MAX / PR_NS_PER_MS;
    return pr_phrase_value(PR_UNIT_NANOSECONDS, (ms > most ? most : ms < -most ? -most : ms) * PR_NS_PER_MS, source);
}

static inline struct pr_phrase pr_phrase_moment(int64_t ms)
{
    return (struct pr_phrase){.kind = PR_PHRASE_MOMENT, .value = ms};
}

#endif
