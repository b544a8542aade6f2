/* SPDX-License-Identifier: Apache-2.0 */
/* Source: RFC 2781. A half of a pair that is alone becomes U+FFFD, as does a byte that is. */
#include "capture/frame/utf16_source.h"

#include "capture/input/layer.h"

enum { STEP_BYTES = 64 * 1024, LONGEST = 4, PROBED = 64 };

struct utf16_source {
    struct pr_layer layer;
    bool is_big;
};

static unsigned unit_at(const struct utf16_source *source, const uint8_t *at)
{
    return source->is_big ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

/* The bytes of CHARACTER at OUT; how many. */
static size_t put(uint32_t character, uint8_t *out)
{
    const unsigned following = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const uint8_t first[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (uint8_t)(first[following] | character >> 6 * following);
    for (unsigned i = 1; i <= following; i++)
        out[i] = (uint8_t)(0x80 | (character >> 6 * (following - i) & 0x3F));
    return following + 1;
}

/* The character at BELOW, which has two bytes or more; skips it. */
static uint32_t take(struct utf16_source *source, struct pr_source *below)
{
    const unsigned first = unit_at(source, below->at);
    uint32_t character = first;
    size_t size = 2;
    if (first >= 0xD800 && first < 0xE000) {
        const bool has_second = first < 0xDC00 && pr_source_need(below, 4);
        const unsigned second = has_second ? unit_at(source, below->at + 2) : 0;
        const bool is_pair = second >= 0xDC00 && second < 0xE000;
        character = is_pair ? 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)) : 0xFFFD;
        size = is_pair ? 4 : 2;
    }
    pr_source_skip(below, size);
    return character;
}

static void step(struct pr_layer *layer, uint8_t *out, size_t room)
{
    struct utf16_source *source = (struct utf16_source *)layer;
    struct pr_source *below = layer->source.below;
    size_t made = 0;
    while (made + LONGEST <= room && pr_source_need(below, 2))
        made += put(take(source, below), out + made);
    if (made + LONGEST <= room && pr_source_available(below) == 1) {
        pr_source_skip(below, 1);
        made += put(0xFFFD, out + made);
    }
    pr_layer_add(layer, made);
    if (!made)
        pr_layer_stop(layer);
}

static void close_source(struct pr_source *src)
{
    pr_layer_free(src->state);
}

enum pr_utf16 pr_utf16_probe(struct pr_source *src)
{
    unsigned even = 0, odd = 0;
    pr_source_need(src, PROBED);
    const size_t available = pr_source_available(src), count = available < PROBED ? available : PROBED;
    if (count >= 2 && src->at[0] == 0xFF && src->at[1] == 0xFE)
        return PR_UTF16_LITTLE;
    if (count >= 2 && src->at[0] == 0xFE && src->at[1] == 0xFF)
        return PR_UTF16_BIG;
    for (size_t i = 0; i + 1 < count; i += 2) {
        even += !src->at[i];
        odd += !src->at[i + 1];
    }
    if (count < 8)
        return PR_NOT_UTF16;
    if (!even && odd >= count / 2 * 3 / 4)
        return PR_UTF16_LITTLE;
    return !odd && even >= count / 2 * 3 / 4 ? PR_UTF16_BIG : PR_NOT_UTF16;
}

struct pr_source *pr_utf16_source_new(struct pr_source *below, enum pr_utf16 order)
{
    static const struct pr_source_class class = {.fill = pr_layer_fill, .close = close_source};
    struct utf16_source *source = pr_layer_new(sizeof *source, &class, below->name, below->packing, below, STEP_BYTES);
    if (!source)
        return NULL;
    source->is_big = order == PR_UTF16_BIG;
    source->layer.step = step;
    return &source->layer.source;
}
