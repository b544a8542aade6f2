// SPDX-License-Identifier: Apache-2.0
/* Numbers read as the program writes them (doc/formats/payload.md, "Numbers"). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortPath } from '../../../assets/src/lib/text.js';
import { bytes, count, duration, formatOf, moment, percent } from '../../../assets/src/lib/units.js';

const table = (write, cases) => cases.forEach(([value, text]) => assert.equal(write(value), text));

test('bytes', () =>
    table(bytes, [
        [0, '0 B'],
        [1023, '1,023 B'],
        [1024, '1.00 KiB'],
        [1023.5 * 1024, '1.00 MiB'],
        [1010 * 2 ** 20, '1,010 MiB'],
        [4955150748, '4.61 GiB'],
        [38.2 * 2 ** 20, '38.2 MiB'],
        [9.996 * 1024, '10.0 KiB'],
        [99.96 * 1024, '100 KiB'],
        [-2048, '-2.00 KiB'],
        [3 * 2 ** 50, '3.00 PiB'],
    ]));

test('durations', () =>
    table(duration, [
        [0, '0 s'],
        [999, '999 ns'],
        [1000, '1.00 µs'],
        [812e6, '812 ms'],
        [999.6e6, '1.00 s'],
        [3.18e9, '3.18 s'],
        [59.94e9, '59.9 s'],
        [59.96e9, '1 min 00 s'],
        [65e9, '1 min 05 s'],
        [388e9, '6 min 28 s'],
        [7500e9, '2 h 05 min'],
        [273600e9, '3 d 04 h'],
    ]));

test('moments', () => {
    assert.equal(moment(12300, 59_000), '12.3 s');
    assert.equal(moment(218_900, 388_000), '3:38');
    assert.equal(moment(3_723_000, 4e6), '1:02:03');
});

test('percent', () => {
    assert.equal(percent(563, 1000), '56.3 %');
    assert.equal(percent(0, 5), '0 %');
    assert.equal(percent(1, 1e6), '< 0.1 %');
    assert.equal(percent(5, 5), '100.0 %');
    assert.equal(percent(1, 0), '');
});

test('counts, and all digits for a hover', () => {
    assert.equal(count(61204118), '61,204,118');
    assert.equal(formatOf('bytes').exact(4955150748), '4,955,150,748 bytes');
    assert.equal(formatOf('bytes').exact(1), '1 byte');
    assert.equal(formatOf('cores').exact(1250), '1.25 cores');
    assert.equal(formatOf('no such unit').short(1234), '1,234');
});

test('weights without a unit, with decimals', () => {
    const { short, exact } = formatOf('none.3');
    table(short, [
        [0, '0'],
        [4625, '4.63'],
        [-38200, '-38.2'],
        [1010000, '1,010'],
        [2, '0.002'],
    ]);
    table(exact, [
        [4625, '4.625'],
        [-1500, '-1.5'],
        [2000, '2'],
        [1234567, '1,234.567'],
    ]);
});

test('a path keeps the folders next to its file', () => {
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 30), '/srv/demo/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 29), '\u2026/demo/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 22), '\u2026/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 18), '\u2026/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 9), '\u2026es.py:33');
    assert.equal(shortPath('a_name_without_folders', 9), '\u2026_folders');
});
