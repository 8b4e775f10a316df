import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUrlChain, traceUrl, type Plugin } from '../../packages/plugin-api/index.js';
import {
  basicUrlNormalizer,
  domainUrlFilter,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  suffixUrlFilter,
  trapUrlFilter,
} from '../../packages/plugins/index.js';
import { domainOf, groupOf, hostOf, parseUrl, resolveLink } from '../../packages/url/index.js';
import { hostRange, rowKeyOf, urlOf } from '../../webtable/index.js';
import { fuzzed } from '../support/runs.js';

const read = (name: string): string => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');
const NORMALIZERS: Plugin[] = [basicUrlNormalizer(), regexUrlNormalizer(read('regex-normalize.txt'))];
const FILTERS: Plugin[] = [
  trapUrlFilter({ maxLength: 2000, maxRepeats: 2, maxParameters: 20, maxDepth: 30 }),
  regexUrlFilter(read('regex-urlfilter.txt')),
  regexUrlFilter('-(?:[^/]*/)*x[^x]*y\n+.'),
  prefixUrlFilter('http://\nhttps://'),
  suffixUrlFilter(read('suffix-urlfilter.sample.txt')),
  domainUrlFilter(read('domain-urlfilter.sample.txt')),
];

/** Throws for many URLs, which rejects them. */
const HASTY: Plugin = {
  name: 'hasty',
  filterUrl(url) {
    if (url.includes('a')) throw new Error('too slow');
    return true;
  },
};

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '/',
    '//',
    '.',
    '..',
    '/../',
    '?',
    '&',
    '&&',
    '=',
    '#',
    ':',
    '@',
    ';',
    '%',
    '%2e',
    '%2F',
    '%zz',
  ),
  fc.constantFrom(
    'é',
    '\u{1f600}',
    ' ',
    '\t',
    '\\',
    '|',
    '[',
    ']',
    '~',
    "'",
    '"',
    '<',
    '\0',
    '\ud800',
    '-',
    '!',
    '$',
    ',',
  ),
  fc.constantFrom(
    ';jsessionid=1',
    'phpsessid=2',
    'sid=824a6c0a13a7e11205a128f44e3aab01',
    'a/'.repeat(9),
    'a'.repeat(60),
  ),
);
const rest = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''));
const host = fc.oneof(
  fc.constantFrom(
    'a.com',
    'A.Co.UK',
    'a.com.',
    'xn--bcher-kva.example',
    'bücher.example',
    '1.2.3.4',
    '0x7f.1',
    '[::1]',
  ),
  fc.constantFrom(
    'localhost',
    'a_b.com',
    'a..com',
    'com',
    '',
    'a.com:80',
    'a.com:8080',
    '1.2.3.4.',
    '☃.net',
    '-a.com',
    '256',
  ),
  fc.domain(),
);
const anyUrl = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTP:', 'http:///', 'ftp://', 'http://u@', ''),
      host,
      fc.constantFrom('/', '', '?'),
      rest,
    )
    .map((parts) => parts.join('')),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

/** The URL as the table holds it; undefined if it cannot. */
function parsed(text: string): string | undefined {
  try {
    return parseUrl(text).href;
  } catch (error) {
    expect(error).toMatchObject({ code: 'BAD_URL' });
    return undefined;
  }
}

describe('any URL', () => {
  it('is rejected, or has one normal form', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        const verdict = applyUrlChain(NORMALIZERS, text, 'outlink');
        const url = parsed(text);
        // The rules for session ids assume that a host has no `;`; no host that can be resolved has one.
        if (url !== undefined && hostOf(url).includes(';')) return;
        expect(verdict.accepted).toBe(url !== undefined);
        if (!verdict.accepted) return;
        expect(new URL(verdict.url).href).toBe(verdict.url);
        expect(verdict.url).toMatch(/^https?:\/\/[^/?#]+\/[!-~]*$/);
        expect(applyUrlChain(NORMALIZERS, verdict.url, 'outlink')).toEqual(verdict);
      }),
      fuzzed(20_240_731, 5_000),
    );
  });

  it('has a row key that leads back to it, within its host', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        const url = parsed(text);
        if (url === undefined)
          return void expect(() => rowKeyOf(text)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
        const key = rowKeyOf(url);
        expect(key).toBe(rowKeyOf(text));
        expect(urlOf(key)).toBe(url);
        expect(key).toMatch(/^[!-~]+$/);
        const { start, end } = hostRange(hostOf(url));
        expect(start <= key && key < end).toBe(true);
        expect(`${hostOf(url).replace(/\.$/, '')}.`).toContain(domainOf(hostOf(url)));
        expect([hostOf(url), domainOf(hostOf(url))]).toEqual([groupOf(url, 'host'), groupOf(url, 'domain')]);
      }),
      fuzzed(20_240_732, 5_000),
    );
  });

  it('is sorted in the table by its path among those of its origin', () => {
    fc.assert(
      fc.property(host, rest, rest, (name, one, other) => {
        const [a, b] = [parsed(`http://${name}/${one}`), parsed(`http://${name}/${other}`)];
        if (a === undefined || b === undefined || new URL(a).host !== new URL(b).host) return;
        expect(rowKeyOf(a) < rowKeyOf(b)).toBe(a < b);
        expect(rowKeyOf(a) === rowKeyOf(b)).toBe(a === b);
      }),
      fuzzed(20_240_733, 3_000),
    );
  });

  it('is filtered without a throw, and its explanation agrees with the filter', () => {
    fc.assert(
      fc.property(anyUrl, fc.integer({ min: 1, max: 60 }), (text, times) => {
        const long = text + text.slice(-8).repeat(times);
        for (const url of [parsed(text), parsed(long)]) {
          if (url === undefined) continue;
          for (const { filterUrl } of FILTERS)
            expect(['string', 'boolean']).toContain(typeof filterUrl!(url, 'outlink'));
          const all = [...NORMALIZERS, ...FILTERS, HASTY];
          expect(traceUrl(all, url, 'outlink').verdict).toEqual(applyUrlChain(all, url, 'outlink'));
        }
      }),
      fuzzed(20_240_734, 2_000),
    );
  });

  it('as a link resolves to a URL that the table can hold, or to nothing', () => {
    fc.assert(
      fc.property(fc.oneof(rest, anyUrl), anyUrl, (href, base) => {
        const url = resolveLink(href, base);
        if (url !== null) expect(parsed(url)).toBe(url);
      }),
      fuzzed(20_240_735, 3_000),
    );
  });
});
