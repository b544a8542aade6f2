/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/text_traits.h"

#include "capture/base/ascii.h"
#include "capture/base/utf8.h"

#include <string.h>

static void count_beyond_ascii(const char *text, size_t length, struct pr_text_traits *traits)
{
    size_t size;
    traits->characters = 0;
    for (size_t at = 0; at < length; at += size) {
        const uint32_t character = pr_utf8_next(text + at, length - at, &size);
        traits->is_utf8 &= character != PR_UTF8_BAD;
        traits->characters++;
        traits->beyond_ascii += character >= 0x80;
    }
    if (!traits->is_utf8)
        traits->characters = length;
}

struct pr_text_traits pr_text_traits_of(const char *text, size_t length)
{
    struct pr_text_traits traits = {.characters = length, .is_utf8 = true};
    unsigned all = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const unsigned letter = (unsigned)(c | 0x20) - 'a' < 26, digit = (unsigned)c - '0' < 10;
        const unsigned blank = c == ' ' || c - 9u < 5;
        traits.letters += letter;
        traits.digits += digit;
        traits.blanks += blank;
        traits.others += c < 0x80 && !(letter | digit | blank);
        all |= c;
    }
    if (all & 0x80)
        count_beyond_ascii(text, length, &traits);
    return traits;
}

bool pr_looks_like_mail(const char *text, size_t length)
{
    const char *at = length >= 6 && length <= 254 ? memchr(text, '@', length) : NULL;
    if (!at || at == text)
        return false;
    const char *end = text + length, *point = NULL;
    for (const char *c = text; c < at; c++)
        if (!pr_is_alphanumeric(*c) && !strchr(".!#$%&'*+/=?^_`{|}~-", *c))
            return false;
    for (const char *c = at + 1; c < end; c++) {
        if (*c == '.')
            point = c;
        else if (!pr_is_alphanumeric(*c) && *c != '-')
            return false;
    }
    return point && point > at + 1 && end - point > 2;
}

bool pr_looks_like_address(const char *text, size_t length)
{
    unsigned parts = 1, value = 0, digits = 0;
    if (length < 7 || length > 15)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (pr_is_digit(text[i])) {
            value = value * 10 + (unsigned)(text[i] - '0');
            if (++digits > 3 || value > 255)
                return false;
        } else if (text[i] == '.' && digits) {
            parts++;
            value = digits = 0;
        } else {
            return false;
        }
    }
    return parts == 4 && digits;
}

bool pr_looks_like_card(const char *text, size_t length)
{
    unsigned sum = 0, count = 0;
    if (length < 13 || length > 23 || text[0] < '3' || text[0] > '6')
        return false;
    for (size_t i = length; i-- > 0;) {
        if (text[i] == ' ' || text[i] == '-')
            continue;
        if (!pr_is_digit(text[i]))
            return false;
        const unsigned digit = (unsigned)(text[i] - '0') * (1 + (count & 1));
        sum += digit > 9 ? digit - 9 : digit;
        count++;
    }
    return count >= 13 && count <= 19 && sum % 10 == 0;
}

bool pr_is_personal_name(struct pr_text name)
{
    static const char *const words[] = {"email",
                                        "mail",
                                        "phone",
                                        "mobile",
                                        "ssn",
                                        "birthdate",
                                        "birthday",
                                        "birth date",
                                        "dob",
                                        "date of birth",
                                        "first name",
                                        "last name",
                                        "surname",
                                        "firstname",
                                        "lastname",
                                        "full name",
                                        "passport",
                                        "iban",
                                        "address",
                                        "street",
                                        "ip",
                                        "ip address",
                                        "credit card",
                                        "card number",
                                        "phone number",
                                        "email address",
                                        "e mail",
                                        "social security number",
                                        NULL};
    char plain[32];
    if (!name.length || name.length >= sizeof plain)
        return false;
    for (uint32_t i = 0; i < name.length; i++) {
        const char c = name.bytes[i];
        plain[i] = c == '_' || c == '-' || c == '.' ? ' ' : pr_ascii_lower(c);
    }
    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == name.length && memcmp(words[i], plain, name.length) == 0)
            return true;
    return false;
}
