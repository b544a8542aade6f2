// SPDX-License-Identifier: Apache-2.0
/*
 * Sharing what is shown: as a link, a copy of the page, words, a picture, a table or stacks. If a page may not save
 * files, as in a sandbox, the same is shown for copying. On paper the picture is SVG, so that it is sharp and has the
 * colours of paper.
 */
import { readPalette } from '../dom/colour.js';
import { copyText } from '../dom/copy.js';
import { el, icon, listen, muted, refill } from '../dom/elements.js';
import { root, written } from '../dom/root.js';
import { collapsedStacks, fileName, speedscopeOf } from '../model/formats.js';
import { openDialog } from './dialog.js';
import { closeMenusOutside, popMenu } from './popup.js';
import { cardTitle, copyFrom, dayOf, holdsLine, isWhole, pageWith, shareable, viewText } from './share.js';
import { drawSvg, withCaption } from './svg.js';
import { DIFF_COMMAND, viewName } from './words.js';

const NO_FILES = 'This page cannot save files here.';
const NO_ADDRESS = 'Others cannot open the address of this page.';
const NO_FILE = `Only this page has this difference: \`${DIFF_COMMAND}\` writes a file.`;

/** Pixels of a PNG for one of the page, and the maximum height of a canvas. */
const PNG_SCALE = 2;
const MOST_PX = 16_000;

/** The width of the picture on paper, where its names are then as large as other small text. */
const PAPER_PX = 840;

/** Whether a file can be saved: a frame without an origin is a sandbox, which silently drops the click. */
const canSave = () => window['parent'] === window || window['origin'] !== 'null';

/**
 * @param {import('../store/store.js').Store} store
 * @param {{parts: (width: number) => import('./svg.js').Part[]}} graph
 * @param {{csv: () => string}} table
 */
export function createSave(store, graph, table) {
    const { select } = store;
    const title = cardTitle;
    const nameOf = (/** @type {string} */ ending) => `${fileName(title(), select.metric().name)}.${ending}`;
    const picture = (/** @type {number} */ width = 0) => drawSvg(store, graph.parts(width), readPalette());
    const captioned = () => {
        const day = dayOf(store);
        const lines = [`${title()}${day && `, ${day}`}`, holdsLine(store, store.state.zoom)];
        return withCaption(store, picture(), readPalette(), lines);
    };

    const button = (/** @type {string} */ name, /** @type {string} */ note, /** @type {() => void} */ onclick) =>
        el('button', { onclick }, name, muted(note));
    const closing = (/** @type {string} */ name, /** @type {string} */ note, /** @type {() => void} */ act) =>
        button(name, note, () => (menu.removeAttribute('open'), act()));
    const menu = popMenu('Share', [icon('share'), el('span', { class: 'txt' }, 'Share')], 'Share this view', [
        ...ways(),
        closing('Picture', 'SVG', () => saveText('svg', 'image/svg+xml', svgText(captioned()))),
        closing('Picture', 'PNG', savePng),
        closing('Table', 'CSV', () => saveText('csv', 'text/csv', table.csv())),
        closing('Stacks', 'collapsed', () => saveText('txt', 'text/plain', stacks())),
        closing('Stacks', 'speedscope', () => saveText('speedscope.json', 'application/json', scope())),
        closing('Print', 'or PDF', () => window.print()),
    ]);
    /** What is not a file of some format: a link, a copy of the page, words. */
    function ways() {
        const isPair = root.querySelector('[data-pair]') !== null;
        const byHand = (/** @type {string} */ name, /** @type {string} */ text) =>
            offer(name, el('textarea', { readonly: true, 'aria-label': name }), text, '');
        const canCopy = isWhole(written) && !isPair;
        const link = button('Link to this view', 'copy', () => {
            if (shareable() && !isPair) copyFrom(link, location.href, () => byHand('Link', location.href));
            else if (canCopy) askForNote(`${NO_ADDRESS} `);
            else offer('No link', el('img', { hidden: true }), null, isPair ? NO_FILE : NO_ADDRESS);
        });
        const words = button('Markdown', 'copy', () =>
            copyFrom(words, viewText(store), () => byHand('Markdown', viewText(store))),
        );
        const copies = canCopy ? [button('Copy of this page', 'with a note', () => askForNote())] : [];
        return [link, ...copies, words];
    }

    /** A copy of the page, with this view and what one wants to say. @param {string} [why] */
    function askForNote(why = '') {
        menu.removeAttribute('open');
        const onclick = () => (dialog.close(), saveCopy(note.value));
        const note = el('textarea', { 'aria-label': 'Note', placeholder: 'What should readers look at? (optional)' });
        const save = el('button', { class: 'btn', onclick }, 'Save the copy');
        const words = `${why}The copy opens with this view and your note at the top.`;
        const dialog = openDialog('save', 'Copy of this page', el('p', {}, words), note, save);
        note.focus();
    }

    /** @param {string} note */
    function saveCopy(note) {
        if (written) saveText('html', 'text/html', pageWith(written, store, note));
    }

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
        const svg = captioned();
        const [width, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
        const scale = Math.min(PNG_SCALE, MOST_PX / Math.max(1, height));
        const image = el('img', { src: `data:image/svg+xml,${encodeURIComponent(svgText(svg))}` });
        await image.decode();
        const canvas = el('canvas', { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
        const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        pen.fillStyle = readPalette().of['--surface'];
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
     * @param {string} [why]
     */
    function offer(name, content, text, why) {
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
        openDialog(
            'save',
            name,
            el('p', {}, why ?? `${NO_FILES} Copy the ${text === null ? 'picture from its menu' : 'text'} instead.`),
            content,
            ...(text === null ? [] : [copy]),
        );
        if (content instanceof HTMLTextAreaElement) {
            content.value = text ?? '';
            content['select']();
        }
    }

    let printed = /** @type {Element | null} */ (null);
    listen(window, 'beforeprint', () => {
        printed?.remove();
        printed = picture(PAPER_PX);
        printed.classList.add('printed');
        root.querySelector('.graph')?.append(printed);
    });
    listen(window, 'afterprint', () => {
        printed?.remove();
        printed = null;
    });
    return { element };
}
