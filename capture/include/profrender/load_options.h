/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an input is read: bounds, native frames, time bins. profrender/load.h takes them, and so does each reader.
 *
 *     struct pr_load_options options = pr_load_options_default();
 *     options.max_bins = 100;
 *
 * Stable: changes with the number of the shared library only.
 */
#ifndef PR_API_LOAD_OPTIONS_H
#define PR_API_LOAD_OPTIONS_H

#include "profrender/error.h"

#include <stdbool.h>
#include <stdint.h>

PR_DECLS_BEGIN

/*
 * Bounds on what an input may make us allocate. Over one of them: PR_ERR_LIMIT, with what was read before it kept.
 *
 * The last two bound the work of unpacking, PR_ERR_UNPACKED: a few bytes can unpack to terabytes. They count all layers
 * of all files of a load together. What real files need: LZ4 packs 255:1 at most and gzip 1,032:1; of zstd, which has
 * no such bound, the capture of a program that does nothing but allocate the same block over and over came to 1,200:1
 * (memray 1.20, `zstd -19`). So 5,000:1 is out of reach, and the first 256 MiB are free of the ratio, for small files
 * that repeat one line. Captures of 150 GB exist, and 1 TiB is more than is ever read in an hour.
 */
struct pr_limits {
    uint64_t max_string_bytes; /* one name, path or command line */
    uint64_t max_frames;       /* code objects, frames */
    uint64_t max_nodes;        /* call tree */
    uint64_t max_depth;        /* frames in one stack */
    uint64_t max_threads;
    uint64_t max_table_bytes;    /* one line table */
    uint64_t max_unpacked_bytes; /* of all that is packed; 1 TiB. UINT64_MAX: no limit */
    uint64_t max_unpack_ratio;   /* unpacked bytes for each one read, beyond 256 MiB; 5,000. UINT64_MAX: no limit */
};

/*
 * What becomes of the native frames of a memray capture that has some (profile->fact_hybrid), and of addresses without
 * a function in profiles of other tools.
 */
enum pr_native_use {
    PR_NATIVE_AUTO,    /* names from the files of code that are on this machine, "module+0xoffset" for the others */
    PR_NATIVE_OFFSETS, /* no hybrid stacks, and "module+0xoffset" for addresses, whatever is on this machine */
    /* PR_ERR_ABSENT where a file is missing or is another build, or a memray capture has no native frames */
    PR_NATIVE_REQUIRE,
    PR_NATIVE_OFF /* no hybrid stacks; addresses of other tools' profiles as with PR_NATIVE_AUTO */
};

/* Options that the caller insists on: a digest that was made with others is refused, PR_ERR_ABSENT. Bits. */
enum pr_load_insist { PR_INSIST_TEMPORARY_THRESHOLD = 1, PR_INSIST_MAX_BINS = 2 };

/* What the caller will not look at, which a reader may then leave out. Bits. */
enum pr_load_unneeded {
    PR_UNNEEDED_MOMENTS = 1,      /* profile->moments */
    PR_UNNEEDED_CODE_OF_HEAP = 2, /* profile->code, for allocations: pr_owner_of then decides anew each time */
    /*
     * Which facts made the peak, and windows: the metric `peak` then has its totals alone, its column zeros, and
     * there are no steps and no moves. Ignored for the parts of a run, and where memory is bounded.
     */
    PR_UNNEEDED_PEAKS = 4,
    PR_UNNEEDED_TEMPORARY = 8, /* the metric `temporary` of a memray capture, which is then zeros; as above for parts */
};

/* For max_bins: at most 512, fewer where what changes from bin to bin would take more memory than the rest. */
#define PR_BINS_AUTO UINT32_MAX

/* The frame that inner frames become where max_memory_bytes leaves no room for them. */
#define PR_FOLDED_NAME "(folded to save memory)"

/* How the notes begin that say what max_memory_bytes left out. */
#define PR_BOUND_WORDS "to stay within"

/* The smallest bound of memory with which anything can be read. */
#define PR_LEAST_MEMORY (UINT64_C(24) << 20)

struct pr_load_options {
    const char *format; /* name of the one reader to use, as of pr_format_name; NULL: the content decides */
    struct pr_limits limits;
    uint32_t temporary_threshold; /* an allocation is temporary if at most this many came between it and its free; 1 */
    uint32_t max_bins;            /* time bins: at most this many. 0 = one for each memory sample; PR_BINS_AUTO */
    enum pr_native_use native;    /* PR_NATIVE_AUTO */
    /*
     * Debug information may be fetched from the servers that the environment names (DEBUGINFOD_URLS); false. It is
     * always looked for in the files of code themselves and on this machine, by build id and by debug link.
     */
    bool debuginfod;
    /*
     * The values of this label of samples become the outermost frames, "worker: 3", "(no worker)"; KEY,KEY makes a
     * level of each, up to 8. NULL: none. PR_ERR_ABSENT where no sample has it. Only pprof and OTLP have labels; other
     * formats ignore it. Borrowed during the call.
     */
    const char *tag_root;
    unsigned insist; /* enum pr_load_insist; 0: a digest answers for the options it was made with */
    unsigned unneeded; /* enum pr_load_unneeded; 0: everything is read */
    bool objects; /* fill profile->objects_by_id, for pr_diff_add, which takes 16 bytes an object; false */
    unsigned threads; /* at most this many for the input; 0: as many as help */
    /*
     * The process is to take no more than this: call trees, native stacks and histories stay small enough, and a note
     * says so where that leaves something out. Totals are exact. 0: no bound. It is no limit by itself: what cannot be
     * made smaller, as blocks alive at once and names, takes what it needs. The input is read by one thread.
     */
    uint64_t max_memory_bytes;
    /*
     * Called now and then with the bytes read from the input so far and its size (0 = unknown); may be NULL. Returning
     * false stops the load, which then fails with PR_ERR_IO, "interrupted".
     */
    bool (*progress)(void *context, uint64_t done_bytes, uint64_t size_bytes);
    void *progress_context;
};

/* The defaults, also used when options are NULL. */
PR_API struct pr_load_options pr_load_options_default(void);

PR_DECLS_END

#endif
