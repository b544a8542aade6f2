// SPDX-License-Identifier: Apache-2.0
/* For differences, and for cards on which two parts of a run can be compared. */
import { root } from '../dom/root.js';
import { parts } from '../parts.js';
import { createComparison, followSwitch } from '../view/compare.js';
import { meeting } from '../view/meet.js';

parts.difference = followSwitch;

parts.meeting = meeting;

parts.comparison = (store, showNode, isPair) => {
    const menu = root.querySelector('.win');
    const place = root.getElementById('profile');
    return place && (menu || isPair) ? createComparison(store, menu, place, showNode, isPair) : null;
};
