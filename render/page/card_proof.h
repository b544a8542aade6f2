/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is everything in this page that could run what this program writes? A card that comes from elsewhere is a page with a
 * script; published, it would run with the rights of the site. So it is read along the template of cards, strictly:
 *
 *     what the template has         to the byte, its policy with the hashes of our style and script
 *     style and script              those of this build, to the byte
 *     header, sections, footer      elements and attributes that sections use, all closed; no handler, no style, no
 *                                   script; links to the page itself, http, https and mailto
 *     data                          letters of base64
 *
 * What remains is text and data that anybody may choose, as with a capture, and neither can run. Cards that other
 * versions made have another script, and are not ours.
 */
#ifndef PR_RENDER_PAGE_CARD_PROOF_H
#define PR_RENDER_PAGE_CARD_PROOF_H

#include <stdbool.h>
#include <stddef.h>

/* *WHY, a sentence that lives as long as the program, says what is not as it should be. */
bool pr_card_is_ours(const char *page, size_t length, const char **why);

#endif
