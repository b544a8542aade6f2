/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of elements is read once, in its order: class, then its fields, then their annotations. */
#include "capture/jfr/jfr_types.h"

#include "capture/base/checked.h"
#include "capture/base/text.h"

enum { MAX_DEPTH = 16, CLASS_DEPTH = 2, FIELD_DEPTH = 3, ANNOTATION_DEPTH = 4 };

/* The attributes that matter; texts are of the table of names, empty where there is none. */
struct element {
    struct pr_text name, id, class, title, value, dimension;
    bool is_constant;
};

struct job {
    struct pr_jfr_types *types;
    struct pr_jfr_bytes bytes;
    pr_str *strings; /* [string_count] by their number in the event */
    size_t string_count, string_capacity;
};

static bool fail(struct job *job, bool no_memory)
{
    job->types->no_memory |= no_memory;
    job->bytes.failed = true;
    return false;
}

static uint64_t number_in(struct pr_text text)
{
    uint64_t number = 0;
    return pr_text_number(text, &number) ? number : 0;
}

/* ---- the table of strings ---------------------------------------------------------------------------------------- */

static bool read_strings(struct job *job)
{
    struct pr_buf text = {0};
    const uint32_t count = pr_jfr_count(&job->bytes);
    for (uint32_t i = 0; i < count && !job->bytes.failed; i++) {
        const struct pr_jfr_string string = pr_jfr_string(&job->bytes);
        text.length = 0;
        pr_jfr_string_add(&string, &text);
        const pr_str number = pr_strings_add(&job->types->names, text.bytes, text.length);
        if (text.failed || number == PR_NO_STR ||
            !pr_grow(&job->strings, &job->string_capacity, job->string_count + 1, sizeof *job->strings))
            fail(job, true);
        else
            job->strings[job->string_count++] = number;
    }
    pr_buf_clear(&text);
    return !job->bytes.failed;
}

static struct pr_text next_text(struct job *job)
{
    const int64_t number = pr_jfr_integer(&job->bytes, 4);
    if (number < 0 || (uint64_t)number >= job->string_count) {
        fail(job, false);
        return (struct pr_text){"", 0};
    }
    return pr_strings_get(&job->types->names, job->strings[number]);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void take_attribute(struct element *element, struct pr_text name, struct pr_text value)
{
    if (pr_text_is(name, "id"))
        element->id = value;
    else if (pr_text_is(name, "class"))
        element->class = value;
    else if (pr_text_is(name, "name"))
        element->title = value;
    else if (pr_text_is(name, "value"))
        element->value = value;
    else if (pr_text_is(name, "dimension"))
        element->dimension = value;
    else if (pr_text_is(name, "constantPool"))
        element->is_constant = true;
}

static enum pr_jfr_kind primitive(struct pr_text name)
{
    static const struct {
        const char *name;
        enum pr_jfr_kind kind;
    } known[] = {{"boolean", PR_JFR_BOOLEAN}, {"byte", PR_JFR_BYTE},   {"short", PR_JFR_SHORT},
                 {"char", PR_JFR_CHAR},       {"int", PR_JFR_INT},     {"long", PR_JFR_LONG},
                 {"float", PR_JFR_FLOAT},     {"double", PR_JFR_DOUBLE}, {"java.lang.String", PR_JFR_STRING}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pr_text_is(name, known[i].name))
            return known[i].kind;
    return PR_JFR_UNKNOWN;
}

static bool add_class(struct job *job, const struct element *element)
{
    struct pr_jfr_types *types = job->types;
    const uint64_t id = number_in(element->id);
    const uint32_t known = types->ids.count;
    if (!pr_grow(&types->types, &types->type_capacity, known + (size_t)1, sizeof *types->types))
        return fail(job, true);
    const uint32_t at = pr_idset_add(&types->ids, &id, 1);
    if (at == PR_NO_ID)
        return fail(job, true);
    if (at != known)
        return fail(job, false);
    types->types[at] = (struct pr_jfr_type){id, element->title, primitive(element->title), types->field_count, 0};
    return true;
}

static bool add_field(struct job *job, const struct element *element)
{
    struct pr_jfr_types *types = job->types;
    if (!types->ids.count)
        return fail(job, false);
    if (!pr_grow(&types->fields, &types->field_capacity, types->field_count + (size_t)1, sizeof *types->fields))
        return fail(job, true);
    types->fields[types->field_count++] = (struct pr_jfr_field){.name = element->title,
                                                                .type_id = number_in(element->class),
                                                                .is_array = number_in(element->dimension) > 0,
                                                                .is_constant = element->is_constant};
    struct pr_jfr_type *type = &types->types[types->ids.count - 1];
    type->field_count++;
    type->kind = type->kind == PR_JFR_UNKNOWN ? PR_JFR_FIELDS : type->kind;
    return true;
}

static enum pr_jfr_unit unit_of(struct pr_text value)
{
    static const struct {
        const char *name;
        enum pr_jfr_unit unit;
    } known[] = {{"TICKS", PR_JFR_TICKS},
                 {"NANOSECONDS", PR_JFR_NANOSECONDS},
                 {"MICROSECONDS", PR_JFR_MICROSECONDS},
                 {"MILLISECONDS", PR_JFR_MILLISECONDS},
                 {"SECONDS", PR_JFR_SECONDS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pr_text_is(value, known[i].name))
            return known[i].unit;
    return PR_JFR_PLAIN;
}

/* Which annotation it is, is known once all classes are. */
static void add_annotation(struct job *job, const struct element *element)
{
    struct pr_jfr_types *types = job->types;
    const enum pr_jfr_unit unit = unit_of(element->value);
    const struct pr_jfr_type *type = types->ids.count ? &types->types[types->ids.count - 1] : NULL;
    if (!unit || !type || !type->field_count)
        return;
    types->fields[types->field_count - 1].unit = unit;
    types->fields[types->field_count - 1].annotation_id = number_in(element->class);
}

static bool take_element(struct job *job, const struct element *element, unsigned depth)
{
    if (depth == CLASS_DEPTH && pr_text_is(element->name, "class"))
        return add_class(job, element);
    if (depth == FIELD_DEPTH && pr_text_is(element->name, "field"))
        return add_field(job, element);
    if (depth == ANNOTATION_DEPTH && pr_text_is(element->name, "annotation"))
        add_annotation(job, element);
    return true;
}

/* An element and those below it: the depth is bounded, and each takes bytes. */
static bool read_element(struct job *job, unsigned depth)
{
    const struct pr_text none = {"", 0};
    struct element element = {next_text(job), none, none, none, none, none, false};
    const uint32_t attributes = pr_jfr_count(&job->bytes);
    for (uint32_t i = 0; i < attributes && !job->bytes.failed; i++) {
        const struct pr_text name = next_text(job);
        take_attribute(&element, name, next_text(job));
    }
    const uint32_t below = pr_jfr_count(&job->bytes);
    if (job->bytes.failed || depth > MAX_DEPTH || !take_element(job, &element, depth))
        return fail(job, false);
    for (uint32_t i = 0; i < below; i++)
        if (!read_element(job, depth + 1))
            return false;
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Types of fields by their index; units only where the annotation is one of time. */
static void join(struct pr_jfr_types *types)
{
    for (uint32_t i = 0; i < types->field_count; i++) {
        struct pr_jfr_field *field = &types->fields[i];
        const uint32_t annotation = field->unit ? pr_jfr_type_by_id(types, field->annotation_id) : PR_NO_ID;
        const bool is_time = annotation != PR_NO_ID && (pr_text_is(types->types[annotation].name, "jdk.jfr.Timespan") ||
                                                        pr_text_is(types->types[annotation].name, "jdk.jfr.Timestamp"));
        field->type = pr_jfr_type_by_id(types, field->type_id);
        field->unit = is_time ? field->unit : PR_JFR_PLAIN;
    }
}

bool pr_jfr_types_read(struct pr_jfr_types *types, struct pr_jfr_bytes bytes)
{
    struct job job = {.types = types, .bytes = bytes};
    *types = (struct pr_jfr_types){.ids = {.words = 1}};
    if (pr_strings_init(&types->names, NULL) != PR_OK)
        return fail(&job, true);
    for (unsigned i = 0; i < 3; i++) /* start, duration, number of these types */
        pr_jfr_integer(&job.bytes, 8);
    const bool good = read_strings(&job) && read_element(&job, 0);
    free(job.strings);
    join(types);
    return good;
}

void pr_jfr_types_clear(struct pr_jfr_types *types)
{
    pr_idset_clear(&types->ids);
    pr_strings_clear(&types->names);
    free(types->types);
    free(types->fields);
    *types = (struct pr_jfr_types){.ids = {.words = 1}};
}

uint32_t pr_jfr_type_by_id(const struct pr_jfr_types *types, uint64_t id)
{
    return pr_idset_find(&types->ids, &id, 1);
}

uint32_t pr_jfr_type_by_name(const struct pr_jfr_types *types, const char *name)
{
    for (uint32_t i = 0; i < types->ids.count; i++)
        if (pr_text_is(types->types[i].name, name))
            return i;
    return PR_NO_ID;
}

uint32_t pr_jfr_field_of(const struct pr_jfr_types *types, uint32_t type, const char *name)
{
    const struct pr_jfr_type *known = type != PR_NO_ID ? &types->types[type] : NULL;
    for (uint32_t i = 0; known && i < known->field_count && i < PR_JFR_MAX_VALUES; i++)
        if (pr_text_is(types->fields[known->first_field + i].name, name))
            return i;
    return PR_NO_ID;
}
