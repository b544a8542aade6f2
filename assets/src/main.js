// SPDX-License-Identifier: Apache-2.0
/* The script of the card: decodes the data island and brings the static page to life. */
document.documentElement.classList.add('pr-live');
