// SPDX-License-Identifier: Apache-2.0
/*
 * Names of the language that the script uses a hundred times. As names of its own they become as short as all others
 * when it is packed: over a kilobyte less in each card.
 */
const { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window } =
    globalThis;

export { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window };
