/* SPDX-License-Identifier: Apache-2.0 */
/* How Valgrind's tools write a place in code, in massif's trees and in DHAT's table of frames. */
#ifndef PR_CAPTURE_READERS_VALGRIND_FRAME_H
#define PR_CAPTURE_READERS_VALGRIND_FRAME_H

#include "capture/builder/profile_builder.h"

/*
 * `0x109245: put (hashtab.c:9)`, `0x4C2: ??? (in /lib/x.so)`, with a column in Rust: `0x10A: main (main.rs:3:5)`.
 * False: TEXT is something else.
 */
bool pr_valgrind_place(struct pr_profile_builder *c, struct pr_text text, struct pr_place *place);

#endif
