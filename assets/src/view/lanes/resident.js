// SPDX-License-Identifier: Apache-2.0
/* What is resident besides the heap, as bands from RSS down to the heap. */
import { pointAt } from '../../model/series.js';

/** @type {Record<string, '--hatch' | '--dim-line' | '--border' | '--dim'>} */
const COLOURS = { freed: '--hatch', 'base': '--dim-line', rest: '--border', files: '--dim' };

/**
 * @param {import('./ink.js').Ink} ink
 * @param {import('../../model/lanes.js').Lane} lane  RSS is its first line
 * @param {(ms: number) => number} toX
 * @param {(value: number) => number} toY
 */
export function paintResident({ g, of }, { members }, toX, toY) {
    const [{ series: rss }] = members;
    const bands = members.filter(({ look }) => look === 'stacked').map(({ series }) => series);
    if (!bands.length) return;
    let top = bands[0].at.map((ms) => rss.max[pointAt(rss, ms)]);
    for (const { name, at, max } of bands.reverse()) {
        const under = top.map((value, i) => value - max[i]);
        g.beginPath();
        at.forEach((ms, i) => g.lineTo(toX(ms), toY(top[i])));
        for (let i = at.length; i--;) g.lineTo(toX(at[i]), toY(under[i]));
        g.fillStyle = of[COLOURS[name]];
        g.fill();
        top = under;
    }
}
