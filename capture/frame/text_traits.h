/* SPDX-License-Identifier: Apache-2.0 */
/* What a text is made of, and whether it looks like something that belongs to a person. */
#ifndef PR_CAPTURE_FRAME_TEXT_TRAITS_H
#define PR_CAPTURE_FRAME_TEXT_TRAITS_H

#include "profrender/data_frame.h"

#include <string.h>

struct pr_text_traits {
    uint64_t characters; /* bytes where it is not UTF-8 */
    uint64_t letters, digits, blanks, others, beyond_ascii;
    bool is_utf8;
};

/* The LENGTH bytes at TEXT, 16 at most, and zeros. Loads of them overlap: none reads beyond them. */
static inline void pr_short_text(const char *text, size_t length, uint64_t words[2])
{
    words[0] = words[1] = 0;
    if (length >= 8) {
        memcpy(&words[0], text, 8);
        memcpy(&words[1], text + length - 8, 8);
        words[1] = length > 8 ? words[1] >> (8 * (16 - length)) : 0;
    } else if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + length - 4, sizeof last);
        words[0] = first | (uint64_t)last << (8 * (length - 4));
    } else if (length) {
        const size_t middle = length / 2, last = length - 1;
        words[0] = (uint64_t)(unsigned char)text[0] | (uint64_t)(unsigned char)text[middle] << (8 * middle) |
                   (uint64_t)(unsigned char)text[last] << (8 * last);
    }
}

struct pr_text_traits pr_text_traits_of(const char *text, size_t length);

/* name@host.domain */
bool pr_looks_like_mail(const char *text, size_t length);

/* Four numbers up to 255 with points between. */
bool pr_looks_like_address(const char *text, size_t length);

/* 13 to 19 digits with the check digit of a payment card, as one number or in groups. Source: ISO/IEC 7812-1. */
bool pr_looks_like_card(const char *text, size_t length);

/* Whether a column of this name likely has personal data: "email", "phone_number", "date of birth". */
bool pr_is_personal_name(struct pr_text name);

#endif
