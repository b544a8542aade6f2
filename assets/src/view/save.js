// SPDX-License-Identifier: Apache-2.0
/*
 * Saving: what is shown as a picture, a table or stacks. If a page may not save files, as in a sandbox, the same is
 * shown for copying. On paper the picture is SVG, so that it is sharp and has the colours of paper.
 */
import { readPalette } from '../dom/colour.js';
import { copyText } from '../dom/copy.js';
import { el, icon, listen, muted, refill } from '../dom/elements.js';
import { body, root } from '../dom/root.js';
import { collapsedStacks, fileName, speedscopeOf } from '../model/formats.js';
import { drawSvg } from './svg.js';
import { closeMenusOutside } from './toolbar.js';
import { viewName } from './words.js';

const NO_FILES = 'This page cannot save files here.';

/** Pixels of a PNG for one of the page, and the maximum height of a canvas. */
const PNG_SCALE = 2;
const MOST_PX = 16_000;

/** Whether a file can be saved: a frame without an origin is a sandbox, which silently drops the click. */
const canSave = () => window.parent === window || window.origin !== 'null';

/**
 * @param {import('../store/store.js').Store} store
 * @param {{parts: () => import('./svg.js').Part[]}} graph
 * @param {{csv: () => string}} table
 */
export function createSave(store, graph, table) {
    const { select } = store;
    const title = () => root.querySelector('h1')?.textContent ?? 'profile';
    const nameOf = (/** @type {string} */ ending) => `${fileName(title(), select.metric().name)}.${ending}`;
    const picture = () => drawSvg(store, graph.parts(), readPalette());
    const dialog = el('dialog', { class: 'save', 'aria-labelledby': 'h-save', onclose: () => dialog.remove() });

    const kinds = [
        { label: 'Picture', note: 'SVG', save: () => saveText('svg', 'image/svg+xml', svgText(picture())) },
        { label: 'Picture', note: 'PNG', save: savePng },
        { label: 'Table', note: 'CSV', save: () => saveText('csv', 'text/csv', table.csv()) },
        { label: 'Stacks', note: 'collapsed', save: () => saveText('txt', 'text/plain', stacks()) },
        { label: 'Stacks', note: 'speedscope', save: () => saveText('speedscope.json', 'application/json', scope()) },
    ];
    const menu = el(
        'details',
        { class: 'menu' },
        el('summary', { class: 'btn', 'aria-label': 'Save' }, icon('save'), el('span', { class: 'txt' }, 'Save')),
        el(
            'div',
            { class: 'pop', role: 'group', 'aria-label': 'Save what is shown' },
            ...kinds.map(({ label, note, save }) =>
                el(
                    'button',
                    { onclick: () => (menu.removeAttribute('open'), save()) },
                    label,
                    muted(note),
                ),
            ),
            el(
                'button',
                { onclick: () => (menu.removeAttribute('open'), window.print()) },
                'Print',
                muted('or PDF'),
            ),
        ),
    );
    const element = el('div', {}, menu);
    closeMenusOutside(element);

    const stacks = () => collapsedStacks(store.profile, select.graph(), select.sums(), select.order() === 'callers');
    const scope = () =>
        speedscopeOf(store.profile, select.graph(), select.sums(), {
            name: `${title()}, ${viewName(store)}`,
            unit: select.metric().unit,
        });

    /** @param {Element} svg */
    const svgText = (svg) => new XMLSerializer().serializeToString(svg);

    /** @param {string} ending @param {string} type @param {string} text */
    function saveText(ending, type, text) {
        if (canSave()) saveBlob(ending, new Blob([text], { type: `${type};charset=utf-8` }));
        else offer(nameOf(ending), el('textarea', { readonly: true, 'aria-label': nameOf(ending) }), text);
    }

    /** @param {string} ending @param {Blob} blob */
    function saveBlob(ending, blob) {
        const address = URL.createObjectURL(blob);
        el('a', { href: address, download: nameOf(ending) }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }

    /** The SVG, painted. */
    async function savePng() {
        const svg = picture();
        const [width, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
        const scale = Math.min(PNG_SCALE, MOST_PX / Math.max(1, height));
        const image = el('img', { src: `data:image/svg+xml,${encodeURIComponent(svgText(svg))}` });
        await image.decode();
        const canvas = el('canvas', { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
        const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        pen.fillStyle = readPalette().of.surface;
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        if (canSave()) canvas.toBlob((blob) => blob && saveBlob('png', blob));
        else offer(nameOf('png'), el('img', { src: canvas.toDataURL(), alt: `The graph, ${viewName(store)}` }), null);
    }

    /**
     * Shows what cannot be saved here.
     * @param {string} name
     * @param {HTMLTextAreaElement | HTMLImageElement} content
     * @param {string | null} text
     */
    function offer(name, content, text) {
        const close = el(
            'button',
            { class: 'btn icon ghost push', 'aria-label': 'Close', onclick: () => dialog.close() },
            icon('close'),
        );
        const copy = el(
            'button',
            {
                class: 'btn',
                onclick: async () => {
                    const done = await copyText(text ?? '');
                    refill(copy, icon(done ? 'tick' : 'copy'), done ? 'Copied' : 'Select to copy');
                },
            },
            icon('copy'),
            'Copy',
        );
        refill(
            dialog,
            el('div', { class: 'head' }, el('h2', { id: 'h-save' }, name), close),
            el('p', {}, `${NO_FILES} Copy the ${text === null ? 'picture from its menu' : 'text'} instead.`),
            content,
            ...(text === null ? [] : [copy]),
        );
        if (content instanceof HTMLTextAreaElement) content.value = text ?? '';
        body.append(dialog);
        dialog.showModal();
        if (content instanceof HTMLTextAreaElement) content.select();
    }

    let printed = /** @type {Element | null} */ (null);
    listen(window, 'beforeprint', () => {
        printed?.remove();
        printed = picture();
        printed.classList.add('printed');
        root.querySelector('.graph')?.append(printed);
    });
    listen(window, 'afterprint', () => {
        printed?.remove();
        printed = null;
    });
    return { element };
}
