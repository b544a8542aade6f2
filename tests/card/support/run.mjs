// SPDX-License-Identifier: Apache-2.0
/*
 * Random runs: allocations that are freed some time later or never, cut into bins as the program does it, and what any
 * window of them holds, found by replaying them.
 */
import { randomly } from './profile.mjs';

/** Length of a bin, in ms. */
export const BIN_MS = 1000;

/**
 * What happens, in order: an allocation, or the free of one that was made before.
 * @param {number} seed
 * @param {{facts: number, events: number}} size
 */
function randomEvents(seed, { facts, events }) {
    const random = randomly(seed);
    const list = [];
    const alive = [];
    for (let at = 0; at < events; at++) {
        if (alive.length && random(5) < 2) {
            const [made] = alive.splice(random(alive.length), 1);
            list.push({ fact: list[made].fact, bytes: -list[made].bytes, made });
            list[made].freed = at;
        } else {
            alive.push(at);
            list.push({ fact: random(facts), bytes: random(4) * (1 + random(1000)), made: at, freed: Infinity });
        }
    }
    return list;
}

/** The state after the first COUNT events. */
function replay(events, facts, count) {
    const bytes = new Array(facts).fill(0);
    const many = new Array(facts).fill(0);
    events.slice(0, count).forEach((event, at) => {
        bytes[event.fact] += event.bytes;
        many[event.fact] += at === event.made ? 1 : -1;
    });
    return { bytes, many };
}

/** After how many of the events FROM to TO the heap is highest, the last such moment. */
function highest(events, from, to) {
    let heap = events.slice(0, from).reduce((sum, { bytes }) => sum + bytes, 0);
    let best = { at: from, heap };
    for (let at = from; at < to; at++) {
        heap += events[at].bytes;
        best = heap >= best.heap ? { at: at + 1, heap } : best;
    }
    return best;
}

/**
 * @param {number} seed
 * @param {{facts: number, events: number, bins: number}} size
 */
export function randomRun(seed, { facts, events: count, bins }) {
    const events = randomEvents(seed, { facts, events: count });
    const edge = (bin) => Math.floor((bin * count) / bins);
    const binOf = (at) => Array.from({ length: bins }, (_, b) => b).find((b) => at < edge(b + 1));
    const peaks = Array.from({ length: bins }, (_, bin) => highest(events, edge(bin), edge(bin + 1)));
    const steps = Array.from({ length: facts }, () => []);
    const moves = Array.from({ length: facts }, () => new Map());
    peaks.forEach(({ at }, bin) => {
        const { bytes, many } = replay(events, facts, at);
        for (let fact = 0; fact < facts; fact++) {
            const [, lastBytes = 0, lastMany = 0] = steps[fact].at(-1) ?? [];
            if (bytes[fact] !== lastBytes || many[fact] !== lastMany) steps[fact].push([bin, bytes[fact], many[fact]]);
        }
    });
    events.forEach(({ fact, bytes, made, freed }, at) => {
        if (at !== made) return;
        const from = binOf(at);
        const to = freed === Infinity ? 'never' : binOf(freed);
        if (from === to) return;
        const move = moves[fact].get(`${from}:${to}`) ?? [from, to, 0, 0];
        moves[fact].set(`${from}:${to}`, [from, to, move[2] + bytes, move[3] + 1]);
    });
    const last = (a, b) => (a === 'never' ? Infinity : a) - (b === 'never' ? Infinity : b);
    return {
        bins: {
            start: peaks.map((_, bin) => bin * BIN_MS),
            end: peaks.map((_, bin) => (bin + 1) * BIN_MS),
            peak: peaks.map(({ heap }) => heap),
        },
        /** By fact: [bin, bytes, allocations]. */
        steps,
        /** By fact: [from, to or 'never', bytes, allocations]. */
        moves: moves.map((map) => [...map.values()].sort((a, b) => a[0] - b[0] || last(a[1], b[1]))),
        /** What each fact has at the highest moment of the bins FIRST to LAST. */
        peakOf: (first, lastBin) => replay(events, facts, highest(events, edge(first), edge(lastBin + 1)).at).bytes,
        /** What each fact allocated in them and still had after them. */
        leaksOf(first, lastBin) {
            const bytes = new Array(facts).fill(0);
            for (let at = edge(first); at < edge(lastBin + 1); at++) {
                if (events[at].made === at && events[at].freed >= edge(lastBin + 1))
                    bytes[events[at].fact] += events[at].bytes;
            }
            return bytes;
        },
    };
}
