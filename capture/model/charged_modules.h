/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module that a stack is charged to: the top-level package of the frame nearest to the leaf whose code is not part
 * of the standard library; "<root>" without such a frame, or when it is memray itself.
 */
#ifndef PR_CAPTURE_MODEL_CHARGED_MODULES_H
#define PR_CAPTURE_MODEL_CHARGED_MODULES_H

#include "profrender/profile.h"

/*
 * Sets MODULE[node] for each node of TREE. Paths of META decide; without any (memray before 1.20) it is guessed as in
 * profrender/owner.h. Frames that are not Python are skipped.
 *
 * Owner:  MODULE, tree->count elements, is the caller's; the names are added to STRINGS.
 * Errors: PR_FAILED: out of memory.
 * Source: doc/formats/memray.md, "Statistics"; memray 1.20.0 gives the same names.
 */
enum pr_status pr_modules_of_nodes(const struct pr_meta *meta, struct pr_strings *strings,
                                   const struct pr_frame *frames, uint32_t frame_count, const struct pr_tree *tree,
                                   pr_str *module, struct pr_error *err);

/*
 * Makes the file of each node's frame the module that it is charged to, and leaves out functions and lines: a table of
 * files is then one of modules. Frames without a file are charged to their callers too. In a profile without Python, a
 * module is the file's own name, such as that of a library. Recorded figures of functions are dropped, as they belong
 * to no module.
 *
 * Nodes may then have several children of one frame; for tables only. Errors: PR_FAILED: out of memory.
 */
enum pr_status pr_profile_by_module(struct pr_profile *profile, struct pr_error *err);

/*
 * Makes the file of each frame the package whose code it is, as capture/model/package.h names it and pages show it, and
 * leaves out functions and lines. A table of files is then one of packages: a stack counts for each that is on it.
 * Frames keep their numbers, so recorded figures of functions are still theirs.
 */
enum pr_status pr_profile_by_package(struct pr_profile *profile, struct pr_error *err);

#endif
