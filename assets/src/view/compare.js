// SPDX-License-Identifier: Apache-2.0
/* The switch of a difference between amounts and shares works without scripts, for its tables; here, for the graph. */
import { root } from '../lib/root.js';

/** @param {import('../page.js').Page} page */
export function followSwitch(page) {
    const [amounts, shares] = ['diff-amount', 'diff-share'].map((id) => root.getElementById(id));
    if (!(amounts instanceof HTMLInputElement && shares instanceof HTMLInputElement)) return;
    const update = () => {
        (page.state.shares ? shares : amounts).checked = true;
    };
    for (const choice of [amounts, shares])
        choice.addEventListener('change', () => page.set({ shares: shares.checked }));
    page.onChange(update);
    update();
}
