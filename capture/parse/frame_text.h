/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that tools write as one text: `name (file:line)`, `name (file)`, `name`. And what the file of a frame, or the
 * name, tells about its kind.
 */
#ifndef PR_CAPTURE_PARSE_FRAME_TEXT_H
#define PR_CAPTURE_PARSE_FRAME_TEXT_H

#include "profrender/buf.h"
#include "profrender/profile.h"

struct pr_frame_text {
    struct pr_text name, file; /* parts of the text; a file that is not there is empty */
    int32_t line;              /* 0 = none */
};

/*
 * Takes TEXT apart. `name (file:line)` is py-spy's and viztracer's; `name (file)` is py-spy's for native code, and
 * taken only if it looks like the name of a file. The name may hold brackets, the file colons.
 */
struct pr_frame_text pr_frame_text_parse(struct pr_text text);

/*
 * The kind by what is known. Source with lines is of an interpreter (PR_FRAME_PYTHON) unless it is in a language that
 * is compiled; a shared object is native; a name alone is native, in brackets ([idle]) it is made up, and with perf's
 * suffix `_[k]` of the kernel.
 */
enum pr_frame_kind pr_frame_kind_of(struct pr_text name, struct pr_text file);

/*
 * Appends TEXT to OUT, without addresses of objects, which no two objects and no two runs share: `<built-in method get
 * of dict object at 0x7f69>` gets "0x…". False: there is none in it, and nothing was appended.
 */
bool pr_text_without_addresses(struct pr_text text, struct pr_buf *out);

/* The whole number at the beginning of TEXT, decimal, or hexadecimal with 0x. False: none, or of more than 64 bits. */
bool pr_text_number(struct pr_text text, uint64_t *number);

/* The value of a hexadecimal digit; 16 = it is none. */
static inline unsigned pr_hex_digit(char c)
{
    const char small = (char)(c | 0x20);
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return small >= 'a' && small <= 'f' ? (unsigned)(small - 'a' + 10) : 16;
}

/*
 * How many digits the hexadecimal number at the beginning of TEXT has, without 0x; no more than 16 are taken, and 0 =
 * there is none.
 */
static inline uint32_t pr_text_hex(struct pr_text text, uint64_t *number)
{
    uint32_t at = 0;
    *number = 0;
    for (unsigned digit; at < text.length && at < 16 && (digit = pr_hex_digit(text.bytes[at])) < 16; at++)
        *number = *number << 4 | digit;
    return at;
}

/* Is TEXT WORD? */
bool pr_text_is(struct pr_text text, const char *word);

/* TEXT without its first COUNT bytes. */
static inline struct pr_text pr_text_from(struct pr_text text, size_t count)
{
    return (struct pr_text){text.bytes + count, text.length - (uint32_t)count};
}

/* What follows the last slash of a path of Unix: where the program ran, not where its files are read. */
static inline struct pr_text pr_text_file_name(struct pr_text path)
{
    size_t start = path.length;
    while (start && path.bytes[start - 1] != '/')
        start--;
    return pr_text_from(path, start);
}

#endif
