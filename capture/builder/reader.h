/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format: how it is recognised and how its bytes become a profile.
 *
 * One `const struct pr_reader` a file, declared below and listed in readers.c. A reader knows nothing of reports or
 * file names. It fills the profile and returns; limits bound what it takes, the source counts what it reads.
 *
 * What a reader is made of: capture/builder/profile_builder.h turns samples into a profile;
 * capture/parse/json_stream.h, capture/parse/lines.h and capture/parse/binary_scan.h read JSON, text and binary values;
 * probes look with pr_json_peek and pr_source_view.
 */
#ifndef PR_CAPTURE_BUILDER_READER_H
#define PR_CAPTURE_BUILDER_READER_H

#include "profrender/load_options.h"
#include "profrender/profile.h"
#include "capture/input/source.h"

struct pr_reader {
    const char *name;  /* "memray": for --input-format and messages */
    const char *title; /* for people: "memray capture" */
    /*
     * Bits of evidence, counted and not guessed, that SRC holds this format: 8 bytes of magic are 64, a plausible first
     * line a few; 0 = not mine. Only peeks. Unreadable versions of a format bid too: `read` then says so.
     */
    unsigned (*probe)(struct pr_source *src);
    /*
     * Reads all of SRC into PROFILE, which is empty but for its strings. PR_FAILED: nothing usable. PR_CUT: everything
     * before the problem is in PROFILE, ERR says what the problem is.
     */
    enum pr_status (*read)(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err);
};

/* Profiles that we saved ourselves: profrender/digest.h. */
extern const struct pr_reader pr_digest_reader;

/*
 * The reader called NAME; without one (NULL) the reader for SRC: the highest bid wins. PR_FAILED: no reader has that
 * name, none recognises the input (the error says what it looks like), or a tie (the error names both).
 */
enum pr_status pr_reader_choose(struct pr_source *src, const char *name, const struct pr_reader **reader,
                                struct pr_error *err);

extern const struct pr_reader pr_memray_reader, pr_collapsed_reader, pr_pstats_reader, pr_pyinstrument_reader,
    pr_speedscope_reader;
extern const struct pr_reader pr_trace_event_reader,
    pr_pprof_reader,
    pr_otlp_reader,
    pr_perf_reader,
    pr_perf_data_reader,
    pr_jfr_reader,
    pr_nettrace_reader,
    pr_firefox_reader,
    pr_austin_reader,
    pr_mojo_reader,
    pr_cpuprofile_reader,
    pr_heapprofile_reader,
    pr_heapsnapshot_reader,
    pr_hprof_reader,
    pr_callgrind_reader,
    pr_heap_text_reader, pr_go_text_reader,
    pr_gperftools_reader,
    pr_massif_reader,
    pr_heaptrack_reader,
    pr_dhat_reader,
    pr_scalene_reader,
    pr_tachyon_reader,
    pr_stackprof_reader,
    pr_torch_memory_reader,
    pr_tracemalloc_reader,
    pr_timeline_reader,
    pr_metaflow_reader,
    pr_mprof_reader,
    pr_psrecord_reader,
    pr_sadf_reader,
    pr_gnu_time_reader,
    pr_stderr_reader,
    pr_run_reader,
    pr_notes_reader;

#endif
