// SPDX-License-Identifier: Apache-2.0
/*
 * The hardest cards that the program makes, in numbers, next to the goals: how large, how fast they open, zoom, search,
 * show a window, sort and scroll.
 *
 *     node tests/bench/stress.mjs [KIND:SIZE ...]      default: all cards below
 *
 * Of several zooms, searches and so on, the slowest counts. "work" is the processor time of the page's main thread,
 * which a busy machine hardly affects; a gap is the longest time without a frame.
 */
import { statSync } from 'node:fs';
import { cardOf, madeCapture, open, payloadIn, profileIn, stopBrowser } from '../card/support/browser.mjs';
import { openPaced, scroll, search, setWindow, sortBy, turn, zooms } from '../card/support/pace.mjs';

const CARDS = ['paths:100000', 'paths:1000000', 'wide:1000000', 'deep:100000', 'samples:10000000'];
const WORDS = ['a', 'load_', '/_1\\d*$/', 'file:engine', 'nowhere'];
const WINDOWS = ['20 s', '3:00', '40 s', '2:40', '1:00'];
const GOALS = 'opens 400 ms (100,000 nodes), 800 ms (1,000,000); gap 50, search 150, window 100 ms (100,000); 500 MB';

/** The highest cost of several actions. */
async function worst(card, acts) {
    const costs = [];
    for (const act of acts) costs.push(await card.cost(act));
    const most = (key) => Math.round(Math.max(...costs.map((cost) => cost[key])));
    return `gap ${most('gapMs')} ms, work ${most('workMs')} ms`;
}

async function measure(kind, size) {
    const path = cardOf(madeCapture(kind, size), '--max-nodes', '100000000', '--max-size', '2GB');
    const { tree, history } = profileIn(path);
    const packs = payloadIn(path).split(' ').map((pack) => pack.length * 0.75);
    const bytesInTime = packs.slice(1).reduce((sum, bytes) => sum + bytes, 0);
    const card = await openPaced(path);
    const { page, opened } = card;
    const twice = (key) => [0, 1].map(() => () => turn(page, key));
    const acts = (list, act) => list.map((one, i) => () => act(one, i));
    const rows = [
        ['HTML', `${(statSync(path).size / 1e6).toFixed(2)} MB`],
        ['bytes a node, with names', (packs[0] / tree.count).toFixed(1)],
        ['more of them for windows', (bytesInTime / tree.count).toFixed(1)],
        ['opens', `${Math.round(opened.ms)} ms, work ${Math.round(opened.workMs)} ms`],
        ['zoom before all is read', await worst(card, zooms(page))],
        ['all is read', `${Math.round(await card.whole())} ms`],
        ['heap', `${Math.round((await card.heapBytes()) / 1e6)} MB`],
        ['zoom', await worst(card, zooms(page))],
        ['pan', await worst(card, [() => scroll(page, '.flame', 60)])],
        ['search', await worst(card, acts(WORDS, (words) => search(page, words)))],
    ];
    await search(page, '');
    const edge = (moment, i) => setWindow(page, i % 2 ? 'last' : 'first', moment);
    if (history) rows.push(['window', await worst(card, acts(WINDOWS, edge))]);
    rows.push(['callers', await worst(card, twice('b'))]);
    rows.push(['sandwich', await worst(card, twice('s'))]);
    const table = page.locator('.tabline').getByText('Table', { exact: true });
    rows.push(['table', await worst(card, [() => table.click()])]);
    rows.push(['sort', await worst(card, acts([0, 1, 3, 4, 5], (column) => sortBy(page, column)))]);
    rows.push(['scroll', await worst(card, [() => scroll(page, '#panel-table .tblwrap', 400)])]);
    await card.close();
    return { nodes: tree.count - 1, rows };
}

console.log(`Goals: ${GOALS}`);
await (await open(cardOf(madeCapture('paths', 100)))).close(); // an open browser has its fonts and painter loaded
for (const name of process.argv.length > 2 ? process.argv.slice(2) : CARDS) {
    const [kind, size] = name.split(':');
    const { nodes, rows } = await measure(kind, Number(size));
    console.log(`\n${kind} ${size}: ${nodes} nodes`);
    for (const [what, value] of rows) console.log(`  ${what.padEnd(26)}${value}`);
}
await stopBrowser();
