/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults. */
#include "profrender/load_options.h"

struct pr_load_options pr_load_options_default(void)
{
    return (struct pr_load_options){
        .limits =
            {
                .max_string_bytes = UINT64_C(16) << 20,
                .max_frames = UINT64_C(1) << 28,
                .max_nodes = UINT64_C(1) << 30,
                .max_depth = UINT64_C(1) << 20,
                .max_threads = UINT64_C(1) << 24,
                .max_table_bytes = UINT64_C(16) << 20,
                .max_unpacked_bytes = UINT64_C(1) << 40,
                .max_unpack_ratio = 5000,
            },
        .temporary_threshold = 1,
        .max_bins = PR_BINS_AUTO,
    };
}
