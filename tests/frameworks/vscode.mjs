// SPDX-License-Identifier: Apache-2.0
/*
 * What a person sees of samples/vscode in Visual Studio Code: `node vscode.mjs '{"code", "extension", ...}'`, see
 * startEditor(); the result of each step as JSON. Pictures go into the folder `pictures`, if given.
 */
import { join } from 'node:path';
import { startEditor } from './vscode_editor.mjs';

const PATIENCE_MS = 60_000;
const asked = JSON.parse(process.argv[2]);
const { view, end } = await startEditor(asked);

const item = (name) => view.getByRole('treeitem', { name, exact: true });
const open = (name) => item(name).dblclick();
const picture = (name) => asked.pictures && view.screenshot({ path: join(asked.pictures, `${name}.png`) });
const tabs = () => view.locator('.tab .label-name').allInnerTexts();

/** The page in a panel is two frames deep; the outer one is hidden while another tab is in front. */
const isInFront = async (frame) =>
    frame.url().includes('fake.html') && (await (await frame.parentFrame().frameElement()).isVisible());

/** The frame of the panel in front, once its text fits, and that text. */
async function panel(fits) {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await view.waitForTimeout(200)) {
        for (const frame of view.frames()) {
            const shown = await isInFront(frame).catch(() => false);
            const text = shown ? await frame.locator('body').innerText().catch(() => '') : '';
            if (fits.test(text)) return { frame, text };
        }
    }
    throw new Error(`no panel has ${fits}`);
}

/** A menu takes no click at once after it opened. */
async function choose(name, entry) {
    await item(name).click({ button: 'right' });
    await view.waitForTimeout(700);
    await view.getByRole('menuitem', { name: entry, exact: true }).click();
}

async function card(fits) {
    const { frame } = await panel(fits);
    await frame.waitForSelector('#pr-payload', { state: 'attached' });
    await frame.waitForSelector('[role=tab][aria-selected=true]'); // the card's script ran
    return { frame, seen: await frame.evaluate(() => ({
        title: document.title,
        theme: document.documentElement.dataset.theme,
        text: document.body.innerText,
    })) };
}

const steps = {
    async capture() {
        await open('daily-sales.bin');
        const { frame, seen } = await card(/daily_sales/);
        await picture('capture');
        const link = frame.locator('a[href^="https://code.invalid/"]:visible').first();
        const href = await link.getAttribute('href');
        await link.click();
        await view.locator('.monaco-editor .view-lines').first().waitFor();
        await view.waitForTimeout(500);
        await picture('code');
        const line = await view.locator('.active-line-number').first().innerText();
        return { ...seen, href, line, tabs: await tabs() };
    },
    async other() {
        await open('other.bin');
        await view.locator('[data-mode-id=plaintext] .view-lines').first().waitFor();
        return { tabs: await tabs() };
    },
    async damaged() {
        await open('damaged.bin');
        const { text } = await panel(/^profrender: damaged/);
        await picture('damaged');
        return { text };
    },
    async run() {
        await choose('nightly', 'Open as a Card');
        const { seen } = await card(/Exit status 1/);
        await picture('run');
        return seen;
    },
    async compare() {
        await item('earlier.bin').click();
        await item('later.bin').click({ modifiers: ['Control'] });
        await choose('later.bin', 'Compare as a Card');
        const { seen } = await card(/Before/);
        await picture('compare');
        return seen;
    },
    async save() {
        await view.getByRole('button', { name: /Save the Card/ }).first().click();
        await view.locator('.quick-input-widget input[type=text]').first().waitFor();
        await view.keyboard.press('Enter');
        await view.waitForTimeout(2000);
        return { tabs: await tabs() };
    },
};

const results = {};
for (const name of asked.steps ?? Object.keys(steps)) {
    results[name] = await steps[name]().catch((error) => ({ error: error.message }));
    if (results[name].error) await picture(`${name}-failed`);
}
console.log(JSON.stringify(results));
await end();
