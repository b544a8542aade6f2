/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of PyTorch's memory on devices: torch.cuda.memory._dump_snapshot, a pickle, and the same as JSON.
 *
 * Source: doc/formats/torch-memory.md.
 */
#include "capture/builder/reader.h"
#include "capture/parse/json_peek.h"
#include "capture/parse/pickle.h"
#include "capture/snapshots/cuda_snapshot.h"

#include <string.h>

enum { LOOK_BYTES = 512 };

static bool shows(const struct pr_source *view, const char *word)
{
    return memmem(view->at, (size_t)(view->end - view->at), word, strlen(word)) != NULL;
}

/* A pickle that begins with the key of the segments, or of the traces; a list of segments. Their keys come first. */
static unsigned probe_pickle(struct pr_source *src)
{
    const struct pr_source view = pr_source_view(src, LOOK_BYTES);
    const bool is_old = view.at < view.end && (*view.at == '(' || *view.at == '}' || *view.at == ']');
    if (!is_old && !pr_pickle_evidence(src))
        return 0; /* protocols 0 and 1 begin with the container itself */
    if (shows(&view, "segments") && (shows(&view, "total_size") || shows(&view, "device_traces")))
        return 8 * 18;
    return shows(&view, "segment_type") && shows(&view, "total_size") ? 8 * 22 : 0;
}

static unsigned probe(struct pr_source *src)
{
    const unsigned bits = probe_pickle(src);
    if (bits || !pr_source_need(src, 1) || (*src->at != '{' && *src->at != ' ' && *src->at != '\n'))
        return bits;
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    const unsigned segments = pr_json_evidence(&peek, "segments", '[');
    return segments ? segments + pr_json_evidence(&peek, "segments.total_size", '0') +
                          pr_json_evidence(&peek, "device_traces", '[')
                    : 0;
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct pr_cuda_snapshot s;
    struct pr_error problem = {0};
    enum pr_status status = pr_cuda_begin(&s, profile, &options->limits, err);
    const bool is_json = pr_source_need(src, 1) && (*src->at == '{' || *src->at == ' ' || *src->at == '\n');
    if (status == PR_OK)
        status = (is_json ? pr_cuda_read_json : pr_cuda_read_pickle)(&s, src, options, profile, &problem);
    if (status != PR_FAILED && pr_cuda_make_profile(&s, options, profile, err) == PR_FAILED)
        status = PR_FAILED;
    if (status != PR_OK && err && err->code == PR_ERR_NONE)
        *err = problem;
    pr_cuda_end(&s);
    return status;
}

const struct pr_reader pr_torch_memory_reader = {"torch-memory", "PyTorch memory snapshot", probe, read};
