/* SPDX-License-Identifier: Apache-2.0 */
/* How to read the page, in a minute: a small graph, and what the words mean. The help of the script has it too. */
#include "render/page/parts.h"
#include "render/page/section.h"
#include "render/words/terms.h"
#include "profrender/heap_words.h"

#include <string.h>

static void emit_graph(struct pr_buf *out)
{
    static const struct {
        int x, width, row; /* percent, percent, from the top */
        const char *fill, *line, *name;
    } boxes[] = {
        {0, 100, 0, "m1", "o-m", "main"},     {0, 60, 1, "m2", "o-m", "load"}, {60, 30, 1, "m3", "o-m", "fit"},
        {0, 45, 2, "l3", "o-l", "read_csv"},
    };
    enum { ROW = 22 };
    pr_buf_text(out, "<svg class='ice' role='img' aria-label='main called load and fit; load called read_csv' "
                     "height='66'>");
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        pr_html(out,
                "<svg class='%s' x='%d%%' y='%d' width='%d%%'><rect width='100%%' height='21'/>"
                "<rect class='%s' y='19' width='100%%' height='2'/><text x='4' y='14'>%s</text></svg>",
                boxes[i].fill, boxes[i].x, boxes[i].row * ROW, boxes[i].width, boxes[i].line, boxes[i].name);
    pr_buf_text(out, "</svg>\n"
                     "<ul><li>A box is a function; the boxes below it are what it called.</li>\n"
                     "<li>Its width is what it took, including those.</li>\n"
                     "<li>The part with nothing below it is its own. Left to right is not time.</li>\n"
                     "<li>Start with the widest box of your code that has little of your code below it.</li></ul>\n");
}

static void emit_legend(struct pr_buf *out)
{
    static const struct {
        char owner;
        const char *name;
    } owners[] = {{'m', "my code"}, {'l', "library"}, {'s', "standard library"},
                  {'n', "native"},  {'k', "kernel"},  {'o', "no code"}};
    pr_buf_text(out, "<p class='legend'>");
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        pr_html(out, "<span><span class='sw o-%.*s'></span>%s</span> ", 1, &owners[i].owner, owners[i].name);
    pr_buf_text(out, "</p>\n<p>Stronger fill: more of it is its own. Hatched: frames too narrow to draw, added up. "
                     "Dashed: start-up.</p>\n");
}

/* Of a heap dump: nothing in it calls. */
static void emit_objects(struct pr_buf *out)
{
    pr_buf_text(out, "<ul><li>A box is a class or one of its fields; the boxes below it are what it retains: objects "
                     "that would be unreachable without it.</li>\n"
                     "<li>Its width is its retained size: its objects and all below them.</li>\n"
                     "<li>The part with nothing below it is its shallow size.</li>\n"
                     "<li>Start where a wide box has many objects: what holds them is above it.</li></ul>\n");
}

/* Only with the script; those of parts that the card carries. */
static void emit_keys(const struct pr_page *page, struct pr_buf *out)
{
    static const struct {
        unsigned part;
        const char *keys, *what; /* HTML */
    } rows[] = {
        {PR_PART_PROFILE, "<kbd>/</kbd>", "search names, file:path or /regex/"},
        {PR_PART_PROFILE, "<kbd>Enter</kbd> <kbd>Shift + Enter</kbd>",
         "next, previous match of a search"},
        {PR_PART_PROFILE, "<kbd>\xE2\x86\x90 \xE2\x86\x92 \xE2\x86\x91 \xE2\x86\x93</kbd>", "move in the graph"},
        {PR_PART_PROFILE, "<kbd>Click</kbd> <kbd>Double click</kbd>", "select a frame, zoom to it"},
        {PR_PART_PROFILE, "<kbd>Right click</kbd>", "actions for a frame"},
        {PR_PART_PROFILE, "<kbd>Ctrl + wheel</kbd> <kbd>Drag</kbd>", "zoom, move sideways"},
        {PR_PART_PROFILE, "<kbd>Enter</kbd> <kbd>Backspace</kbd>", "zoom in, zoom out"},
        {PR_PART_PROFILE, "<kbd>0</kbd>", "the whole view"},
        {PR_PART_PROFILE, "<kbd>I</kbd>", "root at the top or bottom"},
        {PR_PART_PROFILE, "<kbd>B</kbd>", "callers below the functions they called"},
        {PR_PART_PROFILE, "<kbd>S</kbd>", "callers and callees of the selected function"},
        {PR_PART_PROFILE, "<kbd>H</kbd>", "hide or show imports"},
        {PR_PART_PROFILE, "<kbd>C</kbd>", "copy the selected frame's stack"},
        {PR_PART_PROFILE, "<kbd>1 \xE2\x80\xA6 5</kbd>", "tabs"},
        {PR_PART_PROFILE, "<kbd>V</kbd>", "graph, tree or table"},
        {PR_PART_TIME, "<kbd>P</kbd>", "move the cursor to the peak"},
        {PR_PART_TIME, "<kbd>[</kbd> <kbd>]</kbd>", "start or end the window at the cursor"},
    };
    const bool has_objects =
        page->profile->metric_count && pr_metric_is_of_objects(&page->profile->metrics[0]);
    const unsigned parts = pr_parts_of(page);
    pr_buf_text(out, "<div data-live hidden><h3>Keys</h3>\n<dl>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((parts & rows[i].part) && !(has_objects && strstr(rows[i].what, "call")))
            pr_buf_printf(out, "<dt>%s</dt><dd>%s</dd>", rows[i].keys, rows[i].what);
    }
    pr_buf_text(out, "<dt><kbd>D</kbd></dt><dd>light or dark</dd>\n"
                     "<dt><kbd>?</kbd></dt><dd>this help</dd></dl></div>\n");
}

static enum pr_status emit_reading(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    bool is_open = false;
    pr_buf_text(out, "<details class='howto'><summary>How to read this</summary>\n<div>");
    const bool has_objects =
        page->profile->metric_count && pr_metric_is_of_objects(&page->profile->metrics[0]);
    if (has_objects)
        emit_objects(out);
    else if (page->profile->fact_count > 1) /* a single stack explains itself */
        emit_graph(out);
    if (page->views.count && !has_objects)
        emit_legend(out);
    const struct pr_heap_words *heap = pr_heap_words(page->profile);
    for (const struct pr_meaning *term = pr_meanings; term->wants; term++) {
        if (!term->wants(page->profile))
            continue;
        pr_buf_text(out, is_open ? "" : "<h3>Words</h3>\n<dl class='terms'>");
        pr_html(out, "<dt>%s</dt><dd>%s</dd>\n", term->name ? term->name : heap->title,
                term->name ? term->meaning : heap->meaning);
        is_open = true;
    }
    if (is_open)
        pr_buf_text(out, "</dl>\n");
    emit_keys(page, out);
    pr_buf_text(out, "</div></details>\n");
    return PR_OK;
}

const struct pr_section pr_section_how_to_read = {"reading", "footer", NULL, emit_reading};
