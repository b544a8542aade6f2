/* SPDX-License-Identifier: Apache-2.0 */
/* One loop over the frames. */
#include "capture/model/repeated_names.h"

#include <stdlib.h>

bool *pr_names_repeated(const struct pr_profile *profile)
{
    const size_t strings = profile->strings.count + (size_t)1;
    bool *seen = calloc(strings, sizeof *seen), *repeated = calloc(strings, sizeof *repeated);
    for (pr_frame_id i = 0; seen && repeated && i < profile->frame_count; i++) {
        const pr_str name = profile->frames[i].function;
        repeated[name] |= seen[name];
        seen[name] = true;
    }
    if (!seen) {
        free(repeated);
        return NULL;
    }
    free(seen);
    return repeated;
}
