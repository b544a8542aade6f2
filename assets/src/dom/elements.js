// SPDX-License-Identifier: Apache-2.0
/*
 * Elements, made one by one. Names from captures only ever become text nodes and attribute values; nothing is parsed
 * as HTML, and no style attribute is set (the policy of the page forbids them).
 */
import { partOf, percent } from '../lib/units.js';

const SVG = 'http://www.w3.org/2000/svg';

/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Prop */

/** What the packed script writes in a letter: see short_elements.mjs. */
export const ATTRIBUTES = {
    a: 'aria-hidden',
    b: 'tabindex',
    c: 'onclick',
    e: 'aria-expanded',
    g: 'onchange',
    h: 'hidden',
    k: 'onkeydown',
    l: 'aria-label',
    o: 'role',
    p: 'placeholder',
    t: 'title',
};

/**
 * An element: props that begin with "on" are listeners, true is an empty attribute, false and null are none.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, Prop>} [props]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
    // The packed script names classes in the tag: "p.muted.r".
    const [name, ...classes] = tag.split('.');
    const element = document.createElement(/** @type {K} */ (name));
    if (classes[0]) element.className = classes.join(' ');
    if (element instanceof HTMLButtonElement) element.type = 'button'; // none submits a form of the page around it
    setProps(element, props);
    element.append(...children);
    return element;
}

/** @param {Element} element @param {Record<string, Prop>} props */
function setProps(element, props) {
    for (const [prop, value] of Object.entries(props)) {
        const name = /** @type {Record<string, string>} */ (ATTRIBUTES)[prop] ?? prop;
        if (typeof value === 'function') element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false && value != null) element.setAttribute(name, String(value));
    }
}

let life = new AbortController();

/** @typedef {HTMLElementEventMap & WindowEventMap} Events */

/**
 * @template {keyof Events} K
 * @param {EventTarget} target
 * @param {K} type
 * @param {(event: Events[K]) => void} heard
 * @param {AddEventListenerOptions} [options]
 */
export const listen = (target, type, heard, options) =>
    target.addEventListener(type, /** @type {EventListener} */ (heard), { ...options, signal: life.signal });

/** Ends all listening, before the page becomes another one. */
export function endListening() {
    life.abort();
    life = new AbortController();
}

/**
 * @param {string} tag
 * @param {Record<string, Prop>} props
 * @param {...(Node | string)} children
 */
export function svg(tag, props, ...children) {
    const element = document.createElementNS(SVG, tag);
    setProps(element, props);
    element.append(...children);
    return element;
}

/** Paths in a box of 16 x 16, drawn as lines. */
const ICONS = {
    'search': ['M11.2 7a4.2 4.2 0 1 1-8.4 0 4.2 4.2 0 0 1 8.4 0z', 'm10.2 10.2 3.3 3.3'],
    'up': ['m4 10 4-4 4 4'],
    'down': ['m4 6 4 4 4-4'],
    'rootTop': ['M2.5 3h11M2.5 8h7M2.5 13h4'],
    'rootBottom': ['M2.5 13h11M2.5 8h7M2.5 3h4'],
    'person': ['M10.5 5.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z', 'M3 13.5c.6-2.6 2.6-4 5-4s4.4 1.4 5 4'],
    'zoom': ['M6 2.5H2.5V6M10 13.5h3.5V10M2.5 2.5l4 4M13.5 13.5l-4-4'],
    'copy': [
        'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5z',
        'M10.5 3.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1',
    ],
    'tick': ['m3 8.5 3.2 3.2L13 4.8'],
    'theme': ['M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z'],
    'help': ['M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z', 'M6.3 6.3a1.8 1.8 0 1 1 2.5 1.9c-.6.3-.8.6-.8 1.1M8 11.4v.1'],
    'share': ['M8 10V2.5M5 5.3l3-2.8 3 2.8', 'M4.5 7.5H3v6h10v-6h-1.5'],
    'compare': ['M2.5 4.5h9M8.8 2l2.7 2.5L8.8 7M13.5 11.5h-9M7.2 9l-2.7 2.5L7.2 14'],
    'close': ['m4 4 8 8M12 4l-8 8'],
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
    const paths = ICONS[name].map((d) => svg('path', { d }));
    if (name === 'theme') paths.push(svg('path', { d: 'M8 2.5v11A5.5 5.5 0 0 0 8 2.5z', fill: 'currentColor' }));
    return svg('svg', { class: 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, ...paths);
}

/**
 * The letter of each owner in class names, by number; also of what is no code, of the runner and of smaller frames, and
 * of the colours of packages.
 */
export const OWNER_LETTERS = 'mlsnkorfuvwxyz';

/** @param {number} owner */
export const ownerClass = (owner) => `o-${OWNER_LETTERS[owner]}`;

/** @param {Element} element @param {...(Node | string)} children  instead of its current ones */
export const refill = (element, ...children) => element.replaceChildren(...children);

/**
 * A button that is only a picture.
 * @param {keyof typeof ICONS} name
 * @param {string} label
 * @param {string | null} title
 * @param {() => void} onclick
 * @param {string} [more]  classes
 */
export const iconButton = (name, label, title, onclick, more = '') =>
    el('button', { class: `btn icon ${more}`, 'aria-label': label, title, onclick }, icon(name));

/** A button that closes something. @param {() => void} onclick @param {string} [more]  classes */
export const closeButton = (onclick, more = '') => iconButton('close', 'Close', null, onclick, `ghost ${more}`);

/** A button that goes back to the whole run. @param {string} label @param {() => void} onclick */
export const clearButton = (label, onclick) => iconButton('close', label, 'Whole run', onclick, 'ghost');

/** @param {string} text */
export const muted = (text) => el('span', { class: 'muted' }, text);

/** @param {...(Node | string)} children */
export const rowHead = (...children) => el('th', { scope: 'row' }, ...children);

/** @param {number} owner */
export const swatch = (owner) => el('span', { class: `sw ${ownerClass(owner)}` });

/**
 * A bar that fills a share of its track.
 * @param {number} share  0 to 1
 * @param {number | string} owner  or the class of a change
 */
export function bar(share, owner) {
    const width = share > 0 ? Math.max(0.6, Math.min(100, share * 100)) : 0;
    return svg(
        'svg',
        { 'aria-hidden': 'true' },
        svg('rect', { class: 'track', width: '100%', height: '100%' }),
        svg('rect', {
            class: typeof owner === 'number' ? ownerClass(owner) : owner,
            width: `${width.toFixed(2)}%`,
            height: '100%',
        }),
    );
}

/**
 * A short value whose hover shows it exactly.
 * @param {import('../lib/units.js').Format} format
 * @param {number} value
 */
export const figure = (format, value) => el('span', { title: format.exact(value) }, format.short(value));

/**
 * A share, whose hover shows part and whole.
 * @param {import('../lib/units.js').Format} format
 * @param {number} part
 * @param {number} whole
 * @param {string} [words]  after it
 */
export const share = (format, part, whole, words = '') =>
    el('span', { title: partOf(format, part, whole) }, percent(part, whole) + words);

/**
 * A place in code, as a link where there is an address.
 * @param {string} address  http or https; '' = none
 * @param {string} text
 */
export const placeLink = (address, text) =>
    address ? el('a', { href: address, target: '_blank', rel: 'noreferrer' }, text) : text;

/**
 * @param {Element} element
 * @param {boolean} on
 */
export const press = (element, on) => element.setAttribute('aria-pressed', String(on));
