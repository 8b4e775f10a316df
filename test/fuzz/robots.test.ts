import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../packages/fetch/index.js';
import { fuzzed } from '../support/runs.js';

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
}
interface Group {
  readonly agents: readonly string[];
  readonly rules: readonly Rule[];
}

const LETTERS = ['a', 'b', '/', '?', '.', '%61', '%2F', '%2f', 'é', '%C3%A9', '%c3%a9', '%', '%zz', '='];
const path = fc
  .array(fc.constantFrom(...LETTERS, '*', '$', '%2A', '%24'), { maxLength: 8 })
  .map((all) => `/${all.join('')}`);
const pattern = fc
  .tuple(
    fc.constantFrom('/', '/', '*', ''),
    fc.array(fc.constantFrom(...LETTERS, '*', '%2A', '$', '%24'), { maxLength: 6 }),
  )
  .map(([start, all]) => start + all.join(''))
  .map((text) => `${text}${text.length % 5 === 0 ? '$' : ''}`);
const agent = fc.constantFrom('bot', 'otherbot', 'bot-news', '*');
const groups = fc.array(
  fc.record({
    agents: fc.array(agent, { minLength: 1, maxLength: 2 }),
    rules: fc.array(fc.record({ allow: fc.boolean(), pattern }), { minLength: 1, maxLength: 5 }),
  }),
  { maxLength: 4 },
);

/** The bytes of a path or a pattern as tokens that are equal for equal bytes; a wildcard is `*`, the end `$`. */
function octets(text: string, isPattern: boolean): string[] {
  const tokens: string[] = [];
  let inQuery = false;
  const encoded = text.replace(/[^\0-\x7f]/gu, (char) => encodeURIComponent(char));
  for (const [found] of encoded.matchAll(/%[0-9a-f]{2}|[^]/gi)) {
    if (found.length === 3) {
      const char = String.fromCharCode(parseInt(found.slice(1), 16));
      const divides = !inQuery && (char === '/' || char === '?');
      tokens.push(/[\w.~:/?#[\]@!$&'()*+,;=-]/.test(char) && !divides ? `'${char}` : found.toUpperCase());
    } else {
      if (found === '?') inQuery = true;
      tokens.push(isPattern && found === '*' ? '*' : found === '%' ? '%25' : `'${found}`);
    }
  }
  if (isPattern && text.endsWith('$')) tokens[tokens.length - 1] = '$';
  return tokens;
}

/** The simple way: a wildcard is tried with every length. */
function matchesAt(rule: readonly string[], at: readonly string[]): boolean {
  const [first, ...rest] = rule;
  if (first === undefined) return true;
  if (first === '$' && rest.length === 0) return at.length === 0;
  if (first === '*') return matchesAt(rest, at) || (at.length > 0 && matchesAt(rule, at.slice(1)));
  return first === at[0] && matchesAt(rest, at.slice(1));
}

/** The length of a pattern in bytes with all necessary escapes; several wildcards in a row count as one. */
function length(rule: readonly string[]): number {
  return rule.reduce((sum, token, i) => {
    if (token === '*' && rule[i - 1] === '*') return sum;
    return sum + (token.startsWith('%') ? 3 : 1);
  }, 0);
}

function oracle(file: readonly Group[], name: string, url: string): boolean {
  const of = (wanted: string): Group[] => file.filter(({ agents }) => agents.includes(wanted));
  const own = of(name);
  const rules = (own.length > 0 ? own : of('*')).flatMap((group) => group.rules);
  if (/^\/robots\.txt($|\?)/.test(url)) return true;
  let best: { length: number; allow: boolean } = { length: -1, allow: true };
  for (const { allow, pattern: text } of rules) {
    if (text === '') continue;
    const rule = octets(text, true);
    if (!matchesAt(rule, octets(url, false))) continue;
    const found = { length: length(rule), allow };
    if (found.length > best.length || (found.length === best.length && allow)) best = found;
  }
  return best.allow;
}

const write = (file: readonly Group[], end: string): string =>
  file
    .flatMap(({ agents, rules }) => [
      ...agents.map((name) => `User-agent: ${name}`),
      ...rules.map(({ allow, pattern: text }) => `${allow ? 'Allow' : 'Disallow'}: ${text}`),
    ])
    .join(end);

describe('any robots.txt', () => {
  it('allows the same paths as simple matching', () => {
    fc.assert(
      fc.property(groups, agent, fc.array(path, { minLength: 1 }), fc.constantFrom('\n', '\r', '\r\n'), (...given) => {
        const [file, name, paths, end] = given;
        const rules = parseRobots(write(file, end)).rulesFor(name === '*' ? [] : [name]);
        for (const url of paths) expect(rules.allowed(url).allowed, url).toBe(oracle(file, name, url));
      }),
      fuzzed(20_240_721, 3_000),
    );
  });

  it('of any bytes is read, to a limited result', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        'User-agent: bot',
        'user-agent *',
        'Disallow: /',
        'crawl-delay: 1e400',
        'Crawl-delay: 2',
        'sitemap:x',
      ),
      fc.constantFrom('\0', '\ufeff', '#', ':', 'allow:\xa0/a', 'Disallow: /%', `disallow: ${'*a'.repeat(500)}$`),
    );
    const body = fc.oneof(
      fc.array(line).chain((lines) => fc.constantFrom('\n', '\r', '\n\r').map((end) => Buffer.from(lines.join(end)))),
      fc.uint8Array({ maxLength: 300 }),
    );
    const url = fc.oneof(path, fc.webPath(), fc.string({ unit: 'binary', maxLength: 50 }));
    fc.assert(
      fc.property(body, fc.string({ maxLength: 10 }), url, (bytes, name, at) => {
        const rules = parseRobots(bytes).rulesFor(['bot', name]);
        const { allowed, line: decides } = rules.allowed(at);
        if (!allowed) expect(decides?.text).toMatch(/^Disallow: /);
        if (rules.crawlDelay !== undefined) expect(Number.isFinite(rules.crawlDelay)).toBe(true);
        expect(rules.sitemaps.join('').length).toBeLessThanOrEqual(bytes.length * 3);
        expect(rules.size).toBeLessThan(1_000 + 300 * (bytes.length + 1));
      }),
      fuzzed(20_240_722, 1_500),
    );
  });
});
