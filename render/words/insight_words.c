/* SPDX-License-Identifier: Apache-2.0 */
/* One case for each kind of figure. */
#include "render/words/insight_words.h"

#include "capture/base/text.h"
#include "profrender/buf.h"
#include "render/words/profile_times.h"

#include <stdio.h>

/* "3.3" */
static struct pr_figure short_cores(int64_t millicores)
{
    struct pr_figure figure;
    const int64_t tenths = millicores / 100 + (millicores % 100 + 50) / 100; /* also for the maximum */
    snprintf(figure.text, sizeof figure.text, "%lld.%d", (long long)(tenths / 10), (int)(tenths % 10));
    return figure;
}

static struct pr_figure amount(const struct pr_phrase *phrase, int64_t value)
{
    return phrase->metric ? pr_units_metric(phrase->metric, value) : pr_units_value(phrase->unit, value);
}

static struct pr_figure exact_amount(const struct pr_phrase *phrase, int64_t value)
{
    return phrase->metric ? pr_units_metric_exact(phrase->metric, value) : pr_units_exact(phrase->unit, value);
}

static struct pr_figure counted(const struct pr_phrase *phrase)
{
    char nouns[32];
    snprintf(nouns, sizeof nouns, "%.*s", (int)(phrase->text.length < 31 ? phrase->text.length : 31),
             phrase->text.bytes);
    return pr_units_counted(phrase->value, nouns);
}

struct pr_figure pr_insight_figure(const struct pr_profile *profile, const struct pr_phrase *phrase)
{
    switch (phrase->kind) {
    case PR_PHRASE_AMOUNT:
        return amount(phrase, phrase->value);
    case PR_PHRASE_CHANGE:
        return pr_units_metric_change(phrase->metric, false, phrase->value);
    case PR_PHRASE_SHARE:
        return pr_units_percent(phrase->value, phrase->whole);
    case PR_PHRASE_GROWTH:
        return pr_units_growth(phrase->whole, phrase->value);
    case PR_PHRASE_COUNT:
        return counted(phrase);
    case PR_PHRASE_CORES:
        return short_cores(phrase->value);
    case PR_PHRASE_MOMENT:
        return pr_times_moment(profile, phrase->value);
    case PR_PHRASE_TEXT:
    case PR_PHRASE_FUNCTION:
    case PR_PHRASE_PLACE:
    case PR_PHRASE_NAME:
    case PR_PHRASE_END:
        break;
    }
    return (struct pr_figure){""};
}

void pr_insight_exact(const struct pr_profile *profile, const struct pr_phrase *phrase, struct pr_buf *out)
{
    if (phrase->kind == PR_PHRASE_MOMENT) {
        pr_buf_text(out, pr_times_moment_exact(profile, phrase->value).text);
        return;
    }
    const int64_t value = phrase->kind == PR_PHRASE_GROWTH ? phrase->value - phrase->whole : phrase->value;
    pr_buf_text(out, exact_amount(phrase, value).text);
    if (phrase->kind == PR_PHRASE_SHARE || phrase->kind == PR_PHRASE_GROWTH)
        pr_buf_printf(out, " of %s", exact_amount(phrase, phrase->whole).text);
    else if (phrase->kind != PR_PHRASE_COUNT && phrase->text.length)
        pr_buf_printf(out, "; %.*s", (int)phrase->text.length, phrase->text.bytes);
}

struct pr_text pr_insight_file(const struct pr_profile *profile, const struct pr_phrase *phrase)
{
    const struct pr_text file = pr_profile_text(profile, profile->frames[phrase->frame].file);
    if (!file.length)
        return pr_text_of("an unknown file");
    const struct pr_text name = pr_text_file_name_anywhere(file);
    if (!pr_text_is(name, "__init__.py") || name.length + 1 >= file.length)
        return name;
    const struct pr_text folder = {file.bytes, file.length - name.length - 1};
    const struct pr_text last = pr_text_file_name_anywhere(folder); /* of a package, its folder is its name */
    return (struct pr_text){last.bytes, file.length - (uint32_t)(last.bytes - file.bytes)};
}
