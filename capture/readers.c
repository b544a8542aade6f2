/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats and the choice among them: most bits of evidence win, a tie is an error that names both. */
#include "capture/reader.h"

#include <stdio.h>
#include <string.h>

static const struct pr_reader *const readers[] = {
    &pr_memray_reader,
};

enum { LOOK_BYTES = 16 };

/* What an input that nobody knows looks like, for the one line that the user gets. */
static void describe(const struct pr_source *src, char *text, size_t size)
{
    static const struct {
        const char *magic;
        size_t length;
        const char *title;
    } known[] = {
        {"\x7f" "ELF", 4, "an ELF program or library"}, {"PK\3\4", 4, "a zip archive"},   {"<!DOCTYPE", 9, "an HTML page"},
        {"<html", 5, "an HTML page"},                   {"%PDF", 4, "a PDF"},             {"\x89PNG", 4, "a PNG picture"},
        {"SQLite format 3", 15, "an SQLite database"},  {"BZh", 3, "bzip2-packed data"}, {"\xfd" "7zXZ", 5, "xz-packed data"},
    };
    size_t have = (size_t)(src->end - src->at);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (have >= known[i].length && !memcmp(src->at, known[i].magic, known[i].length)) {
            snprintf(text, size, "it looks like %s", known[i].title);
            return;
        }
    }
    size_t length = (size_t)snprintf(text, size, "it starts with");
    for (size_t i = 0; i < have && i < 8; i++)
        length += (size_t)snprintf(text + length, size - length, " %02x", src->at[i]);
}

enum pr_status pr_reader_choose(struct pr_source *src, const struct pr_reader **reader, struct pr_error *err)
{
    unsigned best = 0;
    const struct pr_reader *second = NULL;
    *reader = NULL;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        unsigned bits = readers[i]->probe(src);
        if (bits > best) {
            best = bits;
            *reader = readers[i];
            second = NULL;
        } else if (bits && bits == best) {
            second = readers[i];
        }
    }
    if (*reader && second)
        return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format", "could be a %s or a %s: say which", (*reader)->title,
                       second->title);
    if (*reader)
        return PR_OK;
    if (src->error.code != PR_ERR_NONE && src->at == src->end) {
        if (err && err->code == PR_ERR_NONE)
            *err = src->error;
        return PR_FAILED;
    }
    char looks[80];
    pr_source_need(src, LOOK_BYTES);
    describe(src, looks, sizeof looks);
    return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format", "not a capture: %s; this build reads memray captures", looks);
}
