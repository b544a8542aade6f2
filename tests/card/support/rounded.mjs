// SPDX-License-Identifier: Apache-2.0
/*
 * Numbers as a person sees them on a page: each rounded one, with the exact numbers of its hover. A hover counts
 * only if its numbers, rounded by the page's own rules, give what is shown.
 */
import { bytes, count, duration, formatOf, growth, moment, percent } from '../../../assets/src/lib/units.js';

/** What is rounded: a number with a unit that has larger or smaller ones, a share, a clock. */
const ROUNDED = new RegExp(
    [
        String.raw`(?:<\s)?[+\u2212\u00b1-]?\d[\d,]*(?:\.\d+)?\s(?:[KMGTP]iB(?:/s)?|%|points|cores?)(?!\w)`,
        String.raw`\d[\d,]* per second`,
        String.raw`\d+ (?:d \d\d h|h \d\d min|min \d\d s)`,
        String.raw`\d[\d,]*(?:\.\d+)?\s(?:ns|\u00b5s|ms|s)(?!\w)`,
        String.raw`(?<![\w:.-])\d+:\d\d(?::\d\d)?(?:\.\d+)?(?![\w:-])`,
    ].join('|'),
    'g',
);

/** Rounded to its exact value: nothing is lost. */
const isWhole = (shown) => /^(0 s|0 %|100 %|0 points|\d+ cores?)$/.test(shown);

/**
 * In the page: the text of each visible element that has a digit in it, with the nearest hover. Names, commands, notes
 * and others' messages are not our numbers; the ticks of an axis and the steps of a legend are round by themselves.
 */
function textsOfPage() {
    const notOurs =
        'script, style, pre, code, .md, .teaser, h1, [role=tree], .vh, .axis, .ticks, .tip, .source, .legend, textarea';
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const holder = node.parentElement;
        if (!/\d/.test(node.data) || holder.closest(notOurs) || holder.localName === 'title') continue;
        if (!holder.checkVisibility({ visibilityProperty: true })) continue;
        let title = '';
        for (let e = holder; e && !title; e = e.parentElement) {
            const drawn = e.namespaceURI.endsWith('svg') ? e.querySelector(':scope > title') : null;
            title = drawn?.textContent ?? e.title ?? '';
        }
        const around = holder.parentElement.textContent.slice(0, 120);
        found.push({ text: node.data, title, around, isCell: holder.localName === 'td' });
    }
    return found;
}

const NUMBER = String.raw`[\u2212-]?\d[\d,]*(?:\.\d+)?`;
const EXACT = new RegExp(`(${NUMBER}) ?(bytes?/s|bytes?|s|%|cores?|cycles|(?= of |$))(?!\\w)`, 'g');
const value = (text) => Number(text.replaceAll(',', '').replace('\u2212', '-'));

/** How a number may be shown. */
function formsOf(number, unit) {
    if (unit.endsWith('/s')) return [formatOf('bytes_per_second').short(number)];
    if (unit.startsWith('byte')) return [bytes(number)];
    if (unit === '%') return [formatOf('percent').short(Math.round(number * 1000))];
    if (unit.startsWith('core')) {
        const tenths = Math.round(number * 10) / 10;
        return [formatOf('cores').short(Math.round(number * 1000)), `${tenths.toFixed(1)} cores`];
    }
    if (unit === 'cycles') return [`${count(number)} cycles`];
    const ms = Math.round(number * 1000);
    return [duration(Math.round(number * 1e9)), moment(ms, 60_000), moment(ms, 3_600_000)];
}

/** A clock or a time with fewer or more digits than the page's usual ones, as the edges of windows are. */
function isSameTime(shown, number) {
    const parts = /^(?:(\d+):)?(\d+):(\d\d(?:\.\d+)?)$/.exec(shown) ?? /^()()(\d[\d,]*(?:\.\d+)?) s$/.exec(shown);
    if (!parts) return false;
    const [, hours, minutes, seconds] = parts.map((part) => value(part || '0'));
    const step = 10 ** -(/\.(\d+)/.exec(shown)?.[1].length ?? 0);
    return Math.abs((hours * 60 + minutes) * 60 + seconds - number) <= step;
}

/** A change of ten percent and more, as the verdict of a difference words it: "fell 95 %". */
function wholePercent(change, before) {
    const share = Math.abs((100 * change) / before);
    return share >= 9.95 ? `${Math.round(share)} %` : '';
}

/** Everything that a hover may show. */
function explains(title, shown) {
    const unsigned = (text) => text.replace(/^[+\u2212\u00b1-]/, '').replaceAll('\u00a0', ' ');
    const plain = unsigned(shown);
    if (/^\d{4}-\d\d-\d\dT/.test(title)) return title.includes(plain);
    const numbers = Array.from(title.matchAll(EXACT), ([, number, unit]) => ({ number: value(number), unit }));
    const [before, after] = title.includes(' \u2192 ') ? numbers : [];
    const changes = after ? [{ number: Math.abs(after.number - before.number), unit: after.unit }] : [];
    const forms = [...numbers, ...changes].flatMap(({ number, unit }) => formsOf(number, unit));
    const shares = numbers.flatMap(({ number: part }) =>
        numbers.flatMap(({ number: all }) => [
            percent(part, all),
            wholePercent(part, all),
            growth(all, all + part),
            growth(all, part),
        ]),
    );
    const [, many] = /^([\d,]+) /.exec(title) ?? [];
    const seconds = numbers.find(({ unit }) => unit === 's')?.number;
    if (/per second$/.test(plain)) return plain === `${count(Math.floor(value(many) / seconds))} per second`;
    if (/points$/.test(plain)) {
        const [before, all, after, allAfter] = numbers.map(({ number }) => number);
        return Math.abs(value(/[\d.,]+/.exec(plain)[0]) - 100 * Math.abs(after / allAfter - before / all)) < 0.06;
    }
    const [, mean, nouns] = /^([\d,]+) bytes, in ([\d,]+) allocations?$/.exec(title) ?? [];
    if (nouns && plain === bytes(Math.floor(value(mean) / value(nouns)))) return true;
    const isTime = numbers.some(({ number, unit }) => unit === 's' && isSameTime(plain, number));
    return isTime || [...forms, ...shares].map(unsigned).includes(plain);
}

/** A bare number means nothing unless its hover shows what it counts. */
const isBare = ({ text, title, isCell }) => isCell && /^\s*[\d,.]+\s*$/.test(text) && !/\d \w/.test(title);

/**
 * The numbers of a page, as they are now.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<{seen: number, without: string[], bare: string[]}>} how many are rounded; those whose hover does
 *     not have them exactly; numbers without a unit
 */
export async function roundedNumbers(page) {
    const texts = await page.evaluate(textsOfPage);
    const shown = texts.flatMap(({ text, title, around }) =>
        Array.from(text.matchAll(ROUNDED), ([match]) => ({ match: match.trim(), title, around })),
    );
    const rounded = shown.filter(({ match }) => !isWhole(match.replaceAll('\u00a0', ' ')));
    return {
        seen: rounded.length,
        bare: texts.filter(isBare).map(({ text, around }) => `${text} | in: ${around}`),
        without: rounded
            .filter(({ match, title }) => !explains(title, match))
            .map(({ match, title, around }) => `${match} | hover: ${title} | in: ${around}`),
    };
}
