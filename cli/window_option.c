/* SPDX-License-Identifier: Apache-2.0 */
/* Reading bins and windows; numbers are taken as written, with nothing behind them. */
#include "cli/window_option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pr_bins_parse(const char *text, uint32_t *max_bins)
{
    if (!strcmp(text, "samples")) {
        *max_bins = 0;
        return true;
    }
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || !number || number >= UINT32_MAX)
        return false;
    *max_bins = (uint32_t)number;
    return true;
}

/* A number at *TEXT, behind a `b` when it is one of a bin; *TEXT then points behind it. */
static bool read_end(const char **text, bool in_bins, double *number)
{
    if (in_bins && *(*text)++ != 'b')
        return false;
    if (!isdigit((unsigned char)**text) && !(**text == '.' && !in_bins))
        return false;
    char *end;
    *number = strtod(*text, &end);
    *text = end;
    return isfinite(*number) && (!in_bins || *number == floor(*number));
}

bool pr_window_parse(const char *text, struct pr_window_option *option)
{
    option->in_bins = *text == 'b';
    return read_end(&text, option->in_bins, &option->from) && *text++ == ':' &&
           read_end(&text, option->in_bins, &option->to) && !*text && option->from <= option->to;
}

bool pr_window_find(const struct pr_window_option *option, const struct pr_profile *profile, struct pr_window *window)
{
    if (!profile->bin_count)
        return false;
    if (!option->in_bins) {
        double start = (double)profile->bins[0].start_ms, far = 1e15;
        double from = start + option->from * 1000, to = start + option->to * 1000;
        return from < far && from <= (double)profile->bins[profile->bin_count - 1].end_ms &&
               pr_window_of_time(profile, (int64_t)floor(from), (int64_t)ceil(to < far ? to : far), window);
    }
    if (option->from >= profile->bin_count)
        return false;
    window->first = (uint32_t)option->from;
    window->last = option->to < profile->bin_count ? (uint32_t)option->to : profile->bin_count - 1;
    return true;
}
