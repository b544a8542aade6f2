// SPDX-License-Identifier: Apache-2.0
/* Windows: what steps and moves give is what replaying the run gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePayload } from '../../../assets/src/payload/profile.js';
import {
    allBins,
    binAt,
    binWidth,
    highestBin,
    knownBins,
    metricIn,
    peakTimes,
    timesOf,
    windowOfTime,
} from '../../../assets/src/model/time.js';
import { parseMoment } from '../../../assets/src/view/amount.js';
import { payloadOf, profileOf } from '../support/profile.mjs';
import { BIN_MS, randomRun } from '../support/run.mjs';

/** The run as a profile: fact i is all that f0i allocated. */
function profileOfRun({ bins, steps, moves }, more) {
    const stacks = steps.map((own, i) => [`f${String(i).padStart(3, '0')}`, 7, { steps: own, moves: moves[i] }]);
    return profileOf(stacks, { bins, endMs: bins.end.at(-1), ...more });
}

const windowsOf = (bins) =>
    Array.from({ length: bins }, (_, first) =>
        Array.from({ length: bins - first }, (__, n) => ({ first, last: first + n })),
    ).flat();

test('every window of a random run holds what running it again says', () => {
    for (let seed = 1; seed <= 12; seed++) {
        const run = randomRun(seed, { facts: 5, events: 40 + 20 * seed, bins: 3 + seed });
        const profile = profileOfRun(run);
        for (const window of windowsOf(run.bins.start.length)) {
            const [peak, leaked] = profile.metrics.map((metric) => metricIn(profile, metric, window));
            const what = `seed ${seed}, bins ${window.first} to ${window.last}`;
            assert.deepEqual([...peak.value], run.peakOf(window.first, window.last), `peak, ${what}`);
            assert.deepEqual([...leaked.value], run.leaksOf(window.first, window.last), `leaks, ${what}`);
            assert.equal(
                peak.total,
                peak.value.reduce((sum, v) => sum + v, 0),
            );
            assert.equal(
                peak.totalCount,
                peak.count.reduce((sum, v) => sum + v, 0),
            );
            assert.equal(peak.total, run.bins.peak[highestBin(profile.history.bins, window)]);
        }
    }
});

test('no window, no history or another metric: the whole run', () => {
    const profile = profileOfRun(randomRun(1, { facts: 3, events: 50, bins: 4 }));
    const [peak] = profile.metrics;
    assert.equal(metricIn(profile, peak, null), peak);
    assert.equal(metricIn({ ...profile, history: null }, peak, { first: 0, last: 1 }), peak);
    const temporary = { ...peak, name: 'temporary' };
    assert.equal(metricIn(profile, temporary, { first: 0, last: 1 }), temporary);
    assert.equal(profileOf([['a', 1]]).history, null);
});

test('a span of time snaps outward to bins', () => {
    const { bins } = profileOfRun(randomRun(1, { facts: 2, events: 50, bins: 5 })).history;
    const snapped = (from, to) => Object.values(windowOfTime(bins, from, to) ?? {});
    assert.deepEqual(snapped(0, 5000), [0, 4]);
    assert.deepEqual(snapped(1000, 2000), [1, 1]);
    assert.deepEqual(snapped(999, 2001), [0, 2]);
    assert.deepEqual(snapped(1500, 1500), [1, 1]);
    assert.deepEqual(snapped(1000, 1000), [1, 1]);
    assert.deepEqual(snapped(-5, -1), [0, 0]);
    assert.deepEqual(snapped(9000, 9999), [4, 4]);
    assert.deepEqual(snapped(3, 2), []);
    assert.deepEqual(timesOf(bins, { first: 1, last: 3 }), { from: 1000, to: 4000 });
    assert.equal(binWidth(bins), BIN_MS);
    assert.deepEqual(
        [0, 1000, 1001, 5000, 9000].map((ms) => binAt(bins, ms)),
        [0, 0, 1, 4, 4],
    );
});

test('bins without length are passed over, as the program does', () => {
    const bins = { count: 4, start: [0, 10, 10, 10], end: [10, 10, 10, 20], peak: [1, 2, 3, 4] };
    assert.deepEqual(windowOfTime(bins, 10, 15), { first: 3, last: 3 });
    assert.deepEqual(windowOfTime(bins, 5, 10), { first: 0, last: 0 });
    assert.deepEqual(windowOfTime(bins, 5, 11), { first: 0, last: 3 });
});

test('what is shown before the first bin and after the last one can be a window, of which nothing is known', () => {
    const profile = profileOfRun(randomRun(1, { facts: 3, events: 50, bins: 5 }));
    const { bins } = profile.history;
    bins.run = { from: -2500, to: 5400 };
    assert.deepEqual(allBins(bins), { first: -3, last: 5 });
    const window = windowOfTime(bins, -2400, -1700);
    assert.deepEqual(window, { first: -3, last: -3 });
    assert.deepEqual(timesOf(bins, { first: -3, last: -1 }), { from: -2500, to: 0 });
    assert.deepEqual(timesOf(bins, { first: 4, last: 5 }), { from: 4000, to: 5400 });
    assert.deepEqual([-2499, 0, 1, 5001, 9e9].map((ms) => binAt(bins, ms)), [-3, -1, 0, 5, 5]);
    for (const metric of profile.metrics.slice(0, 2)) {
        assert.equal(metricIn(profile, metric, window).total, 0);
        assert.equal(metricIn(profile, metric, { first: 5, last: 5 }).total, 0);
        const clipped = metricIn(profile, metric, { first: 0, last: 2 });
        assert.deepEqual(metricIn(profile, metric, { first: -2, last: 2 }), clipped);
    }
    assert.equal(knownBins(bins, window), null);
    assert.deepEqual(knownBins(bins, { first: -2, last: 9 }), { first: 0, last: 4 });
});

test('a run that began a year before its heap has bins that one can look through', { timeout: 20_000 }, () => {
    const { bins } = profileOfRun(randomRun(1, { facts: 3, events: 50, bins: 5 })).history;
    const year = 365 * 86_400_000;
    bins.run = { from: -year, to: bins.end[4] + year };
    const { first, last } = allBins(bins);
    assert.ok(first < -9 && first > -9999 && last > 9 && last < 9999, `${first} to ${last}`);
    assert.deepEqual(windowOfTime(bins, -year, year), { first, last: binAt(bins, year) });
    assert.deepEqual(timesOf(bins, { first, last }), bins.run);
});

test('of equal peaks the last is the highest', () => {
    const bins = { peak: [5, 9, 9, 2] };
    assert.equal(highestBin(bins, { first: 0, last: 3 }), 2);
    assert.equal(highestBin(bins, { first: 3, last: 3 }), 3);
});

test('the peak of a bin is drawn at its highest sample, that of the run where the program saw it', () => {
    const bins = { count: 3, start: [0, 100, 200], end: [100, 200, 300], peak: [50, 90, 60] };
    const heap = { at: [10, 60, 100, 120], max: [3, 40, 7, 20] };
    assert.deepEqual([...peakTimes(bins, heap, null)], [60, 120, 300]);
    assert.deepEqual([...peakTimes(bins, heap, { value: 90, atMs: 155 })], [60, 155, 300]);
    assert.deepEqual([...peakTimes(bins, undefined, null)], [100, 200, 300]);
});

test('the heap lane has the true peaks of bins', () => {
    const run = randomRun(3, { facts: 4, events: 200, bins: 6 });
    const at = run.bins.start.map((ms) => ms + 400);
    const series = [{ name: 'heap', title: 'Heap', unit: 'bytes', at, value: at.map(() => 1) }];
    const [heap] = profileOfRun(run, { series }).series;
    assert.deepEqual(
        [...heap.max].filter((value) => value !== 1),
        run.bins.peak,
    );
});

test('a history that does not add up is an error, and not before it is needed', () => {
    const stacks = [['a', 1, { steps: [[0, 5, 1]], moves: [] }]];
    const bins = { start: [0, 1], end: [1, 2], peak: [5, 5] };
    const whole = payloadOf(stacks, { bins });
    assert.equal(decodePayload(whole).history.steps.bytes[0], 5);
    const bytes = Buffer.from(whole, 'base64');
    const name = bytes.indexOf('"steps.bin"');
    bytes.write('"xteps.bin"', name);
    const damaged = decodePayload(bytes.toString('base64'));
    assert.equal(damaged.history.bins.count, 2);
    assert.throws(() => damaged.history.steps, /no steps.bin/);
});

test('times are read as people write them', () => {
    const times = [
        '2:22',
        '1:02:03.5',
        '12.3 s',
        '90',
        ' 812 ms ',
        '1.5 min',
        '0:00',
        '',
        'noon',
        '1:2:3:4',
        '-5',
        '2:',
    ];
    const expected = [142000, 3723500, 12300, 90000, 812, 90000, 0, null, null, null, null, null];
    assert.deepEqual(times.map(parseMoment), expected);
});
