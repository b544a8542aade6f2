/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index: one HTML page that lists many runs and links to their cards. Like the card it needs no network, is
 * readable without scripts and styles, and shows every name as text.
 *
 *     struct pr_index index = {.title = "Runs", .runs = runs, .count = n};
 *     if (pr_render_index(&index, &page, &err) == PR_FAILED) ...
 *
 * Same runs, same bytes: the order they are given in does not matter.
 */
#ifndef PR_RENDER_INDEX_INDEX_H
#define PR_RENDER_INDEX_INDEX_H

#include "profrender/buf.h"
#include "profrender/profile.h"
#include "render/card_options.h"

enum pr_run_status {
    PR_RUN_RECORDED,    /* the recording is complete; how the run ended is not in it */
    PR_RUN_OK,         /* it ended well */
    PR_RUN_FAILED,
    PR_RUN_CUT,        /* the capture is cut or damaged; there is a card with what could be read */
    PR_RUN_UNREADABLE  /* no card */
};

/* A function, with its file, and what it holds of the heap at its peak: as in a finding. */
struct pr_index_holder {
    const char *function, *file;
    int64_t bytes;
};

enum { PR_INDEX_HOLDERS = 8 };

/* A row. Strings are borrowed, "" = not known; what was not measured is not known, never 0. */
struct pr_index_run {
    const char *name;    /* runs of the same name are compared, and of the same flow and step */
    const char *source;  /* path of what it was made from, below the folder that was published */
    const char *card;    /* address of the card next to the index, as a relative URL; "" = none */
    const char *problem; /* why it failed, or could not be read */
    const char *flow, *run, *step; /* of a scheduler */
    const char *commit;  /* the version of its code, as a pipeline names it */
    enum pr_run_status status;
    struct pr_maybe start_ms, end_ms; /* since the epoch */
    struct pr_maybe heap_bytes, rss_bytes; /* maximum of each: allocated, as traced; resident */
    struct pr_maybe heap_chance_percent; /* how far chance alone may move the former; 0: it repeats */
    struct pr_maybe memory_bytes, memory_limit_bytes; /* what the limit counts, at its highest; the limit */
    struct pr_maybe cpu_ns;
    struct pr_index_holder holder[PR_INDEX_HOLDERS]; /* [holder_count] of the heap, largest first; others hold less */
    size_t holder_count;
};

struct pr_index {
    const char *title;
    enum pr_theme theme;
    const char *commit_url; /* NULL, or: address of a commit, with {commit} in it; http or https */
    const struct pr_index_run *runs;
    size_t count;
};

/*
 * Appends the page to PAGE.
 *
 * Errors: PR_FAILED: out of memory. PAGE then holds a part of it.
 */
enum pr_status pr_render_index(const struct pr_index *index, struct pr_buf *page, struct pr_error *err);

/*
 * What the figures of the card of each run say of the runs of its job before it, as HTML for the places PR_CARD_BEFORE:
 * "+49.6 % against the median of the 13 runs before". Appends to TEXTS, [index->count]; nothing where there are none.
 *
 * Errors: PR_FAILED: out of memory.
 */
struct pr_before_texts {
    struct pr_buf kind[PR_BEFORE_KINDS]; /* enum pr_before; that of PR_BEFORE_NONE is empty */
};
enum pr_status pr_render_before(const struct pr_index *index, struct pr_before_texts *texts, struct pr_error *err);

#endif
