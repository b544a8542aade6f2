/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON from a source, token by token: documents of any size and depth in the memory of one string.
 *
 *     struct pr_json_stream json;
 *     pr_json_begin(&json, src, limits, err);
 *     if (pr_json_next(&json) != PR_JSON_OBJECT)
 *         return pr_json_unexpected(&json, "an object");
 *     while (pr_json_key(&json)) {                    // the next key of the object, until it closes
 *         if (pr_json_is(&json, "frames"))
 *             read_frames(&json);                     // takes the value: pr_json_next, or pr_json_skip
 *         else
 *             pr_json_skip(&json);
 *     }
 *     return pr_json_finish(&json);
 *
 *     static void read_frames(struct pr_json_stream *json)
 *     {
 *         if (!pr_json_enter(json, PR_JSON_ARRAY))    // anything else is skipped
 *             return;
 *         while (pr_json_item(json))                  // the next item of the array, until it closes
 *             if (json->token == PR_JSON_NUMBER)
 *                 use(pr_json_scaled(json, 0, -1));
 *             else
 *                 pr_json_skip(json);
 *     }
 *
 * Once something is wrong every call says so (PR_JSON_BAD, false): loops end, and the status is checked once.
 *
 * It is lenient where Python's writers are: NaN, Infinity and -Infinity are numbers, numbers have any size, strings
 * hold any byte, escaped NUL and lone surrogates among them, keys may repeat. It is strict about structure; only inside
 * what is skipped does it check nothing but strings and brackets. Neither depth nor length of the input costs stack.
 */
#ifndef PR_CAPTURE_PARSE_JSON_STREAM_H
#define PR_CAPTURE_PARSE_JSON_STREAM_H

#include "profrender/buf.h"
#include "profrender/damage.h"
#include "capture/base/decimal.h"
#include "profrender/string_table.h"
#include "profrender/load_options.h"
#include "profrender/maybe.h"
#include "capture/input/source.h"

#include <string.h>

enum pr_json_token {
    PR_JSON_BAD,   /* damaged, cut or over a limit; err is filled */
    PR_JSON_END,   /* the document is complete, and nothing follows it */
    PR_JSON_CLOSE, /* of the innermost object or array; all above this line end a loop, all below are something in it */
    PR_JSON_KEY,
    PR_JSON_OBJECT,
    PR_JSON_ARRAY,
    PR_JSON_STRING,
    PR_JSON_NUMBER,
    PR_JSON_TRUE,
    PR_JSON_FALSE,
    PR_JSON_NULL
};

enum { PR_JSON_MAX_DEPTH = 1 << 16 };

struct pr_json_stream {
    enum pr_json_token token; /* the one of the last call */
    struct pr_text text;      /* of a key or string without quotes and escapes, of a number as it is written; not closed
                                 by a NUL, borrowed until the next call with the stream */
    uint64_t offset;          /* where the token begins */
    uint32_t depth;           /* of objects and arrays that are open */
    bool ended_between;       /* PR_JSON_BAD because the input ends, not in the middle of a value but where another one
                                 or a bracket could follow: formats that omit the last brackets allow that */
    bool has_lone_surrogate;  /* a string so far has half of a character, which no text in UTF-8 has */
    struct pr_source *src;
    struct pr_error *err;
    struct pr_damage *damage; /* set after pr_json_begin: counts values that are asked for as numbers, objects or arrays
                                 and are neither that nor null; NULL = not counted */

    /* For json_stream.c alone. */
    uint64_t max_string_bytes;
    int expected;
    bool is_whole;  /* the token is a number of digits alone, few enough that `whole` is it */
    uint64_t whole;
    struct pr_buf decoded;
    uint64_t is_object[PR_JSON_MAX_DEPTH / 64]; /* a bit for each open bracket */
};

/* Starts at the source's `at`; a byte order mark is skipped. Owner: pr_json_end frees the memory of a long string. */
void pr_json_begin(struct pr_json_stream *json, struct pr_source *src, const struct pr_limits *limits,
                   struct pr_error *err);
void pr_json_end(struct pr_json_stream *json);

/* The next token, which is also json->token. */
enum pr_json_token pr_json_next(struct pr_json_stream *json);

/*
 * Skips the value that is due: after a key, the value; after an opening bracket that pr_json_next or pr_json_item
 * returned, all up to its closing one. After a scalar, nothing. Hundreds of megabytes a second.
 */
void pr_json_skip(struct pr_json_stream *json);

/* In an object: moves to the next key. False: the object is closed, or the stream is over. */
static inline bool pr_json_key(struct pr_json_stream *json)
{
    return pr_json_next(json) == PR_JSON_KEY;
}

/* In an array: moves to the next item, whose first token is json->token. False: it is closed, or the stream is over. */
static inline bool pr_json_item(struct pr_json_stream *json)
{
    return pr_json_next(json) > PR_JSON_CLOSE;
}

/* The same for items that are objects; all others are skipped. */
bool pr_json_object(struct pr_json_stream *json);

/* After a key: enters the value if its first token is BRACKET (PR_JSON_OBJECT or PR_JSON_ARRAY), else skips it. */
bool pr_json_enter(struct pr_json_stream *json, enum pr_json_token bracket);

/* True if the key or string is WORD, a literal. */
#define pr_json_is(json, word)                                                                                         \
    ((json)->text.length == sizeof(word) - 1 && !memcmp((json)->text.bytes, word, sizeof(word) - 1))

/* The number at hand. False: the token is not a number, or not a finite one; *NUMBER is then 0. */
bool pr_json_number(const struct pr_json_stream *json, struct pr_decimal *number);

/* The number at hand times ten to the power of EXPONENT, rounded; OTHERWISE without one. */
int64_t pr_json_scaled(const struct pr_json_stream *json, int32_t exponent, int64_t otherwise);

/* The same, unknown without one. */
struct pr_maybe pr_json_maybe(const struct pr_json_stream *json, int32_t exponent);

/* After a key: takes the value, as pr_json_maybe returns it. */
struct pr_maybe pr_json_value(struct pr_json_stream *json, int32_t exponent);

/* The whole number at hand, 0 or above. False: the token is something else, which is not counted as damage. */
bool pr_json_index(const struct pr_json_stream *json, uint64_t *number);

/* The string at hand, interned; 0 (empty) for null and anything else. PR_NO_STR: no memory. */
pr_str pr_json_intern(const struct pr_json_stream *json, struct pr_strings *strings);

/* After the bracket that closes the document: nothing may follow it. How it went, as pr_json_status reports. */
enum pr_status pr_json_finish(struct pr_json_stream *json);

/* How it went so far: PR_OK, or with err filled PR_CUT, and PR_FAILED when memory ran out. */
enum pr_status pr_json_status(const struct pr_json_stream *json);

/* Makes the stream bad because the last token is something other than WANTED ("an array"). Returns PR_CUT. */
enum pr_status pr_json_unexpected(struct pr_json_stream *json, const char *wanted);

#endif
