// SPDX-License-Identifier: Apache-2.0
/*
 * Names of the language and of the DOM that the script uses dozens of times. As names of its own they become as short
 * as all others when it is packed: four kilobytes less in each card.
 */
const { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window } =
    globalThis;

export { Array, Float64Array, Math, Number, Object, String, Uint32Array, Uint8Array, document, location, window };

/*
 * Of these, which are the DOM's, or ours and also words of the payload or an address, the names: pieces.mjs writes
 * ELEMENT[$textContent] for ELEMENT.textContent.
 */
export const $addEventListener = 'addEventListener';
export const $against = 'against';
export const $append = 'append';
export const $before = 'before';
export const $beginPath = 'beginPath';
export const $classList = 'classList';
export const $clientWidth = 'clientWidth';
export const $clientX = 'clientX';
export const $clientY = 'clientY';
export const $concat = 'concat';
export const $countName = 'countName';
export const $descending = 'descending';
export const $documentElement = 'documentElement';
export const $fillStyle = 'fillStyle';
export const $filter = 'filter';
export const $findIndex = 'findIndex';
export const $first = 'first';
export const $flatMap = 'flatMap';
export const $forEach = 'forEach';
export const $format = 'format';
export const $frames = 'frames';
export const $getBoundingClientRect = 'getBoundingClientRect';
export const $getElementById = 'getElementById';
export const $height = 'height';
export const $hidden = 'hidden';
export const $history = 'history';
export const $includes = 'includes';
export const $indexOf = 'indexOf';
export const $label = 'label';
export const $lineTo = 'lineTo';
export const $lineWidth = 'lineWidth';
export const $measureText = 'measureText';
export const $metric = 'metric';
export const $metrics = 'metrics';
export const $order = 'order';
export const $owner = 'owner';
export const $preventDefault = 'preventDefault';
export const $profile = 'profile';
export const $querySelector = 'querySelector';
export const $querySelectorAll = 'querySelectorAll';
export const $reduce = 'reduce';
export const $removeAttribute = 'removeAttribute';
export const $removeEventListener = 'removeEventListener';
export const $replace = 'replace';
export const $replaceChildren = 'replaceChildren';
export const $scrollTop = 'scrollTop';
export const $select = 'select';
export const $selected = 'selected';
export const $series = 'series';
export const $setAttribute = 'setAttribute';
export const $setLineDash = 'setLineDash';
export const $slice = 'slice';
export const $startsWith = 'startsWith';
export const $strings = 'strings';
export const $strokeStyle = 'strokeStyle';
export const $subarray = 'subarray';
export const $textContent = 'textContent';
export const $threads = 'threads';
export const $toLowerCase = 'toLowerCase';
export const $update = 'update';
export const $width = 'width';
