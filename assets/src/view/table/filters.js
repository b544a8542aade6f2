// SPDX-License-Identifier: Apache-2.0
/* A row of filters: text, owners, and minimum values. */
import { el, refill } from '../../dom/elements.js';
import { OWNERS } from '../../lib/owners.js';
import { capital } from '../../lib/text.js';
import { ROOT } from '../../model/profile.js';
import { parseAmount } from '../amount.js';
import { OWNER_SHORT } from '../words.js';
import { classes } from './columns.js';

/** @typedef {import('../../model/rows.js').RowFilter} RowFilter */

/**
 * @param {import('../../store/store.js').Store} store
 * @param {() => void} changed
 */
export function createFilters(store, changed) {
    const filter = /** @type {RowFilter} */ ({ name: '', file: '', owner: -1, runner: false, least: {} });

    /** @param {Partial<RowFilter>} change */
    function apply(change) {
        Object.assign(filter, change);
        changed();
    }

    function ownerFilter() {
        const choice = el(
            'select',
            { 'aria-label': 'Owner', onchange: () => apply({ owner: Number(choice.value) }) },
            el('option', { value: -1 }, 'any'),
            ...OWNERS.map((_, owner) => el('option', { value: owner }, OWNER_SHORT[owner])),
        );
        return choice;
    }

    /** @param {import('./columns.js').Column} column */
    function textFilter({ name: any, right }) {
        const name = /** @type {import('../../model/rows.js').OwnColumn} */ (any);
        const label = right ? `${name.endsWith('Count') ? 'Count' : capital(name)} at least` : `${name} contains`;
        const input = el('input', {
            'aria-label': label,
            placeholder: right ? 'at least' : 'contains',
            spellcheck: 'false',
            autocomplete: 'off',
            oninput: () => (right ? filterLeast() : apply(name === 'file' ? { file: typed() } : { name: typed() })),
        });
        const typed = () => input.value.trim();

        /** "5 %" is of the whole, as in the cells. */
        function limitOf(/** @type {string} */ text) {
            const { select } = store;
            const [, percent] = (!name.endsWith('Count') && /^([\d.]+)\s*%$/.exec(text)) || [];
            if (percent) return (Number(percent) / 100) * select.sums().total[ROOT];
            return parseAmount(text, name.endsWith('Count') ? '' : select.metric().unit);
        }

        function filterLeast() {
            const limit = limitOf(typed());
            input.setAttribute('aria-invalid', String(limit === null));
            input.title = limit === null ? 'Not an amount: no row is left out' : '';
            const least = { ...filter.least };
            delete least[name];
            if (limit !== null && typed()) least[name] = limit;
            apply({ least });
        }

        return input;
    }

    /** @param {import('./columns.js').Column} column */
    function cellsOf(column) {
        const { name } = column;
        const made = controls.get(name) ?? (name === 'owner' ? ownerFilter() : column.other ? '' : textFilter(column));
        controls.set(name, made);
        const cell = el('td', { class: classes('', column.hide) }, made);
        return column.bar ? [cell, el('td', { class: 'hide-m' })] : [cell];
    }

    const element = el('tr');
    const controls = /** @type {Map<string, HTMLElement | ''>} */ (new Map());

    return {
        element,
        /** @param {import('./columns.js').Column[]} columns */
        update: (columns) => refill(element, ...columns.flatMap(cellsOf)),
        /** What passes now. */
        get: () => ({ ...filter, runner: !store.state.runner || store.state.by === 'package' }),
    };
}
