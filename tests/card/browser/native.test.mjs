// SPDX-License-Identifier: Apache-2.0
/* Cards with native frames: with these hidden they equal the cards of the Python stacks, to the byte, in every view. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import { sumUp } from '../../../assets/src/model/calltree.js';
import { functionName, makeGraph } from '../../../assets/src/model/graph.js';
import { KIND, frameKind } from '../../../assets/src/model/profile.js';
import { cardOf, collected, exported, madeCapture, profileIn, stopBrowser } from '../support/browser.mjs';

after(stopBrowser);

const PLAIN = { split: false, lines: true, runner: false, hide: [] };

/** What each stack holds, by its frames. @returns {Record<string, number[]>} */
function stacksOf(profile, shape, metric) {
    const graph = makeGraph(profile, shape);
    const sums = sumUp(graph, metric, null);
    const names = [''];
    const stacks = {};
    for (let n = 1; n < graph.count; n++) {
        const f = graph.frame[n];
        const place = `${profile.frames.file[f]}:${profile.frames.line[f]}`;
        names[n] = `${names[graph.parent[n]]};${functionName(profile, f)}:${place}`;
    }
    for (let n = 0; n < graph.count; n++) {
        if (sums.total[n] || sums.totalCount[n])
            stacks[names[n]] = [sums.self[n], sums.total[n], sums.selfCount[n], sums.totalCount[n]];
    }
    return stacks;
}

/** Names of files instead of their numbers, which differ between the cards. */
function withFiles(profile) {
    const { text, at } = profile.strings;
    const file = Array.from(profile.frames.file, (s) => text.slice(at[s], at[s + 1]));
    return { ...profile, frames: { ...profile.frames, file } };
}

const isNative = ({ frames }) => Array.from(frames.kind).some((kind) => frameKind(kind) === KIND.NATIVE);

for (const capture of [madeCapture('native', 20000), ...collected('native.bin', 'native+pyalloc.bin')]) {
    test(`native frames hidden leave the Python stacks: ${basename(capture)}`, () => {
        const hybrid = profileIn(cardOf(capture));
        const python = profileIn(cardOf(capture, '--native', 'off'));
        assert.ok(isNative(hybrid));
        assert.ok(!isNative(python));
        hybrid.metrics.forEach((metric, i) => {
            assert.equal(metric.total, exported(capture, metric.name === 'leaked' ? 'leaks' : metric.name).total_size);
            assert.deepEqual(
                stacksOf(withFiles(hybrid), { ...PLAIN, hide: ['native'] }, metric),
                stacksOf(withFiles(python), PLAIN, python.metrics[i]),
                metric.name,
            );
        });
    });
}
