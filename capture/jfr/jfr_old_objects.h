/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk.OldObjectSample: an object, of those whose allocation was sampled, that was still alive at the end. Its stack is
 * that of its allocation. With path-to-gc-roots=true it also has who holds it: an object has a class, a description and
 * a referrer, which is a field or a place in an array of another object, up to a root.
 *
 * An object counts below the stack that allocated it: "old_objects", in bytes where the JVM records its size (JDK 21
 * does, 17 does not), else as one. Where its path is known it counts once more, as "kept_by", below the path from the
 * root: so what most of them share is found in one look.
 *
 * Source: OpenJDK src/hotspot/share/jfr/metadata/metadata.xml, OldObjectSample, OldObject, Reference;
 * src/hotspot/share/jfr/leakprofiler/checkpoint/objectSampleWriter.cpp, objectSampleDescription.cpp.
 */
#ifndef PR_CAPTURE_JFR_JFR_OLD_OBJECTS_H
#define PR_CAPTURE_JFR_JFR_OLD_OBJECTS_H

#include "capture/jfr/jfr_seen.h"

void pr_jfr_take_old_object(struct pr_jfr *r, const struct pr_jfr_seen *event);

#endif
