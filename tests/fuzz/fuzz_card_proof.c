/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes in a place of a real card, and any bytes as a page: what is taken for a card of ours has our script and
 * style once each, no other element that loads or runs anything, no handler, and no link with a scheme that runs code.
 *
 *     3 bytes   where in the card, its style and script left out
 *     2 bytes   how many bytes of it are replaced
 *     rest      by what
 */
#include "profrender/load.h"
#include "render/card.h"
#include "render/page/card_proof.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HEAD = 5 };

/* A part of a card; style and script are fixed, as a change of either is refused at once. */
struct part {
    size_t from, to;
};

static struct pr_buf make_card(void)
{
    static const char stacks[] = "main (a.py:1);work (a.py:2) 3\nmain (a.py:1) 4\n";
    const struct pr_load_options options = pr_load_options_default();
    struct pr_card_options card = pr_card_options_default();
    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    struct pr_buf page = {0};
    if (pr_load_memory("a.folded", stacks, strlen(stacks), &options, &profile, &err) != PR_OK ||
        pr_render_card(profile, &card, &page, &err) != PR_OK)
        abort();
    pr_profile_free(profile);
    return page;
}

static struct part find_part(const struct pr_buf *page, const char *start, const char *end)
{
    const char *from = memmem(page->bytes, page->length, start, strlen(start));
    const char *to = from ? memmem(from, page->length - (size_t)(from - page->bytes), end, strlen(end)) : NULL;
    if (!to)
        abort();
    return (struct part){(size_t)(from - page->bytes), (size_t)(to - page->bytes)};
}

static unsigned count_of(const struct pr_buf *page, const char *text)
{
    unsigned count = 0;
    for (size_t at = 0; at + strlen(text) <= page->length; at++)
        count += strncasecmp(page->bytes + at, text, strlen(text)) == 0;
    return count;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* An attribute whose name begins at AT, as a browser reads it: none that runs anything. */
static void check_attribute(const char *at, const char *end)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    if (end - at > 2 && !strncasecmp(at, "on", 2) && is_letter(at[2]))
        abort();
    if (!equals || (strncasecmp(at, "href", 4) && strncasecmp(at, "src", 3)))
        return;
    for (at = equals + 1; at < end && (*at <= ' ' || *at == '\'' || *at == '"');)
        at++;
    static const char *const schemes[] = {"javascript", "vbscript", "data:text", "blob", "file", "&"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if ((size_t)(end - at) > strlen(schemes[i]) && !strncasecmp(at, schemes[i], strlen(schemes[i])))
            abort();
}

/* From the "<" at AT to its ">", quotes obeyed. */
static const char *check_tag(const char *at, const char *end)
{
    char quote = '\0';
    for (at++; at < end && (quote || *at != '>'); at++) {
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if ((*at <= ' ' || *at == '/') && at + 1 < end && is_letter(at[1]))
            check_attribute(at + 1, end);
    }
    return at;
}

static void check_accepted(const struct pr_buf *page, const struct pr_buf *card)
{
    static const char *const none[] = {"<iframe", "<object", "<embed", "<form", "<template", "<foreignobject", "<use",
                                       "<animate", "<set", "<math", "<video", "<audio", "<textarea", "<noscript"};
    static const char *const same[] = {"<script", "<style", "<meta", "<link", "<base", "<html", "<head", "<body"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (count_of(page, none[i]) > count_of(card, none[i]))
            abort();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (count_of(page, same[i]) > count_of(card, same[i]) + (i == 0)) /* data of source files */
            abort();
    const char *start = memmem(page->bytes, page->length, "<body", 5), *end = page->bytes + page->length;
    const char *stop = start ? memmem(start, (size_t)(end - start), "<script", 7) : NULL;
    for (const char *at = start; at && at < stop; at++)
        if (*at == '<')
            at = check_tag(at, stop);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct pr_buf card;
    static struct part style, script;
    const char *why = NULL;
    if (!card.length) {
        card = make_card();
        style = find_part(&card, "<style>", "</style>");
        script = find_part(&card, "<script>", "</script>");
        if (!pr_card_is_ours(card.bytes, card.length, &why))
            abort();
    }
    if (pr_card_is_ours((const char *)bytes, length, &why) || !why)
        abort();
    if (length < HEAD)
        return 0;
    const size_t fixed = style.to - style.from + script.to - script.from;
    size_t from = ((size_t)bytes[0] << 16 | (size_t)bytes[1] << 8 | bytes[2]) % (card.length - fixed);
    const size_t replaced = (size_t)bytes[3] << 8 | bytes[4];
    from += from >= style.from ? style.to - style.from : 0;
    from += from >= script.from ? script.to - script.from : 0;
    const size_t to = replaced < card.length - from ? from + replaced : card.length;
    struct pr_buf page = {0};
    pr_buf_add(&page, card.bytes, from);
    pr_buf_add(&page, bytes + HEAD, length - HEAD);
    pr_buf_add(&page, card.bytes + to, card.length - to);
    if (!page.failed && pr_card_is_ours(page.bytes, page.length, &why))
        check_accepted(&page, &card);
    else if (!page.failed && !why)
        abort();
    pr_buf_clear(&page);
    return 0;
}
