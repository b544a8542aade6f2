/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats and the choice among them: most bits of evidence win, a tie is an error that names both. */
#include "capture/builder/reader.h"
#include "capture/foreign.h"
#include "profrender/load.h"

#include <stdio.h>
#include <string.h>

/* In the order of their worth to users, used for the list in messages only. */
static const struct pr_reader *const readers[] = {
    &pr_memray_reader,
    &pr_digest_reader,
    &pr_collapsed_reader,
    &pr_pstats_reader,
    &pr_pyinstrument_reader,
    &pr_speedscope_reader,
    &pr_trace_event_reader,
    &pr_pprof_reader,
    &pr_otlp_reader,
    &pr_perf_reader,
    &pr_perf_data_reader,
    &pr_jfr_reader,
    &pr_nettrace_reader,
    &pr_firefox_reader,
    &pr_austin_reader,
    &pr_mojo_reader,
    &pr_cpuprofile_reader,
    &pr_heapprofile_reader,
    &pr_heapsnapshot_reader,
    &pr_hprof_reader,
    &pr_callgrind_reader,
    &pr_heap_text_reader,
    &pr_go_text_reader,
    &pr_gperftools_reader,
    &pr_massif_reader,
    &pr_heaptrack_reader,
    &pr_dhat_reader,
    &pr_scalene_reader,
    &pr_tachyon_reader,
    &pr_stackprof_reader,
    &pr_torch_memory_reader,
    &pr_tracemalloc_reader,
    &pr_timeline_reader,
    &pr_metaflow_reader,
    &pr_mprof_reader,
    &pr_psrecord_reader,
    &pr_sadf_reader,
    &pr_gnu_time_reader,
    &pr_stderr_reader,
    &pr_run_reader,
    &pr_notes_reader,
};

enum { READERS = sizeof readers / sizeof *readers };

enum { LOOK_BYTES = 32 };

enum { FIRST_BYTES = 16 };

/* How much of the first line is text; 0: it is something else. */
static size_t first_line(const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at < length && bytes[at] >= ' ' && bytes[at] <= '~')
        at++;
    return at == length || (bytes[at] && strchr("\t\n\r", bytes[at])) ? at : 0;
}

/* How often SEPARATOR is in the line that begins at *AT, which moves past it. 0 if it does not end. */
static size_t take_separators(char separator, const uint8_t **at, const uint8_t *end)
{
    size_t count = 0;
    for (; *at < end && **at != '\n'; ++*at)
        count += **at == (uint8_t)separator;
    return *at < end ? (++*at, count) : 0;
}

/* Two lines with equally many separators. */
static bool looks_like_table(const struct pr_source *src)
{
    static const char separators[] = ",;\t";
    for (const char *separator = separators; *separator; separator++) {
        const uint8_t *at = src->at;
        const size_t first = take_separators(*separator, &at, src->end);
        if (first && first == take_separators(*separator, &at, src->end))
            return true;
    }
    return false;
}

/* What an input of no known kind looks like, for the one line that the user gets. */
static void describe(const struct pr_source *src, char *text, size_t size)
{
    size_t have = (size_t)(src->end - src->at);
    const size_t shown = first_line(src->at, have < FIRST_BYTES ? have : FIRST_BYTES);
    if (shown) {
        snprintf(text, size, "it is text, and begins with \"%.*s\"%s", (int)shown, (const char *)src->at,
                 looks_like_table(src) ? "; if it is a table: profrender frame" : "");
        return;
    }
    size_t length = (size_t)snprintf(text, size, "it starts with the bytes");
    for (size_t i = 0; i < have && i < 8; i++)
        length += (size_t)snprintf(text + length, size - length, " %02x", src->at[i]);
}

const char *pr_format_name(size_t index)
{
    return index < READERS ? readers[index]->name : NULL;
}

const char *pr_format_title(size_t index)
{
    return index < READERS ? readers[index]->title : NULL;
}

/* "memray, collapsed, pstats and 39 more": as many as SIZE has room for. */
static void list_names(char *text, size_t size)
{
    static const char more[] = " and 1000 more";
    size_t used = 0, i = 0;
    *text = '\0';
    for (; i < READERS && used + strlen(", ") + strlen(readers[i]->name) + sizeof more <= size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", readers[i]->name);
    if (i < READERS)
        snprintf(text + used, size - used, " and %zu more", (size_t)READERS - i);
}

/* Which of the readers has the most evidence, and how many bits; NULL = none has any. */
static const struct pr_reader *find_best(struct pr_source *src, unsigned *best, const struct pr_reader **second)
{
    const struct pr_reader *reader = NULL;
    *best = 0;
    *second = NULL;
    for (size_t i = 0; i < READERS; i++) {
        const unsigned bits = readers[i]->probe(src);
        if (bits > *best) {
            *best = bits;
            reader = readers[i];
            *second = NULL;
        } else if (bits && bits == *best) {
            *second = readers[i];
        }
    }
    return reader;
}

/* What the user says is believed, unless the bytes are plainly something else. */
static enum pr_status check_named(struct pr_source *src, const struct pr_reader *named, struct pr_error *err)
{
    enum { PLAIN_BITS = 24 };
    const struct pr_reader *second;
    unsigned bits;
    if (named->probe(src))
        return PR_OK;
    const struct pr_reader *found = find_best(src, &bits, &second);
    if (!found || second || bits < PLAIN_BITS)
        return PR_OK;
    return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format", "the format is %s (%s), not %s", found->name,
                   found->title, named->name);
}

static enum pr_status find_by_name(struct pr_source *src, const char *name, const struct pr_reader **reader,
                                   struct pr_error *err)
{
    char names[200]; /* the sentence has to fit in an error */
    for (size_t i = 0; i < READERS; i++) {
        if (!strcmp(readers[i]->name, name)) {
            *reader = readers[i];
            return check_named(src, readers[i], err);
        }
    }
    list_names(names, sizeof names);
    return pr_fail(err, PR_ERR_UNKNOWN, PR_NO_OFFSET, "choose a format", "there is no format '%.60s'; there are %s",
                   name, names);
}

/* No reader recognises it: an error of the input itself, or what it looks like. */
static enum pr_status nobody(struct pr_source *src, struct pr_error *err)
{
    char looks[128];
    pr_source_need(src, LOOK_BYTES);
    if (src->error.code != PR_ERR_NONE && src->at == src->end) {
        if (err && err->code == PR_ERR_NONE)
            *err = src->error;
        return PR_FAILED;
    }
    const struct pr_foreign *foreign = pr_foreign_find(src);
    foreign = foreign ? foreign : pr_foreign_named(src->name, PR_FOREIGN_FILE);
    if (foreign)
        return pr_foreign_fail(foreign, err);
    describe(src, looks, sizeof looks);
    return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format", "no known format: %s", looks);
}

enum pr_status pr_reader_choose(struct pr_source *src, const char *name, const struct pr_reader **reader,
                                struct pr_error *err)
{
    const struct pr_reader *second;
    unsigned bits;
    pr_source_skip_byte_order_mark(src); /* no format begins with it */
    if (name)
        return find_by_name(src, name, reader, err);
    *reader = find_best(src, &bits, &second);
    if (second)
        return pr_fail(err, PR_ERR_UNKNOWN, 0, "choose a format",
                       "could be %s or %s, with as much evidence for either: say which", (*reader)->name, second->name);
    return *reader ? PR_OK : nobody(src, err);
}
