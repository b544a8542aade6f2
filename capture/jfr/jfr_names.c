/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of fields, and of classes as Java writes them. */
#include "capture/jfr/jfr_names.h"

#include "capture/base/text.h"

enum { MOST_STEPS = 4 }; /* from a field to its text: a constant, its first field, a key of a string */

static void add_string(const struct pr_jfr *r, uint64_t type_id, struct pr_jfr_bytes at, struct pr_buf *out)
{
    struct pr_jfr_string string = pr_jfr_string(&at);
    if (string.encoding == PR_JFR_CONSTANT) {
        if (!pr_jfr_pools_find(&r->pools, type_id, string.key, &at))
            return;
        string = pr_jfr_string(&at);
    }
    if (!at.failed)
        pr_jfr_string_add(&string, out);
}

void pr_jfr_add_text(const struct pr_jfr *r, uint32_t type, uint32_t field, const struct pr_jfr_value *values,
                     struct pr_buf *out)
{
    struct pr_jfr_value below[PR_JFR_MAX_VALUES];
    for (unsigned step = 0; step < MOST_STEPS && field != PR_NO_ID; step++) {
        const struct pr_jfr_field *described = &r->types.fields[r->types.types[type].first_field + field];
        const struct pr_jfr_type *of = described->type != PR_NO_ID ? &r->types.types[described->type] : NULL;
        struct pr_jfr_bytes at = values[field].at;
        if (!of || described->is_array)
            return;
        if (described->is_constant && !pr_jfr_pools_find(&r->pools, of->id, values[field].number, &at))
            return;
        if (of->kind == PR_JFR_STRING) {
            add_string(r, of->id, at, out);
            return;
        }
        if (of->kind != PR_JFR_FIELDS)
            return;
        type = described->type;
        pr_jfr_values(&r->types, type, &at, below);
        if (at.failed)
            return;
        values = below;
        field = 0;
    }
}

pr_str pr_jfr_text(struct pr_jfr *r, uint32_t type, uint32_t field, const struct pr_jfr_value *values)
{
    struct pr_buf text = {0};
    pr_jfr_add_text(r, type, field, values, &text);
    return pr_build_buf(&r->c, &text);
}

/* Without what only this run has in it. */
static struct pr_text lasting(struct pr_text name)
{
    static const char lambda[] = "$$Lambda";
    for (uint32_t i = 1; i + 2 < name.length; i++)
        if (name.bytes[i] == '0' && name.bytes[i + 1] == 'x' && memchr("/+.", name.bytes[i - 1], 3))
            return pr_text_part(name, 0, i - (size_t)1);
    const char *at = memmem(name.bytes, name.length, lambda, sizeof lambda - 1);
    return at ? pr_text_part(name, 0, (size_t)(at - name.bytes) + sizeof lambda - 1) : name;
}

/* "$$Lambda$96+0x00007f55" loses both. */
static struct pr_text lasting_name(struct pr_text name)
{
    return lasting(lasting(name));
}

static void add_with_points(struct pr_text name, struct pr_buf *out)
{
    for (uint32_t i = 0; i < name.length; i++)
        pr_buf_byte(out, (unsigned char)(name.bytes[i] == '/' ? '.' : name.bytes[i]));
}

static const char *primitive(char letter)
{
    static const char letters[] = "BCDFIJSZ";
    static const char *const names[] = {"byte", "char", "double", "float", "int", "long", "short", "boolean"};
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? names[at - letters] : NULL;
}

void pr_jfr_add_class(struct pr_text name, struct pr_buf *out)
{
    uint32_t dimensions = 0;
    while (dimensions < name.length && name.bytes[dimensions] == '[')
        dimensions++;
    struct pr_text element = pr_text_from(name, dimensions);
    const char *word = dimensions && element.length == 1 ? primitive(*element.bytes) : NULL;
    if (dimensions && element.length > 2 && *element.bytes == 'L' && pr_text_ends(element, ";"))
        element = pr_text_part(element, 1, element.length - (size_t)1);
    if (word)
        pr_buf_text(out, word);
    else
        add_with_points(lasting_name(element), out);
    for (uint32_t i = 0; i < dimensions; i++)
        pr_buf_text(out, "[]");
}

void pr_jfr_add_file(struct pr_text whole, struct pr_buf *out)
{
    const struct pr_text name = lasting_name(whole);
    uint32_t start = (uint32_t)(pr_text_file_name(name).bytes - name.bytes), end = start + 1;
    while (end < name.length && name.bytes[end] != '$')
        end++;
    if (start >= name.length)
        return;
    pr_buf_add(out, name.bytes, end);
    pr_buf_text(out, ".java");
}
