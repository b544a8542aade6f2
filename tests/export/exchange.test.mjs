// SPDX-License-Identifier: Apache-2.0
/*
 * What `profrender export` writes for other tools: our own readers give the same profile back, speedscope's importer
 * and `go tool pprof` have the same numbers.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importText } from '../support/speedscope.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = process.env.PROFRENDER ?? join(ROOT, 'build/profrender');
const NS_PER_S = 1e9;

const folder = mkdtempSync(join(tmpdir(), 'profrender-exchange-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (input, ...words) =>
    execFileSync(PROGRAM, words, { cwd: ROOT, input, maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'ignore'] });
const document = (input, ...words) => JSON.parse(run(input, ...words).toString());

/** Digests: of a memory capture, of a profile, of a sum. */
function digests() {
    const inputs = {
        'memory.prz': ['digest', 'samples/temporaries-py3.12-memray1.20.0-buffered.bin'],
        'profile.prz': ['digest', 'samples/cpu/fanout.pyisession'],
        'sum.prz': ['merge', 'samples/cpu/goindex.heap.pb.gz', 'samples/cpu/hashtab.tc.0001.heap'],
    };
    return Object.entries(inputs).map(([name, words]) => {
        run('', ...words, '-o', join(folder, name));
        return join(folder, name);
    });
}

const SAMPLES = [
    ...digests(),
    ...readdirSync(join(ROOT, 'samples/cpu'))
        .filter((name) => name !== 'expected.json')
        .map((name) => `samples/cpu/${name}`),
    'samples/heap/shelf.heapsnapshot.zst',
    'samples/heap/shelf.hprof.zst',
    'samples/temporaries-py3.12-memray1.20.0-buffered.bin',
    'samples/threads_named-py3.13-memray1.20.0-default.bin',
];

/** Every view of an input that has records, with what `export` writes for it. */
function viewsOf(sample) {
    const { format, metrics } = document('', 'info', sample, '--json');
    const isMemray = format === 'memray';
    return metrics.map(({ name, unit }) => ({ view: isMemray && name === 'leaked' ? 'leaks' : name, unit }));
}

/** What speedscope has room for: it refuses values below 0. */
const aboveZero = (document) => ({ records: document.records.filter(({ self, size }) => (self ?? size) > 0) });

/** Firefox's profiler shows nothing that has no stack. */
const withStack = (document) => ({
    records: document.records.filter(({ stack, hybrid_stack: hybrid }) => (hybrid ?? stack).length > 0),
});
const KEPT = { speedscope: aboveZero, firefox: withStack };

/** Values by stack, and by thread: the contents of a profile, whatever the order of its records. */
function valuesOf({ records }, keyOf) {
    const values = new Map();
    for (const record of records) {
        const key = keyOf(record.hybrid_stack ?? record.stack, record);
        values.set(key, (values.get(key) ?? 0) + (record.self ?? record.size));
    }
    return Object.fromEntries(Array.from(values).filter(([, value]) => value !== 0));
}

const byStack = (stack) => JSON.stringify(stack);
const byThread = (stack, { tid, thread }) => JSON.stringify([tid, thread, stack]);
/** speedscope has names of threads only, Firefox a name for each. */
const byThreadName = (stack, { tid, thread }) => JSON.stringify([thread || `thread ${tid}`, stack]);

function assertSameValues(got, want, scale = 1) {
    assert.deepEqual(Object.keys(got).sort(), Object.keys(want).sort());
    for (const [key, value] of Object.entries(want))
        assert.ok(Math.abs(got[key] * scale - value) <= Math.abs(value) * 1e-9, `${key}: ${got[key]}, not ${value}`);
}

const near = (got, want, why) =>
    assert.ok(Math.abs(got - want) <= Math.abs(want) * 1e-9 + 1e-6, `${why}: ${got}, not ${want}`);

for (const sample of SAMPLES) {
    test(`${sample}: read back from what export writes, it is the same`, () => {
        for (const { view, unit } of viewsOf(sample)) {
            const about = ['export', sample, '--view', view];
            const want = document('', ...about);
            const wantSplit = document('', ...about, '--threads', 'split');
            for (const format of ['collapsed', 'speedscope', 'firefox', 'pprof']) {
                // Collapsed stacks have no units: a time is in nanoseconds.
                const scale = format === 'collapsed' && unit === 'seconds' ? 1 / NS_PER_S : 1;
                const merged = run('', ...about, '--format', format);
                const split = run('', ...about, '--format', format, '--threads', 'split');
                if (format === 'collapsed' && !merged.length) continue;
                const kept = KEPT[format] ?? ((all) => all);
                const all = document(merged, 'export', '-');
                assertSameValues(valuesOf(all, byStack), valuesOf(kept(want), byStack), scale);
                const key = KEPT[format] ? byThreadName : byThread;
                const back = document(split, 'export', '-', '--threads', 'split');
                assertSameValues(valuesOf(back, key), valuesOf(kept(wantSplit), key), scale);
                const [metric] = document(merged, 'info', '-', '--json').metrics;
                const isKnown = ['seconds', 'bytes'].includes(unit) && kept(want).records.length > 0;
                const hasUnit = format !== 'collapsed' && isKnown;
                if (format === 'pprof' || hasUnit)
                    assert.equal(metric.unit, unit);
            }
        }
    });
}

for (const sample of SAMPLES) {
    test(`${sample}: a pprof without a view has all metrics`, () => {
        const path = join(folder, 'all.pb.gz');
        writeFileSync(path, run('', 'export', sample, '--format', 'pprof', '--threads', 'split'));
        const before = document('', 'info', sample, '--json').metrics;
        const metrics = new Map(document('', 'info', path, '--json').metrics.map((metric) => [metric.name, metric]));
        assert.equal(metrics.keys().next().value, before[0].name);
        for (const { name, unit, total } of before) {
            if (total) near(metrics.get(name).total, total, name);
            if (total) assert.equal(metrics.get(name).unit, unit);
        }
        for (const { view } of viewsOf(sample)) {
            const name = view === 'leaks' ? 'leaked' : view;
            const want = document('', 'export', sample, '--view', view, '--threads', 'split');
            const back = document('', 'export', path, '--view', name, '--threads', 'split');
            assertSameValues(valuesOf(back, byThread), valuesOf(want, byThread));
        }
    });
}

/** Self and total of each frame, in the unit of the export; a frame counts once for each stack it is on. */
function weightsOf({ records }, scale) {
    const weights = new Map();
    const add = (frame, member, value) => {
        const key = JSON.stringify(frame);
        const known = weights.get(key) ?? { self: 0, total: 0 };
        known[member] += value * scale;
        weights.set(key, known);
    };
    for (const { self, size, stack, hybrid_stack: hybrid } of records) {
        const frames = hybrid ?? stack;
        if (frames.length) add(frames[0], 'self', self ?? size);
        new Set(frames.map((frame) => JSON.stringify(frame))).forEach((f) => add(JSON.parse(f), 'total', self ?? size));
    }
    return weights;
}

test('collapsed stacks are recognised by their content, whatever a thread and a function are called', () => {
    const profile = {
        $schema: 'https://www.speedscope.app/file-format-schema.json',
        shared: { frames: [{ name: 'f\0g;\x1b' }] },
        profiles: [
            {
                type: 'sampled',
                name: 'hashtab 19666   985.441146:    2004008 cpu-clock:  \x01',
                unit: 'none',
                samples: [[0], []],
                weights: [22, 5],
            },
        ],
    };
    const written = run(JSON.stringify(profile), 'export', '-', '--format', 'collapsed', '--threads', 'split');
    assert.match(written.toString(), /^thread \(1\): hashtab 19666 .* cpu-clock: {3};f g: {2}22$/m);
    assert.equal(document(written, 'info', '-', '--json').format, 'collapsed');
    assert.equal(document(written, 'export', '-').total_weight, 27);
});

test('speedscope loads every export with the same numbers', async () => {
    for (const sample of SAMPLES) {
        for (const { view, unit } of viewsOf(sample)) {
            const about = ['export', sample, '--view', view];
            const want = weightsOf(aboveZero(document('', ...about)), unit === 'seconds' ? NS_PER_S : 1);
            const profiles = await importText('x.json', run('', ...about, '--format', 'speedscope').toString());
            assert.equal(profiles.length, 1);
            const [profile] = profiles;
            let frames = 0;
            profile.forEachFrame((frame) => {
                const { name, file, line } = frame;
                const weights = want.get(JSON.stringify([name, file ?? '', line ?? 0]));
                assert.ok(weights, `${sample} ${view}: ${name} ${file} ${line}`);
                near(frame.getSelfWeight(), weights.self, `${sample} ${view}: self of ${name}`);
                near(frame.getTotalWeight(), weights.total, `${sample} ${view}: total of ${name}`);
                frames++;
            });
            assert.equal(frames, want.size, `${sample} ${view}`);
        }
    }
});

test('speedscope sees the order of time', async () => {
    const sample = 'samples/cpu/fanout.pyisession';
    const { records } = document('', 'export', sample);
    const text = run('', 'export', sample, '--format', 'speedscope').toString();
    assert.equal(JSON.parse(text).profiles[0].type, 'evented');
    const [profile] = await importText('x.json', text);
    near(profile.getTotalWeight(), records.reduce((sum, { self }) => sum + self * NS_PER_S, 0), 'total');
});

/** The rows of `go tool pprof -top`, by function: its own value, or with OPTION `-cum` its total. */
function topOf(path, unit, ...options) {
    const { stdout, stderr, status } = spawnSync(
        'go',
        ['tool', 'pprof', '-top', `-unit=${unit}`, '-nodecount=100000', '-nodefraction=0', ...options, path],
        { encoding: 'utf8', env: { ...process.env, PPROF_TMPDIR: folder, GOFLAGS: '', GOTOOLCHAIN: 'local' } },
    );
    assert.equal(status, 0, stderr);
    const rows = stdout.split('\n').slice(stdout.split('\n').findIndex((line) => /flat +flat%/.test(line)) + 1);
    const own = new Map();
    for (const row of rows.filter((line) => line.trim())) {
        const [, flat, cum, name] =
            /^\s*(-?[\d.]+)\S*\s+\S+\s+\S+\s+(-?[\d.]+)\S*\s+\S+\s+(.*?)(?: \(inline\))?$/.exec(row);
        own.set(name, (own.get(name) ?? 0) + Number(options.includes('-cum') ? cum : flat));
    }
    return own;
}

const hasGo = spawnSync('go', ['version']).status === 0;

test('go tool pprof has the same numbers', { skip: hasGo ? false : 'there is no go here' }, () => {
    const samples = ['fanout.pyisession', 'fanout.yappi.pstats', 'mini-py27.pstats', 'goindex.heap.pb.gz'];
    for (const sample of [...samples.map((name) => `samples/cpu/${name}`), SAMPLES.at(-1)]) {
        for (const { view, unit } of viewsOf(sample)) {
            const path = join(folder, 'view.pb.gz');
            writeFileSync(path, run('', 'export', sample, '--view', view, '--format', 'pprof'));
            const scale = unit === 'seconds' ? NS_PER_S : 1;
            const want = new Map();
            const { records } = document('', 'export', sample, '--view', view);
            for (const { stack, hybrid_stack: hybrid, self, size } of records) {
                const [frame] = hybrid ?? stack;
                if (frame) want.set(frame[0], (want.get(frame[0]) ?? 0) + (self ?? size) * scale);
            }
            const got = topOf(path, { seconds: 'ns', bytes: 'bytes', count: 'count' }[unit]);
            for (const [name, value] of want) if (value) near(got.get(name), value, `${sample} ${view}: ${name}`);
            const sum = (values) => Array.from(values.values()).reduce((all, value) => all + value, 0);
            near(sum(got), sum(want), `${sample} ${view}: all`);
        }
    }
});

test('go tool pprof has the same numbers of a label', { skip: hasGo ? false : 'there is no go here' }, () => {
    const levels = {
        'samples/cpu/endpoints.cpu.pb.gz': { key: 'endpoint', unit: 'ns', scale: NS_PER_S },
        'samples/cpu/goindex.heap.pb.gz': { key: 'bytes', unit: 'bytes', scale: 1 },
    };
    for (const [sample, { key, unit, scale }] of Object.entries(levels)) {
        const { rows } = document('', 'table', sample, '--tag-root', key, '--json');
        const got = topOf(join(ROOT, sample), unit, '-cum', `-tagroot=${key}`);
        const values = rows.filter((row) => row.function.startsWith(`${key}: `));
        assert.ok(values.length > 1, sample);
        for (const row of values) near(got.get(row.function.slice(key.length + 2)), row.total * scale, row.function);
    }
});
