/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of numbers and words between spaces, as loggers write them. */
#ifndef PR_CAPTURE_PARSE_WORDS_H
#define PR_CAPTURE_PARSE_WORDS_H

#include "capture/base/text.h"
#include "capture/base/decimal.h"
#include "capture/parse/frame_text.h"
#include "capture/parse/lines.h"

/* Takes the first word off TEXT; empty = none. */
static inline struct pr_text pr_fields_word(struct pr_text *text)
{
    struct pr_text rest = pr_text_trim(*text);
    uint32_t length = 0;
    while (length < rest.length && rest.bytes[length] != ' ' && rest.bytes[length] != '\t')
        length++;
    *text = pr_text_from(rest, length);
    return (struct pr_text){rest.bytes, length};
}

/* Whether all of WORD is a number. */
static inline bool pr_fields_is_number(struct pr_text word, struct pr_decimal *number)
{
    return word.length && pr_decimal_parse(word.bytes, word.length, number) == word.length;
}

/* Takes the first word off TEXT, which must be a number. */
static inline bool pr_fields_number(struct pr_text *text, struct pr_decimal *number)
{
    return pr_fields_is_number(pr_fields_word(text), number);
}

#endif
