// SPDX-License-Identifier: Apache-2.0
/*
 * What the page's script does with a card, as counted work that no machine and no neighbour changes: V8 counts how
 * often each block of the source runs, and a run of a block counts as many as it has words and signs.
 *
 *     node --no-opt --no-sparkplug tests/bench/page_work.mjs CARD.html    JSON: nodes, the work of each step
 *
 * What builtins do inside (sorting, filling an array, unpacking) is not counted. The options keep V8 from compiling,
 * which a thread of its own does at a time of its own, and which leaves some blocks uncounted.
 */
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { firstState } from '../../assets/src/model/state.js';
import { NO_SOURCES } from '../../assets/src/model/source.js';
import { decodePayload } from '../../assets/src/payload/profile.js';
import { createStore } from '../../assets/src/store/store.js';

const SOURCES = new URL('../../assets/src/', import.meta.url).href;
const WIDTH_PX = 1200;

/** The source with comments as spaces, so that offsets stay. @param {string} text */
const withoutComments = (text) =>
    text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (comment) => comment.replace(/\S/g, ' '));

/** How many words and signs each prefix of the source has. @param {string} url */
function wordsBefore(url) {
    const text = withoutComments(readFileSync(fileURLToPath(url), 'utf8'));
    const before = new Uint32Array(text.length + 1);
    for (const { index, 0: word } of text.matchAll(/[\p{L}\p{N}_$]+|\S/gu)) before[index + word.length] = 1;
    for (let i = 1; i <= text.length; i++) before[i] += before[i - 1];
    return before;
}

const known = new Map();
const wordsIn = (url, from, to) => {
    if (!known.has(url)) known.set(url, wordsBefore(url));
    return known.get(url)[to] - known.get(url)[from];
};

/** Each part of a script belongs to the innermost range around it. */
function workOf({ url, functions }) {
    const ranges = functions.flatMap((one) => one.ranges);
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    const open = [];
    let work = 0;
    const close = ({ startOffset, endOffset, count, inner }) => {
        const all = wordsIn(url, startOffset, endOffset);
        work += count * (all - inner);
        if (open.length) open[open.length - 1].inner += all;
    };
    for (const range of ranges) {
        while (open.length && open[open.length - 1].endOffset <= range.startOffset) close(open.pop());
        open.push({ ...range, inner: 0 });
    }
    while (open.length) close(open.pop());
    return work;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The work of what ran since the last call. */
async function takeWork() {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result.filter(({ url }) => url.startsWith(SOURCES)).reduce((sum, script) => sum + workOf(script), 0);
}

const html = readFileSync(process.argv[2], 'utf8');
const text = /id="pr-payload">([^<]*)</.exec(html)[1];
await takeWork();

const steps = {};
const step = async (name, act) => {
    const result = act();
    steps[name] = await takeWork();
    return result;
};
const profile = await step('decode', () => decodePayload(text));
const tabs = [...profile.metrics.keys()].map((metric) => ({ name: `tab ${metric}`, metric }));
const store = createStore(profile, tabs, { ...firstState('tab 0') }, NO_SOURCES);
const { select } = store;
await step('sums', () => select.sums());
await step('layout', () => select.layoutFor(WIDTH_PX));
await step('search', () => {
    store.set({ query: 'load' });
    return select.matches();
});
await step('callers', () => {
    store.set({ query: '', order: 'callers' });
    return select.layoutFor(WIDTH_PX);
});
await step('table', () => {
    store.set({ order: 'merged', view: 'table' });
    return select.rows();
});
console.log(JSON.stringify({ nodes: profile.tree.count - 1, ...steps }));
