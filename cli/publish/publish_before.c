/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a card says of the runs before it: known only when all runs are, so each card has a place for it, which is
 * filled last, and again when other runs came or went. The list remembers by a hash what is there.
 */
#include "capture/base/sha256.h"
#include "cli/io/say.h"
#include "cli/publish/publish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CARD_BYTES = 1 << 28, HASH_LETTERS = 16 };

static const char key[] = "before";

/* What is in the place of a kind; NULL: a card without such a figure has no place for it. */
static const char *find_place(const struct pr_buf *card, enum pr_before kind, size_t *length)
{
    static const char close[] = PR_CARD_BEFORE_END;
    char open[sizeof PR_CARD_BEFORE + 8];
    const int opening = snprintf(open, sizeof open, PR_CARD_BEFORE, pr_before_name(kind));
    const char *end = card->bytes + card->length, *at = NULL, *rest = NULL;
    if (card->length && (at = memmem(card->bytes, card->length, open, (size_t)opening))) {
        at += opening;
        rest = memmem(at, (size_t)(end - at), close, sizeof close - 1);
    }
    *length = rest ? (size_t)(rest - at) : 0;
    return rest ? at : NULL;
}

/* Replaces what is in the place of a kind, and sets *IS_NEW, unless TEXT is there already. False: no memory. */
static bool fill_place(struct pr_buf *card, enum pr_before kind, const struct pr_buf *text, bool *is_new)
{
    struct pr_buf filled = {0};
    size_t length;
    const char *at = find_place(card, kind, &length);
    if (!at || (length == text->length && (!length || memcmp(at, text->bytes, length) == 0)))
        return true;
    const char *end = card->bytes + card->length;
    pr_buf_add(&filled, card->bytes, (size_t)(at - card->bytes));
    pr_buf_add(&filled, text->bytes, text->length);
    pr_buf_add(&filled, at + length, (size_t)(end - at) - length);
    pr_buf_clear(card);
    *card = filled;
    *is_new = true;
    return !card->failed;
}

/* A card that has no place for them, or has them already, stays as it is. */
static int write_texts(const struct pr_publish_settings *settings, const char *name,
                       const struct pr_before_texts *texts)
{
    struct pr_buf card = {0};
    bool is_new = false, done = pr_site_read(&settings->site, name, MOST_CARD_BYTES, &card) == PR_SITE_FOUND;
    for (int kind = PR_BEFORE_NONE + 1; done && kind < PR_BEFORE_KINDS; kind++)
        done = fill_place(&card, (enum pr_before)kind, &texts->kind[kind], &is_new);
    const int status = done && is_new ? pr_site_write(&settings->site, name, card.bytes, card.length) : PR_EXIT_DONE;
    pr_buf_clear(&card);
    return status;
}

/* Of all texts of a card; empty without any. */
static bool hash_texts(const struct pr_before_texts *texts, char hash[PR_SHA256_HEX])
{
    struct pr_buf all = {0};
    bool is_any = false;
    for (int kind = PR_BEFORE_NONE + 1; kind < PR_BEFORE_KINDS; kind++) {
        is_any |= texts->kind[kind].length > 0;
        pr_buf_add(&all, texts->kind[kind].bytes, texts->kind[kind].length);
        pr_buf_byte(&all, '\n');
    }
    if (is_any)
        pr_sha256(all.bytes, all.length, hash);
    hash[is_any ? HASH_LETTERS : 0] = '\0';
    const bool done = !all.failed;
    pr_buf_clear(&all);
    return done;
}

/* Fills the places of one card, unless TEXTS are there already. */
static int tell_one(const struct pr_publish_settings *settings, json_t *entry, const struct pr_before_texts *texts)
{
    char hash[PR_SHA256_HEX] = "";
    if (!pr_publish_has_card(entry) || !hash_texts(texts, hash) || strcmp(pr_publish_text(entry, key), hash) == 0)
        return PR_EXIT_DONE;
    const int status = write_texts(settings, pr_publish_text(entry, "card"), texts);
    if (status == PR_EXIT_DONE && *hash)
        json_object_set_new(entry, key, json_string(hash));
    else if (status == PR_EXIT_DONE)
        json_object_del(entry, key);
    return status;
}

int pr_publish_tell_before(const struct pr_publish_settings *settings, const struct pr_index *index, json_t *runs)
{
    struct pr_before_texts *texts = calloc(index->count + 1, sizeof *texts);
    struct pr_error err = {0};
    int status = PR_EXIT_DONE;
    if (!texts || pr_render_before(index, texts, &err) == PR_FAILED) {
        pr_say("%s: out of memory", settings->site.path);
        status = PR_EXIT_OUTPUT;
    }
    for (size_t i = 0; status == PR_EXIT_DONE && i < index->count; i++)
        status = tell_one(settings, json_array_get(runs, i), &texts[i]);
    for (size_t i = 0; texts && i < index->count; i++)
        for (int kind = 0; kind < PR_BEFORE_KINDS; kind++)
            pr_buf_clear(&texts[i].kind[kind]);
    free(texts);
    return status;
}
