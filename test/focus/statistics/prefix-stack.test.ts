import { describe, expect, test } from 'vitest';
import { createPrefixStack } from '../../../packages/focus/statistics/prefix-stack.js';
import { figuresOf, rowsIn, type CountedRow } from '../../../packages/focus/statistics/sums.js';
import { rowKeyOf, type PrefixFigures } from '../../../webtable/index.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { words } from '../../support/files/words.js';

type Row = Omit<CountedRow, 'key'> & { readonly url: string };

interface Bounds {
  readonly min: number;
  readonly depth: number;
}

/** The results of the stack for rows, by key, in their order. */
function stacked(rows: readonly Row[], bounds: Bounds) {
  const nodes: [string, PrefixFigures][] = [];
  const stack = createPrefixStack({ ...bounds, onNode: (key, sums) => nodes.push([key, figuresOf(sums)]) });
  const keyed = rows.map(({ url, ...row }) => ({ ...row, key: rowKeyOf(url) }));
  for (const row of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) stack.add(row);
  stack.end();
  return { nodes, stack };
}

/** The same by the definition: all prefixes of each row, in no order. */
function defined(rows: readonly Row[], { min, depth }: Bounds): Map<string, PrefixFigures> {
  const below = new Map<string, Row[]>();
  const named = new Map<string, Map<string, Row[]>>();
  const add = <K>(map: Map<K, Row[]>, key: K, row: readonly Row[]): unknown =>
    map.set(key, [...(map.get(key) ?? []), ...row]);
  for (const row of rows) {
    const key = rowKeyOf(row.url);
    const [path = '', ...query] = key.split('?');
    const names = path.split('/');
    const prefixes = names.slice(1, depth + 2).map((_, i) => `${names.slice(0, i + 1).join('/')}/`);
    if (query.length > 0 && prefixes.length <= depth) prefixes.push(`${path}?`);
    for (const prefix of prefixes) add(below, prefix, [row]);
    const innermost = prefixes.at(-1)!;
    for (const name of new Set(
      query
        .join('?')
        .split('&')
        .map((part) => part.split('=', 1)[0]!),
    )) {
      if (name === '') continue;
      if (!named.has(innermost)) named.set(innermost, new Map());
      add(named.get(innermost)!, name, [row]);
    }
  }
  const nodes = new Map<string, PrefixFigures>();
  for (const [prefix, of] of below) if (of.length >= min) nodes.set(prefix, sumsOf(of));
  for (const prefix of [...below.keys()].sort((a, b) => b.length - a.length)) {
    for (const [name, of] of named.get(prefix) ?? []) {
      const around = [...below.keys()]
        .filter((each) => each !== prefix && prefix.startsWith(each))
        .sort((a, b) => b.length - a.length)[0];
      if (of.length >= min) nodes.set(`${prefix} ${name}`, sumsOf(of));
      else if (around !== undefined) {
        if (!named.has(around)) named.set(around, new Map());
        add(named.get(around)!, name, of);
      }
    }
  }
  return nodes;
}

function sumsOf(rows: readonly Row[]): PrefixFigures {
  const count = (holds: (row: Row) => boolean): number => rows.filter(holds).length;
  const sum = (value: (row: Row) => number | undefined): number =>
    rows.reduce((all, row) => all + (value(row) ?? 0), 0);
  const statuses: Record<string, number> = {};
  for (const { status } of rows) if (status) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    rows: rows.length,
    statuses,
    relevant: count(({ relevant }) => relevant === true),
    duplicates: count(({ duplicateOf }) => duplicateOf !== undefined),
    errors: count(({ status, retries = 0 }) => status === 'gone' || status === 'retry' || retries > 0),
    bytes: sum(({ bodyBytes }) => bodyBytes),
    fetchMs: sum(({ fetchMs }) => fetchMs),
  };
}

const ORIGINS = words`
  http://a.example https://a.example https://a.example:8443 http://b.a.example http://a-b.example http://[::1]
  http://10.0.0.1
`;
/** Names that sort around `/` and `?`, empty names, and names that look like the end of something. */
const NAMES = ['a', 'b', 'a.b', 'a-', 'a!', '', 'list', 'a~', 'a:b', '{x}', 'aa'];
const QUERIES = ['', '', '?', '?sort=1', '?sort=2&page=3', '?page', '?a/b=c/d', '?x=1&x=2', '?=1&&b', '?q?=1', '?sort'];

function randomRows(random: () => number): Row[] {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const origins = ORIGINS.filter(() => random() < 0.5);
  const rows = new Map<string, Row>();
  for (let i = Math.floor(random() * 120); i > 0; i--) {
    const path = Array.from({ length: Math.floor(random() * 5) }, () => one(NAMES)).join('/');
    const url = `${one(origins.length > 0 ? origins : ORIGINS)}/${path}${one(QUERIES)}`;
    rows.set(rowKeyOf(url), {
      url,
      ...(random() < 0.95 && { status: one(['unfetched', 'fetched', 'gone', 'redir_perm', 'retry', 'notmodified']) }),
      ...(random() < 0.5 && { relevant: random() < 0.5 }),
      ...(random() < 0.2 && { duplicateOf: 'http://a.example/' }),
      ...(random() < 0.8 && { retries: random() < 0.8 ? 0 : 2 }),
      ...(random() < 0.5 && { bodyBytes: Math.floor(random() * 1e7), fetchMs: Math.floor(random() * 1000) }),
    });
  }
  return [...rows.values()];
}

describe('a stack of open prefixes', () => {
  test.each(Array.from({ length: 150 }, (_, seed) => seed))('counts by the definition, seed %i', (seed) => {
    const random = randomNumbers(seed);
    const rows = randomRows(random);
    const bounds = { min: 1 + Math.floor(random() * 6), depth: Math.floor(random() * 6) };
    const { nodes, stack } = stacked(rows, bounds);
    const byKey = (all: Iterable<[string, PrefixFigures]>) => [...all].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(byKey(nodes)).toEqual(byKey(defined(rows, bounds)));
    expect(figuresOf(stack.total)).toEqual(sumsOf(rows));
    expect(stack.origins).toBe(new Set(rows.map(({ url }) => new URL(url).origin)).size);
    expect(stack.parametersOverLimit).toBe(0);
  });

  test('counts in a prefix its own rows and those below it, also with folded prefixes', () => {
    const paths = ['/', '/n/1', '/n/2', '/n/x/1', '/n/x/2', '/n/x/3', '/n/y/1', '/t/1?p=1', '/t/1?p=2', '/t/2?p=1'];
    const rows = paths.map((path): Row => ({ url: `http://a.example${path}`, status: 'fetched', bodyBytes: 10 }));
    const found = Object.fromEntries(stacked(rows, { min: 3, depth: 9 }).nodes.map(([key, { rows }]) => [key, rows]));
    expect(found).toEqual({
      'example.a:http/': 10,
      'example.a:http/n/': 6,
      'example.a:http/n/x/': 3,
      'example.a:http/t/': 3,
      // Two rows of one path and one of another are too few for either path.
      'example.a:http/t/ p': 3,
    });
  });

  test('holds at most 10,000 names of parameters per host, and still counts those of other hosts', () => {
    const nodes: string[] = [];
    const stack = createPrefixStack({ min: 1, depth: 9, onNode: (key, sums) => nodes.push(`${key} ${rowsIn(sums)}`) });
    for (let i = 0; i < 100_000; i++) stack.add({ key: `example.a:http/list?n${String(i).padStart(6, '0')}=1` });
    for (const page of [1, 2]) stack.add({ key: `example.b:http/list?page=${page}` });
    stack.end();
    expect(stack.parametersOverLimit).toBe(90_000);
    expect(nodes).toHaveLength(10_000 + 2 + 3);
    expect(nodes).toContain('example.a:http/list? 100000');
    expect(nodes).toContain('example.b:http/list? page 2');
  });

  test('forgets folded names of parameters with their host', () => {
    const stack = createPrefixStack({ min: 2, depth: 9, onNode: () => {} });
    for (const host of ['a', 'b', 'c']) {
      for (let i = 0; i < 9_000; i++) {
        const number = String(i).padStart(6, '0');
        stack.add({ key: `example.${host}:http/p${number}?n${number}=1` });
      }
    }
    stack.end();
    expect(stack.parametersOverLimit).toBe(0);
  });

  test('counts paths 200 levels deep and prefixes of 2 KB down to the maximum depth', () => {
    const deep = `example.a:http/${'d/'.repeat(200)}`;
    const long = `example.b:http/${'x'.repeat(2000)}/`;
    const name = 'y'.repeat(2000);
    const nodes = new Map<string, number>();
    const stack = createPrefixStack({ min: 1, depth: 16, onNode: (key, sums) => nodes.set(key, rowsIn(sums)) });
    for (const key of [`${deep}1`, `${deep}2`, `${long}1?${name}=1`, `${long}2`]) stack.add({ key });
    stack.end();
    expect(nodes.size).toBe(17 + 3);
    expect(nodes.get(`example.a:http/${'d/'.repeat(16)}`)).toBe(2);
    expect(nodes.get(long)).toBe(2);
    expect(stack.parametersOverLimit).toBe(1);
  });
});
