/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a capture: what can be read of them becomes a card.
 */
#include "profrender/load.h"
#include "render/card.h"
#include "tests/support/capture_mutator.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed);

/* libFuzzer's own; not there when inputs are only replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t max);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct pr_load_options options = pr_load_options_default();
    options.native = PR_NATIVE_OFFSETS; /* no file of this machine that the bytes name is opened */
    options.limits.max_nodes = 1u << 20;
    options.limits.max_string_bytes = 1u << 16;
    struct pr_card_options card = pr_card_options_default();
    card.max_nodes = 500;

    struct pr_profile *profile = NULL;
    struct pr_error err = {0};
    if (pr_load_memory("fuzz", bytes, length, &options, &profile, &err) != PR_FAILED) {
        struct pr_buf page = {0};
        if (pr_render_card(profile, &card, &page, &err) == PR_OK && page.length == 0)
            abort();
        pr_buf_clear(&page);
    }
    pr_profile_free(profile);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed)
{
    return mutate_capture(bytes, length, max, seed, LLVMFuzzerMutate);
}
