// SPDX-License-Identifier: Apache-2.0
/*
 * The rows of a table as data: what they are searched and sorted by. No DOM here.
 */

/**
 * A row: its text in lower case, a key for each column; null is "not known", which comes last either way; and what it
 * is: "bad", "grew".
 * @typedef {{text: string, keys: (number | string | null)[], states?: string[]}} Row
 */

/**
 * Whether each word of a query is somewhere in the row.
 * @param {string} text   in lower case
 * @param {string[]} words  in lower case
 */
export const matches = (text, words) => words.every((word) => text.includes(word));

/** @param {string} query */
export const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter((word) => word !== '');

/**
 * @param {number | string} a
 * @param {number | string} b
 */
function compare(a, b) {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    const x = String(a), y = String(b);
    return x < y ? -1 : x > y ? 1 : 0;
}

/**
 * The numbers of the rows that match, in order; equal ones keep their order.
 * @param {Row[]} rows
 * @param {string} query
 * @param {{column: number, down: boolean} | null} order
 * @param {string} [state]  only rows that have it; "" = all
 */
export function choose(rows, query, order, state = '') {
    const words = wordsOf(query);
    const chosen = rows
        .map((_, at) => at)
        .filter((at) => matches(rows[at].text, words) && (!state || rows[at].states?.includes(state)));
    if (!order) return chosen;
    const { column, down } = order;
    return chosen.sort((a, b) => {
        const x = rows[a].keys[column], y = rows[b].keys[column];
        if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
        return (down ? compare(y, x) : compare(x, y)) || a - b;
    });
}

/**
 * The number of the run, the latest first, that is drawn at PLACE of a chart, 0 to 1 from left to right.
 * @param {number} place
 * @param {number} count  of runs
 */
export const runAt = (place, count) => count - 1 - Math.min(Math.max(Math.floor(place * count), 0), count - 1);

/**
 * The part of the view kept in the address, so that it can be sent to others: "q=train&show=bad&down=5".
 * @param {{query: string, state: string, order: {column: number, down: boolean} | null}} view
 */
export function toHash({ query, state, order }) {
    const hash = new URLSearchParams();
    if (query) hash.set('q', query);
    if (state) hash.set('show', state);
    if (order) hash.set(order.down ? 'down' : 'up', String(order.column));
    return hash.toString();
}

/**
 * The reverse; what makes no sense is left out.
 * @param {string} hash
 * @param {number} columns  how many there are
 */
export function fromHash(hash, columns) {
    const words = new URLSearchParams(hash.replace(/^#/, ''));
    const written = words.get('down') ?? words.get('up');
    const column = Number(written);
    const known = written !== null && Number.isInteger(column) && column >= 0 && column < columns;
    return {
        query: words.get('q') ?? '',
        state: words.get('show') ?? '',
        order: known ? { column, down: words.has('down') } : null,
    };
}
