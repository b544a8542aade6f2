/* SPDX-License-Identifier: Apache-2.0 */
/* What may be chosen about a card. */
#ifndef PR_RENDER_CARD_OPTIONS_H
#define PR_RENDER_CARD_OPTIONS_H

#include "profrender/buf.h"
#include "profrender/string_table.h"

#include <stdbool.h>

/* The index of a site as its cards see it: they are in a folder of the site. */
#define PR_SITE_INDEX "../index.html"

/* Figures of a card of a site that are compared with those of the runs before it (render/index/index.h). */
enum pr_before { PR_BEFORE_NONE, PR_BEFORE_HEAP, PR_BEFORE_RSS, PR_BEFORE_TIME, PR_BEFORE_KINDS };

/* Where the cell of such a figure has the comparison: up to the end tag, which follows at first. */
#define PR_CARD_BEFORE "<dd class='s' id='pr-before-%s'>"
#define PR_CARD_BEFORE_END "</dd>"

/* The name in PR_CARD_BEFORE. */
static inline const char *pr_before_name(enum pr_before kind)
{
    static const char *const names[PR_BEFORE_KINDS] = {"", "heap", "rss", "time"};
    return names[kind];
}

enum pr_theme { PR_THEME_AUTO, PR_THEME_LIGHT, PR_THEME_DARK };

/* Code below the folder FROM is shown, and looked for, below the folder TO. Slashes at their ends are ignored. */
struct pr_path_map {
    struct pr_text from, to;
};

struct pr_changes;
struct pr_diff_run;
struct pr_usuals;

/* The part of a run that a card shows. */
struct pr_card_part {
    const char *window;          /* as --window takes it; NULL: all of the run */
    const char *words, *exactly; /* for people: "0 s to 10 s"; for its hover: "0 s to 9.98 s" */
};

struct pr_card_options {
    const char *title;          /* NULL: the program that ran, from the command line of the capture */
    const char *source;         /* name of the input as the user gave it, for "the same numbers in a terminal" */
    const char *const *sources; /* [source_count] all inputs, where there are several; else NULL and 0 */
    uint32_t source_count;
    const struct pr_diff_run *runs;   /* [source_count] of a difference: profrender/diff.h; NULL: nothing is known */
    const struct pr_card_part *parts; /* [source_count] of a difference; NULL: each is a whole run */
    const struct pr_changes *changes; /* of a difference: what was changed between its runs; NULL: not known */
    const struct pr_usuals *usuals;   /* of a difference: render/words/usual_words.h; NULL: no earlier run is known */
    enum pr_theme theme;
    uint32_t max_nodes;    /* of the payload, 200,000; smaller frames become "n smaller frames", totals stay exact */
    size_t max_size_bytes; /* of the page: its time bins are merged in pairs until it is no larger; 10,000,000 */
    bool fragment;         /* a part of another page: a div with a shadow root, and its script */
    bool no_commands;      /* of a terminal, as where the input is deleted once the page is made */
    bool split;            /* style and script are files next to the page, see pr_card_assets */
    unsigned threads;      /* that may work on the card, 1; 0: as many as there are processors */

    const char *index; /* NULL, or: address of the page of many runs of which this is one */
    const char *root; /* NULL, or: what is below this folder, and only that, is the user's own code */
    const struct pr_path_map *path_maps; /* [path_map_count] where code is; if several fit, the longest `from` */
    uint32_t path_map_count;
    bool redact_paths;      /* shows no folder that tells who ran it where */
    const char *source_url; /* NULL, or: address of a line of code, with {file} and {line} in it; http or https */

    /*
     * NULL, or: appends to TEXT the file at PATH beneath `root`, if it can be read and has no more than MOST_BYTES.
     * Asked for the user's own code only, and only where there is a root. PATH has no ".." in it, but a stranger chose
     * it: no link may be followed (capture/base/beneath.h). The page names the files whose texts are in it.
     */
    bool (*read_source)(void *context, const char *path, size_t most_bytes, struct pr_buf *text);
    void *read_context;
};

struct pr_card_options pr_card_options_default(void);

#endif
