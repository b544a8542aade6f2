// SPDX-License-Identifier: Apache-2.0
/* The heat map: cells and windows against a sum over every stretch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK, amountsDuring, cellsOf, spanText, widerCells } from '../../../assets/src/model/heat.js';
import { decodePayload } from '../../../assets/src/payload/profile.js';
import { readHeat } from '../../../assets/src/payload/heat.js';
import { readTimeOrder } from '../../../assets/src/payload/order.js';
import { encodePayload } from '../support/payload.mjs';
import { payloadOf } from '../support/profile.mjs';

const READERS = { order: readTimeOrder, heat: readHeat };
const GRID_NS = 1_000_000;
const SLOT_NS = 20_000_000;

/** Facts of two threads; stretches [fact, start, length] in ms, by layer, thread, start; a layer is how many it has. */
function heatOf(stretches, slots, layers = [stretches.length]) {
    const stacks = [
        ['main > a', 1],
        ['main > b', 1, { thread: 1 }],
        ['main > c', 1, { thread: 1 }],
    ];
    const thread = [0, 1, 1];
    let end = [0, 0];
    const gaps = stretches.map(([fact, start, length], i) => {
        if (i === layers[0]) end = [0, 0];
        const gap = start - end[thread[fact]];
        end[thread[fact]] = start + length;
        return gap;
    });
    const time = { resolutionNs: 0, layers: layers.map((count, metric) => ({ metric, count })) };
    const head = { gridNs: GRID_NS, slotNs: SLOT_NS, slots, rows: 50, time };
    const pack = encodePayload(head, [
        ['heat.fact', 'uv', stretches.map(([fact]) => fact)],
        ['heat.gap', 'sv', gaps],
        ['heat.length', 'uv', stretches.map(([, , length]) => length)],
    ]);
    const profile = decodePayload(`${payloadOf(stacks, { threads: ['one', 'two'] })} ${pack}`, READERS);
    return profile.heat;
}

/** Numbers that are the same each time. */
function numbers(seed) {
    let state = seed;
    return (most) => (state = (state * 48271) % 2147483647) % most;
}

function manyStretches() {
    const next = numbers(7);
    const of = (facts) => {
        const list = [];
        for (let at = next(30), i = 0; i < 1500; i++) {
            const length = 1 + next(i % 40 ? 45 : 900);
            list.push([facts[next(facts.length)], at, length]);
            // Some overlap, as those of a recorder with two clocks.
            at += next(9) ? length + next(25) : Math.floor(length / 2);
        }
        return list;
    };
    return [...of([0]), ...of([1, 2])];
}

const stretches = manyStretches();
const endMs = Math.max(...stretches.map(([, start, length]) => start + length));
const METRIC = { name: 'cpu', title: 'Time', unit: 'nanoseconds' };
const during = (from, to) => heat.part(0, METRIC, spanText({ from, to }));
const heat = heatOf(stretches, Math.floor((endMs * GRID_NS) / SLOT_NS) + 1);

test('a window has what every stretch has in it', () => {
    for (const [from, to] of [[0, endMs], [3, 4], [500, 20_000], [20_000, 20_020], [endMs - 30, endMs + 500]]) {
        const wanted = [0, 0, 0];
        for (const [fact, start, length] of stretches)
            wanted[fact] += Math.max(0, Math.min(to, start + length) - Math.max(from, start));
        const { value, total } = during(from * GRID_NS, to * GRID_NS);
        assert.deepEqual([...value], wanted.map((ms) => ms * GRID_NS), `${from} to ${to}`);
        assert.equal(total, wanted.reduce((a, b) => a + b) * GRID_NS);
    }
});

/** An array, and how often one of its elements was read. */
function counted(array) {
    const seen = { reads: 0 };
    const get = (target, key) => {
        seen.reads++;
        return target[key];
    };
    return { seen, array: new Proxy(array, { get }) };
}

test('a window looks at the start of each block and at the stretches of the blocks at its ends, no others', () => {
    const count = 200 * BLOCK;
    const start = counted(Uint32Array.from({ length: count }, (_, i) => 10 * i));
    const fact = counted(new Uint32Array(count));
    const rest = {
        length: new Uint32Array(count).fill(10),
        amount: null,
        first: Uint32Array.of(0, count),
        latest: Uint32Array.from({ length: 200 }, (_, i) => 10 * BLOCK * (i + 1)),
    };
    const all = { count, start: start.array, fact: fact.array, ...rest };
    for (const [from, to] of [[0, 10 * count], [5, 10 * count - 5], [300_000, 300_002]]) {
        start.seen.reads = fact.seen.reads = 0;
        assert.equal(amountsDuring(all, 1, 1, { from, to }).total, to - from);
        assert.ok(start.seen.reads <= 3 * 200 + 4 * BLOCK, `${start.seen.reads} starts, ${from} to ${to}`);
        assert.ok(fact.seen.reads <= (to - from) / 10 + 1, `${fact.seen.reads} facts, ${from} to ${to}`);
    }
});

test('seconds are within the run, and other metrics have no parts', () => {
    assert.equal(heat.seconds('1-2.5'), '1-2.5');
    assert.equal(heat.seconds('0-99999'), `0-${(heat.slots * SLOT_NS) / 1e9}`);
    for (const none of ['2-1', '1-1', 'b1-b2', '-1-2', '99998-99999', ''])
        assert.equal(heat.seconds(none), '', none);
    assert.equal(heat.part(1, METRIC, '0-1'), null);
});

test('a cell has what a window of its length has, also of chosen facts', () => {
    const cells = cellsOf(heat, heat.layers[0].read(), null);
    const some = cellsOf(heat, heat.layers[0].read(), Uint8Array.of(0, 1, 0));
    for (const cell of [0, 1, 7, 100, 333, cells.length - 1]) {
        const { value, total } = during(cell * SLOT_NS, (cell + 1) * SLOT_NS);
        assert.equal(cells[cell], total, `cell ${cell}`);
        assert.equal(some[cell], value[1]);
    }
});

test('wider cells add up to the same', () => {
    const cells = cellsOf(heat, heat.layers[0].read(), null);
    const wide = widerCells(cells, 15);
    assert.equal(wide.length, Math.ceil(cells.length / 15));
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    assert.equal(sum(wide), sum(cells));
    assert.equal(sum(cells), stretches.reduce((all, [, , length]) => all + length, 0) * GRID_NS);
});

test('a pack that does not add up is an error, and a page without the part has no heat map', () => {
    assert.throws(() => heatOf([[9, 0, 5]], 1).layers[0].read(), /damaged/);
    const pack = encodePayload({}, []);
    assert.equal(decodePayload(`${payloadOf([['a', 1]])} ${pack}`).heat, null);
    assert.equal(decodePayload(payloadOf([['a', 1]]), READERS).heat, null);
});

test('a layer has the stretches of its metric alone', () => {
    const both = heatOf([[0, 0, 30], [1, 5, 10], [0, 10, 20], [2, 40, 8]], 50, [2, 2]); // prettier-ignore
    const shown = both.layers.map(({ metric, read }) => {
        const { fact, start, length } = read();
        return [metric, [...fact], [...start], [...length]];
    });
    assert.deepEqual(shown, [
        [0, [0, 1], [0, 5], [30, 10]],
        [1, [0, 2], [10, 40], [20, 8]],
    ]);
    const part = (metric) => both.part(metric, { name: '', title: '', unit: '' }, '0-0.015').total;
    assert.deepEqual([part(0), part(1)], [25 * GRID_NS, 5 * GRID_NS]);
});
