// SPDX-License-Identifier: Apache-2.0
/* What the lanes are painted with: rectangles, text and dots in the colours of the theme. */

/** @typedef {ReturnType<typeof createInk>} Ink */
/** @typedef {import('../../dom/colour.js').Palette} Palette */

/**
 * @param {CanvasRenderingContext2D} g
 * @param {Palette} palette
 */
export function createInk(g, { of, owners, hues, sans }) {
    g.textBaseline = 'middle';
    g.font = `11px ${sans}`;
    const write = (/** @type {keyof Palette['of']} */ ink, /** @type {[string, number, number]} */ ...text) => {
        g.fillStyle = of[ink];
        g.fillText(...text);
    };
    return {
        g,
        of,
        owners,
        hues,
        /** @param {string} text */
        widthOf: (text) => g.measureText(text).width,
        write,

        /** @param {keyof Palette['of']} ink @param {[number, number, number, number]} box  x, y, width, height */
        fill(ink, ...box) {
            g.fillStyle = of[ink];
            g.fillRect(...box);
        },

        /** Text with a rim, so that no line touches it. @param {[string, number, number]} text */
        halo(...text) {
            g.lineJoin = 'round';
            g.lineWidth = 4;
            g.strokeStyle = of['--surface'];
            g.strokeText(...text);
            write('--text', ...text);
        },

        /** @param {number} x @param {number} y @param {keyof Palette['of']} ink @param {keyof Palette['of']} ring */
        dot(x, y, ink, ring) {
            g.fillStyle = of[ink];
            g.beginPath();
            g.arc(x, y, 3.5, 0, 2 * Math.PI);
            g.fill();
            g.strokeStyle = of[ring];
            g.lineWidth = 1.5;
            g.stroke();
        },
    };
}
