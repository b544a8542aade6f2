/* SPDX-License-Identifier: Apache-2.0 */
/* A path is walked from the object to its root, then built the other way round. */
#include "capture/jfr/jfr_old_objects.h"

#include "capture/base/text.h"
#include "capture/jfr/jfr_names.h"
#include "capture/jfr/jfr_stacks.h"

/* Holders of one object; the JVM writes at most 200. */
enum { MOST_HOLDERS = 256 };

#define OLD_OBJECTS "old_objects", "Old objects"

struct path {
    pr_str steps[MOST_HOLDERS]; /* from the object to its root */
    uint32_t count;
};

/* A constant of a field: its type and values. */
struct constant {
    uint32_t type;
    struct pr_jfr_value values[PR_JFR_MAX_VALUES];
};

/* The constant that a value of OF refers to by the field NAME. False: there is none. */
static bool follow(const struct pr_jfr *r, uint32_t type, const struct pr_jfr_value *values, const char *name,
                   struct constant *to)
{
    const uint32_t at = pr_jfr_field_of(&r->types, type, name);
    if (at == PR_NO_ID)
        return false;
    const struct pr_jfr_field *field = &r->types.fields[r->types.types[type].first_field + at];
    to->type = field->type;
    return field->is_constant && !field->is_array && field->type != PR_NO_ID && values[at].number &&
           pr_jfr_constant(&r->pools, &r->types, field->type, values[at].number, to->values);
}

static pr_str text_of(struct pr_jfr *r, const struct constant *from, const char *name)
{
    return pr_jfr_text(r, from->type, pr_jfr_field_of(&r->types, from->type, name), from->values);
}

static pr_str class_of(struct pr_jfr *r, const struct constant *object)
{
    const uint32_t at = pr_jfr_field_of(&r->types, object->type, "type");
    return at != PR_NO_ID ? pr_jfr_class(r, object->values[at].number) : 0;
}

/* The class of what holds something; if that is a class itself, which has static fields, its own name. */
static pr_str holding_class(struct pr_jfr *r, const struct constant *object)
{
    static const char prefix[] = "Class Name: ";
    const pr_str described = text_of(r, object, "description");
    const struct pr_text text = pr_profile_text(r->c.profile, described);
    if (pr_text_starts(text, prefix))
        return pr_build_string(&r->c, text.bytes + sizeof prefix - 1, text.length - (sizeof prefix - 1));
    return class_of(r, object);
}

/* "shop.Work.kept" for a field, "java.lang.Object[]" for a place in an array. */
static pr_str holder(struct pr_jfr *r, const struct constant *reference, const struct constant *object)
{
    struct constant field;
    struct pr_buf text = {0};
    const struct pr_text name = pr_profile_text(r->c.profile, holding_class(r, object));
    pr_buf_add(&text, name.bytes, name.length);
    if (follow(r, reference->type, reference->values, "field", &field)) {
        const struct pr_text known = pr_profile_text(r->c.profile, text_of(r, &field, "name"));
        pr_buf_byte(&text, '.');
        pr_buf_add(&text, known.bytes, known.length);
    }
    return pr_build_buf(&r->c, &text);
}

/* The holders of OBJECT up to the root. A cycle ends where there are too many. */
static void climb(struct pr_jfr *r, struct constant *object, struct path *path)
{
    struct constant reference;
    path->steps[path->count++] = class_of(r, object);
    while (path->count < MOST_HOLDERS - 1 && follow(r, object->type, object->values, "referrer", &reference) &&
           follow(r, reference.type, reference.values, "object", object))
        path->steps[path->count++] = holder(r, &reference, object);
}

/* "GC root: Class Loader Data, Global". */
static void add_root(struct pr_jfr *r, const struct pr_jfr_seen *event, struct path *path)
{
    struct constant root = {0};
    struct pr_buf text = {0};
    if (!event->all || !follow(r, event->type, event->all, "root", &root))
        return;
    const struct pr_text system = pr_profile_text(r->c.profile, text_of(r, &root, "system"));
    const struct pr_text type = pr_profile_text(r->c.profile, text_of(r, &root, "type"));
    pr_buf_printf(&text, "GC root: ");
    pr_buf_add(&text, system.bytes, system.length);
    if (type.length)
        pr_buf_text(&text, ", ");
    pr_buf_add(&text, type.bytes, type.length);
    path->steps[path->count++] = pr_build_buf(&r->c, &text);
}

static pr_node_id path_node(struct pr_jfr *r, const struct path *path)
{
    pr_node_id node = PR_ROOT;
    for (uint32_t i = path->count; i-- > 0;) {
        const struct pr_place place = {.function = path->steps[i], .kind = PR_FRAME_OTHER};
        node = pr_build_child(&r->c, node, pr_build_frame(&r->c, &place));
    }
    return node;
}

static void count_object(struct pr_jfr *r, const struct pr_jfr_seen *event, const char *name, const char *title,
                         pr_node_id leaf)
{
    const uint32_t thread = pr_jfr_thread(r, pr_jfr_seen_number(event, PR_JFR_THREAD));
    const bool has_size = event->fields[PR_JFR_B];
    const int64_t size = pr_jfr_seen_number(event, PR_JFR_B);
    pr_build_damage(&r->c, PR_DAMAGE_RECORDS, size < 0);
    if (size < 0)
        return;
    const unsigned metric = has_size ? pr_build_metric(&r->c, name, title, PR_UNIT_BYTES, "objects")
                                     : pr_build_metric(&r->c, name, title, PR_UNIT_COUNT, NULL);
    pr_build_add(&r->c, pr_build_fact(&r->c, leaf, thread), metric, has_size ? size : 1, 1);
}

void pr_jfr_take_old_object(struct pr_jfr *r, const struct pr_jfr_seen *event)
{
    struct path path = {.count = 0};
    struct constant object;
    const pr_node_id stack = pr_jfr_stack(r, pr_jfr_seen_number(event, PR_JFR_STACK));
    if (!event->all || !follow(r, event->type, event->all, "object", &object)) {
        pr_build_damage(&r->c, PR_DAMAGE_FRAMES, 1);
        count_object(r, event, OLD_OBJECTS, stack);
        return;
    }
    climb(r, &object, &path);
    count_object(r, event, OLD_OBJECTS, pr_jfr_about(r, stack, "new", path.steps[0]));
    add_root(r, event, &path);
    if (path.count > 1)
        count_object(r, event, "kept_by", "Old objects by holder", path_node(r, &path));
}
