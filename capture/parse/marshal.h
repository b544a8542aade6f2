/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's marshal format, as far as it holds data: numbers, strings, tuples, lists, dictionaries. No code objects.
 *
 *     struct pr_marshal m;
 *     pr_marshal_begin(&m, src, strings, limits, &profile->damage, err);
 *     uint32_t object = pr_marshal_read(&m);             // one object with all that is in it, or PR_NO_OBJECT
 *     const struct pr_marshal_object *o = pr_marshal_get(&m, object);
 *
 * Objects are in one array, each after the one that holds it: the first part of object i is i + 1, the one after part p
 * is objects[p].end. pr_marshal_get follows references; what they lead to may contain itself, so walk to a known depth.
 *
 * Versions 0 to 5 (Python 2.7 to 3.14) cannot be distinguished and need not be: `t` is an interned string that Python 2
 * counts in a list for `R`, and Python 3 among the references of the high bit.
 *
 * Source: CPython Python/marshal.c, 2.7.18 and 3.13; Doc/library/marshal.rst.
 */
#ifndef PR_CAPTURE_PARSE_MARSHAL_H
#define PR_CAPTURE_PARSE_MARSHAL_H

#include "profrender/damage.h"
#include "profrender/load_options.h"
#include "capture/parse/binary_scan.h"

#define PR_NO_OBJECT UINT32_MAX

enum pr_marshal_kind {
    PR_MARSHAL_INT,
    PR_MARSHAL_FLOAT,
    PR_MARSHAL_STRING,
    PR_MARSHAL_TUPLE,     /* or list */
    PR_MARSHAL_DICT,      /* keys and values alternating */
    PR_MARSHAL_OTHER,     /* None, an ellipsis */
    PR_MARSHAL_END,       /* closes a dictionary; never seen outside */
    PR_MARSHAL_REFERENCE  /* never seen outside */
};

struct pr_marshal_object {
    uint32_t kind; /* enum pr_marshal_kind */
    uint32_t end;  /* index after all that is in it */
    union {
        int64_t integer; /* longer ones are held at the ends of the range */
        double real;
        pr_str string;
        uint32_t object; /* of a reference */
    } value;
};

enum { PR_MARSHAL_MAX_DEPTH = 8 };

struct pr_marshal {
    struct pr_scan scan; /* scan.failed: err is filled */
    struct pr_strings *strings;
    uint64_t max_string_bytes;
    struct pr_marshal_object *objects;
    size_t object_count, object_capacity;
    uint32_t *references; /* objects that have a number */
    size_t reference_count, reference_capacity;
    pr_str *interned;     /* of Python 2 */
    size_t interned_count, interned_capacity;
    struct pr_damage *damage; /* counts floats that are not finite */
};

void pr_marshal_begin(struct pr_marshal *m, struct pr_source *src, struct pr_strings *strings,
                      const struct pr_limits *limits, struct pr_damage *damage, struct pr_error *err);
void pr_marshal_end(struct pr_marshal *m);

/* Reads one object; of a broken one all parts before the damage are kept. PR_NO_OBJECT: it is broken, scan.failed. */
uint32_t pr_marshal_read(struct pr_marshal *m);

/* Enters a dictionary at the source, so that its keys and values can be read one by one. False: it is not one. */
bool pr_marshal_enter_dict(struct pr_marshal *m);

/* The next key or value of that dictionary. PR_NO_OBJECT: it is closed, or broken: see scan.failed. */
uint32_t pr_marshal_next(struct pr_marshal *m);

/* The object, with references followed. */
const struct pr_marshal_object *pr_marshal_get(const struct pr_marshal *m, uint32_t object);

/* COUNT parts of a tuple into PARTS. False: it is not a tuple, or does not have exactly that many. */
bool pr_marshal_tuple(const struct pr_marshal *m, uint32_t object, uint32_t *parts, uint32_t count);

/*
 * A number as one of a unit that is FACTOR times smaller, rounded; 0 for what is not finite, which counts as damage.
 * False: it is not a number.
 */
bool pr_marshal_scaled(const struct pr_marshal *m, uint32_t object, double factor, int64_t *value);

#endif
