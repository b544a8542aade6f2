/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what sections share. */
#include "render/page/page.h"

#include "render/words/program_name.h"

#include <stdio.h>
#include <string.h>

static struct pr_text text_of(const char *text)
{
    return (struct pr_text){text, (uint32_t)strlen(text)};
}

static struct pr_text base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text_of(slash ? slash + 1 : path);
}

/* What the user said, else what ran, else the name of the file. */
static struct pr_text title_of(const struct pr_page *page)
{
    const struct pr_meta *meta = &page->profile->meta;
    if (page->options.title)
        return text_of(page->options.title);
    if (page->profile->run.name)
        return pr_profile_text(page->profile, page->profile->run.name);
    struct pr_text program = pr_program_name(pr_profile_text(page->profile, meta->command_line));
    /* A difference names what its files and lines are those of. */
    const bool differs = pr_page_is_difference(page->profile) && page->options.source_count == 2;
    const char *source = differs ? page->options.sources[1] : page->options.source;
    if (!program.length && source)
        program = base_name(source);
    return program.length ? program : text_of(meta->format_title ? meta->format_title : "Profile");
}

enum pr_status pr_page_make(struct pr_page *page, const struct pr_profile *profile,
                            const struct pr_card_options *options, struct pr_error *err)
{
    *page = (struct pr_page){.options = options ? *options : pr_card_options_default()};
    page->profile = &page->paths.view;
    if (pr_paths_make(&page->paths, profile, &page->options, err) == PR_FAILED ||
        pr_traits_make(page->profile, page->options.root, &page->traits, err) == PR_FAILED)
        return PR_FAILED;
    if (page->options.redact_paths && pr_paths_redact(&page->paths, page->options.root, err) == PR_FAILED)
        return PR_FAILED;
    profile = page->profile;
    struct pr_text title = title_of(page);
    pr_buf_add(&page->title, title.bytes, title.length);
    if (page->title.failed)
        return pr_fail_memory(err);
    if (pr_views_make(profile, &page->views, err) == PR_FAILED ||
        pr_tree_children(&profile->tree, &page->children, err) == PR_FAILED)
        return PR_FAILED;
    const struct pr_payload_limits limits = {page->options.max_nodes, page->options.max_size_bytes};
    return pr_payload_make(profile, &page->traits, &page->children, &limits, &page->payload, err);
}

void pr_page_clear(struct pr_page *page)
{
    pr_payload_clear(&page->payload);
    pr_views_clear(&page->views);
    pr_children_clear(&page->children);
    pr_traits_clear(&page->traits);
    pr_buf_clear(&page->title);
    pr_paths_clear(&page->paths);
    *page = (struct pr_page){0};
}

bool pr_page_is_difference(const struct pr_profile *profile)
{
    for (uint32_t i = 0; i < profile->metric_count; i++) {
        if (profile->metrics[i].base)
            return true;
    }
    return false;
}

/* The later of LAST and the last moment of a series. */
static struct pr_maybe later(struct pr_maybe last, const struct pr_series *series)
{
    for (size_t k = 0; k < series->count; k++) {
        if (!last.known || series->at_ms[k] > last.value)
            last = (struct pr_maybe){true, series->at_ms[k]};
    }
    return last;
}

/* The last moment of which any series tells. */
static struct pr_maybe last_point(const struct pr_profile *profile)
{
    struct pr_maybe last = {false, 0};
    for (uint32_t i = 0; i < profile->series_count; i++)
        last = later(last, &profile->series[i]);
    return last;
}

struct pr_maybe pr_page_span_ms(const struct pr_profile *profile)
{
    const struct pr_meta *meta = &profile->meta;
    int64_t span;
    if (meta->no_date)
        return last_point(profile);
    if (!meta->start_ms.known || !meta->end_ms.known ||
        __builtin_sub_overflow(meta->end_ms.value, meta->start_ms.value, &span) || span < 0)
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, span};
}

/* From the start of the run to a moment of it, in milliseconds. */
static struct pr_maybe offset_ms(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe start = profile->meta.no_date ? (struct pr_maybe){true, 0} : profile->meta.start_ms;
    int64_t offset;
    if (!start.known || __builtin_sub_overflow(ms, start.value, &offset))
        return (struct pr_maybe){false, 0};
    return (struct pr_maybe){true, offset};
}

struct pr_figure pr_page_moment(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe offset = offset_ms(profile, ms), span = pr_page_span_ms(profile);
    if (!offset.known)
        return (struct pr_figure){""};
    return pr_units_moment(offset.value, span.known ? span.value : offset.value);
}

struct pr_figure pr_page_moment_exact(const struct pr_profile *profile, int64_t ms)
{
    const struct pr_maybe offset = offset_ms(profile, ms);
    struct pr_figure figure = {""};
    if (offset.known)
        snprintf(figure.text, sizeof figure.text, "%.30s after the start", pr_units_milliseconds(offset.value).text);
    return figure;
}

struct pr_maybe pr_page_reached_ms(const struct pr_profile *profile)
{
    const int heap = pr_profile_series(profile, "heap");
    if (profile->complete)
        return profile->meta.end_ms;
    if (heap < 0)
        return last_point(profile);
    /* other lanes may go on where a capture ends */
    return later((struct pr_maybe){false, 0}, &profile->series[heap]);
}

/* The peak is known to the end of its time bin, which in a cut capture may lie behind all that was read. */
struct pr_maybe pr_page_peak_ms(const struct pr_profile *profile)
{
    const struct pr_maybe reached = pr_page_reached_ms(profile), peak = profile->peak_at_ms;
    if (peak.known && !profile->complete && (!reached.known || peak.value > reached.value))
        return (struct pr_maybe){false, 0};
    return peak;
}

const char *pr_page_input_name(const struct pr_card_options *options, const char *path)
{
    const char *slash = options->redact_paths ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}
