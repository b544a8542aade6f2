// SPDX-License-Identifier: Apache-2.0
/* Where the code of the selected frame is, and its text if the page has it. */
import { el, placeLink, refill } from '../../dom/elements.js';
import { placeOf } from '../../lib/text.js';
import { addressOf, isOwn, linesAround } from '../../model/source.js';

/** The number of source lines shown before and after the one that ran. */
const SOURCE_LINES = 4;

/** @param {import('../../store/store.js').Store} store */
export function createCode({ profile, select, sources }) {
    const place = el('p', { class: 'where' });
    const text = el('pre', { class: 'source', tabindex: '0', role: 'group', 'aria-label': 'Source' });
    return {
        place,
        text,
        /**
         * For a function with several lines, the text around the heaviest.
         * @param {number} node
         * @param {import('../../model/graph.js').Label} label
         * @param {{line: number}[]} ran
         */
        update(node, label, ran) {
            const { kind, count } = profile.frames;
            const f = select.graph().frame[node];
            const own = !label.extra && f < count && isOwn(kind[f]);
            const here = label.line || (ran[0]?.line ?? 0);
            refill(place, placeLink(own ? addressOf(sources, label.file, label.line) : '', placeOf(label)));
            place.hidden = !place.textContent;
            const lines = own && here ? linesAround(sources, label.file, here, SOURCE_LINES) : [];
            text.hidden = !lines.length;
            refill(text, ...lines.map((line) => rowOf(line, here)));
        },
    };
}

/** @param {{number: number, text: string}} line @param {number} here */
const rowOf = ({ number, text }, here) =>
    el(
        'span',
        { class: number === here ? 'here' : null },
        el('span', { class: 'no' }, String(number).padStart(String(here + SOURCE_LINES).length)),
        ` ${text}\n`,
    );
