/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A short time as a note shows it, whatever the locale: "331 ms", "4 ms", "0.250 ms".
 *
 *     pr_build_note(&c, "a sample every %s", pr_ms_text(interval_ns).text);
 */
#ifndef PR_CAPTURE_BASE_MS_TEXT_H
#define PR_CAPTURE_BASE_MS_TEXT_H

#include <stdint.h>

struct pr_ms_text {
    char text[40];
};

/* Rounded to the microsecond below 100 ms, else to the millisecond. NS: nanoseconds, at least 0. */
struct pr_ms_text pr_ms_text(int64_t ns);

#endif
