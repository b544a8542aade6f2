/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which package a function is part of, by what its language puts into paths and names: below site-packages,
 * node_modules, a folder of gems or crates, a Go module, a Java package, a shared library. Of the user's own Python the
 * package below sys.path, where that was recorded, else the folder. In a heap dump, what kind of object it is.
 */
#ifndef PR_CAPTURE_MODEL_PACKAGE_H
#define PR_CAPTURE_MODEL_PACKAGE_H

#include "capture/model/code_world.h"
#include "profrender/owner.h"

/* WORLD is that of PROFILE, OWNER that of the frame. Borrowed from PROFILE, or a constant; empty: it is no code, and
 * no object. */
struct pr_text pr_package_of(const struct pr_profile *profile, struct pr_code_world *world, pr_frame_id frame,
                             enum pr_owner owner);

#endif
