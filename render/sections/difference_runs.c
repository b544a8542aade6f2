/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two runs of a difference: which they are, next to each other, and what differs between them: arguments, versions,
 * limits, how they ended.
 */
#include "capture/base/text.h"
#include "capture/redact/redact.h"
#include "profrender/diff.h"
#include "render/html/hover.h"
#include "render/model/shown_paths.h"
#include "render/page/section.h"
#include "render/words/python_version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIDES = 2, WORDS = 400 /* a longer value is cut */ };

static bool wants_runs(const struct pr_profile *profile)
{
    return profile->is_difference;
}

/* What a row shows of a run: visible text, empty: not known; for its hover the exact value, empty: TEXT is exact. */
struct value {
    struct pr_buf text;
    struct pr_figure exact;
};

typedef void value_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value);

static void command_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    const struct pr_text line = pr_profile_text(page->profile, run->command_line);
    struct pr_buf shown = {0};
    if (page->options.redact_paths)
        pr_paths_shorten_words(line, &shown);
    else
        pr_buf_add(&shown, line.bytes, line.length);
    pr_redact(&value->text, (struct pr_text){shown.bytes ? shown.bytes : "", (uint32_t)shown.length});
    value->text.failed |= shown.failed;
    pr_buf_clear(&shown);
}

static void name_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    struct pr_buf *text = &value->text;
    const pr_str parts[] = {run->flow, run->run, run->step};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct pr_text part = pr_profile_text(page->profile, parts[i]);
        if (part.length && text->length)
            pr_buf_text(text, " / ");
        pr_buf_add(text, part.bytes, part.length);
    }
}

static void add_text(const struct pr_page *page, pr_str text, struct value *value)
{
    const struct pr_text found = pr_profile_text(page->profile, text);
    pr_buf_add(&value->text, found.bytes, found.length);
}

static void commit_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    add_text(page, run->commit, value);
}

static void host_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    add_text(page, run->host, value);
}

static void recorder_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    add_text(page, run->recorder, value);
}

static void start_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    (void)page;
    if (!run->start_ms.known)
        return;
    pr_buf_text(&value->text, pr_units_time(run->start_ms.value).text);
    value->exact = pr_units_iso_time(run->start_ms.value);
}

static void python_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    (void)page;
    if (run->python_version)
        pr_buf_text(&value->text, pr_python_version(run->python_version).text);
}

static void end_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    const struct pr_text type = pr_profile_text(page->profile, run->exception);
    struct pr_buf *text = &value->text;
    if (run->signal.known && run->signal.value)
        pr_buf_printf(text, "killed by signal %" PRId64, run->signal.value);
    else if (run->failed && run->exit.known)
        pr_buf_printf(text, "failed, exit status %" PRId64, run->exit.value);
    else if (run->failed)
        pr_buf_text(text, "failed");
    else if (run->exit.known)
        pr_buf_text(text, "succeeded");
    if (type.length) {
        pr_buf_text(text, text->length ? ": " : "");
        pr_buf_add(text, type.bytes, type.length);
    }
    if (!run->complete)
        pr_buf_text(text, text->length ? ", recording incomplete" : "recording incomplete");
}

static void amount_of(enum pr_unit unit, struct pr_maybe amount, struct value *value)
{
    if (!amount.known)
        return;
    pr_buf_text(&value->text, pr_units_value(unit, amount.value).text);
    value->exact = pr_units_exact(unit, amount.value);
}

static void limit_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    (void)page;
    amount_of(PR_UNIT_BYTES, run->memory_limit_bytes, value);
}

static void cores_of(const struct pr_page *page, const struct pr_diff_run *run, struct value *value)
{
    (void)page;
    amount_of(PR_UNIT_COUNT, run->machine_cpus, value);
}

static const struct {
    const char *title;
    value_of *value;
    bool is_code;
} rows[] = {{"Run", name_of, false},         {"Command", command_of, true},   {"Commit", commit_of, true},
            {"Host", host_of, false},        {"Recorded by", recorder_of, false}, {"Started", start_of, false},
            {"Ended", end_of, false},        {"Python", python_of, false},    {"Memory limit", limit_of, false},
            {"Cores", cores_of, false}};

enum { ROWS = sizeof rows / sizeof *rows };

static struct pr_text text_of(const struct pr_buf *buf)
{
    return (struct pr_text){buf->bytes ? buf->bytes : "", (uint32_t)buf->length};
}

/* The word at *AT, and where the next one begins. */
static struct pr_text take_word(struct pr_text text, uint32_t *at)
{
    const uint32_t start = *at;
    while (*at < text.length && text.bytes[*at] != ' ')
        ++*at;
    const struct pr_text word = {text.bytes + start, *at - start};
    *at += *at < text.length;
    return word;
}

/* The words of TEXT; those that are others at the same place in OTHER are marked. */
static void emit_marked(struct pr_text text, struct pr_text other, struct pr_buf *out)
{
    uint32_t at = 0, there = 0;
    while (at < text.length) {
        const struct pr_text word = take_word(text, &at), same = take_word(other, &there);
        const bool differs = word.length != same.length || memcmp(word.bytes, same.bytes, word.length);
        pr_buf_text(out, differs ? "<mark>" : "");
        pr_html_cut(out, word, WORDS);
        pr_buf_text(out, differs ? "</mark> " : " ");
    }
}

static void emit_cell(const struct value *value, const struct value *other, bool is_code, struct pr_buf *out)
{
    pr_buf_text(out, is_code ? "<td class='mono'" : "<td");
    if (*value->exact.text)
        pr_html(out, " title='%s'", value->exact.text);
    pr_buf_byte(out, '>');
    if (!value->text.length)
        pr_buf_text(out, "<span class='muted'>not recorded</span>");
    else if (is_code)
        emit_marked(text_of(&value->text), text_of(&other->text), out);
    else
        pr_html_cut(out, text_of(&value->text), WORDS);
    pr_buf_text(out, "</td>");
}

/* What both runs show; rounded, it may still be two exact values. */
static void emit_same(const char *title, const struct value values[SIDES], struct pr_buf *out)
{
    const char *exact = values[0].exact.text, *other = values[1].exact.text;
    pr_html(out, "%s%s <b", out->length ? ", " : "", title);
    if (*exact && strcmp(exact, other))
        pr_html(out, " title='%s before, %s after'", exact, other);
    else if (*exact)
        pr_html(out, " title='%s'", exact);
    pr_buf_byte(out, '>');
    pr_html_cut(out, text_of(&values[0].text), WORDS);
    pr_buf_text(out, "</b>");
}

static bool is_same(const struct value values[SIDES])
{
    const struct pr_buf *before = &values[0].text, *after = &values[1].text;
    return before->length == after->length &&
           (!before->length || !memcmp(before->bytes, after->bytes, before->length));
}

/* What the panel holds: rows that differ, and what is the same. */
struct parts {
    struct pr_buf differing, same;
};

/* A row, if the runs differ; else what they share is added to what is the same. */
static void emit_row(const struct pr_page *page, size_t row, struct parts *parts)
{
    struct pr_buf *out = &parts->differing;
    struct value values[SIDES] = {{.text = {0}}, {.text = {0}}};
    for (size_t side = 0; side < SIDES; side++)
        rows[row].value(page, &page->options.runs[side], &values[side]);
    out->failed |= values[0].text.failed || values[1].text.failed;
    if (!is_same(values)) {
        pr_html(out, "<tr><th scope='row'>%s</th>", rows[row].title);
        emit_cell(&values[0], &values[1], rows[row].is_code, out);
        emit_cell(&values[1], &values[0], rows[row].is_code, out);
        pr_buf_text(out, "</tr>\n");
    } else if (values[0].text.length) {
        emit_same(rows[row].title, values, &parts->same);
    }
    for (size_t side = 0; side < SIDES; side++)
        pr_buf_clear(&values[side].text);
}

static void emit_parts(const struct parts *parts, struct pr_buf *out)
{
    const struct pr_buf *differing = &parts->differing, *same = &parts->same;
    pr_html(out, "<section class='panel runs' aria-labelledby='h-runs'>\n<div class='head'><h2 id='h-runs'>%s</h2>",
            differing->length ? "What differs between the runs" : "Nothing recorded differs between the runs");
    pr_buf_text(out, same->length ? "<p class='same'>Same: " : "");
    pr_buf_add(out, same->bytes, same->length);
    pr_buf_text(out, same->length ? "</p></div>\n" : "</div>\n");
    if (differing->length)
        pr_buf_text(out, "<div class='tblwrap'><table class='tbl wraps'><thead><tr><th></th><th scope='col'>Before"
                         "</th><th scope='col'>After</th></tr></thead>\n<tbody>\n");
    pr_buf_add(out, differing->bytes, differing->length);
    pr_buf_text(out, differing->length ? "</tbody></table></div>\n</section>\n" : "</section>\n");
}

static enum pr_status emit_runs(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    struct parts parts = {{0}, {0}};
    if (!page->options.runs || page->options.source_count != SIDES)
        return PR_OK;
    for (size_t i = 0; i < ROWS; i++)
        emit_row(page, i, &parts);
    const bool failed = parts.same.failed || parts.differing.failed;
    if (!failed && (parts.same.length || parts.differing.length))
        emit_parts(&parts, out);
    pr_buf_clear(&parts.same);
    pr_buf_clear(&parts.differing);
    return failed ? pr_fail_memory(err) : PR_OK;
}

const struct pr_section pr_section_runs = {"runs", "main", wants_runs, emit_runs};

/* ---- which they are ---------------------------------------------------------------------------------------------- */

/* "Python 3.12.4", after " · " where it is not the first of the paragraph that begins at BEGIN. */
static void emit_fact(const struct pr_page *page, value_of *of, const char *label, const struct pr_diff_run *run,
                      size_t begin, struct pr_buf *out)
{
    struct value value = {.text = {0}};
    of(page, run, &value);
    out->failed |= value.text.failed;
    if (value.text.length) {
        pr_html(out, "%s%s", out->length > begin ? " \xC2\xB7 " : "", label);
        pr_buf_text(out, "<span");
        if (*value.exact.text)
            pr_html(out, " title='%s'", value.exact.text);
        pr_buf_text(out, ">");
        pr_html_cut(out, text_of(&value.text), WORDS);
        pr_buf_text(out, "</span>");
    }
    pr_buf_clear(&value.text);
}

/* A run: what it is called, which part of it, when it was, of what, and how it ended. */
static void emit_side(const struct pr_page *page, const char *title, size_t side, struct pr_buf *out)
{
    const struct pr_card_part *part = page->options.parts ? &page->options.parts[side] : NULL;
    const struct pr_diff_run *run = page->options.runs ? &page->options.runs[side] : NULL;
    pr_html(out, "<div class='panel'><p>%s <b>", title);
    pr_html_name(out, pr_text_of(pr_page_input_name(&page->options, page->options.sources[side])));
    pr_buf_text(out, "</b>");
    if (part && part->window)
        pr_html(out, ", <span title='%s'>%s</span>", part->exactly, part->words);
    pr_buf_text(out, "</p>");
    if (run) {
        pr_buf_text(out, "<p>");
        const size_t begin = out->length;
        emit_fact(page, start_of, "", run, begin, out);
        emit_fact(page, commit_of, "", run, begin, out);
        emit_fact(page, python_of, "Python ", run, begin, out);
        emit_fact(page, end_of, "", run, begin, out);
        pr_buf_text(out, "</p>");
    }
    pr_buf_text(out, "</div>\n");
}

static enum pr_status emit_sides(const struct pr_page *page, struct pr_buf *out, struct pr_error *err)
{
    (void)err;
    if (page->options.source_count != SIDES)
        return PR_OK;
    pr_buf_text(out, "<section class='versus' aria-label='The two runs'>\n");
    emit_side(page, "Before", 0, out);
    emit_side(page, "After", 1, out);
    pr_buf_text(out, "<div class='panel' data-mount='drop'></div>\n</section>\n");
    return PR_OK;
}

const struct pr_section pr_section_sides = {"sides", "main", wants_runs, emit_sides};
