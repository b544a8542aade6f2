// SPDX-License-Identifier: Apache-2.0
/*
 * Names of the language that stand in the script a hundred times. As names of its own they are as short as all others
 * once it is packed: over a kilobyte less in each card.
 */
const { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, window } = globalThis;

export { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, window };
