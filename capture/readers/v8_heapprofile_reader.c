/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V8's sampling heap profile (.heapprofile): what was alive at the end, by the stack that allocated it.
 *
 * `head` is the root of nested nodes; selfSize is in bytes, already scaled up from the samples. `samples` has the same
 * bytes again, one sample each, by nodeId: their number is the count. (root) is a frame: it owns what V8 itself
 * allocates. Node 20 writes samples of nodes that it does not write: that is not damage, their bytes are in no node.
 *
 * Source: V8 src/profiler/sampling-heap-profiler.cc, the DevTools protocol, HeapProfiler.SamplingHeapProfile.
 */
#include "capture/parse/json_peek.h"
#include "capture/parse/json_stream.h"
#include "capture/builder/reader.h"
#include "capture/readers/v8_nodes.h"

#include "capture/base/checked.h"

#include <stdlib.h>

struct heapprofile {
    struct pr_profile_builder c;
    struct pr_json_stream json;
    struct pr_v8_nodes nodes;
    uint64_t *samples; /* nodeId of each */
    size_t sample_count, sample_capacity;
};

static void read_sample(struct heapprofile *r)
{
    while (pr_json_key(&r->json)) {
        bool is_id = pr_json_is(&r->json, "nodeId");
        pr_json_next(&r->json);
        if (is_id && r->json.token == PR_JSON_NUMBER) {
            if (pr_grow(&r->samples, &r->sample_capacity, r->sample_count + 1, sizeof *r->samples))
                r->samples[r->sample_count++] = (uint64_t)pr_json_scaled(&r->json, 0, 0);
            else
                pr_build_no_memory(&r->c);
        }
        pr_json_skip(&r->json);
    }
}

static void read_samples(struct heapprofile *r)
{
    if (!pr_json_enter(&r->json, PR_JSON_ARRAY))
        return;
    while (pr_build_going(&r->c) && pr_json_object(&r->json))
        read_sample(r);
}

static enum pr_status read_document(struct heapprofile *r)
{
    if (pr_json_next(&r->json) != PR_JSON_OBJECT)
        return pr_json_unexpected(&r->json, "an object");
    while (r->c.status == PR_OK && pr_json_key(&r->json)) {
        if (pr_json_is(&r->json, "head"))
            pr_v8_nodes_read_nested(&r->nodes);
        else if (pr_json_is(&r->json, "samples"))
            read_samples(r);
        else
            pr_json_skip(&r->json);
    }
    return pr_json_finish(&r->json);
}

static void add_facts(struct heapprofile *r)
{
    uint32_t thread = pr_build_thread(&r->c, pr_build_process(&r->c, 0, 0), 0);
    unsigned metric =
        pr_build_metric(&r->c, "inuse_space", "In use", PR_UNIT_BYTES, r->sample_count ? "samples" : NULL);
    for (size_t i = 0; i < r->nodes.count && r->c.status == PR_OK; i++)
        pr_build_add(&r->c, pr_build_fact(&r->c, r->nodes.node[i].node, thread), metric, r->nodes.node[i].self, 0);
    for (size_t i = 0; i < r->sample_count && r->c.status == PR_OK; i++) {
        uint32_t index = pr_v8_nodes_find(&r->nodes, r->samples[i]);
        if (index != PR_NO_ID)
            pr_build_add(&r->c, pr_build_fact(&r->c, r->nodes.node[index].node, thread), metric, 0, 1);
    }
}

static enum pr_status read(struct pr_source *src, const struct pr_load_options *options, struct pr_profile *profile,
                           struct pr_error *err)
{
    struct heapprofile r = {.sample_count = 0};
    enum pr_status status = pr_build_init(&r.c, src, options, profile, err);
    r.nodes = (struct pr_v8_nodes){.c = &r.c, .json = &r.json, .keep_root = true};
    pr_json_begin(&r.json, src, &options->limits, err);
    r.json.damage = &profile->damage;
    if (status == PR_OK)
        status = read_document(&r);
    if (status == PR_CUT && !r.nodes.count)
        status = PR_FAILED;
    if (status != PR_FAILED) {
        pr_v8_nodes_link(&r.nodes);
        add_facts(&r);
    }
    pr_v8_nodes_clear(&r.nodes);
    free(r.samples);
    pr_json_end(&r.json);
    return pr_build_finish(&r.c, status);
}

static unsigned probe(struct pr_source *src)
{
    struct pr_json_peek peek;
    pr_json_peek(src, &peek);
    unsigned frame = pr_json_evidence(&peek, "head.callFrame", '{'),
             size = pr_json_evidence(&peek, "head.selfSize", '0');
    return frame && size ? frame + size : 0;
}

const struct pr_reader pr_heapprofile_reader = {"heapprofile", "V8 heap profile", probe, read};
