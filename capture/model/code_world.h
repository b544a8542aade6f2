/* SPDX-License-Identifier: Apache-2.0 */
/* What the frames of a profile show together: its languages, and which module, crate or package is its own. */
#ifndef PR_CAPTURE_MODEL_CODE_WORLD_H
#define PR_CAPTURE_MODEL_CODE_WORLD_H

#include "profrender/profile.h"

#include <stdbool.h>

struct pr_code_world {
    bool has_scripts;     /* an interpreter runs the program: its native frames are not the user's program */
    bool has_short_paths; /* paths of Python code lack the folder in which they were found */
    bool has_go, has_rust, has_jvm;
    bool is_heap;    /* a dump: its frames are objects and fields */
    bool has_java_objects;
    bool has_torch;           /* PyTorch's operators are among its functions, as its profiler names them */
    bool runs_modules;        /* runpy runs a module or a script */
    struct pr_text go_module; /* the repository of main, where a path shows it: "github.com/me/app"; empty: unknown */
    struct pr_text crate;     /* of Rust's main; empty: unknown */
    struct pr_text package;   /* of the JVM's main class, its first two parts: "com/acme"; empty: unknown */

    pr_str asked_file; /* the last one that pr_package_of was asked for: frames of a file mostly follow one another */
    struct pr_text installed; /* the package that it is in by its path */
    struct pr_text object;    /* the mapped object that it is */
};

/* As it was settled, else by a look at all frames. Texts are borrowed from PROFILE. */
void pr_code_world_look(const struct pr_profile *profile, struct pr_code_world *world);

/* Looks, and sets profile->world, which is NULL again once frames change. NULL: out of memory. */
const struct pr_code_world *pr_code_world_settle(struct pr_profile *profile);

#endif
