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

/** A label; a button that explains it, where it is a term. @param {string} label */
export function term(label) {
    const title = meaningOf(label);
    if (!title) return label;
    const tip = el('div', { class: 'tip', role: 'tooltip' }, title);
    const hide = () => tip.remove();
    const show = () => {
        const page = (isFragment() ? host : document.body).getBoundingClientRect();
        const { left, bottom } = button.getBoundingClientRect();
        body.append(tip);
        tip.style.top = `${bottom - page.top + 4}px`;
        tip.style.left = `${Math.max(4, Math.min(left - page.left, page.width - tip.offsetWidth - 4))}px`;
    };
    const onkeydown = (/** @type {KeyboardEvent} */ { key }) => key === 'Escape' && hide();
    const button = el('button', { class: 'term', title, onfocus: show, onclick: show, onblur: hide, onkeydown }, label);
    return button;
}

/** The labels that the program wrote. */
export function explainTerms() {
    for (const label of root.querySelectorAll('.stat dt')) label.replaceChildren(term(label.textContent ?? ''));
}
