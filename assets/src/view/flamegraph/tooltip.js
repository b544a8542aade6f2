// SPDX-License-Identifier: Apache-2.0
/* The tooltip of the graph: what is under the pointer, in numbers. */
import { el, ownerClass, rowHead } from '../../dom/elements.js';
import { capital, shorten } from '../../lib/text.js';
import { arrow, count, growth, percent } from '../../lib/units.js';
import { kindOf } from '../change.js';

/** A longer name is cut; the panel of the selected frame has it in full. */
const MOST_CHARS = 240;
/** Gap between the pointer and the tooltip, in pixels. */
const GAP_PX = 14;

/**
 * @typedef {object} TipText
 * @property {string} name
 * @property {string} place
 * @property {number} owner
 * @property {string} ownerName
 * @property {number} total
 * @property {number | null} before  in a difference, what it was; else null
 * @property {number | null} self   null: meaningless here
 * @property {number | null} count
 */

/** @param {HTMLElement} host  positioned; the tooltip stays inside its width */
export function createTooltip(host) {
    const name = el('b');
    const place = el('span', { class: 'f' });
    const total = el('td');
    const totalShare = el('td');
    const self = el('td');
    const selfShare = el('td');
    const many = el('td');
    const before = el('td');
    const change = el('td', { colspan: 2 });
    const beforeRow = el('tr', {}, rowHead('Before'), before, el('td'));
    const changeRow = el('tr', {}, rowHead('Change'), change);
    const totalName = rowHead('Total');
    const exactly = el('td', { colspan: 3, class: 'muted' });
    const sw = el('span', { class: 'sw' });
    const owner = el('span');
    const countName = el('th', { scope: 'row' });
    const selfRow = el('tr', {}, rowHead('Self'), self, selfShare);
    const countRow = el('tr', {}, countName, many, el('td', {}, sw, owner));
    const tip = el(
        'div',
        { class: 'tip', role: 'tooltip', hidden: true },
        name,
        place,
        el(
            'table',
            {},
            el(
                'tbody',
                {},
                beforeRow,
                el('tr', {}, totalName, total, totalShare),
                changeRow,
                selfRow,
                countRow,
                el('tr', {}, exactly),
            ),
        ),
    );
    host.append(tip);

    return {
        /**
         * @param {TipText} text
         * @param {import('../../model/profile.js').Metric} metric
         * @param {import('../../lib/units.js').Format} format
         * @param {number} whole  what 100 % is
         * @param {{x: number, y: number}} at  in the host
         */
        show(text, metric, format, whole, at) {
            name.textContent = shorten(text.name, MOST_CHARS);
            place.textContent = shorten(text.place, MOST_CHARS);
            total.textContent = format.short(text.total);
            totalShare.textContent = percent(text.total, whole);
            totalName.textContent = text.before === null ? 'Total' : 'After';
            beforeRow.hidden = changeRow.hidden = text.before === null;
            before.textContent = format.short(text.before ?? 0);
            const more = text.total - (text.before ?? 0);
            change.textContent = `${arrow(more, format.short)}  ${growth(text.before ?? 0, text.total)}`;
            change.className = kindOf(more);
            selfRow.hidden = text.self === null;
            self.textContent = format.short(text.self ?? 0);
            selfShare.textContent = percent(text.self ?? 0, whole);
            exactly.textContent =
                format.exact(text.total) + (text.self === null ? '' : `, self ${format.exact(text.self)}`);
            const isCounted = metric.countName !== null && text.count !== null;
            countName.textContent = isCounted ? capital(metric.countName ?? '') : '';
            many.textContent = isCounted ? count(text.count ?? 0) : '';
            sw.setAttribute('class', `sw ${ownerClass(text.owner)}`);
            sw.hidden = text.ownerName === '';
            owner.textContent = text.ownerName;
            tip.hidden = false;
            const left = Math.max(0, Math.min(at.x + GAP_PX, host.clientWidth - tip.offsetWidth));
            const room = window.innerHeight - host.getBoundingClientRect().top - at.y - GAP_PX - tip.offsetHeight;
            tip.style.left = `${left}px`;
            tip.style.top = `${room < 0 ? at.y - GAP_PX - tip.offsetHeight : at.y + GAP_PX}px`;
        },
        hide() {
            tip.hidden = true;
        },
    };
}
