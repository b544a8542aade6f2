// SPDX-License-Identifier: Apache-2.0
/* Numbers read as the program writes them (doc/formats/payload.md, "Numbers"). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shortPath } from '../../../assets/src/lib/text.js';
import {
    bytes,
    count,
    counted,
    duration,
    formatOf,
    growth,
    moment,
    percent,
    plus,
    points,
} from '../../../assets/src/lib/units.js';

/** The rules of the table, by name. */
const RULES = {
    bytes,
    duration,
    moment,
    count,
    percent,
    growth,
    points: (tenths) => points(tenths / 10),
    percent_value: formatOf('percent').short,
    cores_value: formatOf('cores').short,
    rate_value: formatOf('bytes_per_second').short,
    cycles_value: formatOf('cycles').short,
    count_value: formatOf('count').short,
    bytes_exact: formatOf('bytes').exact,
    duration_exact: formatOf('nanoseconds').exact,
    percent_exact: formatOf('percent').exact,
    cores_exact: formatOf('cores').exact,
    weight: formatOf('none.3').short,
    weight_exact: formatOf('none.3').exact,
    change: (value) => plus(value, bytes),
    counted: (value) => counted(value, 'allocations'),
    launches: (value) => counted(value, 'launches'),
    processes: (value) => counted(value, 'processes'),
};

test('numbers read as the table has them', () => {
    const rows = readFileSync('tests/support/numbers.txt', 'utf8').trimEnd().split('\n').slice(1);
    assert.ok(rows.length > 80);
    for (const [rule, values, text] of rows.map((row) => row.split('\t')))
        assert.equal(RULES[rule](...values.split(' ').map(Number)), text, `${rule} ${values}`);
});

test('a unit that is not known', () => assert.equal(formatOf('no such unit').short(1234), '1,234'));

test('a path keeps the folders next to its file', () => {
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 30), '/srv/demo/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 29), '\u2026/demo/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 22), '\u2026/sales/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 18), '\u2026/features.py:33');
    assert.equal(shortPath('/srv/demo/sales/features.py:33', 9), '\u2026es.py:33');
    assert.equal(shortPath('a_name_without_folders', 9), '\u2026_folders');
});
