/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an input of any format, archives of runs among them. */
#include "tests/support/fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return fuzz_format(NULL, bytes, length);
}
