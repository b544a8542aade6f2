/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets known by their position: `vault login X`, `htpasswd -b FILE USER X`, `sqlplus USER/X@DB`.
 *
 *     struct pr_positions positions = {0};
 *     for (each word of a command)
 *         if (pr_secret_position(&positions, word, &hit))
 *             ...                                          // word.bytes[hit.from] to word.bytes[hit.to - 1] is secret
 */
#ifndef PR_CAPTURE_REDACT_SECRET_POSITIONS_H
#define PR_CAPTURE_REDACT_SECRET_POSITIONS_H

#include "capture/redact/secret_scan.h"

/* Takes the next WORD. True: *HIT is what is secret of it; undefined after false. */
bool pr_secret_position(struct pr_positions *positions, struct pr_text word, struct pr_hit *hit);

#endif
