// SPDX-License-Identifier: Apache-2.0
/*
 * The part of its width that a graph shows, as the state and an address have it: "8-0.25" is a picture 8 times as wide
 * as its place, of which a quarter is to the left of it; '' = all of it.
 */
/** A picture is at most so many times as wide as its place. */
const MOST = 1e5;

/** @param {string} across */
export function readAcross(across) {
    const [scale, left] = (across || '1-0').split('-').map(Number);
    return { scale, left };
}

/** The nearest part that can be shown. @param {number} scale @param {number} left */
export function acrossText(scale, left) {
    const most = Math.min(scale, MOST);
    return most > 1 ? `${most.toFixed(3)}-${Math.max(0, Math.min(left, 1 - 1 / most)).toFixed(9)}` : '';
}

/**
 * Zooms by a factor, above 1 inwards; what is at a share of the place stays there.
 * @param {string} across
 * @param {number} at
 * @param {number} factor
 */
export function zoomedAcross(across, at, factor) {
    const { scale, left } = readAcross(across);
    return acrossText(scale * factor, left + at / scale - at / (scale * factor));
}
