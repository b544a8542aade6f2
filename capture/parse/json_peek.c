/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a copy of the source's beginning, and enters the first item of each array. */
#include "capture/parse/json_peek.h"

#include "capture/parse/json_stream.h"

enum { PEEK_DEPTH = 8 };

struct peek {
    struct pr_json_stream json;
    struct pr_json_peek *out;
    char path[PR_JSON_PEEK_PATH];
    size_t length[PEEK_DEPTH + 1]; /* of the path to the bracket of each depth */
    bool seen[PEEK_DEPTH + 1];     /* the array of that depth has had its first item */
};

/* Enters the object or array at hand, whose path is LENGTH long, or skips it. */
static void enter_peek(struct peek *peek, size_t length)
{
    if (peek->json.depth > PEEK_DEPTH) {
        pr_json_skip(&peek->json);
        return;
    }
    peek->length[peek->json.depth] = length;
    peek->seen[peek->json.depth] = false;
}

static void peek_value(struct peek *peek, size_t length)
{
    static const char kinds[] = {
        [PR_JSON_OBJECT] = '{', [PR_JSON_ARRAY] = '[', [PR_JSON_STRING] = '"', [PR_JSON_NUMBER] = '0',
        [PR_JSON_TRUE] = 't',   [PR_JSON_FALSE] = 'f', [PR_JSON_NULL] = 'n'};
    enum pr_json_token token = pr_json_next(&peek->json);
    if (token < PR_JSON_OBJECT)
        return;
    if (peek->out->count < PR_JSON_PEEK_PLACES) {
        struct pr_json_place *place = &peek->out->place[peek->out->count++];
        memcpy(place->path, peek->path, length);
        place->kind = kinds[token];
        if (token == PR_JSON_STRING) {
            size_t size = peek->json.text.length;
            memcpy(place->value, peek->json.text.bytes, size < sizeof place->value ? size : sizeof place->value - 1);
        }
    }
    if (token <= PR_JSON_ARRAY)
        enter_peek(peek, length);
}

static void peek_key(struct peek *peek)
{
    size_t before = peek->length[peek->json.depth], size = peek->json.text.length;
    if (before + 1 + size >= sizeof peek->path) {
        pr_json_skip(&peek->json);
        return;
    }
    if (before)
        peek->path[before++] = '.';
    memcpy(peek->path + before, peek->json.text.bytes, size);
    peek_value(peek, before + size);
}

static void peek_item(struct peek *peek)
{
    uint32_t depth = peek->json.depth - (peek->json.token <= PR_JSON_ARRAY); /* of the array that it is in */
    if (peek->seen[depth])
        pr_json_skip(&peek->json);
    else if (peek->json.token <= PR_JSON_ARRAY)
        enter_peek(peek, peek->length[depth]);
    peek->seen[depth] = true;
}

void pr_json_peek(struct pr_source *src, struct pr_json_peek *out)
{
    const struct pr_limits limits = {.max_string_bytes = PR_JSON_PEEK_BYTES};
    struct pr_error err = {0};
    struct peek peek = {.out = out};
    memset(out, 0, sizeof *out);
    struct pr_source view = pr_source_view(src, PR_JSON_PEEK_BYTES);
    pr_json_begin(&peek.json, &view, &limits, &err);
    enum pr_json_token token = pr_json_next(&peek.json);
    if (token == PR_JSON_OBJECT || token == PR_JSON_ARRAY) {
        out->first = token == PR_JSON_OBJECT ? '{' : '[';
        while (pr_json_next(&peek.json) > PR_JSON_END) {
            if (peek.json.token == PR_JSON_KEY)
                peek_key(&peek);
            else if (peek.json.token > PR_JSON_KEY)
                peek_item(&peek);
        }
    }
    if (err.code == PR_ERR_DAMAGED && !out->count) /* a brace may also open a Python dictionary */
        out->first = 0;
    pr_json_end(&peek.json);
}

static const struct pr_json_place *find_place(const struct pr_json_peek *peek, const char *path, char kind)
{
    for (unsigned i = 0; i < peek->count; i++)
        if (!strcmp(peek->place[i].path, path) && (!kind || peek->place[i].kind == kind))
            return &peek->place[i];
    return NULL;
}

unsigned pr_json_evidence(const struct pr_json_peek *peek, const char *path, char kind)
{
    return find_place(peek, path, kind) ? 8 * (unsigned)strlen(path) : 0;
}

unsigned pr_json_evidence_string(const struct pr_json_peek *peek, const char *path, const char *beginning)
{
    const struct pr_json_place *place = find_place(peek, path, '"');
    size_t length = strlen(beginning);
    if (!place || strncmp(place->value, beginning, length))
        return 0;
    return 8 * (unsigned)(strlen(path) + length);
}
