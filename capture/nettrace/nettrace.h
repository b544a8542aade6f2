/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a trace keeps: the profile so far, what kinds of events there are, stacks, methods. */
#ifndef PR_CAPTURE_NETTRACE_NETTRACE_H
#define PR_CAPTURE_NETTRACE_NETTRACE_H

#include "capture/base/spans.h"
#include "capture/builder/profile_builder.h"
#include "capture/nettrace/nettrace_events.h"

/* Kinds of events that are read; all others are passed over. */
enum pr_nettrace_what {
    PR_NETTRACE_IGNORED,
    PR_NETTRACE_SAMPLE,
    PR_NETTRACE_ALLOCATION,
    PR_NETTRACE_EXCEPTION,
    PR_NETTRACE_CONTENTION,
    PR_NETTRACE_SUSPEND,
    PR_NETTRACE_RESUME,
    PR_NETTRACE_METHOD,
    PR_NETTRACE_MODULE,
    PR_NETTRACE_DOMAIN_MODULE,
    PR_NETTRACE_PROCESS
};

/* Numbers of the trace, and what each is. */
struct pr_nettrace_metadata {
    struct pr_idset ids; /* words is 1 */
    uint8_t *what;       /* [ids.count] enum pr_nettrace_what */
    size_t capacity;
};

/* Stacks since the last point of sequence, before which no event refers to. */
struct pr_nettrace_stacks {
    struct pr_idset ids;   /* words is 1: their numbers */
    struct pr_nettrace_stack {
        size_t first, size; /* in BYTES */
        pr_node_id node;    /* PR_NO_ID = not needed yet */
    } *stacks;              /* [ids.count] */
    size_t capacity;
    struct pr_buf bytes;
};

/* Methods by their machine code, to which addresses are looked up when all is read. */
struct pr_nettrace_methods {
    struct pr_spans spans;
    struct pr_nettrace_method {
        uint64_t module;
        size_t first, length; /* in TEXTS: "Namespace.Class.Method(int32)" */
    } *methods;
    size_t count, capacity;
    struct pr_idset module_ids; /* words is 1 */
    struct pr_nettrace_text {
        size_t first, length;
    } *modules;                 /* [module_ids.count] their paths, in TEXTS */
    size_t module_capacity;
    struct pr_buf texts;
};

/* A thread: what it did at its last sample lasts until the next one. */
struct pr_nettrace_thread {
    uint32_t thread; /* of the profile */
    bool has_sample, in_code;
    int64_t sample_ns;
    uint32_t fact;
    bool has_sequence;
    uint32_t sequence; /* of the last event that it wrote */
};

struct pr_nettrace_facts {
    uint64_t lost;      /* events */
    uint64_t gaps;      /* between samples of a thread that are too far apart */
    int64_t gaps_ns;
    int64_t pauses, paused_ns, longest_pause_ns;
    bool is_paused;
    int64_t paused_at_ns;
    int64_t first_ns, last_ns; /* of events; 0 = there was none */
};

struct pr_nettrace {
    struct pr_profile_builder c;
    struct pr_nettrace_stream stream;
    struct pr_nettrace_block block;
    bool has_trace;
    unsigned pointer_bytes;
    uint64_t sync_ticks, ticks_per_second;
    int64_t sync_ns; /* since the epoch */
    uint32_t process;
    struct pr_nettrace_metadata metadata;
    struct pr_nettrace_stacks stacks;
    struct pr_nettrace_methods methods;
    struct pr_idset thread_ids; /* words is 1 */
    struct pr_nettrace_thread *threads; /* [thread_ids.count] */
    size_t thread_capacity;
    struct pr_nettrace_facts facts;
};

/* Counts a record of the block in hand that makes no sense; one that the end of the input cuts does not count. */
void pr_nettrace_damaged(struct pr_nettrace *r, const struct pr_nettrace_bytes *rest);

/* ---- nettrace_metadata.c ----------------------------------------------------------------------------------------- */

/* Takes the kinds of events that the block in hand defines. */
void pr_nettrace_take_metadata(struct pr_nettrace *r);

enum pr_nettrace_what pr_nettrace_what_is(const struct pr_nettrace *r, uint64_t metadata);

/* ---- nettrace_stacks.c ------------------------------------------------------------------------------------------- */

void pr_nettrace_take_stacks(struct pr_nettrace *r);

/* The innermost node of a stack, its frames being their addresses; PR_ROOT: there is none. */
pr_node_id pr_nettrace_stack_of(struct pr_nettrace *r, uint32_t number);

/* A point of sequence: no later event refers to a stack before it. */
void pr_nettrace_forget_stacks(struct pr_nettrace *r);

/* ---- nettrace_methods.c ------------------------------------------------------------------------------------------ */

void pr_nettrace_take_method(struct pr_nettrace *r, struct pr_nettrace_bytes payload);
void pr_nettrace_take_module(struct pr_nettrace *r, struct pr_nettrace_bytes payload, bool has_domain);

/* Names all addresses of stacks, as a last step. */
void pr_nettrace_name_frames(struct pr_nettrace *r);

/* ---- nettrace_threads.c ------------------------------------------------------------------------------------------ */

/* The thread with that number; NULL: no memory. */
struct pr_nettrace_thread *pr_nettrace_thread_of(struct pr_nettrace *r, uint64_t number);

/* Version 6: the block in hand says which threads have which numbers. */
void pr_nettrace_take_threads(struct pr_nettrace *r);

/* ---- nettrace_take.c --------------------------------------------------------------------------------------------- */

/* Takes the events of the block in hand. */
void pr_nettrace_take_events(struct pr_nettrace *r);

/*
 * All events are taken. The last sample of each thread counts, and takes no time, as nobody knows how long it lasted.
 */
void pr_nettrace_finish(struct pr_nettrace *r);

/* Sentences about what was recorded. */
void pr_nettrace_add_notes(struct pr_nettrace *r);

#endif
