// SPDX-License-Identifier: Apache-2.0
/*
 * Two profiles as one difference, made in the page: what `profrender diff` makes of two captures, from what two cards
 * hold. A function is the same if its name, its kind and its file are; lines move and do not count. Threads and
 * allocators are added up.
 */
import { qualified } from './nameless.js';
import { ROOT, stringAt, subtreeEnds } from './profile.js';
import { isHeap } from './series.js';

/** @typedef {import('./profile.js').Profile} Profile */

/** Curves of both runs that are drawn over each other. */
const COMPARED = ['rss', 'heap', 'cpu'];

/** What a sampler calls a thread: its number is another one in each run. */
const THREAD = /^thread \(\d+\): (.+)/;

/**
 * A file as another machine would call it: packages and Python's own files from there on, others by their last two
 * parts. Modules frozen into the interpreter are those of its folder.
 * @param {string} path
 */
export function fileKey(path) {
    const frozen = /^<frozen (.+)>$/.exec(path);
    if (frozen) return `${frozen[1].replaceAll('.', '/')}.py`;
    const parts = path.split(/[\\/]/);
    const roots = parts.map((part) => /^(?:site-packages|dist-packages|python[\d.]+)$/.test(part));
    const from = roots.lastIndexOf(true);
    return parts.slice(from >= 0 ? from + 1 : -2).join('/');
}

/** Strings, each once. */
function createStrings() {
    const number = new Map([['', 0]]);
    return {
        /** @param {string} text */
        add(text) {
            const known = number.get(text) ?? number.size;
            number.set(text, known);
            return known;
        },
        finish() {
            const at = new Uint32Array(number.size + 1);
            [...number.keys()].forEach((text, i) => (at[i + 1] = at[i] + text.length));
            return { text: [...number.keys()].join(''), at };
        },
    };
}

/** The frames of both, each function once; what is read first names its file and line. */
function createFrames() {
    const strings = createStrings();
    const number = /** @type {Map<string, number>} */ (new Map());
    const packages = createStrings();
    packages.add('');
    /** @typedef {{function: number, file: number, shown: number, line: number, kind: number, package: number}} Row */
    const rows = /** @type {Row[]} */ ([]);
    return {
        /** The numbers of a profile's frames here. @param {Profile} profile */
        add({ frames, strings: texts, packages: names }) {
            return Array.from(frames.function, (name, f) => {
                const file = stringAt(texts, frames.file[f]);
                const shown = stringAt(texts, frames.shown[f] || 0);
                const called = qualified(stringAt(texts, name).replace(THREAD, '$1'), shown);
                const key = `${called}\0${fileKey(file)}\0${frames.kind[f] & 3}`;
                const known = number.get(key);
                if (known !== undefined) return known;
                number.set(key, rows.length);
                const row = { function: strings.add(called), file: strings.add(file), shown: strings.add(shown) };
                const home = packages.add(stringAt(names, frames.package[f]));
                return rows.push({ ...row, line: frames.line[f], kind: frames.kind[f], package: home }) - 1;
            });
        },
        finish() {
            const column = (/** @type {(row: Row) => number} */ of) => Uint32Array.from(rows, of);
            return {
                strings: strings.finish(),
                packages: packages.finish(),
                frames: {
                    count: rows.length,
                    function: column((row) => row.function),
                    file: column((row) => row.file),
                    line: column((row) => row.line),
                    kind: Uint8Array.from(rows, (row) => row.kind),
                    begin: new Uint32Array(rows.length),
                    shown: column((row) => row.shown),
                    package: column((row) => row.package),
                },
            };
        },
    };
}

/** A node on its way: children by frame; the box of folded frames is a child of its own. */
const SMALLER = -1;

/** @typedef {{frame: number, smaller: number, below: Map<number, Joined>, number: number}} Joined */

/** @param {number} frame @returns {Joined} */
const joinedOf = (frame) => ({ frame, smaller: 0, below: new Map(), number: 0 });

/**
 * Puts a profile's tree into the joined one.
 * @param {Joined} top
 * @param {Profile} profile
 * @param {number[]} frames  their numbers in the joined one
 * @returns {Joined[]} [node]
 */
function addTree(top, { tree }, frames) {
    const image = [top];
    for (let n = ROOT + 1; n < tree.count; n++) {
        const up = image[tree.parent[n]];
        const key = tree.smaller[n] ? SMALLER : frames[tree.frame[n]];
        const node = up.below.get(key) ?? joinedOf(Math.max(0, key));
        node.smaller = Math.max(node.smaller, tree.smaller[n]);
        up.below.set(key, node);
        image.push(node);
    }
    return image;
}

/** Numbers the nodes depth first. @param {Joined} top */
function numberTree(top) {
    const parent = /** @type {number[]} */ ([]);
    const nodes = /** @type {Joined[]} */ ([]);
    const waiting = [{ node: top, up: 0 }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
        const number = (next.node.number = nodes.push(next.node) - 1);
        parent.push(next.up);
        for (const node of [...next.node.below.values()].reverse()) waiting.push({ node, up: number });
    }
    const up = Uint32Array.from(parent);
    const frame = Uint32Array.from(nodes, (node) => node.frame);
    const smaller = Uint32Array.from(nodes, (node) => node.smaller);
    return { count: nodes.length, parent: up, frame, smaller, end: subtreeEnds(up) };
}

/**
 * A metric's facts added up by node.
 * @param {Float64Array | null} values
 * @param {Profile} profile
 * @param {Joined[]} image
 * @param {number} count
 */
function byNode(values, { facts }, image, count) {
    const sums = new Float64Array(count);
    values?.forEach((value, i) => (sums[image[facts.leaf[i]].number] += value));
    return sums;
}

/** When a run began. @param {Profile} profile */
const startOf = ({ startMs, series }) => startMs ?? series.find(({ at }) => at.length)?.at[0] ?? 0;

/**
 * The curves that both have, from the same start; of a difference, those of the run after.
 * @param {Profile} before
 * @param {Profile} after
 */
function curvesOf(before, after) {
    const shift = startOf(after) - startOf(before);
    return COMPARED.flatMap((name) => {
        const [now, then] = [after, before].map((one) =>
            one.series.find((s) => [name, `${name} after`].includes(s.name) && s.at.length),
        );
        if (!now || !then || now.unit !== then.unit) return [];
        const lane = isHeap(now) && now.lane ? 'Heap' : now.lane || now.title;
        const curve = { note: '', quiet: false, limit: undefined, unknownFrom: undefined, lane };
        return [
            { ...now, ...curve, name: `${name} after`, title: `${lane} after`, short: 'after' },
            {
                ...then,
                ...curve,
                name: `${name} before`,
                title: `${lane} before`,
                short: 'before',
                at: then.at.map((ms) => ms + shift),
            },
        ];
    });
}

/**
 * The difference. Metrics keep the numbers that they have in FIRST, one of the two; those that the other does not have
 * have no base.
 * @param {Profile} before
 * @param {Profile} after
 * @param {Profile} first
 * @returns {Profile}
 */
export function joinProfiles(before, after, first) {
    const frames = createFrames();
    const numbers = [after, before].map((one) => frames.add(one));
    const top = joinedOf(0);
    const images = [after, before].map((one, i) => addTree(top, one, numbers[i]));
    const tree = numberTree(top);
    const empty = new Float64Array(tree.count);
    const leaf = Uint32Array.from(tree.parent, (_, node) => node);
    /** @param {number} i  0 = after @param {Profile} one @param {import('./profile.js').Metric} metric */
    const metricOf = (i, one, metric) => ({
        ...metric,
        value: byNode(metric.value, one, images[i], tree.count),
        count: metric.count && byNode(metric.count, one, images[i], tree.count),
    });
    const find = (/** @type {Profile} */ one, /** @type {import('./profile.js').Metric} */ { name, unit }) =>
        one.metrics.find((metric) => metric.name === name && metric.unit === unit);
    const pairs = first.metrics.map((metric) => [find(after, metric), find(before, metric)]);
    const metrics = pairs.map(([now], i) => (now ? metricOf(0, after, now) : { ...first.metrics[i], value: empty }));
    pairs.forEach(([now, then], i) => {
        metrics[i].base = now && then && metrics.push(metricOf(1, before, then)) - 1;
    });
    return {
        ...after,
        ...frames.finish(),
        tree,
        facts: { count: tree.count, leaf, thread: new Uint32Array(tree.count), allocator: null },
        metrics,
        folded: before.folded || after.folded,
        threads: ['all threads'],
        allocators: [],
        exact: null,
        heapPeak: null,
        failure: null,
        phases: [],
        history: null,
        time: null,
        series: curvesOf(before, after),
    };
}
