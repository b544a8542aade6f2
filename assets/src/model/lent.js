// SPDX-License-Identifier: Apache-2.0
/* Code that the program takes for the user's own, and the person reading for a library: by files. */
import { LIBRARY, MINE } from '../lib/owners.js';
import { fileName } from '../lib/text.js';
import { frameOwner, stringAt, withOwner } from './profile.js';

/** @typedef {import('./profile.js').Profile} Profile */

/**
 * Whether a frame's code can be counted as a library's.
 * @param {Pick<Profile, 'frames'>} profile
 * @param {number} frame
 */
export const canLend = ({ frames }, frame) => frames.file[frame] > 0 && frameOwner(frames.kind[frame]) === MINE;

/**
 * A file by its own name.
 * @param {Pick<Profile, 'frames' | 'strings'>} profile
 * @param {number} frame
 */
export const placeName = ({ frames, strings }, frame) => fileName(stringAt(strings, frames.file[frame]));

/**
 * Changes owners in the profile itself, which all views read; nothing chosen brings the program's back.
 * @param {Pick<Profile, 'frames'>} profile
 * @returns {(chosen: number[]) => void}
 */
export function createLender({ frames }) {
    const { kind, file } = frames;
    const first = kind.slice();
    let now = '';
    return (chosen) => {
        if (now === chosen.join()) return;
        now = chosen.join();
        const files = new Set(chosen.map((frame) => file[frame]));
        first.forEach((own, f) => {
            kind[f] = files.has(file[f]) && frameOwner(own) === MINE ? withOwner(own, LIBRARY) : own;
        });
    };
}
