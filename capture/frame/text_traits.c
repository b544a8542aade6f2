/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/frame/text_traits.h"

#include "capture/base/ascii.h"
#include "capture/base/utf8.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* How many of up to 16 bytes are letters, digits, blanks, or beyond ASCII. */
struct classes {
    unsigned letters, digits, blanks, beyond;
};

#if defined(__SSE2__)

/* How many bytes of MASK are set, in all; the others are 0. */
static unsigned count_set(__m128i mask)
{
    const __m128i sums = _mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), mask), _mm_setzero_si128());
    return (unsigned)_mm_cvtsi128_si32(sums) + (unsigned)_mm_extract_epi16(sums, 4);
}

/* Which bytes are at most MOST above LEAST. */
static __m128i between(__m128i text, char least, char most)
{
    const __m128i above = _mm_sub_epi8(text, _mm_set1_epi8(least));
    return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(most)), above);
}

static struct classes classes_of(const unsigned char bytes[16])
{
    const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    const __m128i letters = between(_mm_or_si128(text, _mm_set1_epi8(0x20)), 'a', 25);
    const __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(' ')), between(text, 9, 4));
    return (struct classes){count_set(letters), count_set(between(text, '0', 9)), count_set(blanks),
                            count_set(_mm_cmplt_epi8(text, _mm_setzero_si128()))};
}

#else

static struct classes classes_of(const unsigned char bytes[16])
{
    struct classes found = {0};
    for (unsigned i = 0; i < 16; i++) {
        const unsigned c = bytes[i];
        found.letters += (c | 0x20) - 'a' < 26;
        found.digits += c - '0' < 10;
        found.blanks += c == ' ' || c - 9 < 5;
        found.beyond += c >= 0x80;
    }
    return found;
}

#endif

struct pr_text_traits pr_text_traits_of(const char *text, size_t length)
{
    struct pr_text_traits traits = {.characters = length, .is_utf8 = true};
    unsigned char last[16];
    unsigned beyond = 0;
    for (size_t at = 0; at < length; at += sizeof last) {
        const bool is_last = length - at < sizeof last;
        if (is_last) {
            uint64_t words[2];
            pr_short_text(text + at, length - at, words);
            memcpy(last, words, sizeof last);
        }
        const struct classes found = classes_of(is_last ? last : (const unsigned char *)text + at);
        traits.letters += found.letters;
        traits.digits += found.digits;
        traits.blanks += found.blanks;
        beyond |= found.beyond;
        traits.others += found.beyond;
    }
    traits.others = length - traits.letters - traits.digits - traits.blanks - traits.others;
    if (beyond)
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
