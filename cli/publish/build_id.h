/* SPDX-License-Identifier: Apache-2.0 */
/* Which build of the program this is: two of one version may write different cards. */
#ifndef PR_CLI_PUBLISH_BUILD_ID_H
#define PR_CLI_PUBLISH_BUILD_ID_H

#include "capture/base/text.h"

/*
 * The bytes that the linker derived from all of the running program; empty if it was told to write none. They live as
 * long as the program.
 *
 * Source: ld(1), --build-id; elf(5), NT_GNU_BUILD_ID; dl_iterate_phdr(3), which begins with the program itself.
 */
struct pr_text pr_build_id(void);

#endif
