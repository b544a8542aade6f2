// SPDX-License-Identifier: Apache-2.0
/*
 * The part of its width that a graph shows, as the state and an address have it: "8-0.25" is a picture 8 times as wide
 * as its place, of which a quarter is to the left of it; '' = all of it.
 */
/** A picture is at most so many times as wide as its place. */
const MOST = 1e5;

/** The nearest part that can be shown. @param {number} wanted @param {number} from */
function within(wanted, from) {
    const scale = Math.max(1, Math.min(wanted, MOST));
    return { scale, left: Math.max(0, Math.min(from, 1 - 1 / scale)) };
}

/** @param {string} across  which may be from an address that somebody made up */
export function readAcross(across) {
    const [scale, left] = (across || '1-0').split('-').map(Number);
    return within(scale, left);
}

/** @param {number} wanted @param {number} from */
export function acrossText(wanted, from) {
    const { scale, left } = within(wanted, from);
    return scale > 1.000001 ? `${scale.toFixed(6)}-${left.toFixed(9)}` : '';
}

/**
 * Zooms by a factor, above 1 inwards; what is at a share of the place stays there.
 * @param {string} across
 * @param {number} at
 * @param {number} factor
 */
export function zoomedAcross(across, at, factor) {
    const { scale, left } = readAcross(across);
    const to = Math.min(scale * factor, MOST);
    return acrossText(to, left + at / scale - at / to);
}
