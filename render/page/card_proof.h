/* SPDX-License-Identifier: Apache-2.0 */
/*
 * True if everything in a page that could run is what this program writes. A card that comes from elsewhere is a page
 * with a script; published, it would run with the rights of the site. So it is matched against the template of cards,
 * strictly:
 *
 *     what the template has         to the byte, its policy with the hashes of our style and script
 *     style and script              those of this build, to the byte
 *     header, sections, footer      elements and attributes that sections use, all closed; no handler, no style, no
 *                                   script; links to the page itself, http, https and mailto
 *     data                          letters of base64
 *
 * What remains is text and data that anyone may choose, as with a capture, and neither can run. Cards made by other
 * versions have another script, and are not ours.
 */
#ifndef PR_RENDER_PAGE_CARD_PROOF_H
#define PR_RENDER_PAGE_CARD_PROOF_H

#include <stdbool.h>
#include <stddef.h>

/* *WHY, a sentence that lives as long as the program, tells what is wrong. */
bool pr_card_is_ours(const char *page, size_t length, const char **why);

#endif
