/* SPDX-License-Identifier: Apache-2.0 */
/* Each function asks the one parser or the other. */
#include "capture/readers/stackprof_document.h"

#include "capture/base/text.h"

void pr_stackprof_begin(struct pr_stackprof_document *d, struct pr_source *src, struct pr_strings *strings,
                        const struct pr_limits *limits, struct pr_damage *damage, struct pr_error *err)
{
    d->strings = strings;
    d->no_memory = false;
    pr_source_need(src, 1);
    d->is_json = src->at == src->end || *src->at != 4; /* what Marshal begins with */
    pr_json_begin(&d->json, src, limits, err);
    pr_ruby_begin(&d->ruby, src, strings, limits, err);
    d->json.damage = damage;
}

void pr_stackprof_end(struct pr_stackprof_document *d)
{
    pr_json_end(&d->json);
    pr_ruby_end(&d->ruby);
}

void pr_stackprof_skip(struct pr_stackprof_document *d)
{
    if (d->is_json)
        pr_json_skip(&d->json);
    else
        pr_ruby_skip(&d->ruby);
}

static bool enters(struct pr_stackprof_document *d, enum pr_json_token json, enum pr_ruby_token ruby)
{
    const bool is = d->is_json ? d->json.token == json : d->ruby.token == ruby;
    if (!is)
        pr_stackprof_skip(d);
    return is;
}

bool pr_stackprof_hash(struct pr_stackprof_document *d)
{
    return enters(d, PR_JSON_OBJECT, PR_RUBY_HASH);
}

bool pr_stackprof_list(struct pr_stackprof_document *d)
{
    return enters(d, PR_JSON_ARRAY, PR_RUBY_ARRAY);
}

bool pr_stackprof_root(struct pr_stackprof_document *d)
{
    if (d->is_json)
        pr_json_next(&d->json);
    else
        pr_ruby_next(&d->ruby);
    return pr_stackprof_hash(d);
}

/* A string, or 0 where there is no memory for it. */
static pr_str kept(struct pr_stackprof_document *d, pr_str string)
{
    d->no_memory |= string == PR_NO_STR;
    return string == PR_NO_STR ? 0 : string;
}

static bool json_key(struct pr_stackprof_document *d, pr_str *key, bool *has_number, uint64_t *number)
{
    if (!pr_json_key(&d->json))
        return false;
    *has_number = pr_text_number(d->json.text, number);
    *key = *has_number ? 0 : kept(d, pr_strings_add(d->strings, d->json.text.bytes, d->json.text.length));
    return pr_json_next(&d->json) > PR_JSON_KEY;
}

static bool ruby_key(struct pr_ruby *ruby, pr_str *key, bool *has_number, uint64_t *number)
{
    if (pr_ruby_next(ruby) <= PR_RUBY_CLOSE)
        return false;
    *has_number = ruby->token == PR_RUBY_INTEGER;
    *number = *has_number ? (uint64_t)ruby->integer : 0;
    *key = ruby->token == PR_RUBY_STRING ? ruby->string : 0;
    pr_ruby_skip(ruby);
    return pr_ruby_next(ruby) > PR_RUBY_CLOSE;
}

bool pr_stackprof_key(struct pr_stackprof_document *d, pr_str *key, bool *has_number, uint64_t *number)
{
    return d->is_json ? json_key(d, key, has_number, number) : ruby_key(&d->ruby, key, has_number, number);
}

bool pr_stackprof_part(struct pr_stackprof_document *d)
{
    return d->is_json ? pr_json_item(&d->json) : pr_ruby_next(&d->ruby) > PR_RUBY_CLOSE;
}

bool pr_stackprof_integer(struct pr_stackprof_document *d, int64_t *integer)
{
    const struct pr_maybe number = d->is_json ? pr_json_maybe(&d->json, 0) : (struct pr_maybe){0};
    const bool is = d->is_json ? number.known : d->ruby.token == PR_RUBY_INTEGER;
    *integer = !is ? 0 : d->is_json ? number.value : d->ruby.integer;
    pr_stackprof_skip(d);
    return is;
}

bool pr_stackprof_string(struct pr_stackprof_document *d, pr_str *string)
{
    const bool is = d->is_json ? d->json.token == PR_JSON_STRING : d->ruby.token == PR_RUBY_STRING;
    *string = !is ? 0 : d->is_json ? kept(d, pr_json_intern(&d->json, d->strings)) : d->ruby.string;
    pr_stackprof_skip(d);
    return is;
}

enum pr_status pr_stackprof_status(const struct pr_stackprof_document *d)
{
    if (d->no_memory)
        return pr_fail_memory(d->json.err);
    return d->is_json ? pr_json_status(&d->json) : pr_scan_status(&d->ruby.scan);
}
