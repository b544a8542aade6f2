// SPDX-License-Identifier: Apache-2.0
/* The source of the user's own code: where it is kept, and its text if the page has it. */
import { MINE } from '../lib/owners.js';
import { KIND, frameKind, ownerOfKind } from './profile.js';

/**
 * @typedef {object} Sources
 * @property {string} url    address with {file} and {line} in it; '' = no links
 * @property {string} root   folder that files are relative to; '' = unchanged
 * @property {[string, string[]][]} files  path and lines
 */

/** @type {Sources} */
export const NO_SOURCES = { url: '', root: '', files: [] };

/** Whether a frame is the user's own code. @param {number} kind */
export const isOwn = (kind) =>
    frameKind(kind) === KIND.PYTHON && ownerOfKind(kind) === MINE;

/**
 * The address of a line of a file; '' if none. Without a line, what follows the file is left out. The same
 * rule as in render/page/source_links.c.
 * @param {Sources} sources
 * @param {string} file
 * @param {number} line  0 = only the file
 */
export function addressOf({ url, root }, file, line) {
    const folder = root && file.startsWith('/') ? `${root.replace(/\/+$/, '')}/` : '';
    const known = folder && !file.startsWith(folder) ? '' : file.slice(folder.length).replace(/^\/+/, '');
    if (!known || file.startsWith('<') || !/^https?:\/\//i.test(url)) return '';
    const path = known.split('/').map(encodeURIComponent).join('/');
    const template = line ? url : url.slice(0, url.indexOf('{file}') + '{file}'.length);
    return template.replace(/\{file\}|\{line\}/g, (word) => (word === '{file}' ? path : String(line)));
}

/**
 * The lines around one.
 * @param {Sources} sources
 * @param {string} file
 * @param {number} line
 * @param {number} around  number of lines on each side
 * @returns {{number: number, text: string}[]}
 */
export function linesAround({ files }, file, line, around) {
    const lines = files.find(([path]) => path === file)?.[1] ?? [];
    const first = Math.max(1, line - around);
    return lines.slice(first - 1, line + around).map((text, i) => ({ number: first + i, text }));
}
