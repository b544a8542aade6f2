/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a pprof profile; of every other one a label is the first level, whether it exists or not. */
#include "tests/support/fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return fuzz_format_by_label("pprof", length % 2 ? "endpoint,bytes" : NULL, bytes, length);
}
