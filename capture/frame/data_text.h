/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a table, as they are kept: in UTF-8, whatever the file is in. */
#ifndef PR_CAPTURE_FRAME_DATA_TEXT_H
#define PR_CAPTURE_FRAME_DATA_TEXT_H

#include "profrender/data_frame.h"

/* A copy of LENGTH bytes, which FROM_1252 reads as Windows-1252. Empty when there is no memory: *FAILED is then set. */
struct pr_text pr_data_text(struct pr_arena *arena, const char *bytes, uint32_t length, bool from_1252, bool *failed);

uint32_t pr_data_character_of_1252(unsigned char byte);

/* LENGTH without the part of a character that its end cuts off. */
uint32_t pr_data_whole_characters(const char *bytes, uint32_t length);

#endif
