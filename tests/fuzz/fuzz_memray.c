/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a capture: they are refused or become a profile that keeps its rules, and then a card.
 */
#include "capture/capture.h"
#include "render/render.h"
#include "tests/support/invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* Small enough that no input is slow only because it is large. */
    struct pr_load_options options = pr_load_options_default();
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    struct pr_card_options card = pr_card_options_default();
    card.max_nodes = 500;

    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    if (pr_load_memory("fuzz", bytes, length, &options, &profile, &err) != PR_FAILED) {
        check_invariants(profile);
        struct pr_buf page = {0};
        (void)pr_render_card(profile, &card, &page, &err);
        pr_buf_clear(&page);
    }
    pr_profile_free(profile);
    return 0;
}
