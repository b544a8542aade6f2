// SPDX-License-Identifier: Apache-2.0
// A small program with things to find: a cache that holds most, a list, values of a WeakMap, a detached closure.
const v8 = require('v8');
class Book { constructor(i) { this.title = 'title ' + i; this.pages = new Array(40).fill(i + 0.5); } }
class Shelf { constructor() { this.books = new Map(); this.last = null; } }
class Loan { constructor(next, i) { this.next = next; this.reader = { name: 'reader ' + i }; } }
const shelf = new Shelf();
for (let i = 0; i < 1000; i++) shelf.books.set('isbn-' + i, new Book(i));
for (let i = 0; i < 500; i++) shelf.last = new Loan(shelf.last, i);
globalThis.library = { shelf };
const notes = new WeakMap();
globalThis.keys = [];
for (let i = 0; i < 100; i++) { const key = { i }; keys.push(key); notes.set(key, { text: new Array(50).fill(i) }); }
globalThis.notes = notes;
globalThis.gone = new WeakRef(new Book(-1));
v8.writeHeapSnapshot(process.argv[2]);
