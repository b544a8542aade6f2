/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's pickle, protocols 0 to 5, as far as it holds data. Nothing is imported and nothing is called: a class is a
 * name on the caller's list, an object is that name with its arguments and its state, and any other name ends it.
 *
 *     struct pr_pickle p;
 *     pr_pickle_begin(&p, src, &profile->strings, &rules, &profile->damage, err);
 *     pr_pickled root = pr_pickle_read(&p);              // also after a cut: all before it
 *     if (pr_pickle_kind(&p, root) == PR_PICKLE_DICT)
 *         use(pr_pickle_find(&p, root, key));
 *     enum pr_status status = pr_pickle_status(&p);
 *     pr_pickle_end(&p);
 *
 * A value is one word, and equal words are the same object. Files are larger than memory, so the caller takes parts
 * while they are read: `take` sees a tuple as soon as it is made, and any other container when it is put into its
 * parent, complete. It may return a number of its own instead, which then is the object wherever the file refers to it,
 * or nothing: a list of a million records is never in memory, and a stack that a million records share is read once.
 *
 * Nesting costs no stack. Memory is bounded: PR_PICKLE_MAX_BYTES of values, beyond which the file is cut.
 *
 * Source: CPython Lib/pickle.py and Lib/pickletools.py, 3.13; PEP 307, PEP 3154, PEP 574; PyTorch
 * torch/csrc/jit/serialization/pickler.cpp for files that C++ writes (protocol 2, memo numbers after the object).
 */
#ifndef PR_CAPTURE_PARSE_PICKLE_H
#define PR_CAPTURE_PARSE_PICKLE_H

#include "profrender/buf.h"
#include "profrender/damage.h"
#include "profrender/load_options.h"
#include "capture/parse/binary_scan.h"

typedef uint64_t pr_pickled;

#define PR_PICKLE_NOTHING ((pr_pickled)0) /* taken by the caller, or not there */

enum { PR_PICKLE_MAX_BYTES = 1 << 30 };

enum pr_pickle_kind {
    PR_PICKLE_ABSENT, /* PR_PICKLE_NOTHING */
    PR_PICKLE_NONE,
    PR_PICKLE_BOOL,
    PR_PICKLE_INT,
    PR_PICKLE_FLOAT,
    PR_PICKLE_STRING,
    PR_PICKLE_BYTES,
    PR_PICKLE_CLASS,
    PR_PICKLE_HANDLE, /* a number of the caller */
    PR_PICKLE_TUPLE,
    PR_PICKLE_LIST,
    PR_PICKLE_SET,
    PR_PICKLE_DICT,  /* keys and values alternating */
    PR_PICKLE_OBJECT /* class, arguments, and states as they were set */
};

struct pr_pickle_rules {
    const char *const *classes; /* "tracemalloc Snapshot", ...; the last one is NULL */
    /*
     * VALUE, a container that is complete, becomes part of CONTAINER (PR_PICKLE_NOTHING for a tuple, which is seen as
     * soon as it is made). Returns VALUE to keep it, pr_pickle_handle, or PR_PICKLE_NOTHING; with anything but VALUE it
     * is freed on return. May be NULL: all is kept.
     */
    pr_pickled (*take)(void *context, pr_pickled container, pr_pickled value);
    void *context;
};

struct pr_pickle_object {
    pr_pickled *items;
    uint32_t count, capacity;
    uint32_t memo;     /* 1 + its number in the memo; 0 = none */
    uint8_t kind;      /* enum pr_pickle_kind; PR_PICKLE_ABSENT: not in use, or replaced */
    bool shared;       /* referred to more than once: its place is not used again */
    pr_pickled replaced; /* by this */
};

struct pr_pickle {
    struct pr_scan scan; /* scan.failed: err is filled */
    struct pr_strings *strings;
    const struct pr_pickle_rules *rules;
    struct pr_damage *damage;
    bool closing; /* the input was cut: `take` sees containers that may lack their ends */
    bool no_memory;

    /* For pickle*.c alone. */
    uint64_t used_bytes;
    pr_pickled *stack;
    size_t stack_count, stack_capacity;
    size_t *marks; /* places in the stack */
    size_t mark_count, mark_capacity;
    size_t early; /* the mark above which parts were added to a list before its end; 0 = none */
    struct pr_pickle_object *objects;
    size_t object_count, object_capacity;
    uint32_t *unused; /* objects whose places can be used again */
    size_t unused_count, unused_capacity;
    pr_pickled *memo;
    size_t memo_count, memo_capacity, memo_used;
    uint64_t *wide; /* integers of more than 60 bits, and floats */
    size_t wide_count, wide_capacity;
    struct pr_buf text;
    bool stopped;
};

/* All pointers are borrowed until pr_pickle_end. */
void pr_pickle_begin(struct pr_pickle *p, struct pr_source *src, struct pr_strings *strings,
                     const struct pr_pickle_rules *rules, struct pr_damage *damage, struct pr_error *err);
void pr_pickle_end(struct pr_pickle *p);

/* Reads up to the end mark. Of a file that is cut or damaged, all before it; PR_PICKLE_NOTHING: there is nothing. */
pr_pickled pr_pickle_read(struct pr_pickle *p);

/* For `take`: ends the reading, as a cut. */
void pr_pickle_stop(struct pr_pickle *p, enum pr_error_code code, const char *why);

/* PR_OK; PR_CUT for a file that is cut, damaged, not data alone or too large; PR_FAILED for lack of memory. */
enum pr_status pr_pickle_status(const struct pr_pickle *p);

/* Bits of evidence that SRC is a pickle of protocol 2 or later: its first bytes; 0 = not one. */
unsigned pr_pickle_evidence(struct pr_source *src);

enum pr_pickle_kind pr_pickle_kind(const struct pr_pickle *p, pr_pickled value);

/* The parts of a container, borrowed until the next call that reads; none for other values. */
const pr_pickled *pr_pickle_items(const struct pr_pickle *p, pr_pickled value, uint32_t *count);

/* The value of KEY in a dictionary, the last one if there are several; PR_PICKLE_NOTHING: it is not there. */
pr_pickled pr_pickle_find(const struct pr_pickle *p, pr_pickled dict, pr_str key);

/*
 * The same for several keys in one pass: KEYS has a place in VALUES for each string up to its last key, or
 * PR_PICKLE_NO_KEY; values of other keys are left out. COUNT values are set, to PR_PICKLE_NOTHING where a key is
 * missing, and where DICT is not a dictionary.
 */
struct pr_pickle_keys {
    const uint8_t *places; /* [limit], by string */
    pr_str limit;
};
enum { PR_PICKLE_NO_KEY = UINT8_MAX };
void pr_pickle_find_all(const struct pr_pickle *p, pr_pickled dict, struct pr_pickle_keys keys, pr_pickled *values,
                        size_t count);

/* The numbers of a container all of whose parts are handles, as many as it has parts. False: some are not. */
bool pr_pickle_handles(const struct pr_pickle *p, pr_pickled container, uint32_t *numbers);

/* An integer or a Boolean. One beyond 64 bits is held at the end of the range, and was counted as damage. */
bool pr_pickle_integer(const struct pr_pickle *p, pr_pickled value, int64_t *integer);

/* An integer or a float. */
bool pr_pickle_real(const struct pr_pickle *p, pr_pickled value, double *real);

/* A string or bytes, interned. */
bool pr_pickle_string(const struct pr_pickle *p, pr_pickled value, pr_str *string);

/* The class of an object, or a class: "module name"; "" for anything else. Borrowed. */
struct pr_text pr_pickle_class(const struct pr_pickle *p, pr_pickled value);

pr_pickled pr_pickle_handle(uint32_t number);
bool pr_pickle_is_handle(pr_pickled value, uint32_t *number);

#endif
