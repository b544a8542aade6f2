/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/python_version.h"

#include <stdio.h>

struct pr_figure pr_python_version(int hex)
{
    unsigned version = (unsigned)hex, level = version >> 4 & 15;
    const char *stage = level == 10 ? "a" : level == 11 ? "b" : level == 12 ? "rc" : "";
    struct pr_figure figure;
    int length = snprintf(figure.text, sizeof figure.text, "%u.%u.%u", version >> 24 & 255, version >> 16 & 255,
                          version >> 8 & 255);
    if (*stage)
        snprintf(figure.text + length, sizeof figure.text - (size_t)length, "%s%u", stage, version & 15);
    return figure;
}
