/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phases of a run, by the marks that it made: one lasts until the next mark, the last one until the end. What came
 * before the first mark is a phase without a name.
 *
 *     struct pr_phases phases;
 *     if (pr_phases_make(profile, &phases, &err) != PR_FAILED) {
 *         for (uint32_t i = 0; i < phases.count; i++)
 *             if (phases.at[i].peak_bytes.known) ...
 *     }
 *     pr_phases_clear(&phases);
 *
 * Experimental: may change in any release.
 */
#ifndef PR_API_PHASES_H
#define PR_API_PHASES_H

#include "profrender/window.h"

PR_DECLS_BEGIN

/*
 * What a phase used. Sampled figures are as exact as the samples; those of the heap are of the phase's time bins. What
 * was not recorded is not known.
 */
struct pr_phase {
    pr_str name;                       /* 0: before the first mark */
    int64_t from_ms, to_ms;            /* as times of series */
    struct pr_maybe peak_bytes;        /* resident, the highest sample */
    struct pr_maybe growth_bytes;      /* resident, from its first to its last moment; below 0: it fell */
    struct pr_maybe heap_bytes;        /* the highest heap */
    struct pr_maybe retained_bytes;    /* allocated in the phase and not freed by its end */
    struct pr_maybe cpu_ns;
    struct pr_maybe read_bytes, written_bytes, received_bytes, sent_bytes;
};

/* 0: the run made no marks. */
PR_API uint32_t pr_phase_count(const struct pr_profile *profile);

/* All phases of a run, each measured once. */
struct pr_phases {
    struct pr_phase *at; /* [count] in the order of time, owned */
    uint32_t count;      /* 0: the run made no marks */
};

/* Owner: pr_phases_clear, also after an error. PR_FAILED: no memory. */
PR_API enum pr_status pr_phases_make(const struct pr_profile *profile, struct pr_phases *phases, struct pr_error *err);
PR_API void pr_phases_clear(struct pr_phases *phases);

/* The phase NUMBER, below the count, in time order. */
PR_API struct pr_phase pr_phase_at(const struct pr_profile *profile, uint32_t number);

/*
 * The time bins of a phase: a bin belongs to the one in which it ends, so that none belongs to two. A phase that is
 * shorter has the bin that it is in. False: the profile has no bins there.
 */
PR_API bool pr_phase_window(const struct pr_profile *profile, int64_t from_ms, int64_t to_ms,
                            struct pr_window *window);

/* The first phase called NAME. False: none is; *FROM_MS and *TO_MS are then unchanged. */
PR_API bool pr_phase_find(const struct pr_profile *profile, const char *name, int64_t *from_ms, int64_t *to_ms);

PR_DECLS_END

#endif
