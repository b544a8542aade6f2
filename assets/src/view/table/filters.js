// SPDX-License-Identifier: Apache-2.0
/* A row of filters: text, owners, and minimum values. */
import { el } from '../../dom/elements.js';
import { OWNERS } from '../../lib/owners.js';
import { capital } from '../../lib/text.js';
import { parseAmount } from '../amount.js';
import { OWNER_SHORT } from '../words.js';
import { COLUMNS, classes } from './columns.js';

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
    function textFilter({ name, right }) {
        const label = right ? `${name === 'selfCount' ? 'Count' : capital(name)} at least` : `${name} contains`;
        const input = el('input', {
            'aria-label': label,
            placeholder: right ? 'at least' : 'contains',
            spellcheck: 'false',
            autocomplete: 'off',
            oninput: () => (right ? filterLeast() : apply({ [name]: input.value.trim() })),
        });

        function filterLeast() {
            const limit = parseAmount(input.value, name === 'selfCount' ? '' : store.select.metric().unit);
            input.setAttribute('aria-invalid', String(limit === null));
            const { [name]: _, ...others } = filter.least;
            apply({ least: limit === null || input.value.trim() === '' ? others : { ...others, [name]: limit } });
        }

        return input;
    }

    /** @param {import('./columns.js').Column} column */
    function cellsOf(column) {
        const control = column.name === 'owner' ? ownerFilter() : textFilter(column);
        const cell = el('td', { class: classes('', column.hide) }, control);
        return column.bar ? [cell, el('td', { class: 'hide-m' })] : [cell];
    }

    return {
        element: el('tr', {}, ...COLUMNS.flatMap(cellsOf)),
        /** What passes now. */
        get: () => ({ ...filter, runner: !store.state.runner }),
    };
}
