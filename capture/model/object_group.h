/* SPDX-License-Identifier: Apache-2.0 */
/* What the objects of a heap dump are: of the JVM the package of their class, of V8 the kind that their name tells. */
#ifndef PR_CAPTURE_MODEL_OBJECT_GROUP_H
#define PR_CAPTURE_MODEL_OBJECT_GROUP_H

#include "profrender/profile.h"

/* NAME is a class, one of its fields as "Shelf.books", or a root. Borrowed from NAME, or a constant. */
struct pr_text pr_java_object_group(struct pr_text name);
struct pr_text pr_v8_object_group(struct pr_text name);

#endif
