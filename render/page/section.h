/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A section of the card: a piece of HTML that answers one question. Sections know the page, never each other.
 *
 *     const struct pr_section pr_section_banner = {"banner", "main", wants_banner, emit_banner};
 *
 * and a line in card_sections.c, whose order is that of the card.
 */
#ifndef PR_RENDER_PAGE_SECTION_H
#define PR_RENDER_PAGE_SECTION_H

#include "render/page/page.h"

struct pr_section {
    const char *name;
    const char *slot; /* where in templates/card.html: "header", "main", "footer" */
    bool (*wants)(const struct pr_profile *profile); /* NULL: every card has it */
    enum pr_status (*emit)(const struct pr_page *page, struct pr_buf *out, struct pr_error *err);
};

enum { PR_PAGE_SECTIONS = 32 };

/* In the order of the card; the last one is NULL. */
extern const struct pr_section *const pr_sections[PR_PAGE_SECTIONS + 1];

/* Those that show what fits into the payload: they are written when it is packed, the others at any time before. */
bool pr_section_is_last(const struct pr_section *section);

/* The parts of the static profile: one view as a graph, and as a table. See flamegraph.c and top_places.c. */
enum pr_status pr_flamegraph_emit(const struct pr_page *page, unsigned metric, struct pr_buf *out,
                                  struct pr_error *err);
enum pr_status pr_top_places_emit(const struct pr_page *page, unsigned metric, struct pr_buf *out,
                                  struct pr_error *err);

#endif
