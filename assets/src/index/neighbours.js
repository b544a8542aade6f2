// SPDX-License-Identifier: Apache-2.0
/*
 * The run before and after another one of its job. A card asks for them here, as it stays the same when later runs are
 * published: only the index knows which comes next. No DOM here.
 */

/**
 * @typedef {object} Run
 * @property {string} card   address of its card; '' = none
 * @property {string} job
 * @property {number | null} start  ms since the epoch
 */

/**
 * What an address asks for: "#next=NAME.html"; "#compare=NAME.html", the run compared with the one before.
 * @param {string} hash
 */
export function askedFor(hash) {
    const [, way = '', name = ''] = /^#(previous|next|compare|run)=([^&#?/\\]+)$/.exec(hash) ?? [];
    return way ? { way, name: decodeURIComponent(name) } : null;
}

/**
 * The numbers of the run that is asked about, and of the one it leads to; -1 = there is none.
 * @param {Run[]} runs
 * @param {{way: string, name: string}} asked
 */
export function findNeighbour(runs, { way, name }) {
    const from = runs.findIndex(({ card }) => card !== '' && card.split('/').pop() === name);
    if (from < 0 || way === 'run') return { from, to: -1 };
    const { job, start } = runs[from];
    const later = way === 'next' ? 1 : -1;
    let to = -1;
    let nearest = Infinity;
    for (const [at, run] of runs.entries()) {
        if (run.job !== job || run.card === '' || run.start === null || start === null) continue;
        const away = (run.start - start) * later;
        if (away > 0 && away < nearest) [to, nearest] = [at, away];
    }
    return { from, to };
}
