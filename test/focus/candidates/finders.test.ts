import { describe, expect, test } from 'vitest';
import { FINDERS } from '../../../packages/focus/candidates/finders.js';
import { isLinear } from '../../../packages/patterns/pattern-cost.js';
import { parsePattern } from '../../../packages/patterns/pattern-tree.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { articles, cutBy, findIn, sortedRows, type GivenRow } from '../../support/focus/finder-rows.js';
import { runs } from '../../support/runs.js';

const HOSTS = [
  'http://www.example.com',
  'http://example.com',
  'https://www.example.com',
  'http://m.example.com',
  'http://example.com:8080',
];
const WORDS = ['red', 'big', 'new', 'cal', 'tag', 'a.b', 'x+y', '%E4%BD%A0', 'amp', 'print', '(1)', '$', '1', '20'];

/** A site of sections that repeat, sort, filter, count and copy in random ways; some pages must be kept. */
function madeSite(seed: number): GivenRow[] {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const word = (): string => one(WORDS);
  const id = (): string => Array.from({ length: 20 }, () => one([...'0123456789abcdef'])).join('');
  const rows: GivenRow[] = articles(one(HOSTS), 10 + below(60));

  for (let section = 1 + below(4); section > 0; section--) {
    const [host, other] = [one(HOSTS), one(HOSTS)];
    const folder = Array.from({ length: below(3) }, () => `/${word()}`).join('');
    const parameter = one(['sort', 'f.x', 'q+', word()]);
    const sessions = Array.from({ length: 3 + below(5) }, id);
    const separator = one(['&', ';', '&&']);
    const end = one(['', '/', '.html']);
    const isSame = random() < 0.7;
    const keeps = one([0, 0, 0.001, 0.01]);
    const kind = below(9);
    const pages = 12 + below(60);
    const count = 100 + below(150);
    for (let i = 0; i < count; i++) {
      const page = `${folder}/${one(['a', 'b', 'c'])}/page-${'abcdefghijklmnopqrstuvwxyz'[(i % pages) % 26]}${i % pages}${end}`;
      const value = one(['up', 'down', String(below(3)), '', '=']);
      const path = [
        () => `${page}?${parameter}=${value}`,
        () => `${page}?z=1${separator}${parameter}=${value}`,
        () => `${page}?${parameter}=${one(sessions)}`,
        () => `${page};${parameter}=${one(sessions)}`,
        () => `${folder}/${2000 + below(60)}/${below(12)}${one(['', '/', '/x', '?x'])}`,
        () => `${folder}/x${below(500)}${end}`,
        () => `${folder}/tag/${word()}/${word()}${end}`,
        () => `${page}?${parameter}%5B${below(4)}%5D=${value}`,
        () => page,
      ][kind]!();
      const isKept = random() < keeps;
      const signature = isSame ? `${section} ${page}` : `${path} ${below(3)}`;
      const traits = { ...(random() < 0.8 && { signature }), ...(isKept && { isKept, relevant: random() < 0.5 }) };
      rows.push({ url: `${host}${path}`, ...traits });
      if (random() < 0.9) rows.push({ url: `${host}${page}${kind === 1 ? '?z=1' : ''}`, signature });
      if (kind === 8) rows.push({ url: `${other}/${one(['print', 'print', 'mobile'])}${page}`, signature });
    }
  }
  // As in a table: no URL twice.
  return sortedRows(rows.map(({ url, ...rest }) => ({ ...rest, url: new URL(url).href })));
}

describe('all finders together', () => {
  test('never reject pages that must be kept, state exactly how many rows they reject, and find the same each time', () => {
    const kinds = new Map<string, number>();
    for (let seed = 1; seed <= runs(40, 200); seed++) {
      const rows = madeSite(seed);
      const hasRelevant = seed % 4 !== 0;
      const found = findIn(FINDERS, rows, { hasRelevant, minRelevant: 20 });
      expect(findIn(FINDERS, [...rows].reverse(), { hasRelevant, minRelevant: 20 })).toEqual(found);
      const isKept = new Set(rows.filter((row) => row.isKept).map(({ url }) => url));
      for (const candidate of found) {
        const { rule, reason, evidence } = candidate;
        const cut = cutBy([candidate], rows);
        const lost = rule.kind === 'www' ? [] : cut.filter((url) => isKept.has(url));
        expect(lost, `${seed}: ${JSON.stringify(rule)}`).toEqual([]);
        expect(candidate.rows, `${seed}: ${JSON.stringify(rule)}`).toBe(cut.length);
        expect((evidence['examples'] as string[]).length).toBeLessThanOrEqual(3);
        if (rule.kind !== 'www' && 'regex' in rule.pattern)
          expect(isLinear(parsePattern(rule.pattern.regex))).toBe(true);
        const kind = `${reason}${hasRelevant ? '' : ' by signature'}`;
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
    }
    // These webs show every kind of candidate.
    for (const kind of ['facet', 'facet by signature', 'session', 'calendar', 'useless_prefix']) {
      expect(kinds.get(kind), kind).toBeGreaterThan(runs(0, 3));
    }
  });
});
