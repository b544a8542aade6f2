/* SPDX-License-Identifier: Apache-2.0 */
/* For probes: which keys the beginning of a JSON document has. */
#ifndef PR_CAPTURE_PARSE_JSON_PEEK_H
#define PR_CAPTURE_PARSE_JSON_PEEK_H

#include "capture/input/source.h"

enum { PR_JSON_PEEK_BYTES = 64 * 1024, PR_JSON_PEEK_PLACES = 64, PR_JSON_PEEK_PATH = 80, PR_JSON_PEEK_VALUE = 96 };

/*
 * What the beginning of a document shows, from its first 64 KiB: the keys, with the keys above them joined by dots.
 * Only the first item of an array is looked at, and its keys count as keys of the array: {"profiles": [{"type":
 * "sampled"}]} has "profiles" and "profiles.type".
 */
struct pr_json_peek {
    char first; /* '{', '[', or 0: this is not a JSON document */
    unsigned count;
    struct pr_json_place {
        char path[PR_JSON_PEEK_PATH];
        char kind;                      /* first byte of the value: one of {["0tfn; numbers are all '0' */
        char value[PR_JSON_PEEK_VALUE]; /* the beginning of a string */
    } place[PR_JSON_PEEK_PLACES];
};

void pr_json_peek(struct pr_source *src, struct pr_json_peek *peek);

/*
 * Bits of evidence: 8 for each byte of PATH if it is there with a value of KIND (0 = any), else 0. With BEGINNING, also
 * 8 for each byte of it, if the value is a string that begins with it, else 0.
 */
unsigned pr_json_evidence(const struct pr_json_peek *peek, const char *path, char kind);
unsigned pr_json_evidence_string(const struct pr_json_peek *peek, const char *path, const char *beginning);

#endif
