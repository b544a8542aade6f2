// SPDX-License-Identifier: Apache-2.0
/*
 * The service worker of the drop page, for servers: a file next to drop.html. The page comes from the server, and from
 * what was kept of it when there is no network. Nothing else is kept, and nothing else is answered.
 */
const page = new URL(self.registration.scope);

async function fresh(cache) {
    const answer = await fetch(page, { cache: 'no-cache' });
    if (answer.ok) await cache.put(page, answer.clone());
    return answer;
}

self.addEventListener('install', (event) => event.waitUntil(caches.open(page.href).then(fresh)));

self.addEventListener('fetch', (event) => {
    const asked = new URL(event.request.url);
    if (event.request.mode !== 'navigate' || asked.origin !== page.origin || asked.pathname !== page.pathname) return;
    const answer = async () => {
        const cache = await caches.open(page.href);
        return fresh(cache).catch(async (why) => {
            const kept = await cache.match(page);
            if (kept) return kept;
            throw why;
        });
    };
    event.respondWith(answer());
});
