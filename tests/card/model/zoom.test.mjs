// SPDX-License-Identifier: Apache-2.0
/* The part of the time that the lanes show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZoomed, viewWithin, zoomedAt } from '../../../assets/src/model/zoom.js';
import { ticksIn } from '../../../assets/src/model/series.js';

const whole = { from: 1000, to: 101_000 };

test('zooming keeps what is at the pointer, and ends at the ends of the run', () => {
    const near = zoomedAt(whole, whole, 26_000, 0.5);
    assert.deepEqual(near, { from: 13_500, to: 63_500 });
    assert.equal((26_000 - near.from) / 50_000, 0.25);
    assert.deepEqual(zoomedAt(whole, near, 13_500, 4), whole);
    assert.deepEqual(zoomedAt(whole, whole, 1000, 0.1), { from: 1000, to: 11_000 });
    assert.deepEqual(zoomedAt(whole, whole, -5, 0.1), { from: 1000, to: 11_000 });
});

test('a view is never outside the run, empty or narrower than the data', () => {
    assert.deepEqual(viewWithin(whole, -9, 2_000_000), whole);
    assert.deepEqual(viewWithin(whole, 100_500, 102_500), { from: 99_000, to: 101_000 });
    let view = whole;
    for (let i = 0; i < 100; i++) view = zoomedAt(whole, view, 50_000, 0.5);
    assert.ok(view.to - view.from >= 2 && view.from <= 50_000 && view.to >= 50_000, JSON.stringify(view));
    assert.deepEqual(viewWithin({ from: 5, to: 6 }, 5.2, 5.3), { from: 5, to: 6 });
    assert.ok(isZoomed(whole, view) && !isZoomed(whole, whole));
});

test('the axis of a part names round moments since the start of the run', () => {
    assert.deepEqual(ticksIn(whole, 1000, 5).at, [1000, 31_000, 61_000, 91_000]);
    const near = ticksIn({ from: 13_400, to: 16_100 }, 1000, 6).at;
    assert.deepEqual(near, [13_500, 14_000, 14_500, 15_000, 15_500, 16_000]);
});
