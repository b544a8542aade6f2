/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what sections share. */
#include "render/page/page.h"
#include "capture/base/text.h"

#include "render/words/program_name.h"

#include <stdio.h>
#include <string.h>

/*
 * A browser takes seconds to read a page of millions of nodes. It then has a payload of the largest ones first, which
 * is drawn at once: with a box of less than 3 pixels nothing is drawn by itself, and 4,000 fill the widest screen.
 */
enum { MANY_NODES = 500000, FIRST_NODES = 20000 };

struct pr_card_options pr_card_options_default(void)
{
    return (struct pr_card_options){.theme = PR_THEME_AUTO, .max_nodes = 200000, .max_size_bytes = 10000000,
                                    .threads = 1};
}

/* What the user gave, else what ran, else the name of the file; a difference has that of the later one. */
static struct pr_text title_of(const struct pr_page *page)
{
    const struct pr_meta *meta = &page->profile->meta;
    const bool has_two = page->profile->is_difference && page->options.source_count == 2;
    if (page->options.title)
        return pr_text_of(page->options.title);
    const struct pr_text subject =
        pr_subject_of(page->profile, has_two ? page->options.sources[1] : page->options.source);
    return subject.length ? subject : pr_text_of(meta->format_title ? meta->format_title : "Profile");
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
    if (pr_source_texts_make(page, &page->sources, err) == PR_FAILED)
        return PR_FAILED;
    profile = page->profile;
    struct pr_text title = title_of(page);
    pr_buf_add(&page->title, title.bytes, title.length);
    if (page->title.failed)
        return pr_fail_memory(err);
    if (pr_views_make(profile, &page->views, err) == PR_FAILED ||
        pr_tree_children(&profile->tree, &page->children, err) == PR_FAILED)
        return PR_FAILED;
    if (pr_fold_make(profile, &page->children, page->options.max_nodes, &page->payload.fold, err) == PR_FAILED)
        return PR_FAILED;
    if (page->payload.fold.count <= MANY_NODES || page->options.fragment)
        return PR_OK;
    return pr_fold_make(profile, &page->children, FIRST_NODES, &page->first.fold, err);
}

void pr_page_clear(struct pr_page *page)
{
    pr_payload_clear(&page->payload);
    pr_payload_clear(&page->first);
    pr_views_clear(&page->views);
    pr_children_clear(&page->children);
    pr_traits_clear(&page->traits);
    pr_source_texts_clear(&page->sources);
    pr_buf_clear(&page->title);
    pr_paths_clear(&page->paths);
    *page = (struct pr_page){0};
}

const char *pr_page_input_name(const struct pr_card_options *options, const char *path)
{
    return options->redact_paths ? pr_path_last_part(path) : path;
}
