/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of profrender/explain.h on a page. */
#ifndef PR_RENDER_PAGE_INSIGHT_HTML_H
#define PR_RENDER_PAGE_INSIGHT_HTML_H

#include "profrender/explain.h"
#include "render/page/page.h"

/* Appends the sentence: names as code, places with their links, figures with all their digits on hover. */
void pr_insight_html(const struct pr_page *page, const struct pr_sentence *sentence, struct pr_buf *out);

/*
 * What is found in the profile of PAGE, with its own code. Owner: pr_explanation_clear, also after an error.
 * Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_insight_explain(const struct pr_page *page, struct pr_explanation *explanation, struct pr_error *err);

/* The name of a function as code. */
void pr_code_name_html(struct pr_text name, struct pr_buf *out);

#endif
