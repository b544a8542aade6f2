/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How functions of this library report that something went wrong.
 *
 * A status tells the caller what it may still do; a struct pr_error, which belongs to the caller, tells why. Nothing in
 * the library prints, exits or keeps a global. The first error wins: it is the deepest cause.
 *
 *     struct pr_error err = {0};
 *     if (pr_load("run.bin", NULL, &profile, &err) == PR_FAILED)
 *         fprintf(stderr, "%s: %s\n", err.source, err.text);
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_ERROR_H
#define PR_API_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Around declarations, so that C++ can call them. */
#ifdef __cplusplus
#define PR_DECLS_BEGIN extern "C" {
#define PR_DECLS_END }
#else
#define PR_DECLS_BEGIN
#define PR_DECLS_END
#endif

/* Marks what the installed library exports; everything else is hidden (-fvisibility=hidden). */
#if defined(__GNUC__)
#define PR_API __attribute__((visibility("default")))
#define PR_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PR_API
#define PR_PRINTF(text, first)
#endif

PR_DECLS_BEGIN

enum pr_status {
    PR_OK,      /* done, go on */
    PR_END,     /* clean end of what was read */
    PR_SKIPPED, /* one record was unusable, the error says which; go on */
    PR_CUT,     /* the input ends or breaks here; everything before is good and kept */
    PR_FAILED   /* nothing usable */
};

/* To switch on. Values are never reused. */
enum pr_error_code {
    PR_ERR_NONE = 0,
    PR_ERR_IO = 1,          /* the system refused to open, read or write */
    PR_ERR_MEMORY = 2,      /* out of memory */
    PR_ERR_LIMIT = 3,       /* a size in the input is over a limit of ours */
    PR_ERR_DAMAGED = 4,     /* bytes that the format does not allow */
    PR_ERR_TRUNCATED = 5,   /* the input ends in the middle of something */
    PR_ERR_UNKNOWN = 6,     /* no format we know */
    PR_ERR_UNSUPPORTED = 7, /* a format we know, in a version or with an option that we cannot read */
    PR_ERR_EMPTY = 8,       /* an empty input */
    PR_ERR_ABSENT = 9,      /* the input cannot have what was asked for (such as temporaries without history) */
    PR_ERR_PARTIAL = 10,    /* read to its end, but parts were left out, bounded or mended: profrender/damage.h */
    PR_ERR_UNPACKED = 11 /* unpacked, the input is over a limit of ours: pr_limits.max_unpacked_bytes and its ratio */
};

#define PR_NO_OFFSET UINT64_MAX

struct pr_error {
    enum pr_error_code code;
    uint64_t offset;  /* bytes into the unpacked stream, or PR_NO_OFFSET */
    char source[192]; /* name of the input; a long one is cut to its tail */
    char doing[40];   /* what was being read: "frame push record" */
    char text[320];   /* one sentence, without a newline */
    /* PR_ERR_UNKNOWN, where the input is known for something else: what it is, and what converts it. Static, or NULL */
    const char *looks_like, *remedy;
};

/*
 * Fills ERR (which may be NULL) unless it already holds an error, and returns PR_FAILED, so that
 * `return pr_fail(...)` reads well. DOING may be NULL.
 */
PR_API enum pr_status pr_fail(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing,
                              const char *format, ...) PR_PRINTF(5, 6);

/* As pr_fail, for an input that is good up to here: returns PR_CUT. */
PR_API enum pr_status pr_cut(struct pr_error *err, enum pr_error_code code, uint64_t offset, const char *doing,
                             const char *format, ...) PR_PRINTF(5, 6);

/* pr_fail with PR_ERR_MEMORY. */
PR_API enum pr_status pr_fail_memory(struct pr_error *err);

/* Names the input of ERR, if it has no name yet; a long name is cut to its tail, after an ellipsis. */
PR_API void pr_error_name(struct pr_error *err, const char *source);

PR_DECLS_END

#endif
