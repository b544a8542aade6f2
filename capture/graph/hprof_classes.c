/* SPDX-License-Identifier: Apache-2.0 */
/* Classes, where their instances have references, and their names as the language writes them. */
#include "capture/base/checked.h"
#include "capture/base/text.h"
#include "capture/graph/hprof.h"

const uint8_t pr_hprof_type_bytes[PR_HPROF_TYPES] = {[4] = 1, [5] = 2, [6] = 4, [7] = 8,
                                                     [8] = 1, [9] = 2, [10] = 4, [11] = 8};

enum { MOST_CLASSES_ABOVE = 1000 };

pr_str pr_hprof_string(const struct pr_hprof *r, uint64_t id)
{
    const uint32_t index = pr_idset_find(&r->string_ids, &id, 1);
    return index == PR_NO_ID ? 0 : r->strings[index];
}

void pr_hprof_add_string(struct pr_hprof *r, uint64_t id, pr_str text)
{
    const uint32_t known = r->string_ids.count, index = pr_idset_add(&r->string_ids, &id, 1);
    if (index == PR_NO_ID || !pr_grow(&r->strings, &r->string_capacity, known + (size_t)1, sizeof *r->strings)) {
        pr_build_no_memory(&r->c);
        return;
    }
    r->strings[index] = text;
}

uint32_t pr_hprof_class(struct pr_hprof *r, uint64_t id)
{
    const uint32_t known = r->class_ids.count, index = pr_idset_add(&r->class_ids, &id, 1);
    if (index == PR_NO_ID || !pr_grow(&r->classes, &r->class_capacity, known + (size_t)1, sizeof *r->classes)) {
        pr_build_no_memory(&r->c);
        return PR_NO_ID;
    }
    if (index == known)
        r->classes[index] = (struct pr_hprof_class){0};
    return index;
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

bool pr_hprof_is_called(const struct pr_hprof *r, uint64_t name, const char *text)
{
    return pr_text_is(pr_profile_text(r->c.profile, pr_hprof_string(r, name)), text);
}

/* The class of ID; NULL: it was not dumped (yet). */
static const struct pr_hprof_class *dumped(const struct pr_hprof *r, uint64_t id)
{
    const uint32_t index = id ? pr_idset_find(&r->class_ids, &id, 1) : PR_NO_ID;
    return index != PR_NO_ID && r->classes[index].is_dumped ? &r->classes[index] : NULL;
}

/* What a Reference refers to is not retained; but finalizers keep it until it is finalized. */
static bool is_weak(const struct pr_hprof *r, const struct pr_hprof_class *owner, const struct pr_hprof_field *field,
                    bool is_final)
{
    return !is_final && pr_hprof_is_called(r, field->name, "referent") &&
           pr_hprof_is_called(r, owner->name, "java/lang/ref/Reference");
}

/* The fields of OWNER follow in the layout of CLASS. */
static bool add_fields(struct pr_hprof *r, struct pr_hprof_class *class, const struct pr_hprof_class *owner,
                       bool is_final)
{
    for (uint32_t i = 0; i < owner->field_count; i++) {
        const struct pr_hprof_field *field = &r->fields[owner->first_field + i];
        if (field->type != PR_HPROF_REFERENCE) {
            if (pr_hprof_is_called(r, field->name, "coder") && pr_hprof_is_called(r, owner->name, "java/lang/String"))
                class->coder_at = class->bytes + 1;
            class->value_bytes += pr_hprof_type_bytes[field->type];
            class->bytes += pr_hprof_type_bytes[field->type];
            continue;
        }
        if (!pr_grow(&r->references, &r->reference_capacity, r->reference_count + 1, sizeof *r->references)) {
            pr_build_no_memory(&r->c);
            return false;
        }
        r->references[r->reference_count++] =
            (struct pr_hprof_reference){field->name, class->bytes, is_weak(r, owner, field, is_final)};
        class->reference_count++;
        class->bytes += r->id_bytes;
    }
    return true;
}

/* Its own fields come first, then those of the class above, and so on. */
bool pr_hprof_make_layout(struct pr_hprof *r, uint32_t class_index, bool want)
{
    struct pr_hprof_class *class = &r->classes[class_index];
    const struct pr_hprof_class *above = class;
    bool is_final = false;
    uint32_t classes = 0;
    if (class->has_layout)
        return true;
    for (; above && above->is_dumped && classes < MOST_CLASSES_ABOVE; above = dumped(r, above->super), classes++) {
        is_final |= pr_hprof_is_called(r, above->name, "java/lang/ref/FinalReference");
        if (!above->super)
            break;
    }
    const bool is_whole = above && above->is_dumped && !above->super;
    if (!is_whole && !want)
        return false;
    if (classes == MOST_CLASSES_ABOVE) /* it is above itself: its own fields are what is certain */
        classes = 0;
    class->has_layout = true;
    class->first_reference = (uint32_t)r->reference_count;
    above = class;
    for (uint32_t i = 0; i <= classes && above; i++, above = dumped(r, above->super))
        if (!add_fields(r, class, above, is_final))
            return false;
    return is_whole;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *const pr_hprof_type_names[PR_HPROF_TYPES] = {[4] = "boolean", [5] = "char",  [6] = "float",
                                                         [7] = "double",  [8] = "byte",  [9] = "short",
                                                         [10] = "int",    [11] = "long"};

/* "java/lang/String" as the language writes it. */
static void add_dotted(struct pr_buf *text, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        pr_buf_byte(text, (uint8_t)(name[i] == '/' ? '.' : name[i]));
}

/* The name of an element, "Ljava/lang/String;" or "B", of LENGTH bytes. */
static void add_element(struct pr_buf *text, const char *name, size_t length)
{
    static const char letters[] = "....ZCFDBSIJ"; /* by type */
    const char *letter = length == 1 && *name != '.' ? memchr(letters, *name, sizeof letters - 1) : NULL;
    if (letter) {
        pr_buf_text(text, pr_hprof_type_names[letter - letters]);
        return;
    }
    const bool is_object = length > 2 && *name == 'L' && name[length - 1] == ';';
    add_dotted(text, name + is_object, length - 2 * (size_t)is_object);
}

/* "[[Ljava/lang/String;" is "java.lang.String[][]". */
pr_str pr_hprof_class_name(struct pr_hprof *r, uint32_t class_index, bool is_array)
{
    const struct pr_text name = pr_profile_text(r->c.profile, pr_hprof_string(r, r->classes[class_index].name));
    size_t dimensions = 0;
    struct pr_buf text = {0};
    if (!name.length)
        return pr_build_text(&r->c, is_array ? "(unknown)[]" : "(unknown)");
    while (dimensions < name.length && name.bytes[dimensions] == '[')
        dimensions++;
    if (dimensions)
        add_element(&text, name.bytes + dimensions, name.length - dimensions);
    else
        add_dotted(&text, name.bytes, name.length);
    for (size_t i = 0; i < dimensions; i++)
        pr_buf_text(&text, "[]");
    if (is_array && !dimensions) /* Android names the class of the elements */
        pr_buf_text(&text, "[]");
    return pr_build_buf(&r->c, &text);
}

pr_str pr_hprof_class_text(struct pr_hprof *r, uint64_t class_id)
{
    const uint32_t index = pr_idset_find(&r->class_ids, &class_id, 1);
    return index == PR_NO_ID ? 0 : pr_hprof_class_name(r, index, false);
}
