// SPDX-License-Identifier: Apache-2.0
/* Canvases that are sharp on every screen. */

/**
 * Empties a canvas and gives it a size, in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @param {number} [top]  what is at this y is at its upper edge
 */
export function sizeCanvas(canvas, width, height, top = 0) {
    const scale = Math.max(1, window.devicePixelRatio || 1);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.setTransform(scale, 0, 0, scale, 0, -top * scale);
    return pen;
}
