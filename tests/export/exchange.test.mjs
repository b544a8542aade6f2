// SPDX-License-Identifier: Apache-2.0
/*
 * What `profrender export` writes for other tools: our own readers give the same profile back, speedscope's importer,
 * `go tool pprof` and the Firefox Profiler have the same numbers.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importText } from '../support/speedscope.mjs';
import { hasFirefoxProfiler, openInFirefox } from '../support/firefox_profiler.mjs';

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
    'samples/unicode_names-py3.12-memray1.20.0-default.bin',
];

const NO_CAPTURE = /expected|averages|memory\.json|README|programs|\.(java|jfc|py|go)$/i;

/** The files of a folder that our readers know; the folder may be missing. */
function capturesBelow(folder) {
    const path = join(ROOT, folder);
    const names = existsSync(path) ? readdirSync(path, { recursive: true }).map((name) => join(folder, name)) : [];
    return names.filter((name) => /\.\w+$/.test(name) && !NO_CAPTURE.test(name));
}

/** These are read back as well; other tools are asked about the samples only. */
const MORE = [
    ...['async', 'go', 'h200', 'jfr'].flatMap((name) => capturesBelow(`tests/conformance/${name}`)),
    ...capturesBelow('../shared/captures/cpu'),
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

const THREAD = /^(process \d+:".*"|thread \(\d+\)(: .*)?)$/;
const letters = (text) => text.replace(/;/g, ':').replace(/[\0-\x1f\x7f]/g, ' ');

/** Collapsed stacks cannot hold some characters; a frame that looks like py-spy's of a thread becomes one. */
const collapsed = (document) => ({
    records: document.records.map((record) => {
        const whole = record.hybrid_stack ?? record.stack;
        const stack = whole.map(([name, file, line]) => [letters(name), letters(file), line]);
        while (document.threads === 'merge' && THREAD.test(stack.at(-1)?.[0])) stack.pop();
        return { ...record, stack, hybrid_stack: undefined };
    }),
});
const KEPT = { collapsed, speedscope: aboveZero, firefox: withStack };

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
/** All virtual threads of Java that have no name are one, which has no number: whoever reads an export gives it one. */
const hasNumberless = ({ records }) => records.some(({ tid }) => tid === 0);
/** speedscope has names of threads only, Firefox a name for each. */
const byThreadName = (stack, { tid, thread }) => JSON.stringify([thread || `thread ${tid}`, stack]);

function assertSameValues(got, want, scale = 1) {
    assert.deepEqual(Object.keys(got).sort(), Object.keys(want).sort());
    for (const [key, value] of Object.entries(want))
        assert.ok(Math.abs(got[key] * scale - value) <= Math.abs(value) * 1e-9, `${key}: ${got[key]}, not ${value}`);
}

const near = (got, want, why) =>
    assert.ok(Math.abs(got - want) <= Math.abs(want) * 1e-9 + 1e-6, `${why}: ${got}, not ${want}`);

for (const sample of [...SAMPLES, ...MORE]) {
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
                const isByName = format === 'speedscope' || format === 'firefox' || hasNumberless(wantSplit);
                const key = isByName ? byThreadName : byThread;
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
        for (const { name, unit, total, total_count: count } of before) {
            if (total) near(metrics.get(name).total, total, name);
            if (total) assert.equal(metrics.get(name).unit, unit);
            if (total && count && metrics.get(name).count_name) assert.equal(metrics.get(name).total_count, count);
        }
        for (const { view } of viewsOf(sample)) {
            const name = view === 'leaks' ? 'leaked' : view;
            const want = document('', 'export', sample, '--view', view, '--threads', 'split');
            const back = document('', 'export', path, '--view', name, '--threads', 'split');
            assertSameValues(valuesOf(back, byThread), valuesOf(want, byThread));
        }
    });
}

/** What an export of each thread says about its axis: "none" and "order" are no times. */
const axisOf = (text) => JSON.parse(text).meta.sampleTimes ?? 'clock';

const WINDOWS = ['0:0.05', '0.05:0.2', '0.2:0.7', '0.7:2', '2:1000'];

/** A window of an input; none, if nothing was recorded in it. */
function windowOf(input, ...words) {
    const { status, stdout } = spawnSync(PROGRAM, ['export', ...words, '--threads', 'split'], { cwd: ROOT, input });
    return status ? {} : valuesOf(withStack(JSON.parse(stdout)), byThreadName);
}

test('times of samples are those of the input, in every window', () => {
    let compared = 0;
    for (const sample of [...SAMPLES, ...MORE]) {
        for (const { view } of viewsOf(sample).filter(({ unit }) => unit === 'seconds')) {
            const about = [sample, '--view', view];
            const text = run('', 'export', ...about, '--threads', 'split', '--format', 'firefox');
            if (axisOf(text) !== 'clock') continue;
            const firstMs = Math.min(...JSON.parse(text).threads.map(({ samples }) => samples.time[0]));
            for (const window of WINDOWS) {
                // Read back, the run begins with its first sample; allocations may have come before that.
                const shifted = window.split(':').map((s) => (Number(s) + firstMs / 1e3).toFixed(9)).join(':');
                const want = windowOf('', ...about, '--window', shifted);
                assertSameValues(windowOf(text, '-', '--view', 'time', '--window', window), want);
                compared += Object.keys(want).length > 0;
            }
        }
    }
    assert.ok(compared > 10, `${compared} windows`);
});

test('an axis that is not time is not read as times', () => {
    const heaviest = run('', 'export', 'samples/cpu/fanout.yappi.pstats', '--format', 'firefox').toString();
    assert.equal(axisOf(heaviest), 'none');
    assert.equal(JSON.parse(heaviest).meta.extra[0].entries[0].value, 'Not time: the heaviest stacks first');
    assert.equal(spawnSync(PROGRAM, ['table', '-', '--window', '0:9'], { input: heaviest }).status, 3);
    const order = run('', 'export', 'samples/cpu/hashtab.perf.folded', '--format', 'firefox').toString();
    assert.equal(axisOf(order), 'none');
});

test('allocations keep their times', () => {
    const about = ['export', 'samples/cpu/shop.jfr.zst', '--view', 'allocated', '--threads', 'split'];
    const text = run('', ...about, '--format', 'firefox');
    assert.equal(axisOf(text), 'clock');
    const parts = WINDOWS.map((window) => windowOf(text, '-', '--window', window));
    const sum = parts.flatMap(Object.values).reduce((all, value) => all + value, 0);
    near(sum, document('', ...about).records.reduce((all, { self }) => all + self, 0), 'sum of windows');
    assert.ok(parts.filter((part) => Object.keys(part).length).length > 1);
});

test('times that a file cannot hold are reported', () => {
    const told = (...words) => spawnSync(PROGRAM, ['export', ...words], { cwd: ROOT, encoding: 'utf8' }).stderr;
    const jfr = 'samples/cpu/shop.jfr.zst';
    assert.match(told(jfr, '--format', 'firefox'), /sample times are left out: --threads split keeps them/);
    assert.match(told(jfr, '--format', 'speedscope', '--threads', 'split'), /each sample lasts until the next/);
    assert.match(told(jfr, '--format', 'firefox', '--window', '0:1'), /written of a whole run only/);
    assert.equal(told(jfr, '--format', 'firefox', '--threads', 'split'), '');
    assert.equal(told('samples/cpu/fanout.yappi.pstats', '--format', 'firefox'), '');
});

const noFirefox = hasFirefoxProfiler ? false : 'its package is not installed: npm ci';

test('the Firefox Profiler has the same numbers', { skip: noFirefox }, async () => {
    for (const name of ['shop.jfr.zst', 'fanout.pyisession', 'goindex.heap.pb.gz', 'hashtab.samply.json.gz']) {
        const sample = `samples/cpu/${name}`;
        for (const { view, unit } of viewsOf(sample)) {
            const about = ['export', sample, '--view', view, '--threads', 'split'];
            const path = join(folder, 'view.json');
            writeFileSync(path, run('', ...about, '--format', 'firefox'));
            const want = new Map();
            for (const { thread, tid, stack, self } of withStack(document('', ...about)).records) {
                const add = (frame, member) => {
                    const key = JSON.stringify([thread || `thread ${tid}`, frame]);
                    const known = want.get(key) ?? { self: 0, total: 0 };
                    known[member] += self * (unit === 'seconds' ? 1e3 : 1);
                    want.set(key, known);
                };
                add(stack[0][0], 'self');
                // The profiler's functions of one name in two files are two.
                const functions = new Set(stack.map(([name, file]) => JSON.stringify([name, file])));
                functions.forEach((each) => add(JSON.parse(each)[0], 'total'));
            }
            const got = await openInFirefox(path, mkdtempSync(join(folder, 'firefox-')));
            for (const [key, { self, total }] of want) {
                near(got.get(key)?.self ?? 0, self, `${sample} ${view}: self of ${key}`);
                near(got.get(key)?.total ?? 0, total, `${sample} ${view}: total of ${key}`);
            }
        }
    }
});

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
