/* SPDX-License-Identifier: Apache-2.0 */
/* Own functions with the libraries they call, as in findings; the file without its folders, which differ by machine. */
#include "cli/publish/publish_holders.h"

#include "capture/base/text.h"
#include "capture/explain/code_sums.h"
#include "capture/model/nameless.h"
#include "render/html/html.h"

#include <string.h>

/* Longer names are left out: two that begin alike would be taken for one function. */
enum { MOST_NAME_BYTES = 512 };

static json_t *visible_text(struct pr_text text)
{
    struct pr_buf visible = {0};
    json_t *copy = NULL;
    if (text.length <= MOST_NAME_BYTES) {
        pr_visible(&visible, text);
        copy = visible.failed ? NULL : json_stringn(visible.length ? visible.bytes : "", visible.length);
    }
    pr_buf_clear(&visible);
    return copy;
}

static struct pr_text without_folders(struct pr_text file)
{
    uint32_t at = file.length;
    while (at && file.bytes[at - 1] != '/' && file.bytes[at - 1] != '\\')
        at--;
    return (struct pr_text){file.bytes + at, file.length - at};
}

static void append(json_t *list, json_t *function, json_t *file, json_int_t bytes)
{
    json_t *holder = function && file ? json_object() : NULL;
    if (holder) {
        json_object_set(holder, "function", function);
        json_object_set(holder, "file", file);
        json_object_set_new(holder, "bytes", json_integer(bytes));
        json_array_append_new(list, holder);
    }
    json_decref(function);
    json_decref(file);
}

static void add_holders(json_t *list, const struct pr_profile *profile, const struct pr_holder *holders)
{
    for (size_t i = 0; i < PR_INDEX_HOLDERS && holders[i].known; i++) {
        const struct pr_text file = pr_profile_text(profile, profile->frames[holders[i].frame].file);
        append(list, visible_text(pr_shown_function(profile, holders[i].frame)), visible_text(without_folders(file)),
               holders[i].own);
    }
}

json_t *pr_publish_holders(const struct pr_profile *profile)
{
    struct pr_holder holders[PR_INDEX_HOLDERS] = {{.known = false}};
    json_t *list = NULL;
    const int peak = pr_profile_metric(profile, "peak");
    if (peak < 0 || profile->metrics[peak].unit != PR_UNIT_BYTES)
        return NULL;
    const struct pr_column column = {profile->metrics[peak].value, NULL};
    if (pr_code_list_holders(profile, &column, holders, PR_INDEX_HOLDERS, 1)) {
        list = json_array();
        add_holders(list, profile, holders);
    }
    return list;
}

static json_t *copy_name(const json_t *value)
{
    const size_t length = json_string_length(value);
    return json_is_string(value) && length <= MOST_NAME_BYTES
               ? visible_text((struct pr_text){json_string_value(value), (uint32_t)length})
               : NULL;
}

json_t *pr_publish_copy_holders(const json_t *value)
{
    json_t *list = json_is_array(value) ? json_array() : NULL;
    for (size_t i = 0; list && i < json_array_size(value) && i < PR_INDEX_HOLDERS; i++) {
        const json_t *holder = json_array_get(value, i), *bytes = json_object_get(holder, "bytes");
        if (json_is_integer(bytes) && json_integer_value(bytes) >= 0)
            append(list, copy_name(json_object_get(holder, "function")), copy_name(json_object_get(holder, "file")),
                   json_integer_value(bytes));
    }
    return list;
}

void pr_publish_read_holders(const json_t *value, struct pr_index_run *run)
{
    for (size_t i = 0; i < json_array_size(value) && i < PR_INDEX_HOLDERS; i++) {
        const json_t *holder = json_array_get(value, i);
        run->holder[run->holder_count++] =
            (struct pr_index_holder){json_string_value(json_object_get(holder, "function")),
                                     json_string_value(json_object_get(holder, "file")),
                                     json_integer_value(json_object_get(holder, "bytes"))};
    }
}
