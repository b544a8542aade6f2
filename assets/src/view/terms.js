// SPDX-License-Identifier: Apache-2.0
/*
 * What the words of labels mean. The program wrote it into "How to read this"; here a label shows it: on hover, and to
 * the keyboard and a finger when it has the focus.
 */
import { el } from '../dom/elements.js';
import { body, host, isFragment, root } from '../dom/root.js';

/** What a label means; undefined = nothing special. @param {string} label */
function meaningOf(label) {
    const words = label.toLowerCase();
    const terms = [...root.querySelectorAll('.terms dt')];
    return terms.find(({ textContent }) => words.includes(textContent?.toLowerCase() ?? ' '))?.nextElementSibling
        ?.textContent;
}

/**
 * An element says what a word means: on hover, and below it while it has the focus.
 * @param {HTMLElement} element
 * @param {string} title
 * @param {() => boolean} isAsked  whether who focused it wants to know
 */
function tell(element, title, isAsked) {
    const tip = el('div', { class: 'tip', role: 'tooltip' }, title);
    const hide = () => tip.remove();
    const show = () => {
        if (!isAsked()) return;
        const page = (isFragment() ? host : document.body).getBoundingClientRect();
        const { left, bottom } = element.getBoundingClientRect();
        body.append(tip);
        tip.style.top = `${bottom - page.top + 4}px`;
        tip.style.left = `${Math.max(4, Math.min(left - page.left, page.width - tip.offsetWidth - 4))}px`;
    };
    element.title = title;
    for (const type of /** @type {const} */ (['focus', 'click'])) element.addEventListener(type, show);
    element.addEventListener('blur', hide);
    element.addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
}

/** A label; a button that explains it, where it is a term. @param {string} label */
export function term(label) {
    const title = meaningOf(label);
    if (!title) return label;
    const button = el('button', { class: 'term' }, label);
    tell(button, title, () => true);
    return button;
}

/**
 * A control whose label may be a term. A click does what the control is for, so only the keyboard sees the words.
 * @template {HTMLElement} E
 * @param {E} control
 * @returns {E}
 */
export function explained(control) {
    const title = meaningOf(control.firstChild?.textContent ?? '');
    if (title) tell(control, title, () => control.matches(':focus-visible'));
    return control;
}

/** The labels that the program wrote. */
export function explainTerms() {
    for (const label of root.querySelectorAll('.stat dt')) label.replaceChildren(term(label.textContent ?? ''));
}
