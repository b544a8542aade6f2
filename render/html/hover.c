/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a hover are those of render/words/units.h, with all digits. */
#include "render/html/hover.h"

#include <string.h>

void pr_hover(struct pr_buf *out, struct pr_figure shown, struct pr_figure exact)
{
    if (!*shown.text)
        return;
    const bool is_plain = !shown.text[strspn(shown.text, "0123456789,")]; /* "1.39 s" could be rounded */
    if (is_plain && !strcmp(shown.text, exact.text))
        pr_html(out, "<span>%s</span>", shown.text);
    else
        pr_html(out, "<span title='%s'>%s</span>", exact.text, shown.text);
}

void pr_hover_value(struct pr_buf *out, enum pr_unit unit, int64_t value)
{
    pr_hover(out, pr_units_value(unit, value), pr_units_exact(unit, value));
}

void pr_hover_metric(struct pr_buf *out, const struct pr_metric *metric, int64_t value)
{
    pr_hover(out, pr_units_metric(metric, value), pr_units_metric_exact(metric, value));
}

void pr_hover_part(struct pr_buf *out, struct pr_figure shown, struct pr_figure part, struct pr_figure whole)
{
    if (*shown.text)
        pr_html(out, "<span title='%s of %s'>%s</span>", part.text, whole.text, shown.text);
}

void pr_hover_share(struct pr_buf *out, enum pr_unit unit, int64_t part, int64_t whole)
{
    pr_hover_part(out, pr_units_percent(part, whole), pr_units_exact(unit, part), pr_units_exact(unit, whole));
}

void pr_hover_metric_share(struct pr_buf *out, const struct pr_metric *metric, int64_t part, int64_t whole)
{
    pr_hover_part(out, pr_units_percent(part, whole), pr_units_metric_exact(metric, part),
              pr_units_metric_exact(metric, whole));
}
