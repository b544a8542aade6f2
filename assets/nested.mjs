// SPDX-License-Identifier: Apache-2.0
/*
 * Rules that follow one another and begin with the same selector are nested: `.a{x}.a b{y}.a:hover{z}` becomes
 * `.a{x;& b{y}&:hover{z}}`, two kilobytes less in each card. Their order, and how specific they are, stay the same. Any
 * browser with :has() and color-mix(), which the styles use too, reads it.
 */

/** @typedef {{head: string, body: string, from: number, to: number}} Block  with the places of the whole */

/** The blocks of a style or of an at-rule. @param {string} css @returns {Block[]} */
function blocksOf(css) {
    const blocks = [];
    for (let from = 0; from < css.length;) {
        const open = css.indexOf('{', from);
        if (open < 0) break;
        let to = open + 1;
        for (let depth = 1; depth > 0; to++) {
            depth += css[to] === '{' ? 1 : css[to] === '}' ? -1 : 0;
        }
        blocks.push({ head: css.slice(from, open).trim(), body: css.slice(open + 1, to - 1), from, to });
        from = to;
    }
    return blocks;
}

/** The selectors of a list. @param {string} head */
export function listOf(head) {
    const list = [''];
    let depth = 0;
    for (const letter of head) {
        depth += '(['.includes(letter) ? 1 : ')]'.includes(letter) ? -1 : 0;
        if (letter === ',' && depth === 0) list.push('');
        else list[list.length - 1] += letter;
    }
    return list;
}

/** What a selector may be nested in: its beginnings, the longest first. @param {string} selector */
function startsOf(selector) {
    const starts = [];
    let depth = 0;
    for (let i = 1; i <= selector.length; i++) {
        const isEnd = depth === 0 && (i === selector.length || /[\s>+~.:[]/.test(selector[i]));
        if (isEnd && /[\w)\]-]/.test(selector[i - 1])) starts.unshift(selector.slice(0, i));
        depth += '(['.includes(selector[i]) ? 1 : ')]'.includes(selector[i]) ? -1 : 0;
    }
    return starts.filter((start) => /^[.#&\w]/.test(start) && !/:(host|root|before|after|:)/.test(start));
}

/** How a selector is written inside another; null: it is not of it. @param {string} selector @param {string} start */
function within(selector, start) {
    const rest = selector.slice(start.length);
    if (!selector.startsWith(start) || !/^[\s>+~.:[]/.test(rest) || /:host|:root/.test(rest)) return null;
    if (/^[.:[]/.test(rest)) return `&${rest}`;
    return /^\s\w/.test(rest) ? `&${rest}` : rest.trim();
}

/** A run of blocks in one. @param {string} start @param {{inner: string, body: string}[]} run */
function inOne(start, run) {
    const [own, rest] = run[0].inner === '' ? [run[0].body, run.slice(1)] : ['', run];
    return `${start}{${own && `${own};`}${nested(rest.map(({ inner, body }) => `${inner}{${body}}`).join(''))}}`;
}

/** The run from a block on that saves the most. @param {Block[]} blocks */
function bestRun(blocks) {
    let best = { text: '', count: 0, saved: 0 };
    for (const start of startsOf(listOf(blocks[0].head)[0])) {
        const run = [];
        for (const { head, body } of blocks) {
            const inner = head === start && !run.length ? '' : listOf(head).map((one) => within(one, start));
            if (typeof inner !== 'string' && inner.includes(null)) break;
            run.push({ inner: typeof inner === 'string' ? inner : inner.join(), body });
            const text = inOne(start, run);
            const saved = blocks[run.length - 1].to - blocks[0].from - text.length;
            if (saved > best.saved) best = { text, count: run.length, saved };
        }
    }
    return best;
}

/** @param {string} css  minified */
export function nested(css) {
    const blocks = blocksOf(css);
    let text = '';
    for (let i = 0; i < blocks.length;) {
        const { head, body, from, to } = blocks[i];
        const isRule = !head.startsWith('@') && !head.includes(';');
        const ahead = blocks.slice(i);
        const end = ahead.findIndex((one) => one.head.startsWith('@') || one.head.includes(';'));
        const run = isRule ? bestRun(end < 0 ? ahead : ahead.slice(0, end)) : { text: '', count: 0 };
        if (run.count) text += run.text;
        else if (/^@(media|container|supports)/.test(head)) text += `${head}{${nested(body)}}`;
        else text += css.slice(from, to);
        i += run.count || 1;
    }
    return text + css.slice(blocks[blocks.length - 1]?.to ?? 0);
}
