// SPDX-License-Identifier: Apache-2.0
/*
 * Paths of Windows for the program, which knows those of POSIX: C:\runs\1.bin is /c/runs/1.bin, runs\1.bin is
 * runs/1.bin, and each drive is a folder of the root.
 */
import { win32 } from 'node:path';

const DRIVES = [...'abcdefghijklmnopqrstuvwxyz'];

/** @param {string} path absolute or relative, with either slash */
export function posixPath(path) {
    const [, drive, rest] = /^(?:\\\\\?\\)?([A-Za-z]):[\\/](.*)$/s.exec(path) ?? [];
    return (drive ? `/${drive.toLowerCase()}/${rest}` : path).replaceAll('\\', '/');
}

/**
 * A word of the command line, with the path in it as the program takes it. A word with a backslash is a path if that
 * is there, or the folder that it would be in: `--title 'a\b'` stays. Of OPTION=PATH, the part behind the sign.
 *
 * @param {string} word
 * @param {(path: string) => boolean} exists
 */
export function posixWord(word, exists) {
    const at = /^--[\w-]+=/.exec(word)?.[0].length ?? 0;
    const path = word.slice(at);
    const drive = /^(?:\\\\\?\\)?[A-Za-z]:[\\/]/.test(path);
    const isPath = drive || (path.includes('\\') && (exists(path) || exists(win32.dirname(path))));
    return isPath ? word.slice(0, at) + posixPath(path) : word;
}

/** What the program may open: each drive that is there. @param {(path: string) => boolean} exists */
export function drives(exists) {
    const found = DRIVES.map((drive) => [`/${drive}`, `${drive.toUpperCase()}:\\`]);
    return Object.fromEntries(found.filter(([, root]) => exists(root)));
}
