/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processors extract bits fast. Sources: CPUID leaf 7 in the manuals of Intel and AMD, which have BMI1 in bit 3
 * and BMI2 in bit 8 of EBX; AMD's family 17h, Zen to Zen 2, and Hygon's, which is the first Zen, do it in microcode,
 * more slowly than our way without it.
 */
#include "capture/base/extract_bits.h"

#if defined(__x86_64__)

#include <cpuid.h>

enum { BMI = 1 << 3 | 1 << 8, FAMILY_17H = 0x17 };

bool pr_can_extract(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & BMI) != BMI || !__get_cpuid(0, &a, &b, &c, &d))
        return false;
    const bool amd = b == signature_AMD_ebx, hygon = b == 0x6f677948; /* "Auth", "Hygo" */
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return false;
    const unsigned family = (a >> 8 & 15) + (a >> 20 & 255);
    return !hygon && !(amd && family == FAMILY_17H);
}

#else

bool pr_can_extract(void)
{
    return false;
}

#endif
