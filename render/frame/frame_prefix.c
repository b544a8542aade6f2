/* SPDX-License-Identifier: Apache-2.0 */
#include "render/frame/frame_parts.h"

#include <inttypes.h>
#include <stdio.h>

struct pr_frame_prefix pr_frame_prefix_of(const struct pr_data_frame *frame)
{
    struct pr_frame_prefix prefix = {""};
    if (frame->section)
        snprintf(prefix.text, sizeof prefix.text, "s%" PRIu32 "-", frame->section);
    return prefix;
}
