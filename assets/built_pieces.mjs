// SPDX-License-Identifier: Apache-2.0
/* The pieces of script and style, read back from the C that the bundler made: what a program of that build writes. */
import { PARTS } from './pieces.mjs';

/**
 * @param {string} source  of assets.c, in latin1
 * @param {'script' | 'style'} name
 * @returns {{part: string, text: string}[]}  part: '' = of every card
 */
export function builtPieces(source, name) {
    const bytes = Buffer.from(
        new RegExp(`pr_asset_${name}\\[\\d+\\] = \\{([^}]*)\\}`).exec(source)[1].split(',').map(Number),
    );
    const list = new RegExp(`pr_asset_${name}_pieces\\[\\] = \\{(.*?)\\};`, 's').exec(source)[1];
    let at = 0;
    const pieces = [...list.matchAll(/\{(\d+), (\w+)\}/g)].map(([, size, part]) => ({
        part: [...PARTS, 'large', 'file'].find((one) => part === `PR_PART_${one.toUpperCase()}`) ?? '',
        text: bytes.toString('latin1', at, (at += Number(size))),
    }));
    if (at !== bytes.length) throw new Error(`pieces of ${at} bytes in ${bytes.length}`);
    return pieces;
}
