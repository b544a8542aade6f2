/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the words at their places; arrays in the arena double, and the old ones stay in it. */
#include "capture/explain/sentence.h"

#include <assert.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

static const char heap_place[] = "{heap}";

/* Sentences have room for a power of two of phrases. */
static bool has_room(size_t count)
{
    return count && (count < FIRST_ROOM || (count & (count - 1)) != 0);
}

static bool add_piece(struct pr_arena *arena, struct pr_sentence *sentence, struct pr_phrase phrase)
{
    if (!has_room(sentence->count)) {
        const size_t room = sentence->count ? 2 * sentence->count : FIRST_ROOM;
        struct pr_phrase *phrases = pr_arena_array(arena, room, sizeof *phrases);
        if (!phrases)
            return false;
        if (sentence->count)
            memcpy(phrases, sentence->phrase, sentence->count * sizeof *phrases);
        sentence->phrase = phrases;
    }
    sentence->phrase[sentence->count++] = phrase;
    return true;
}

/* The next {} or {heap}; NULL: none. */
static const char *find_place(const char *words)
{
    const char *place = strchr(words, '{');
    assert(!place || place[1] == '}' || !strncmp(place, heap_place, sizeof heap_place - 1));
    return place;
}

bool pr_sentence_add(struct pr_arena *arena, struct pr_sentence *sentence, const char *heap, const char *words,
                     const struct pr_phrase *phrases)
{
    const struct pr_phrase name = {.kind = PR_PHRASE_TEXT, .text = pr_text_of(heap)};
    for (const char *rest = words; *rest;) {
        const char *place = find_place(rest);
        const size_t length = place ? (size_t)(place - rest) : strlen(rest);
        const struct pr_phrase text = {.kind = PR_PHRASE_TEXT, .text = {rest, (uint32_t)length}};
        if (length && !add_piece(arena, sentence, text))
            return false;
        rest += length;
        if (!place)
            break;
        const bool is_heap = place[1] != '}';
        if (!is_heap && phrases->kind == PR_PHRASE_END)
            return false;
        if (!add_piece(arena, sentence, is_heap ? name : *phrases++))
            return false;
        rest += is_heap ? sizeof heap_place - 1 : 2;
    }
    return phrases->kind == PR_PHRASE_END;
}
