/* SPDX-License-Identifier: Apache-2.0 */
/* The template run backwards: reads from each slot what pr_render_card puts there. */
#include "render/page/card_proof.h"

#include "capture/base/ascii.h"
#include "render/html/template.h"
#include "render/page/parts.h"

#include <string.h>
#include <strings.h>

enum { MOST_DEPTH = 64, NAME_SIZE = 24, HASH_LENGTH = 51 };

/* What is left of the page. */
struct markup {
    const char *at, *end;
    const char *why; /* the first thing that is wrong, or NULL */
    unsigned set;    /* of the parts of script and style: what the style shows, then what the script does, too */
    const char *style_hash, *script_hash; /* as the policy has them: HASH_LENGTH letters */
};

static bool wrong(struct markup *page, const char *why)
{
    if (!page->why)
        page->why = why;
    return false;
}

static bool take(struct markup *page, const void *bytes, size_t length)
{
    if ((size_t)(page->end - page->at) < length || memcmp(page->at, bytes, length) != 0)
        return false;
    page->at += length;
    return true;
}

static bool take_text(struct markup *page, const char *text)
{
    return take(page, text, strlen(text));
}

/* Letters, digits and the characters in OTHERS. */
static void take_letters(struct markup *page, const char *others)
{
    while (page->at < page->end && *page->at && (pr_is_alphanumeric(*page->at) || strchr(others, *page->at)))
        page->at++;
}

/* Text without markup, up to the next tag. The only controls are tabs and ends of lines. */
static bool take_words(struct markup *page)
{
    for (; page->at < page->end && *page->at != '<'; page->at++)
        if (((unsigned char)*page->at < ' ' && *page->at != '\n' && *page->at != '\t') || *page->at == 0x7f)
            return wrong(page, "its text has control characters");
    return true;
}

/* ---- markup ------------------------------------------------------------------------------------------------------ */

/* What the sections of a card are made of. None of them loads, runs or submits anything. */
static const char elements[] =
    " a b blockquote br button caption circle code dd details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input label li "
    "kbd line mark nav ol p path pre rect section small span strong summary svg table tbody td text th thead time "
    "title tr tspan ul wbr ";
static const char empty_elements[] = " br hr img input wbr ";
static const char attributes[] =
    " alt checked class colspan cx cy d datetime dx dy fill font-family font-size for height hidden href id name open "
    "overflow preserveAspectRatio r rel role rowspan rx ry scope src start stroke stroke-dasharray stroke-width "
    "tabindex target text-anchor title transform type value vector-effect viewBox width x x1 x2 y y1 y2 ";

static bool is_one_of(const char *words, const char *name, size_t length)
{
    char word[NAME_SIZE + 2];
    if (length > NAME_SIZE)
        return false;
    word[0] = ' ';
    memcpy(word + 1, name, length);
    word[length + 1] = ' ';
    return memmem(words, strlen(words), word, length + 2);
}

static bool starts(const char *text, size_t length, const char *beginning)
{
    return length >= strlen(beginning) && !strncasecmp(text, beginning, strlen(beginning));
}

static bool is_good_link(const char *url, size_t length)
{
    return starts(url, length, "https://") || starts(url, length, "http://") || starts(url, length, "mailto:") ||
           starts(url, length, "#") ||
           (length == strlen(PR_SITE_INDEX) && !memcmp(url, PR_SITE_INDEX, length));
}

static bool is_good_attribute(const char *name, size_t length, const char *value, size_t value_length)
{
    if (starts(name, length, "data-") || starts(name, length, "aria-"))
        return true;
    if (!is_one_of(attributes, name, length))
        return false;
    if (length == 4 && !memcmp(name, "href", 4))
        return is_good_link(value, value_length);
    if (length == 3 && !memcmp(name, "src", 3))
        return starts(value, value_length, "data:image/");
    return true;
}

/* name, name='value' or name="value". No tag begins within a value, so nothing depends on how quotes are read. */
static bool take_attribute(struct markup *page)
{
    const char *name = page->at, *value = "";
    size_t value_length = 0;
    take_letters(page, "-");
    const size_t length = (size_t)(page->at - name);
    if (take_text(page, "=")) {
        const char quote = page->at < page->end ? *page->at : '\0';
        value = page->at + 1;
        const char *close = quote == '\'' || quote == '"' ? memchr(value, quote, (size_t)(page->end - value)) : NULL;
        if (!close || memchr(value, '<', (size_t)(close - value)) || memchr(value, '\0', (size_t)(close - value)))
            return wrong(page, "it has an attribute that no card has");
        value_length = (size_t)(close - value);
        page->at = close + 1;
    }
    return (length && is_good_attribute(name, length, value, value_length)) ||
           wrong(page, "it has an attribute that no card has");
}

/* Elements that are open. */
struct open {
    struct {
        const char *name;
        size_t length;
    } element[MOST_DEPTH];
    size_t depth;
};

static bool take_opening(struct markup *page, struct open *open)
{
    const char *name = page->at;
    take_letters(page, "");
    const size_t length = (size_t)(page->at - name);
    if (!is_one_of(elements, name, length))
        return wrong(page, "it has an element that no card has");
    while (page->at < page->end && (*page->at == ' ' || *page->at == '\n')) {
        page->at++;
        if (!take_attribute(page))
            return false;
    }
    const bool closed = take_text(page, "/>");
    if (!closed && !take_text(page, ">"))
        return wrong(page, "its markup is not that of a card");
    if (closed || is_one_of(empty_elements, name, length))
        return true;
    if (open->depth == MOST_DEPTH)
        return wrong(page, "its elements are nested too deeply");
    open->element[open->depth].name = name;
    open->element[open->depth++].length = length;
    return true;
}

static bool take_closing(struct markup *page, struct open *open)
{
    const size_t top = open->depth - 1;
    if (!take(page, open->element[top].name, open->element[top].length) || !take_text(page, ">"))
        return wrong(page, "its elements are closed in the wrong order");
    open->depth = top;
    return true;
}

/* Elements and text up to the end tag of the element around them. */
static bool take_markup(struct markup *page)
{
    struct open open = {.depth = 0};
    while (take_words(page) && page->at < page->end) {
        if (page->end - page->at > 1 && page->at[1] == '/') {
            if (!open.depth)
                return true;
            page->at += 2;
            if (!take_closing(page, &open))
                return false;
            continue;
        }
        page->at++;
        if (!take_opening(page, &open))
            return false;
    }
    return wrong(page, "it is cut");
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

/* A hash, which is compared when what it is of was read. */
static bool take_policy(struct markup *page, const char **hash)
{
    *hash = page->at;
    take_letters(page, "+/=-");
    return page->at - *hash == HASH_LENGTH;
}

static bool is_allowed(const struct pr_pieces *pieces, unsigned set, const char *hash)
{
    struct pr_buf own = {0};
    pr_parts_add_hash(pieces, set, &own);
    const bool is_same = !own.failed && own.length == HASH_LENGTH && memcmp(own.bytes, hash, HASH_LENGTH) == 0;
    pr_buf_clear(&own);
    return is_same;
}

static bool take_pieces(struct markup *page, const struct pr_pieces *pieces, const char *hash)
{
    page->at += pr_parts_match(pieces, page->set, page->at, (size_t)(page->end - page->at));
    return is_allowed(pieces, page->set, hash);
}

static bool take_style(struct markup *page)
{
    const struct pr_pieces style = pr_parts_style();
    if (!take_text(page, "<style>"))
        return false;
    page->set = pr_parts_find(&style, page->at, (size_t)(page->end - page->at));
    return take_pieces(page, &style, page->style_hash) && take_text(page, "</style>");
}

static bool take_script(struct markup *page)
{
    const struct pr_pieces script = pr_parts_script();
    if (!take_text(page, "<script>"))
        return false;
    page->set |= pr_parts_find(&script, page->at, (size_t)(page->end - page->at)); /* a part may have no style */
    return take_pieces(page, &script, page->script_hash) && take_text(page, "</script>");
}

/* Base64; blanks divide its parts. */
static bool take_data(struct markup *page)
{
    take_letters(page, "+/= ");
    return true;
}

static bool take_sources(struct markup *page)
{
    if (!take_text(page, "<script type=\"application/octet-stream\" id=\"pr-sources\">"))
        return true;
    return take_data(page) && take_text(page, "</script>\n");
}

static bool take_rest(struct markup *page)
{
    while (take_text(page, "<script type=\"application/octet-stream\" class=\"rest\">")) {
        if (!take_data(page) || !take_text(page, "</script>\n"))
            return false;
    }
    return true;
}

static bool take_theme(struct markup *page)
{
    if (!take_text(page, " data-theme='light'"))
        take_text(page, " data-theme='dark'");
    return true;
}

static bool take_slot(struct markup *page, const char *name)
{
    static const char other_build[] =
        "its script is not that of this version: it comes from another version or was changed; publish its capture "
        "instead";
    if (!strcmp(name, "theme"))
        return take_theme(page);
    if (!strcmp(name, "title"))
        return take_words(page);
    if (!strcmp(name, "payload"))
        return take_data(page);
    if (!strcmp(name, "sources"))
        return take_sources(page);
    if (!strcmp(name, "rest"))
        return take_rest(page);
    if (!strcmp(name, "style-policy"))
        return take_policy(page, &page->style_hash) || wrong(page, other_build);
    if (!strcmp(name, "script-policy"))
        return take_policy(page, &page->script_hash) || wrong(page, other_build);
    if (!strcmp(name, "style"))
        return take_style(page) || wrong(page, other_build);
    if (!strcmp(name, "script"))
        return take_script(page) || wrong(page, other_build);
    if (!strcmp(name, "state")) {
        take_letters(page, "");
        return true;
    }
    return take_markup(page);
}

bool pr_card_is_ours(const char *bytes, size_t length, const char **why)
{
    static const char no_card[] = "it differs from the cards of this version; publish its capture instead";
    struct markup page = {.at = bytes, .end = bytes + length};
    const char *at = (const char *)pr_template_card, *end = at + pr_template_card_size, *slot;
    bool good = true;
    while (good && (slot = memmem(at, (size_t)(end - at), "{{", 2))) {
        char name[NAME_SIZE] = "";
        const char *close = memmem(slot, (size_t)(end - slot), "}}", 2);
        const size_t name_length = (size_t)(close - slot - 2);
        memcpy(name, slot + 2, name_length < sizeof name ? name_length : sizeof name - 1);
        good = take(&page, at, (size_t)(slot - at)) && take_slot(&page, name);
        at = close + 2;
    }
    good = good && take(&page, at, (size_t)(end - at)) && page.at == page.end;
    *why = good ? NULL : page.why ? page.why : no_card;
    return good;
}
