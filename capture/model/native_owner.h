/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose native code is in a program of its own, without an interpreter: what the program itself has, the system's
 * libraries, those of others.
 */
#ifndef PR_CAPTURE_MODEL_NATIVE_OWNER_H
#define PR_CAPTURE_MODEL_NATIVE_OWNER_H

#include "capture/model/code_world.h"
#include "profrender/owner.h"

/* FILE is the mapped object or the place in the source, and may be empty: then the name decides. */
enum pr_owner pr_owner_of_native(const struct pr_code_world *world, struct pr_text function, struct pr_text file);

/* Whether FILE is an interpreter, or its library: "/usr/bin/python3.12", "libpython3.12.so.1.0", "node". */
bool pr_file_is_interpreter(struct pr_text file);

/* What importlib calls its functions, where a profile has no files: "_find_and_load". */
bool pr_name_is_importlib(struct pr_text function);

#endif
