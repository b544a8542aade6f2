// SPDX-License-Identifier: Apache-2.0
/*
 * A page of many nodes has the largest ones first, and all of them after the script, in elements that the browser reads
 * while it draws and listens.
 */

/** Where all nodes are, if they are not the first ones. @param {ParentNode} page */
export const restOf = (page) => [...page.querySelectorAll('.rest')];

/** The packs of all nodes, each in pieces; a space ends one. @param {ParentNode} page */
export function packsIn(page) {
    let last = /** @type {string[]} */ ([]);
    const packs = [last];
    for (const { textContent } of restOf(page)) {
        const [piece, ...ends] = (textContent ?? '').split(' ');
        last.push(piece);
        if (ends.length) packs.push((last = []));
    }
    return packs;
}

/** The data of all nodes of a card. @param {ParentNode} page */
export const dataIn = (page) =>
    packsIn(page)
        .map((pieces) => pieces.join(''))
        .join(' ') || page.querySelector('#pr-payload')?.textContent;
