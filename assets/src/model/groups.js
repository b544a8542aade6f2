// SPDX-License-Identifier: Apache-2.0
/*
 * Groups of frames that are alike. An open hash table over columns of numbers: a million take a tenth of a second, a
 * Map of keys three.
 */

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * @typedef {object} Groups
 * @property {Uint32Array} group  [item] the number of its group, in the order that groups are met
 * @property {Uint32Array} first  [group] its first item
 */

/** Odd, and without a pattern in its bits: 2^32 divided by the golden ratio. */
const MIX = 0x9e3779b1;

/** @param {Uint32Array} hash  [item] so far  @param {ArrayLike<number>} column */
function mixIn(hash, column) {
    for (let i = 0; i < hash.length; i++) {
        const mixed = Math.imul(hash[i] ^ column[i], MIX);
        hash[i] = mixed ^ (mixed >>> 15);
    }
}

/**
 * @param {number} count  of items
 * @param {ArrayLike<number>[]} columns  items are alike if they are so in each of them
 * @returns {Groups}
 */
export function groupAlike(count, columns) {
    const hash = new Uint32Array(count);
    columns.forEach((column) => mixIn(hash, column));
    const isAlike = (/** @type {number} */ a, /** @type {number} */ b) =>
        columns.every((column) => column[a] === column[b]);
    const group = new Uint32Array(count);
    const first = new Uint32Array(count);
    let groups = 0;
    let slots = 32;
    while (slots < 4 * count) slots *= 2;
    // Of groups the hash and, next to it, the number from 1; 0 = free. Most of what is looked at is in one place.
    const table = new Uint32Array(slots);
    for (let item = 0; item < count; item++) {
        const own = hash[item];
        let slot = (own << 1) & (slots - 1);
        while (table[slot + 1] && (table[slot] !== own || !isAlike(item, first[table[slot + 1] - 1])))
            slot = (slot + 2) & (slots - 1);
        if (!table[slot + 1]) {
            first[groups++] = item;
            table[slot] = own;
            table[slot + 1] = groups;
        }
        group[item] = table[slot + 1] - 1;
    }
    return { group, first: first.slice(0, groups) };
}

/** What frames of a group have in common. A frame without a file is its own. */
const ALIKE = {
    'function': (/** @type {Profile} */ { frames }) => [frames.file, frames.function, frames.begin],
    'line': (/** @type {Profile} */ { frames }) => [frames.file, frames.function, frames.line],
    'package': (/** @type {Profile} */ { frames }) => [frames.package],
    'member': (/** @type {Profile} */ { frames }) => [frames.package, frames.file, frames.function, frames.begin],
    'file': (/** @type {Profile} */ { frames }) => [
        frames.file,
        frames.function.map((name, f) => (frames.file[f] ? 0 : name)),
    ],
};

/**
 * Whether two frames are of one function.
 * @param {Profile['frames']} frames
 * @param {number} a
 * @param {number} b
 */
export const isOneFunction = ({ file, function: name, begin }, a, b) =>
    name[a] === name[b] && file[a] === file[b] && begin[a] === begin[b];

/** In a difference, two functions of one name may be at one line: the second has a number from here on. */
const NO_LINE = 2 ** 30;

/**
 * The line that tells a frame's function from others of its name and file; 0 = none is needed.
 * @param {Profile} profile
 * @param {number} f  may be none of the profile's own
 */
export const beginOf = ({ frames: { count, begin, line } }, f) =>
    f < count ? (begin[f] < NO_LINE ? begin[f] : line[f]) : 0;

/** Kept by profile: they are asked for again after each choice. */
const known = /** @type {WeakMap<Profile, Map<string, Groups>>} */ (new WeakMap());

/**
 * Which group each frame is in.
 * @param {Profile} profile
 * @param {keyof typeof ALIKE} by
 * @returns {Groups}
 */
export function groupFrames(profile, by) {
    const groups = known.get(profile) ?? new Map();
    known.set(profile, groups);
    const found = groups.get(by) ?? groupAlike(profile.frames.count, ALIKE[by](profile));
    groups.set(by, found);
    return found;
}
