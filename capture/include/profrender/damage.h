/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reader could not take from its input unchanged, counted by kind.
 *
 *     for (int kind = 0; kind < PR_DAMAGE_KINDS; kind++)
 *         if (profile->damage.kind[kind].count)
 *             printf("%s: %" PRIu64 "\n", pr_damage_name(kind), profile->damage.kind[kind].count);
 *
 * One rule for all formats: whatever a reader leaves out, bounds or makes up is counted here, and a profile with any
 * of it is not complete. What a format allows, such as comments, empty lines and records of another kind, is not
 * damage.
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_DAMAGE_H
#define PR_API_DAMAGE_H

#include "profrender/error.h"

PR_DECLS_BEGIN

enum pr_damage_kind {
    PR_DAMAGE_LINES,       /* lines of text that do not fit the format: left out */
    PR_DAMAGE_RECORDS,     /* samples, events, calls or entries that make no sense: left out */
    PR_DAMAGE_FRAMES,      /* references to frames or nodes that the input does not define: "(unknown)", or left out */
    PR_DAMAGE_ORDER,       /* events that do not nest or go back in time: mended */
    PR_DAMAGE_BOUNDED,     /* values, or sums of them, beyond 64 bits: clamped to the highest or lowest */
    PR_DAMAGE_NOT_NUMBERS, /* values that are not finite numbers: taken as missing, or as 0 */
    PR_DAMAGE_ASSUMED,     /* values that are missing and were assumed */
    PR_DAMAGE_OVERFLOWED,  /* buffers that were full while it was recorded: the input is whole, but lacks calls */
    PR_DAMAGE_KINDS
};

struct pr_damage {
    struct {
        uint64_t count;
        uint64_t offset; /* of the first one, bytes into the unpacked stream; PR_NO_OFFSET = unknown */
    } kind[PR_DAMAGE_KINDS];
};

/* The kind for scripts: "lines_left_out", ... */
PR_API const char *pr_damage_name(enum pr_damage_kind kind);

/*
 * What happened to COUNT of KIND, for people, as part of a sentence: "3 lines were left out". Owner: TEXT, of SIZE
 * bytes.
 */
PR_API void pr_damage_words(enum pr_damage_kind kind, uint64_t count, char *text, size_t size);

/* Whether there is any damage. */
PR_API bool pr_damage_any(const struct pr_damage *damage);

/* Whether all there is of it came about while it was recorded: the input itself is as it was written. */
PR_API bool pr_damage_is_of_recording(const struct pr_damage *damage);

/* Counts COUNT more of KIND; OFFSET, of the first of them, is kept unless an earlier one is known. */
void pr_damage_add(struct pr_damage *damage, enum pr_damage_kind kind, uint64_t count, uint64_t offset);

/* Adds what another input has: offsets into it are not kept where DAMAGE has its own. */
void pr_damage_add_all(struct pr_damage *damage, const struct pr_damage *more);

/* Fills ERR (PR_ERR_PARTIAL, one sentence with all kinds) as pr_cut does, if there is damage; else PR_OK. */
enum pr_status pr_damage_status(const struct pr_damage *damage, struct pr_error *err);

PR_DECLS_END

#endif
