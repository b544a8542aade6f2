// SPDX-License-Identifier: Apache-2.0
/* Light and dark: like the system, until an element says otherwise with data-theme. */
import { el, icon } from './elements.js';

/** @param {HTMLElement} host  carries the theme */
export const isDark = ({ dataset: { 'theme': theme } }) =>
    theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

/** @param {() => void} onclick */
export const themeButton = (onclick) =>
    el(
        'button',
        {
            class: 'btn icon',
            'aria-label': 'Switch between light and dark',
            title: 'Light or dark',
            onclick,
        },
        icon('theme'),
    );
