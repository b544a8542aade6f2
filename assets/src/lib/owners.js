// SPDX-License-Identifier: Apache-2.0
/* Who owns a piece of code, by number: bits 2 to 4 of the kind of a frame. */

export const OWNERS = ['mine', 'library', 'stdlib', 'native', 'kernel'];
export const [MINE, LIBRARY] = OWNERS.keys();

/** What is no code: processes, threads and labels of a profiler. */
export const OWNER_NONE = OWNERS.length;

/** Two that only the page knows: frames that it made up, and boxes of smaller frames. */
export const OWNER_RUNNER = 6;
export const OWNER_SMALLER = 7;

/** Whether a frame of this owner, or of a colour after those (model/hues.js), is one of code. @param {number} owner */
export const isCode = (owner) => owner < OWNERS.length || owner > OWNER_SMALLER;
