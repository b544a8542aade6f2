// SPDX-License-Identifier: Apache-2.0
/* Light and dark: like the system, until an element says otherwise with data-theme. */
import { iconButton } from './elements.js';

/** @param {{dataset: DOMStringMap}} host  carries the theme */
export const isDark = ({ dataset: { 'theme': theme } }) =>
    theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;

/** @param {() => void} onclick */
export const themeButton = (onclick) =>
    iconButton('theme', 'Switch between light and dark', 'Light or dark', onclick);
