/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences that people should know about a recording. */
#ifndef PR_CAPTURE_JFR_JFR_NOTES_H
#define PR_CAPTURE_JFR_JFR_NOTES_H

#include "capture/jfr/jfr.h"

void pr_jfr_add_notes(struct pr_jfr *r);

#endif
