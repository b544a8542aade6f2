// SPDX-License-Identifier: Apache-2.0
/* Zooming the time axis: by wheel, keys and buttons, to a window, and by dragging where there is no window. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { cardOf, sample, stopBrowser, withCard } from '../support/browser.mjs';

after(stopBrowser);

const card = cardOf(sample('daily-sales.bin'));
const host = cardOf(sample('timeline/host.sadf.json'));

/** Where the lanes are, in pixels of the page. */
const lanes = (page) => page.locator('.plot > canvas').first().boundingBox();

/** What the cursor says at a part of the width of the lanes. */
async function momentAt(page, share) {
    const { x, y, width } = await lanes(page);
    await page.mouse.move(x + 10 + (width - 84) * share, y + 20);
    return page.evaluate(() => document.querySelector('#tl').getAttribute('aria-label')).then(() => cursor(page));
}

/** The moment is drawn; the handle of the window has it as text: one is begun there, and taken back. */
async function cursor(page) {
    await page.keyboard.press('[');
    const text = await page.locator('.handle.first').getAttribute('aria-valuetext');
    await page.locator('#tl').focus();
    await page.keyboard.press('Escape');
    return parseFloat(text);
}

test('Ctrl and the wheel zoom about the pointer, a button shows the whole run again', () =>
    withCard(card, {}, async (page) => {
        const before = await momentAt(page, 0.75);
        assert.equal(await page.locator('.overview').isVisible(), false);
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, -800);
        await page.keyboard.up('Control');
        assert.ok(await page.locator('.overview').isVisible());
        const [left, middle, right] = [
            await momentAt(page, 0.01),
            await momentAt(page, 0.75),
            await momentAt(page, 0.99),
        ];
        assert.ok(Math.abs(middle - before) < 0.3, `${before} became ${middle}`);
        assert.ok(right - left < 0.5 * (before / 0.75), `${left} to ${right}`);
        await page.getByRole('button', { name: 'Whole run' }).first().click();
        assert.equal(await page.locator('.overview').isVisible(), false);
        assert.ok((await momentAt(page, 0.01)) < 0.2);
    }));

test('the wheel alone scrolls the page', () =>
    withCard(card, { height: 500 }, async (page) => {
        const { x, y } = await lanes(page);
        await page.mouse.move(x + 50, y + 20);
        await page.mouse.wheel(0, 200);
        await page.waitForFunction(() => scrollY > 0);
        assert.equal(await page.locator('.overview').isVisible(), false);
    }));

test('zooming to a window puts both of its handles near the edges; those out of view are hidden', () =>
    withCard(card, {}, async (page) => {
        const { x, y, width } = await lanes(page);
        await page.mouse.move(x + width * 0.4, y + 20);
        await page.mouse.down();
        await page.mouse.move(x + width * 0.5, y + 20, { steps: 4 });
        await page.mouse.up();
        await page.getByRole('button', { name: 'Zoom to the window' }).click();
        const [first, last] = await Promise.all(
            ['first', 'last'].map((end) => page.locator(`.handle.${end}`).boundingBox()),
        );
        assert.ok(last.x - first.x > 0.8 * (width - 84), `${first.x} to ${last.x} of ${width}`);
        await page.locator('#tl').focus();
        for (let i = 0; i < 4; i++) await page.keyboard.press('+');
        assert.equal(await page.locator('.handle:visible').count(), 0);
        for (let i = 0; i < 30; i++) await page.keyboard.press('-');
        assert.equal(await page.locator('.handle:visible').count(), 2);
        assert.equal(await page.locator('.overview').isVisible(), false);
    }));

test('a timeline without a profile: dragging zooms, a double click shows all again', () =>
    withCard(host, {}, async (page) => {
        const { x, y, width } = await lanes(page);
        await page.mouse.move(x + width * 0.6, y + 20);
        await page.mouse.down();
        await page.mouse.move(x + width * 0.7, y + 20, { steps: 4 });
        await page.mouse.up();
        assert.ok(await page.locator('.overview').isVisible());
        // The strip moves what is shown.
        const strip = await page.locator('.overview').boundingBox();
        const picture = () => page.locator('#tl').evaluate((canvas) => canvas.toDataURL());
        const there = await picture();
        await page.mouse.click(strip.x + 40, strip.y + 10);
        assert.notEqual(await picture(), there);
        await page.mouse.dblclick(x + width / 2, y + 20);
        assert.equal(await page.locator('.overview').isVisible(), false);
        await page.mouse.click(x + width / 2, y + 20);
        assert.equal(await page.locator('.overview').isVisible(), false, 'a click is no drag');
    }));

test('without a window there are no times that look like one; the keyboard finds the fields', () =>
    withCard(card, {}, async (page) => {
        const field = page.locator('#w-first');
        assert.match(await page.locator('.win').innerText(), /Drag to select a time window/);
        assert.ok((await field.boundingBox()).width <= 2);
        await field.focus();
        assert.ok((await field.boundingBox()).width > 30);
        await field.fill('2');
        await field.press('Enter');
        assert.doesNotMatch(await page.locator('.win').innerText(), /\bb\d+:b\d+/);
        assert.ok((await field.boundingBox()).width > 30);
    }));
