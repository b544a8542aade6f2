// SPDX-License-Identifier: Apache-2.0
/*
 * The rows in view: only they are elements; two spacers replace the others, so a million rows cost no more than thirty.
 */
import { el, refill } from '../../dom/elements.js';
import { counted } from '../../lib/units.js';

const ROW_PX = 28;
/** Height of the scrolling part, as in the stylesheet. */
const MOST_PX = 760;
/** Rows beyond the edges, so that a scroll does not show gaps. */
const MARGIN_ROWS = 12;

const gap = () => el('tr', { class: 'gap', 'aria-hidden': 'true' }, el('td'));

/** A spacer becomes as high as the rows it replaces. @param {HTMLElement} spacer @param {number} rows */
function fill(spacer, rows) {
    const cell = /** @type {HTMLElement} */ (spacer.firstElementChild);
    spacer.hidden = rows === 0;
    cell.style.height = `${rows * ROW_PX}px`;
    cell.dataset.rows = counted(rows, 'more rows'); // for paper
}

/**
 * @param {() => void} prepare  is called before some rows are drawn
 * @param {(place: number) => HTMLElement} draw  the row at a place in the list
 */
export function createVirtualRows(prepare, draw) {
    const element = el('tbody');
    const before = gap();
    const after = gap();
    let count = 0;
    /** The rows that are elements, between the two spacers. */
    let drawn = { from: 0, to: 0 };

    /** Nothing to do while all visible rows exist; existing rows stay. @param {number} scrollTop */
    function scroll(scrollTop) {
        const top = Math.max(0, scrollTop);
        const first = Math.min(count, Math.floor(top / ROW_PX));
        const last = Math.min(count, Math.ceil((top + MOST_PX) / ROW_PX));
        if (drawn.from <= first && last <= drawn.to && drawn.from < drawn.to) return;
        show(Math.max(0, first - MARGIN_ROWS), Math.min(count, last + MARGIN_ROWS));
    }

    /** @param {number} from @param {number} to */
    function show(from, to) {
        prepare();
        for (; drawn.from < drawn.to && (drawn.from < from || drawn.from >= to); drawn.from++)
            before.nextElementSibling?.remove();
        for (; drawn.from < drawn.to && drawn.to > to; drawn.to--) after.previousElementSibling?.remove();
        if (drawn.from === drawn.to) drawn = { from, to: from };
        while (drawn.from > from) before['after'](draw(--drawn.from));
        while (drawn.to < to) after['before'](draw(drawn.to++));
        fill(before, from);
        fill(after, count - to);
    }

    return {
        element,
        scroll,
        /** Different rows must be drawn. @param {number} rows */
        reset(rows) {
            count = rows;
            drawn = { from: 0, to: 0 };
            refill(element, before, after);
        },
    };
}
