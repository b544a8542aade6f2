// SPDX-License-Identifier: Apache-2.0
/* Help: the keys, and what the colours and strokes mean. */
import { el, icon, swatch } from '../dom/elements.js';
import { body } from '../dom/root.js';
import { OWNERS } from '../lib/owners.js';
import { OWNER_NAMES } from './words.js';

const KEYS = [
    [['/'], 'search a name, file:path or /regex/'],
    [['Enter', 'Shift + Enter'], 'in the search: next and previous match, by size'],
    [['\u2190', '\u2192', '\u2191', '\u2193'], 'in the graph: to the frame to the left, to the right, above or below'],
    [['Click', 'Double click'], 'select a frame, zoom to it'],
    [['Right click'], 'what else can be done with a frame'],
    [['Ctrl + wheel'], 'zoom in and out'],
    [['Enter', 'Backspace'], 'zoom in, zoom out'],
    [['0'], 'back to the whole view'],
    [['I'], 'root at the top or at the bottom'],
    [['T'], 'calls in the order in which they ran, where that is known'],
    [['B'], 'callers below the functions they called, or above'],
    [['S'], 'sandwich: all callers and callees of the selected function'],
    [['H'], 'hide or show imports'],
    [['C'], 'copy the stack of the selected frame'],
    [['1', '\u2026', '5'], 'tabs'],
    [['P'], 'cursor to the peak of the heap'],
    [['[', ']'], 'begin or end the window at the cursor'],
    [['D'], 'light or dark'],
    [['?'], 'this help'],
];

export function createHelp() {
    const close = el(
        'button',
        { class: 'btn icon ghost push', 'aria-label': 'Close', onclick: () => dialog.close() },
        icon('close'),
    );
    const rows = KEYS.flatMap(([keys, what]) => [
        el('dt', {}, ...[keys].flat().flatMap((key) => [el('kbd', {}, key), ' '])),
        el('dd', {}, String(what)),
    ]);
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'h-help' },
        el('div', { class: 'head' }, el('h2', { id: 'h-help' }, 'Keys and colours'), close),
        el('dl', {}, ...rows),
        el('p', { class: 'legend' }, ...OWNERS.map((_, owner) => el('span', {}, swatch(owner), OWNER_NAMES[owner]))),
        el(
            'p',
            {},
            'A stronger fill: more of the total is the frame itself. Hatched: frames too narrow to draw, with ' +
                'their number and sum. Dashed: start-up frames of Python and the profiler, which only lead to ' +
                'your code.',
        ),
    );
    body.append(dialog);
    const open = () => dialog.open || dialog.showModal();
    const button = el(
        'button',
        {
            class: 'btn icon',
            'aria-label': 'Help and keyboard shortcuts',
            title: 'Help',
            onclick: open,
        },
        icon('help'),
    );
    return { button, open };
}
