// SPDX-License-Identifier: Apache-2.0
/*
 * Profiles for tests, written down as stacks:
 *
 *     profileOf([['main > load > read', 300], ['main > save', 100, { thread: 1 }]])
 *
 * A frame is "name", "name@file", "name@file:line", "name=>words@file",
 * optionally after an owner and flags: "lib:", "std:", "native:",
 * "run:" (the runner), "imp:" (the import system), "start:" (also part of a profiler's own start). Everything
 * goes through the payload and its decoder.
 */
import { readHeat } from '../../../assets/src/payload/heat.js';
import { readTimeOrder } from '../../../assets/src/payload/order.js';
import { decodePayload } from '../../../assets/src/payload/profile.js';
import { encodePayload } from './payload.mjs';

const READERS = { order: readTimeOrder, heat: readHeat };

const OWNER = { lib: 1, std: 2, native: 3, kernel: 4 };
const RUNNER = 1 << 5;
const IMPORT = 1 << 6;
const START = 1 << 7;
const KIND_NATIVE = 1;
const KIND_OTHER = 3;

class Table {
    constructor() {
        this.known = new Map();
        this.items = [];
    }

    add(key, item = key) {
        if (!this.known.has(key)) {
            this.known.set(key, this.items.length);
            this.items.push(item);
        }
        return this.known.get(key);
    }
}

/** @param {string} text */
function parseFrame(text) {
    const [, prefix = '', rest] = /^(?:(lib|std|native|kernel|run|imp|start|folded):)?(.*)$/s.exec(text);
    const [, name, shown = '', file = '', line = '0'] = /^(.*?)(?:=>(.*?))?(?:@(.*?)(?::(\d+))?)?$/s.exec(rest);
    const kind =
        prefix === 'run'
            ? RUNNER | (OWNER.std << 2)
            : prefix === 'imp'
              ? IMPORT | (OWNER.std << 2)
              : prefix === 'start'
                ? START | (OWNER.std << 2)
              : prefix === 'folded'
                ? KIND_OTHER
                : ((OWNER[prefix] ?? 0) << 2) | (prefix === 'native' ? KIND_NATIVE : 0);
    const folded = prefix === 'folded' ? Number(name.split(' ')[0]) : 0;
    return { name, shown, file, line: Number(line), kind, folded };
}

/** The first number, then differences. @param {number[]} values */
const differences = (values) => values.map((value, i) => value - (i ? values[i - 1] : 0));

/**
 * The columns of a history: `bins` with start, end and peak; each fact may have `steps`, [bin, bytes, allocations], and
 * `moves`, [from, to or 'never', bytes, allocations].
 */
function historyColumns(bins, facts) {
    const steps = facts.map(({ steps: own = [] }) => own);
    const moves = facts.map(({ moves: own = [] }) => own);
    const stepColumn = (i) => steps.flatMap((own) => differences(own.map((step) => step[i])));
    const moveColumn = (i) => moves.flat().map((move) => move[i]);
    return [
        ['bins.start', 'dv', bins.start],
        ['bins.end', 'dv', bins.end],
        ['bins.peak', 'dv', bins.peak],
        ['steps.count', 'uv', steps.map((own) => own.length)],
        ['steps.bin', 'uv', stepColumn(0)],
        ['steps.bytes', 'sv', stepColumn(1)],
        ['steps.allocations', 'sv', stepColumn(2)],
        ['moves.count', 'uv', moves.map((own) => own.length)],
        ['moves.from', 'uv', moves.flatMap((own) => differences(own.map(([from]) => from)))],
        ['moves.to', 'uv', moves.flat().map(([from, to]) => (to === 'never' ? 0 : to - from))],
        ['moves.bytes', 'sv', moveColumn(2)],
        ['moves.allocations', 'sv', moveColumn(3)],
    ];
}

/** Stretches store how long after the previous one of their thread they begin. */
function stretchColumns(stretches, threadOf, factOfStack) {
    const end = new Map();
    const gaps = stretches.map(([stack, start, duration]) => {
        const gap = start - (end.get(threadOf(stack)) ?? 0);
        end.set(threadOf(stack), start + duration);
        return gap;
    });
    return [
        ['stretches.fact', 'uv', stretches.map(([stack]) => factOfStack[stack])],
        ['stretches.gap', 'sv', gaps],
        ['stretches.duration', 'sv', stretches.map(([, , duration]) => duration)],
    ];
}

/**
 * @typedef {object} Fact
 * @property {number} [thread]
 * @property {number} [allocator]
 * @property {number} [count]
 * @property {number} [leaked]
 * @property {number[][]} [steps]
 * @property {(number | string)[][]} [moves]
 */

/**
 * @param {[string, number, Fact?][]} stacks
 * @param {{threads?: string[], series?: object[], startMs?: number, endMs?: number,
 *     bins?: object, stretches?: [number, number, number][], resolutionNs?: number,
 *     lacksClock?: boolean}} [more]
 *     a stretch is the number of its stack, start and duration; they are sorted by thread, then start
 * @returns {string} payload in base64
 */
export function payloadOf(
    stacks,
    {
        threads = ['MainThread'],
        series = [],
        startMs = 0,
        endMs = 1000,
        bins = null,
        stretches = null,
        resolutionNs = 0,
        lacksClock = false,
    } = {},
) {
    const strings = new Table();
    const frames = new Table();
    const facts = [];
    strings.add('');
    const root = { children: new Map(), facts: [] };
    for (const whole of stacks) {
        const [path, value, { thread = 0, allocator = 6, count = 1, leaked = 0, steps, moves } = {}] = whole;
        let node = root;
        for (const text of path === '' ? [] : path.split(' > ')) {
            const frame = parseFrame(text);
            const id = frames.add(text, {
                ...frame,
                name: strings.add(frame.name),
                file: strings.add(frame.file),
                shown: strings.add(frame.shown),
            });
            if (!node.children.has(id))
                node.children.set(id, { children: new Map(), facts: [], frame: id, folded: frame.folded });
            node = node.children.get(id);
        }
        node.facts.push({ thread, allocator, value, count, leaked, steps, moves, stack: stacks.indexOf(whole) });
    }
    const factOfStack = [];
    const up = [];
    const nodeFrame = [];
    const folded = [];
    // Depth first, with a stack of our own: tests have deep trees.
    const todo = [{ node: root, parent: 0 }];
    for (let number = 0; todo.length; number++) {
        const { node, parent } = todo.pop();
        if (number > 0) {
            up.push(number - parent);
            nodeFrame.push(node.frame);
        }
        if (node.folded) folded.push([number, node.folded]);
        for (const fact of node.facts) {
            factOfStack[fact.stack] = facts.length;
            facts.push({ leaf: number, ...fact });
        }
        Array.from(node.children.values())
            .reverse()
            .forEach((child) => todo.push({ node: child, parent: number }));
    }
    const sum = (key) => facts.reduce((total, fact) => total + fact[key], 0);
    const text = strings.items.map((s) => Buffer.from(s, 'utf8'));
    const names = threads.map((name, i) => ({
        tid: String(i + 1),
        name: strings.known.get(name) ?? -1,
        text: name,
        process: 0,
    }));
    for (const thread of names.filter((t) => t.name < 0)) {
        thread.name = text.length;
        text.push(Buffer.from(thread.text, 'utf8'));
    }
    const frameColumn = (key) => frames.items.map((frame) => frame[key]);
    const factColumn = (key) => facts.map((fact) => fact[key]);
    return encodePayload(
        {
            metrics: [
                {
                    name: 'peak',
                    title: 'Peak',
                    unit: 'bytes',
                    countName: 'allocations',
                    total: sum('value'),
                    totalCount: sum('count'),
                },
                {
                    name: 'leaked',
                    title: 'Not freed',
                    unit: 'bytes',
                    countName: 'allocations',
                    total: sum('leaked'),
                    totalCount: 0,
                },
            ],
            threads: names.map(({ tid, name, process }) => ({ tid, name, process })),
            processes: [{ pid: '1', name: 0 }],
            allocators: [
                '',
                'PYMALLOC_FREE',
                'PYMALLOC_MALLOC',
                'PYMALLOC_CALLOC',
                'PYMALLOC_REALLOC',
                'FREE',
                'MALLOC',
                'REALLOC',
            ],
            series: series.map(({ name, title, unit, lane, short }) => ({ name, title, unit, lane, short })),
            startMs,
            endMs,
            binsRecorded: bins?.start.length ?? 0,
            heapPeak: null,
            nodeCount: up.length + 1,
            rootLabel: 'all threads',
            folded: folded.length > 0,
            ...(stretches && { time: { resolutionNs, lacksClock, layers: [{ metric: 0, count: stretches.length }] } }),
        },
        [
            ['strings.length', 'uv', text.map((t) => t.length)],
            ['strings.bytes', 'raw', Buffer.concat(text)],
            ['frames.function', 'uv', frameColumn('name')],
            ['frames.shown', 'uv', frameColumn('shown')],
            ['frames.file', 'uv', frameColumn('file')],
            ['frames.line', 'dv', frameColumn('line')],
            ['frames.kind', 'u8', frameColumn('kind')],
            ['nodes.up', 'uv', up],
            ['nodes.frame', 'uv', nodeFrame],
            ...(folded.length
                ? [
                      ['folded.node', 'dv', folded.map(([n]) => n)],
                      ['folded.count', 'uv', folded.map(([, n]) => n)],
                  ]
                : []),
            ['facts.leaf', 'dv', factColumn('leaf')],
            ['facts.thread', 'uv', factColumn('thread')],
            ['facts.allocator', 'u8', factColumn('allocator')],
            ['metric.0.value', 'sv', factColumn('value')],
            ['metric.0.count', 'sv', factColumn('count')],
            ['metric.1.value', 'sv', factColumn('leaked')],
            ...(bins ? historyColumns(bins, facts) : []),
            ...(stretches ? stretchColumns(stretches, (stack) => facts[factOfStack[stack]].thread, factOfStack) : []),
            ...series.flatMap((s, i) => [
                [`series.${i}.at`, 'dv', s.at],
                [`series.${i}.min`, 'dv', s.min ?? s.value],
                [`series.${i}.mean`, 'dv', s.mean ?? s.value],
                [`series.${i}.max`, 'dv', s.max ?? s.value],
            ]),
        ],
    );
}

/** @param {Parameters<typeof payloadOf>} words */
export const profileOf = (...words) => decodePayload(payloadOf(...words), READERS);

/** Numbers that are the same in every run. */
export function randomly(seed) {
    let state = seed >>> 0 || 1;
    return (below) => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) % below;
    };
}

/** Random stacks with recursion, lines, owners and threads. */
export function randomStacks(seed, count) {
    const random = randomly(seed);
    const prefixes = ['', '', '', 'lib:', 'std:', 'native:', 'imp:'];
    const frame = () => `${prefixes[random(7)]}f${random(9)}@m${random(3)}.py:${1 + random(4)}`;
    return Array.from({ length: count }, () => {
        const inner = Array.from({ length: random(12) }, frame);
        const runner = ['run:_run@runpy.py:1', 'run:exec@runpy.py:2'].slice(0, random(3));
        return [
            runner.concat(inner).join(' > '),
            random(5) === 0 ? 0 : random(1e6),
            { thread: random(3), count: 1 + random(9), leaked: random(1000) },
        ];
    });
}
