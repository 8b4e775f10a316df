import type { FetchOutcome, Plugin } from '../../packages/webcrawl/internal.js';

const WORDS =
  'tide gauge harbour chart sounding moon spring neap current level water station record mean error depth anchor pilot'.split(
    ' ',
  );

/** A random-looking integer from 0 to 2^32 - 1, computed from the given ones; the same everywhere. */
export function mix(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ (number >>> 0), 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

/** Random-looking numbers from 0 to below 1, one after another; the same for the same seed. */
export function randomShares(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function wordOf(syllables: readonly string[], rank: number): string {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/** An HTML page with links and about this number of words; the same for the same seed. */
export function madePage(seed: number, links: readonly string[], words: number): string {
  const parts = [
    `<!DOCTYPE html><html lang="en"><head><title>Page ${seed}</title></head><body><h1>Page ${seed}</h1><ul>`,
  ];
  for (const [i, link] of links.entries())
    parts.push(`<li><a href="${link}">${WORDS[(seed + i) % WORDS.length]} ${i}</a>`);
  parts.push('</ul>');
  for (let i = 0; i < words; i += 50) {
    parts.push('<p>');
    for (let j = i; j < Math.min(words, i + 50); j++) parts.push(WORDS[mix(seed, j) % WORDS.length]!, ' ');
  }
  parts.push('</body></html>\n');
  return parts.join('');
}

export function htmlAnswer(html: string): FetchOutcome {
  return {
    kind: 'content',
    code: 'success',
    http: 200,
    body: Buffer.from(html),
    truncated: false,
    contentType: 'text/html',
    headers: { 'content-type': 'text/html; charset=utf-8' },
  };
}

/** A plugin that answers every request at once, without network. No host has a robots.txt. */
export function webWithoutNetwork(name: string, answer: (host: string, path: string) => FetchOutcome): Plugin {
  const notFound: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
  return {
    name,
    protocol: {
      schemes: ['http', 'https'],
      async fetch({ url }) {
        const slash = url.indexOf('/', 8);
        const path = url.slice(slash);
        return path === '/robots.txt' ? notFound : answer(url.slice(url.indexOf('//') + 2, slash), path);
      },
    },
  };
}
