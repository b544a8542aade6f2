/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a difference: its lines are in order, the files of it are found, and the same bytes give the same. */
#include "capture/parse/changes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Ranges are numbers of lines; each is found by its file. */
static void check_file(const struct pr_changes *changes, const struct pr_changed_file *file)
{
    const struct pr_text path = {file->path, (uint32_t)strlen(file->path)};
    must(path.length > 0 && pr_changes_touch(changes, path, 0) != PR_UNTOUCHED);
    for (size_t i = 0; i < file->count; i++) {
        const struct pr_line_range range = file->range[i];
        must(range.first >= 0 && range.last >= range.first);
        must(pr_changes_touch(changes, path, range.first) == PR_TOUCHED_LINE &&
             pr_changes_touch(changes, path, range.last) == PR_TOUCHED_LINE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_changes changes, again;
    const bool done = pr_changes_parse((const char *)bytes, length, &changes);
    must(pr_changes_parse((const char *)bytes, length, &again) == done);
    must(!done || changes.count == again.count);
    for (size_t i = 0; done && i < changes.count; i++)
        check_file(&changes, &changes.file[i]);
    if (done) {
        pr_changes_clear(&changes);
        pr_changes_clear(&again);
    }
    return 0;
}
