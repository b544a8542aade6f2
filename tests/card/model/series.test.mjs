// SPDX-License-Identifier: Apache-2.0
/* The timeline's arithmetic: no spike is lost, axes are round. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    decimate,
    highestPoint,
    niceTop,
    pointAt,
    timeSpan,
    ticksIn,
    withPeaks,
} from '../../../assets/src/model/series.js';
import { profileOf } from '../support/profile.mjs';

const seriesOf = (at, value, more) =>
    profileOf([['a', 1]], { series: [{ name: 'rss', title: 'RSS', unit: 'bytes', at, value }], ...more });

test('a lane of few pixels keeps the first, lowest, highest and last point of each', () => {
    const at = Array.from({ length: 1000 }, (_, i) => i);
    const value = at.map((i) => (i === 777 ? 1e9 : 100 + (i % 3)));
    const [series] = seriesOf(at, value).series;
    const line = decimate(series, (ms) => ms / 100);
    assert.ok(line.length <= 40);
    assert.equal(Math.max(...line.map((p) => p.value)), 1e9);
    assert.equal(line[0].value, 100);
    assert.ok(line.every((p, i) => i === 0 || p.x >= line[i - 1].x));
});

test('buckets keep their lowest and highest', () => {
    const profile = profileOf([['a', 1]], {
        series: [{ name: 'heap', title: 'Heap', unit: 'bytes', at: [5], value: [50], min: [1], max: [90] }],
    });
    assert.deepEqual(
        decimate(profile.series[0], (ms) => ms)
            .map((p) => p.value)
            .sort((a, b) => a - b),
        [1, 50, 50, 90],
    );
});

test('peaks that are no samples are points of their own', () => {
    const [series] = seriesOf([10, 20, 30], [1, 5, 2]).series;
    const all = withPeaks(series, [10, 20, 22, 29, 35], [1, 4, 9, 3, 4]);
    assert.deepEqual(
        [[...all.at], [...all.max]],
        [
            [10, 20, 22, 29, 30, 35],
            [1, 5, 9, 3, 2, 4],
        ],
    );
    assert.deepEqual([...withPeaks(series, [20], [7]).max], [1, 5, 7, 2]);
    assert.equal(withPeaks(series, [20], [5]), series);
    assert.deepEqual([...withPeaks(seriesOf([], []).series[0], [7], [3]).at], [7]);
});

test('the point at a moment is the last one before it', () => {
    const [series] = seriesOf([10, 20, 30], [1, 5, 5]).series;
    assert.deepEqual(
        [9, 10, 19, 20, 99].map((ms) => pointAt(series, ms)),
        [-1, 0, 0, 1, 2],
    );
    assert.equal(highestPoint(series), 1);
});

test('the axis spans the run and every point', () => {
    assert.deepEqual(timeSpan(seriesOf([100, 5000], [1, 2], { startMs: 50, endMs: 4000 })), { from: 50, to: 5000 });
    assert.deepEqual(timeSpan(profileOf([['a', 1]], { startMs: 7, endMs: 7 })), { from: 7, to: 8 });
    assert.deepEqual(timeSpan(profileOf([['a', 1]], { startMs: null, endMs: null })), { from: 0, to: 1 });
});

test('scales are round in the unit that is read', () => {
    assert.equal(niceTop(5.83 * 2 ** 30, 'bytes'), 6 * 2 ** 30);
    assert.equal(niceTop(285 * 2 ** 20, 'bytes'), 300 * 2 ** 20);
    assert.equal(niceTop(1, 'bytes'), 1);
    assert.equal(niceTop(0, 'bytes'), 1);
    assert.equal(niceTop(100_000, 'percent'), 100_000);
    assert.equal(niceTop(96_300, 'percent'), 100_000);
    assert.equal(niceTop(100_400, 'percent'), 100_000);
    assert.equal(niceTop(130_000, 'percent'), 150_000);
    assert.equal(niceTop(7300, 'cores'), 8000);
    for (let value = 1; value < 2 ** 45; value *= 1.37)
        assert.ok(niceTop(value, 'bytes') >= value && niceTop(value, 'bytes') <= 2 * value + 1, String(value));
});

test('the axis has as many labels as there is room for', () => {
    const ticks = (span, most) => ticksIn({ from: 7, to: 7 + span }, 7, most).at;
    assert.deepEqual(ticks(388_000, 13).slice(0, 3), [7, 30_007, 60_007]);
    for (const span of [1, 80, 2800, 59_000, 3.6e6, 8.64e7, 3e9])
        assert.ok(ticks(span, 10).length <= 11 && ticks(span, 10).length >= 2, String(span));
});
