// SPDX-License-Identifier: Apache-2.0
/*
 * What is chosen above the table is chosen in the rest of the page too: the grid dims other runs, and hides jobs that
 * have none; trends and flows without a run are hidden.
 */

/** @typedef {{cards: Set<string>, jobs: Set<string>} | null} Chosen  null: everything is */

/** @param {Element} element @param {boolean} hidden */
function hide(element, hidden) {
    const target = /** @type {HTMLElement} */ (element);
    if (target.hidden !== hidden) target.hidden = hidden;
}

/** @param {string} selector */
const all = (selector) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)]);

/** @param {Element} element */
const linkOf = (element) => element.querySelector('a')?.getAttribute('href') ?? '';

export function createFilter() {
    const cells = all('.grid tbody td[class]').map((cell) => ({ cell, link: linkOf(cell) }));
    const flows = all('.flow').map((flow) => ({
        flow,
        links: [...flow.querySelectorAll('.steps th a')].map((link) => link.getAttribute('href') ?? ''),
    }));
    const ofJobs = all('.grid tr[data-job], .trend');
    const groups = all('.grid').map((group) => ({ group, parts: [...group.querySelectorAll('tr[data-job]')] }));
    const sections = all('main > section')
        .filter((section) => section.querySelector('.grid, .trend, .flow'))
        .map((section) => ({ section, parts: [...section.querySelectorAll('.grid, .trend, .flow')] }));
    /** @param {Element[]} parts */
    const areHidden = (parts) => parts.every((part) => /** @type {HTMLElement} */ (part).hidden);

    return (/** @type {Chosen} */ chosen) => {
        for (const { cell, link } of cells) cell.classList.toggle('dim', chosen !== null && !chosen.cards.has(link));
        for (const part of ofJobs) hide(part, chosen !== null && !chosen.jobs.has(part.dataset.job ?? ''));
        for (const { flow, links } of flows)
            hide(flow, chosen !== null && !links.some((link) => chosen.cards.has(link)));
        for (const { group, parts } of groups) hide(group, areHidden(parts));
        for (const { section, parts } of sections) hide(section, areHidden(parts));
    };
}
