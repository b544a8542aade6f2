/* SPDX-License-Identifier: Apache-2.0 */
/* Paths through the same functions are one box, whatever the lines; boxes are placed level by level. */
#include "render/page/first_levels.h"

#include "capture/base/checked.h"
#include "capture/base/idset.h"
#include "capture/base/pair.h"
#include "capture/base/sort.h"
#include "capture/base/text.h"
#include "capture/model/functions.h"
#include "capture/model/nameless.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WIDTH = 1000, HEIGHT = 20, LEVELS = 24, LETTER = 7, LEAST_LETTERS = 3, MOST_BOXES = 512, NAME_LENGTH = 60 };

/* The tree by function, without start-up and imports; path 0 is all. */
struct paths {
    struct pr_idset set; /* (path above, function) */
    uint32_t count;
    uint32_t *above;      /* [count] */
    pr_frame_id *frame;   /* [count] one of its frames */
    int64_t *total;       /* [count] with all below */
    uint32_t *child, *next; /* [count] the first path below it, and the next one beside it; 0: none */
    int32_t *begins;        /* [frame_count] what pr_functions_tell_apart says */
};

/* A box, in thousandths of the width. */
struct box {
    uint32_t path, level;
    double x, width;
};

static bool is_hidden(const struct pr_page *page, pr_frame_id frame)
{
    return page->traits.of[frame] & (PR_TRAIT_RUNNER | PR_TRAIT_IMPORT | PR_TRAIT_START);
}

static bool paths_make_room(struct paths *paths, const struct pr_profile *profile)
{
    const size_t room = profile->tree.count + (size_t)1;
    *paths = (struct paths){.set = {.words = 2},
                            .count = 1,
                            .above = calloc(room, sizeof *paths->above),
                            .frame = calloc(room, sizeof *paths->frame),
                            .total = calloc(room, sizeof *paths->total),
                            .child = calloc(room, sizeof *paths->child),
                            .next = calloc(room, sizeof *paths->next),
                            .begins = pr_functions_tell_apart(profile)};
    return paths->above && paths->frame && paths->total && paths->child && paths->next && paths->begins;
}

static void paths_clear(struct paths *paths)
{
    pr_idset_clear(&paths->set);
    free(paths->above);
    free(paths->frame);
    free(paths->total);
    free(paths->child);
    free(paths->next);
    free(paths->begins);
}

/* The path of FRAME below ABOVE. PR_NO_ID: no memory. */
static uint32_t path_of(struct paths *paths, const struct pr_profile *profile, uint32_t above, pr_frame_id frame)
{
    const struct pr_frame *f = &profile->frames[frame];
    const uint64_t key[2] = {pr_pair(f->function, f->file), pr_pair((uint32_t)paths->begins[frame], above)};
    const uint32_t path = pr_idset_add(&paths->set, key, 2);
    if (path == PR_NO_ID)
        return PR_NO_ID;
    if (path + 1 == paths->count) {
        paths->above[path + 1] = above;
        paths->frame[path + 1] = frame;
        paths->next[path + 1] = paths->child[above];
        paths->child[above] = path + 1;
        paths->count++;
    }
    return path + 1;
}

/* False: no memory. */
static bool paths_fill(const struct pr_page *page, const struct pr_metric *metric, struct paths *paths)
{
    const struct pr_profile *profile = page->profile;
    const struct pr_tree *tree = &profile->tree;
    uint32_t *of = calloc(tree->count + (size_t)1, sizeof *of);
    bool done = of != NULL;
    for (pr_node_id i = 1; done && i < tree->count; i++) {
        const uint32_t above = of[tree->parent[i]];
        of[i] = is_hidden(page, tree->frame[i]) ? above : path_of(paths, profile, above, tree->frame[i]);
        done = of[i] != PR_NO_ID;
    }
    for (size_t i = 0; done && i < profile->fact_count; i++)
        pr_add_to(&paths->total[of[profile->fact_leaf[i]]], metric->value[i]);
    for (uint32_t i = paths->count; done && i-- > 1;)
        pr_add_to(&paths->total[paths->above[i]], paths->total[i]);
    free(of);
    return done;
}

static int by_total(const void *a, const void *b, const void *context)
{
    const struct paths *paths = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return paths->total[x] != paths->total[y] ? PR_ORDER(paths->total[y], paths->total[x]) : PR_ORDER(x, y);
}

/* Adds the boxes below BOX to those at *COUNT, the largest first. */
static bool add_below(const struct paths *paths, struct box box, struct box *boxes, size_t *count)
{
    const double scale = box.width / (double)(paths->total[box.path] > 0 ? paths->total[box.path] : 1);
    uint32_t below[MOST_BOXES];
    size_t found = 0;
    double x = box.x;
    for (uint32_t i = paths->child[box.path]; i && found < MOST_BOXES; i = paths->next[i]) {
        if ((double)paths->total[i] * scale >= LETTER)
            below[found++] = i;
    }
    if (!pr_sort(below, found, sizeof *below, by_total, paths))
        return false;
    for (size_t i = 0; i < found && *count < MOST_BOXES; i++) {
        const double width = (double)paths->total[below[i]] * scale;
        boxes[(*count)++] = (struct box){below[i], box.level + 1, x, width};
        x += width;
    }
    return true;
}

static void add_box(const struct pr_page *page, const struct pr_metric *metric, const struct paths *paths,
                    const char *colours, const struct box *box, struct pr_buf *out)
{
    const struct pr_profile *profile = page->profile;
    const pr_frame_id frame = paths->frame[box->path];
    const struct pr_text name = pr_shown_function(profile, frame);
    const int x = (int)(box->x + 0.5), width = (int)(box->x + box->width + 0.5) - x, y = (int)box->level * HEIGHT;
    const int letters = (width - LETTER) / LETTER - 1; /* a name that is cut ends with one more */
    pr_html(out, "<g><title>");
    pr_html_cut(out, name, NAME_LENGTH);
    pr_html(out, ", %s, %s</title><rect class='%s' x='%d' y='%d' width='%d' height='%d'/>",
            pr_units_metric(metric, paths->total[box->path]).text,
            pr_units_percent(paths->total[box->path], metric->total_value).text,
            (const char[]){colours[frame], '\0'}, x, y, width > 1 ? width - 1 : 1, HEIGHT - 1);
    if (letters >= LEAST_LETTERS) {
        pr_html(out, "<text x='%d' y='%d'>", x + 3, y + 14);
        pr_html_cut(out, name, (size_t)letters < NAME_LENGTH ? (size_t)letters : NAME_LENGTH);
        pr_html(out, "</text>");
    }
    pr_html(out, "</g>\n");
}

/* Writes boxes until one is too many; *LEVELS: how deep they go. */
static bool add_boxes(const struct pr_page *page, const struct pr_metric *metric, const struct paths *paths,
                      const char *colours, size_t most_bytes, struct pr_buf *svg, uint32_t *levels)
{
    struct box boxes[MOST_BOXES];
    size_t count = 0;
    if (!add_below(paths, (struct box){0, UINT32_MAX, 0, WIDTH}, boxes, &count))
        return false;
    *levels = 0;
    for (size_t i = 0; i < count && boxes[i].level < LEVELS; i++) {
        const size_t before = svg->length;
        add_box(page, metric, paths, colours, &boxes[i], svg);
        if (svg->length > most_bytes) {
            svg->length = before;
            return true;
        }
        *levels = boxes[i].level + 1;
        if (!add_below(paths, boxes[i], boxes, &count))
            return false;
    }
    return true;
}

enum pr_status pr_first_levels(const struct pr_page *page, const struct pr_metric *metric, const char *colours,
                               size_t most_bytes, struct pr_buf *out, struct pr_error *err)
{
    enum { FRAME = 200 }; /* bytes around the boxes */
    struct paths paths;
    struct pr_buf svg = {0};
    uint32_t levels = 0;
    const bool done = paths_make_room(&paths, page->profile) && paths_fill(page, metric, &paths) &&
                      (most_bytes < FRAME ||
                       add_boxes(page, metric, &paths, colours, most_bytes - FRAME, &svg, &levels));
    if (done && levels) {
        pr_html(out, "<svg viewBox='0 0 %d %" PRIu32 "' role='img' aria-label='The first levels of the call tree'>\n",
                WIDTH, levels * HEIGHT);
        pr_buf_add(out, svg.bytes, svg.length);
        pr_buf_text(out, "</svg>\n");
    }
    out->failed |= svg.failed;
    pr_buf_clear(&svg);
    paths_clear(&paths);
    return done && !out->failed ? PR_OK : pr_fail_memory(err);
}
