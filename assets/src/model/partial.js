// SPDX-License-Identifier: Apache-2.0
/*
 * Whether some nodes of a large page are not there yet. The part that reads them sets it; until then, what counts all
 * of them is not known.
 */
export const nodes = { partial: false };
