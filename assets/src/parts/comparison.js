// SPDX-License-Identifier: Apache-2.0
/* For differences, and for cards on which two parts of a run can be compared. */
import { root } from '../dom/root.js';
import { parts } from '../parts.js';
import { createComparison, followSwitch } from '../view/compare.js';

parts.difference = followSwitch;

parts.comparison = (store, showNode) => {
    const menu = root.querySelector('.win');
    const place = root.getElementById('profile');
    return menu && place ? createComparison(store, menu, place, showNode) : null;
};
