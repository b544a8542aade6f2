// SPDX-License-Identifier: Apache-2.0
/*
 * Names of the language and of the DOM that the script uses dozens of times. As names of its own they become as short
 * as all others when it is packed: four kilobytes less in each card.
 */
const { Array, Error, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, WeakMap } = globalThis;
const { 'document': document, 'location': location, 'window': window } = globalThis;
const { 'clearTimeout': clearTimeout, 'requestAnimationFrame': requestAnimationFrame } = globalThis;
const { 'setTimeout': setTimeout } = globalThis;

export { Array, Error, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, WeakMap };
export { clearTimeout, document, location, requestAnimationFrame, setTimeout, window };

/* Functions of these: pieces.mjs writes Math_max(a, b) for Math.max(a, b). */
export const Array_from = Array.from;
export const Math_abs = Math.abs;
export const Math_ceil = Math.ceil;
export const Math_floor = Math.floor;
export const Math_max = Math.max;
export const Math_min = Math.min;
export const Math_round = Math.round;
export const Object_entries = Object.entries;

/* And Uint32Array_new(length) for new Uint32Array(length). */
export const Float64Array_new = (length) => new Float64Array(length);
export const Uint32Array_new = (length) => new Uint32Array(length);
export const Uint8Array_new = (length) => new Uint8Array(length);
