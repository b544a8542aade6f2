// SPDX-License-Identifier: Apache-2.0
/* The picture accounts for every byte, and boxes are where a pointer finds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFrames, sumUp } from '../../../assets/src/model/calltree.js';
import { makeGraph } from '../../../assets/src/model/graph.js';
import { account, boxAt, boxOf, layOut, rowCount, rowOf, zoomToShow } from '../../../assets/src/model/layout.js';
import { profileOf, randomStacks } from '../support/profile.mjs';

const SHAPE = { split: false, lines: true, runner: false, hide: [] };

function laidOut(stacks, view, shape = SHAPE) {
    const profile = profileOf(stacks, { threads: ['a', 'b', 'c'] });
    const graph = makeGraph(profile, shape);
    const sums = sumUp(graph, profile.metrics[0], null);
    const layout = layOut(graph, sums, countFrames(graph, sums), { top: 0, width: 1000, minWidth: 3, ...view });
    return { profile, graph, sums, layout };
}

test('drawn frames and smaller ones are the total, in every view', () => {
    for (let seed = 1; seed <= 30; seed++) {
        for (const width of [1, 40, 390, 1440]) {
            const { graph, sums, layout } = laidOut(randomStacks(seed, 300), { width });
            const all = account(layout, sums);
            assert.equal(all.frameSum + all.smallerSum, sums.total[0]);
            const holding = sums.total.reduce((n, total, node) => n + (node && total > 0 ? 1 : 0), 0);
            assert.equal(all.frames + all.smaller, holding + 1);
            const top = graph.parent.findIndex((parent, n) => n > 0 && sums.total[n] > 0 && graph.end[n] > n + 1);
            const zoomed = account(layOut(graph, sums, countFrames(graph, sums), { top, width, minWidth: 3 }), sums);
            assert.equal(zoomed.frameSum + zoomed.smallerSum, sums.total[top]);
        }
    }
});

test('of a picture that is larger than its place the boxes in view are laid out, where they are in the whole', () => {
    const width = 100;
    const scale = 8;
    for (const from of [0, 250, 700]) {
        const { layout: all } = laidOut(randomStacks(3, 300), { width: width * scale });
        const { layout: part } = laidOut(randomStacks(3, 300), { width, scale, from });
        const seen = (layout, offset) =>
            Array.from(layout.node, (node, box) => {
                const [left, right] = [layout.left[box] - offset, layout.left[box] + layout.width[box] - offset];
                const [x, end] = [Math.max(0, left), Math.min(width, right)];
                return end - x > 0.01 && `${node} ${layout.smaller[box]} ${x.toFixed(3)} ${end.toFixed(3)}`;
            }).filter(Boolean);
        assert.deepEqual(seen(part, 0), seen(all, from));
        assert.ok(part.count < all.count / 2, `${part.count} of ${all.count}`);
    }
});

test('frames folded by the program count as many as they replace, and never have a box of their own', () => {
    const { layout, sums } = laidOut(
        [
            ['a > b', 90],
            ['a > folded:1204 smaller frames', 900],
            ['a > c', 1],
        ],
        { width: 100 },
    );
    assert.deepEqual(account(layout, sums), { frames: 3, frameSum: 90, smaller: 1205, smallerSum: 901 });
    assert.deepEqual([...layout.smaller], [0, 0, 0, 1205]);
});

test('a parent spans its children, the heaviest first, smaller ones last', () => {
    const { layout } = laidOut(
        [
            ['a > small', 1],
            ['a > x', 300],
            ['a > y', 600],
            ['a', 99],
        ],
        { width: 1000 },
    );
    assert.deepEqual([...layout.rowStart], [0, 1, 2, 5]);
    assert.deepEqual([...layout.left].map(Math.round), [0, 0, 0, 600, 900]);
    assert.deepEqual([...layout.width].map(Math.round), [1000, 1000, 600, 300, 1]);
    assert.deepEqual([...layout.smaller], [0, 0, 0, 0, 1]);
});

test('frames above the zoomed one keep the whole width', () => {
    const { layout, graph } = laidOut(
        [
            ['a > b > c', 1],
            ['a > d', 99],
        ],
        { top: 2 },
    );
    assert.deepEqual([...layout.width], [1000, 1000, 1000, 1000]);
    assert.equal(graph.frame[layout.node[2]], 1);
});

test('a pointer finds each box, and nothing between', () => {
    for (let seed = 1; seed <= 10; seed++) {
        const { layout } = laidOut(randomStacks(seed, 200), { width: 800 });
        for (let row = 0; row < rowCount(layout); row++) {
            for (let box = layout.rowStart[row]; box < layout.rowStart[row + 1]; box++) {
                assert.equal(boxAt(layout, layout.left[box] + layout.width[box] / 2, row), box);
                assert.equal(rowOf(layout, box), row);
                if (!layout.smaller[box]) assert.equal(boxOf(layout, layout.node[box]), box);
            }
        }
        assert.equal(boxAt(layout, 400, -1), -1);
        assert.equal(boxAt(layout, 400, rowCount(layout)), -1);
        assert.equal(boxAt(layout, 801, 0), -1);
    }
});

test('a view that holds nothing has one box and no width below it', () => {
    const { layout } = laidOut([['a', 0]], {});
    assert.equal(layout.count, 1);
    assert.equal(rowCount(layout), 1);
});

test('a tiny frame is shown by zooming to the nearest frame to the root that will do', () => {
    const { graph, sums } = laidOut(
        [
            ['a > b > c', 10],
            ['a > d', 990],
            ['e', 9000],
        ],
        {},
    );
    const node = 3;
    const top = zoomToShow(graph, sums, node, 1000, 48);
    assert.equal(top, 2);
    assert.equal(zoomToShow(graph, sums, node, 1000, 5), 1);
    assert.equal(zoomToShow(graph, sums, node, 1000, 1), 0);
});

test('depth 100,000 and 100,000 siblings are laid out', () => {
    const deep = laidOut([[Array.from({ length: 100_000 }, () => 'f').join(' > '), 1]], {});
    assert.equal(rowCount(deep.layout), 100_001);
    const wide = laidOut(
        Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1 + (i % 3)]),
        {},
    );
    assert.equal(account(wide.layout, wide.sums).smaller, 100_000);
});
