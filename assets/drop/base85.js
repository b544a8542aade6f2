// SPDX-License-Identifier: Apache-2.0
/* Bytes as text of an element: 5 characters for 4 bytes, where base64 has 5.33. No character means anything in HTML. */

const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))
    .filter((letter) => !'"&\'-<>\\`$'.includes(letter))
    .join('');

/** @param {Uint8Array} bytes */
export function encode85(bytes) {
    let text = '';
    for (let at = 0; at < bytes.length; at += 4) {
        const some = Math.min(4, bytes.length - at);
        let number = 0;
        for (let i = 0; i < 4; i++) number = number * 256 + (i < some ? bytes[at + i] : 0);
        let group = '';
        for (let i = 0; i < 5; i++, number = Math.floor(number / 85)) group = LETTERS[number % 85] + group;
        text += group.slice(0, some + 1);
    }
    return text;
}

/** @param {string} text */
export function decode85(text) {
    const values = new Uint8Array(127);
    for (let i = 0; i < 85; i++) values[LETTERS.charCodeAt(i)] = i;
    const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
    for (let from = 0, at = 0; from < text.length; from += 5) {
        let number = 0;
        for (let i = 0; i < 5; i++) {
            number = number * 85 + (from + i < text.length ? values[text.charCodeAt(from + i)] : 84);
        }
        for (let i = 3; i >= 0; i--, number = Math.floor(number / 256)) {
            if (at + i < bytes.length) bytes[at + i] = number % 256;
        }
        at += 4;
    }
    return bytes;
}
