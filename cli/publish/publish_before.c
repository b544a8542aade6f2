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

/* Replaces what is between the marks. False: the card has no such place, or no memory. */
static bool fill_place(const struct pr_buf *card, const struct pr_buf *text, struct pr_buf *filled)
{
    static const char close[] = "</div>";
    const char *end = card->bytes + card->length;
    const char *at = card->length ? memmem(card->bytes, card->length, PR_CARD_BEFORE, sizeof PR_CARD_BEFORE - 1) : NULL;
    at = at ? at + sizeof PR_CARD_BEFORE - 1 : NULL;
    const char *rest = at ? memmem(at, (size_t)(end - at), close, sizeof close - 1) : NULL;
    if (!rest)
        return false;
    pr_buf_add(filled, card->bytes, (size_t)(at - card->bytes));
    pr_buf_add(filled, text->bytes, text->length);
    pr_buf_add(filled, rest, (size_t)(end - rest));
    return !filled->failed;
}

static int write_text(const struct pr_publish_settings *settings, const char *name, const struct pr_buf *text)
{
    struct pr_buf card = {0}, filled = {0};
    int status = PR_EXIT_DONE;
    if (pr_site_read(&settings->site, name, MOST_CARD_BYTES, &card) == PR_SITE_FOUND &&
        fill_place(&card, text, &filled))
        status = pr_site_write(&settings->site, name, filled.bytes, filled.length);
    pr_buf_clear(&card);
    pr_buf_clear(&filled);
    return status;
}

/* Fills the place of one card, unless TEXT is there already. */
static int tell_one(const struct pr_publish_settings *settings, json_t *entry, const struct pr_buf *text)
{
    char hash[PR_SHA256_HEX] = "";
    if (!pr_publish_has_card(entry))
        return PR_EXIT_DONE;
    if (text->length)
        pr_sha256(text->bytes, text->length, hash);
    if (text->length)
        hash[HASH_LETTERS] = '\0';
    if (strcmp(pr_publish_text(entry, key), hash) == 0)
        return PR_EXIT_DONE;
    const int status = write_text(settings, pr_publish_text(entry, "card"), text);
    if (status == PR_EXIT_DONE && *hash)
        json_object_set_new(entry, key, json_string(hash));
    else if (status == PR_EXIT_DONE)
        json_object_del(entry, key);
    return status;
}

int pr_publish_tell_before(const struct pr_publish_settings *settings, const struct pr_index *index, json_t *runs)
{
    struct pr_buf *texts = calloc(index->count + 1, sizeof *texts);
    struct pr_error err = {0};
    int status = PR_EXIT_DONE;
    if (!texts || pr_render_before(index, texts, &err) == PR_FAILED) {
        pr_say("%s: out of memory", settings->site.path);
        status = PR_EXIT_OUTPUT;
    }
    for (size_t i = 0; status == PR_EXIT_DONE && i < index->count; i++)
        status = tell_one(settings, json_array_get(runs, i), &texts[i]);
    for (size_t i = 0; texts && i < index->count; i++)
        pr_buf_clear(&texts[i]);
    free(texts);
    return status;
}
