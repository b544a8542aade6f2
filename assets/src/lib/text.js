// SPDX-License-Identifier: Apache-2.0
/* Text that has to fit. */

/** With a capital letter, as at the start of a line. @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The beginning of a long name.
 * @param {string} text
 * @param {number} most  characters
 */
export const shorten = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`);

/**
 * A path short enough to read: an ellipsis, and as many of its last folders as fit.
 * @param {string} path
 * @param {number} most  characters
 */
export function shortPath(path, most) {
    if (path.length <= most) return path;
    const parts = path.split('/');
    for (let from = 1; from < parts.length; from++) {
        const tail = parts.slice(from).join('/');
        if (tail.length + 2 <= most) return `\u2026/${tail}`;
    }
    return `\u2026${path.slice(1 - most)}`;
}

/** Without its folders. @param {string} path */
export const fileName = (path) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/**
 * Where code is: "demand/features.py:131".
 * @param {{file: string, line: number}} label
 */
export const placeOf = ({ file, line }) => (file === '' ? '' : line ? `${file}:${line}` : file);

/** What many functions are called: "<module>", and comprehensions or lambdas in no function that is known. */
const MANY = /^<|^lambda$|^\w+ (comp|expr)/;

/**
 * What follows a name to distinguish it: the file of "<module>" and the like, else the line.
 * @param {{name: string, file: string, line: number}} label
 */
export function suffixOf({ name, file, line }) {
    const colon = line ? `:${line}` : '';
    return MANY.test(name) && file ? ` ${file.split('/').slice(-2).join('/')}${colon}` : colon;
}

/**
 * What of a box's words there is room for: its name, what follows it, and at the right end a value and its share.
 * @param {{name: string, suffix: string, value: string, share: string}} words
 * @param {number} room  characters
 */
export function fitWords({ name, suffix, value, share }, room) {
    const more = name.length + suffix.length <= room ? suffix : '';
    // All modules have the same name: if their file does not fit after it, the file replaces it.
    const whole = name === '<module>' && !more ? suffix.trim() || name : name;
    const free = room - whole.length - more.length - 3;
    const right = free > value.length + share.length + 3 ? `${value}  ${share}` : free > value.length ? value : '';
    return { whole, more, right };
}

/**
 * The beginning of a text that fits a width, with an ellipsis when it is cut; '' when not even that fits. Plain ASCII
 * in a fixed-width font needs no measuring.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} room        pixels
 * @param {number} charWidth   of the font, in pixels
 */
export function fitText(context, text, room, charWidth) {
    const most = Math.floor(room / charWidth);
    if (most < 2) return '';
    const head = text.slice(0, most + 1);
    if (/^[\x20-\x7e]*$/.test(head)) return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
    // Other letters may be wider than a column, never much narrower: what fits is found by halving.
    if (text.length <= most && context.measureText(text).width <= room) return text;
    const letters = Array.from(head);
    let low = 0;
    let high = letters.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (context.measureText(letters.slice(0, middle).join('')).width + charWidth <= room) low = middle;
        else high = middle;
    }
    return low ? `${letters.slice(0, low).join('')}\u2026` : '';
}

/** When a run began, as recorded, in 24 letters; '' = unknown, as 0 is. @param {number | null} startMs */
export const dateOf = (startMs) => (startMs && Math.abs(startMs) < 8e15 ? new Date(startMs).toISOString() : '');
