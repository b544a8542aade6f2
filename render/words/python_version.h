/* SPDX-License-Identifier: Apache-2.0 */
/* The version of an interpreter, as people write it. */
#ifndef PR_RENDER_WORDS_PYTHON_VERSION_H
#define PR_RENDER_WORDS_PYTHON_VERSION_H

#include "render/words/units.h"

/* "3.13.0rc1" for PY_VERSION_HEX 0x030d00c1. Source: CPython, Include/patchlevel.h. */
struct pr_figure pr_python_version(int hex);

#endif
