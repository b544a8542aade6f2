/* SPDX-License-Identifier: Apache-2.0 */
/* For capture/base/processors.c: WASI has no threads that could run on more. */
#include "capture/base/processors.h"

unsigned pr_processors(void)
{
    return 1;
}
