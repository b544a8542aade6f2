// SPDX-License-Identifier: Apache-2.0
/*
 * What a run was, next to its cell in the grid or its point in a chart: by the pointer, by the keyboard, by a finger.
 * The table of all runs has it already; this shows one row of it.
 */
import { el, svg } from '../dom/elements.js';
import { runAt } from './rows.js';

const GAP = 8;

/** @typedef {{row: HTMLTableRowElement, card: string, job: string}} Run */

/** @param {HTMLTableElement} table @returns {Run[]} as the page has them: the latest first */
export const runsOf = (table) =>
    [...table.tBodies[0].rows].map((row) => ({
        row,
        card: row.querySelector('th a')?.getAttribute('href') ?? '',
        job: row.dataset.job ?? '',
    }));

/** @param {HTMLTableElement} table @param {Run} run */
function contentOf(table, { row }) {
    const heads = [...(table.tHead?.rows[0].cells ?? [])];
    const name = row.cells[1];
    const rows = heads.flatMap((head, at) => {
        const cell = row.cells[at];
        const isShown = /\b(start|time|heap|rss|to|cpu)\b/.test(cell.className) && !cell.querySelector('.none');
        return isShown ? [el('dt', {}, head.textContent ?? ''), el('dd', {}, cell.textContent ?? '')] : [];
    });
    return [
        el('b', {}, name.firstElementChild?.textContent ?? name.textContent ?? ''),
        row.cells[0].firstElementChild?.cloneNode(true) ?? '',
        name.querySelector('.why')?.cloneNode(true) ?? '',
        el('dl', {}, ...rows),
    ];
}

/** @param {HTMLTableElement} table */
export function createTips(table) {
    const runs = runsOf(table);
    const byCard = new Map(runs.map((run) => [run.card, run]));
    const tip = el('div', { class: 'tip', role: 'status', hidden: true });
    document.body.append(tip);

    const close = () => (tip.hidden = true);

    /** @param {Run} run @param {DOMRect} near */
    function show(run, near) {
        tip.replaceChildren(...contentOf(table, run));
        tip.hidden = false;
        const width = document.documentElement.clientWidth;
        const left = Math.max(GAP, Math.min(near.left, width - tip.offsetWidth - GAP));
        const below = near.bottom + GAP;
        const fits = below + tip.offsetHeight < innerHeight || near.top < tip.offsetHeight + GAP;
        const top = fits ? below : near.top - GAP - tip.offsetHeight;
        tip.style.transform = `translate(${left + scrollX}px, ${top + scrollY}px)`;
    }

    function createGrid() {
        for (const link of document.querySelectorAll('.grid td a')) {
            const run = byCard.get(link.getAttribute('href') ?? '');
            if (!run) continue;
            // The name of the link says all; the tip of the browser would lie over this one.
            link.setAttribute('aria-label', link.getAttribute('title') ?? '');
            link.removeAttribute('title');
            for (const kind of ['pointerenter', 'focus'])
                link.addEventListener(kind, () => show(run, link.getBoundingClientRect()));
            for (const kind of ['pointerleave', 'blur']) link.addEventListener(kind, close);
        }
    }

    /** @param {HTMLElement} chart */
    function createChart(chart) {
        const drawing = chart.querySelector('svg');
        const count = Number(chart.dataset.runs);
        const job = chart.closest('.trend')?.getAttribute('data-job') ?? '';
        if (!drawing || !count) return;
        const ofJob = runs.filter((run) => run.job === job).slice(0, count);
        const cursor = svg('line', { class: 'cursor', y1: '0', y2: '70' });
        let at = -1;

        /** @param {number} next */
        function point(next) {
            at = next;
            const place = (ofJob.length - at - 0.5) / ofJob.length;
            cursor.setAttribute('x1', `${place * 100}%`);
            cursor.setAttribute('x2', `${place * 100}%`);
            if (!cursor.parentNode) drawing?.append(cursor);
            const box = /** @type {SVGElement} */ (drawing).getBoundingClientRect();
            show(ofJob[at], new DOMRect(box.left + place * box.width + GAP, box.top, 0, box.height));
        }
        function leave() {
            at = -1;
            cursor.remove();
            close();
        }
        const open = () => ofJob[at]?.card && location.assign(ofJob[at].card);
        const numberAt = (/** @type {MouseEvent} */ event) => {
            const box = drawing.getBoundingClientRect();
            return runAt((event.clientX - box.left) / box.width, ofJob.length);
        };

        chart.tabIndex = 0;
        chart.setAttribute('role', 'group');
        const name = chart.previousElementSibling?.textContent?.replace(/\s+/g, ' ') ?? '';
        chart.setAttribute('aria-label', `${job}, ${name}: arrow keys go from run to run, Enter opens a card`);
        drawing.addEventListener('pointermove', (event) => point(numberAt(event)));
        drawing.addEventListener('pointerleave', leave);
        drawing.addEventListener('click', (event) => {
            const seen = at === numberAt(event);
            point(numberAt(event));
            // A first tap of a finger shows which run it is.
            if (seen && /** @type {PointerEvent} */ (event).pointerType !== 'touch') open();
        });
        chart.addEventListener('blur', leave);
        chart.addEventListener('keydown', (event) => {
            const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
            if (step) point(Math.min(Math.max(at < 0 ? 0 : at + step, 0), ofJob.length - 1));
            else if (event.key === 'Enter') open();
            else if (event.key === 'Escape') leave();
            else return;
            event.preventDefault();
        });
    }

    createGrid();
    for (const chart of document.querySelectorAll('.chart')) createChart(/** @type {HTMLElement} */ (chart));
}
