/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An amount of memory as a note shows it, to three digits as everywhere in the program: "288 B", "2.12 GiB".
 *
 *     pr_build_note(&c, "malloc itself used another %s", pr_size_text(bytes).text);
 */
#ifndef PR_CAPTURE_BASE_SIZE_TEXT_H
#define PR_CAPTURE_BASE_SIZE_TEXT_H

#include <stdint.h>

struct pr_size_text {
    char text[32];
};

struct pr_size_text pr_size_text(uint64_t bytes);

#endif
