// SPDX-License-Identifier: Apache-2.0
/*
 * Names of the language and of the DOM that the script uses dozens of times. As names of its own they become as short
 * as all others when it is packed: three kilobytes less in each card.
 */
const { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window } =
    globalThis;

export { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window };

/* Of these the names: pieces.mjs writes ELEMENT[$textContent] for ELEMENT.textContent. */
export const $addEventListener = 'addEventListener';
export const $append = 'append';
export const $clientWidth = 'clientWidth';
export const $filter = 'filter';
export const $forEach = 'forEach';
export const $getBoundingClientRect = 'getBoundingClientRect';
export const $getElementById = 'getElementById';
export const $hidden = 'hidden';
export const $includes = 'includes';
export const $preventDefault = 'preventDefault';
export const $querySelector = 'querySelector';
export const $querySelectorAll = 'querySelectorAll';
export const $replace = 'replace';
export const $replaceChildren = 'replaceChildren';
export const $setAttribute = 'setAttribute';
export const $slice = 'slice';
export const $strokeStyle = 'strokeStyle';
export const $textContent = 'textContent';
export const $toLowerCase = 'toLowerCase';
