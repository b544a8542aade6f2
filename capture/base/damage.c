/* SPDX-License-Identifier: Apache-2.0 */
/* Damage by kind: counted, named, and put into a sentence. */
#include "profrender/damage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *one, *several; /* the words after the number */
} kinds[PR_DAMAGE_KINDS] = {
    [PR_DAMAGE_LINES] = {"lines_left_out", "line that does not match the format was left out",
                         "lines that do not match the format were left out"},
    [PR_DAMAGE_RECORDS] = {"records_left_out", "record that makes no sense was left out",
                           "records that make no sense were left out"},
    [PR_DAMAGE_FRAMES] = {"frames_undefined", "frame is not defined", "frames are not defined"},
    [PR_DAMAGE_ORDER] = {"order_mended", "event was out of order and was corrected", "events were out of order and "
                                                                                     "were corrected"},
    [PR_DAMAGE_BOUNDED] = {"values_bounded", "value was too large and was capped",
                           "values were too large and were capped"},
    [PR_DAMAGE_NOT_NUMBERS] = {"values_not_numbers", "value is not a finite number", "values are not finite numbers"},
    [PR_DAMAGE_ASSUMED] = {"values_assumed", "value is missing and was assumed", "values are missing and were assumed"},
    [PR_DAMAGE_OVERFLOWED] = {"buffers_overflowed", "buffer of the recorder overflowed: its oldest calls are missing",
                              "buffers of the recorder overflowed: their oldest calls are missing"},
};

const char *pr_damage_name(enum pr_damage_kind kind)
{
    return (unsigned)kind < PR_DAMAGE_KINDS ? kinds[kind].name : "";
}

void pr_damage_words(enum pr_damage_kind kind, uint64_t count, char *text, size_t size)
{
    const bool known = (unsigned)kind < PR_DAMAGE_KINDS;
    snprintf(text, size, "%" PRIu64 " %s", count, !known ? "" : count == 1 ? kinds[kind].one : kinds[kind].several);
}

bool pr_damage_any(const struct pr_damage *damage)
{
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++)
        if (damage->kind[kind].count)
            return true;
    return false;
}

bool pr_damage_is_of_recording(const struct pr_damage *damage)
{
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++)
        if (damage->kind[kind].count && kind != PR_DAMAGE_OVERFLOWED)
            return false;
    return damage->kind[PR_DAMAGE_OVERFLOWED].count > 0;
}

void pr_damage_add(struct pr_damage *damage, enum pr_damage_kind kind, uint64_t count, uint64_t offset)
{
    uint64_t *sum = &damage->kind[kind].count, *first = &damage->kind[kind].offset;
    if (!count)
        return;
    if (!*sum || offset < *first) /* PR_NO_OFFSET is above all others */
        *first = offset;
    *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
}

void pr_damage_add_all(struct pr_damage *damage, const struct pr_damage *more)
{
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++) {
        const bool had = damage->kind[kind].count != 0;
        const uint64_t offset = had ? damage->kind[kind].offset : more->kind[kind].offset;
        pr_damage_add(damage, (enum pr_damage_kind)kind, more->kind[kind].count, offset);
    }
}

enum pr_status pr_damage_status(const struct pr_damage *damage, struct pr_error *err)
{
    char text[sizeof ((struct pr_error *)0)->text] = "";
    uint64_t offset = PR_NO_OFFSET;
    size_t length = 0;
    for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++) {
        if (!damage->kind[kind].count)
            continue;
        if (damage->kind[kind].offset < offset)
            offset = damage->kind[kind].offset;
        if (length && length + 3 < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "; ");
        pr_damage_words((enum pr_damage_kind)kind, damage->kind[kind].count, text + length, sizeof text - length);
        length += strlen(text + length);
    }
    return length ? pr_cut(err, PR_ERR_PARTIAL, offset, NULL, "%s", text) : PR_OK;
}
