import { beforeEach, describe, expect, test } from 'vitest';
import { buildGraphs, readLists, type BuildOptions, type LinkRow } from '../../packages/graph/index.js';
import { rowKeyOf, urlOf, type Status } from '../../webtable/index.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

type Row = Omit<LinkRow, 'key' | 'links'> & { readonly url: string; readonly links?: readonly string[] };

/** The edges of the first level by names, and the counters. */
async function build(
  rows: readonly Row[],
  options: Partial<BuildOptions> = {},
): Promise<{ nodes: string[]; edges: string[]; counters: Record<string, number> }> {
  const counters: Record<string, number> = {};
  const sorted = rows
    .map(({ url, status = 'fetched', links = [], ...row }) => ({ key: rowKeyOf(url), status, links, ...row }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const { graphs } = await buildGraphs(sorted, {
    folder,
    levels: ['page'],
    count: (name, n = 1) => {
      if (n > 0) counters[name] = (counters[name] ?? 0) + n;
    },
    ...options,
  });
  const [graph] = graphs;
  const nodes: string[] = [];
  for await (const keys of graph!.keys()) {
    nodes.push(...keys.map((key) => (graph!.level === 'page' ? urlOf(key).replace('https://', '') : key)));
  }
  const edges: string[] = [];
  let node = 0;
  for await (const targets of readLists(graph!.adjacency)) {
    for (const target of targets) edges.push(`${nodes[node]} > ${nodes[target]}`);
    node += 1;
  }
  expect(node).toBe(nodes.length);
  expect(graph!.adjacency).toMatchObject({ nodes: nodes.length, edges: edges.length });
  return { nodes, edges, counters };
}

const A = 'https://a.example/';
const B = 'https://b.example/';
const C = 'https://www.b.example/c';
const D = 'https://d.example/';

describe('a graph of pages', () => {
  test('has a node for each row, and an edge for each link to one', async () => {
    const { nodes, edges, counters } = await build([
      { url: A, links: [B, C, A, 'https://none.example/', 'not a url'] },
      { url: B, links: [A, `${A}#top`] },
      { url: C, status: 'unfetched' },
    ]);
    expect(nodes).toEqual(['a.example/', 'www.b.example/c', 'b.example/']);
    expect(edges).toEqual(['a.example/ > www.b.example/c', 'a.example/ > b.example/', 'b.example/ > a.example/']);
    expect(counters).toEqual({
      scanned: 3,
      links: 7,
      links_to_itself: 1,
      links_unknown: 1,
      links_invalid: 1,
      links_repeated: 1,
    });
  });

  test('leaves out pages that are gone, with their links in both directions', async () => {
    const { nodes, edges, counters } = await build([
      { url: A, links: [B, C] },
      { url: B, status: 'gone', links: [A] },
      { url: C },
    ]);
    expect(nodes).toEqual(['a.example/', 'www.b.example/c']);
    expect(edges).toEqual(['a.example/ > www.b.example/c']);
    expect(counters).toEqual({ scanned: 3, links: 3, gone: 1, links_to_gone: 1, links_of_gone: 1 });
  });

  test('of no rows, of one row, of rows without links', async () => {
    expect(await build([])).toEqual({ nodes: [], edges: [], counters: {} });
    expect(await build([{ url: A }])).toEqual({ nodes: ['a.example/'], edges: [], counters: { scanned: 1 } });
    expect((await build([{ url: A, links: [A] }, { url: B }])).edges).toEqual([]);
  });
});

describe('redirects and canonicals', () => {
  const to = (url: string, redirectTarget?: string): Row => ({
    url,
    status: 'redir_perm',
    ...(redirectTarget !== undefined && { redirectTarget }),
    links: [D],
  });

  test('a link to a redirect counts for the target at the end of the chain', async () => {
    const { nodes, edges, counters } = await build([{ url: A, links: [B] }, to(B, C), to(C, D), { url: D }]);
    expect(nodes).toEqual(['a.example/', 'd.example/']);
    expect(edges).toEqual(['a.example/ > d.example/']);
    expect(counters).toMatchObject({ redirects: 2, links_of_redirects: 2 });
  });

  test('circular redirects, and redirects to a missing or gone page, lead nowhere', async () => {
    const circle = await build([{ url: A, links: [B] }, to(B, C), to(C, B)]);
    expect(circle).toMatchObject({
      nodes: ['a.example/'],
      edges: [],
      counters: { redirects_lost: 2, links_to_gone: 1 },
    });
    const lost = await build([{ url: A, links: [B, C] }, to(B), to(C, D), { url: D, status: 'gone' }]);
    expect(lost).toMatchObject({ nodes: ['a.example/'], counters: { redirects_lost: 2, links_to_gone: 2 } });
    const itself = await build([{ url: A, links: [B] }, to(B, B)]);
    expect(itself).toMatchObject({ edges: [], counters: { redirects_lost: 1 } });
  });

  test('a link to a page counts for its fetched canonical page, and the links of the page do not count', async () => {
    const { nodes, edges, counters } = await build([
      { url: A, links: [B] },
      { url: B, canonical: C, links: [D] },
      { url: C },
      { url: D },
    ]);
    expect(nodes).toEqual(['a.example/', 'www.b.example/c', 'd.example/']);
    expect(edges).toEqual(['a.example/ > www.b.example/c']);
    expect(counters).toMatchObject({ alternates: 1, links_of_alternates: 1 });
  });

  test.each([
    ['is not in the table', []],
    ['was never fetched', [{ url: C, status: 'unfetched' }]],
    ['is gone', [{ url: C, status: 'gone' }]],
    ['is itself', [{ url: B, canonical: B, links: [D] }]],
  ] as const)('a page counts for itself if its canonical page %s', async (_, rows) => {
    const all = [{ url: A, links: [B] }, { url: B, canonical: C, links: [D] }, { url: D }, ...rows];
    const byUrl = [...new Map(all.map((row) => [row.url, row as Row])).values()];
    const { edges } = await build(byUrl);
    expect(edges).toEqual(['a.example/ > b.example/', 'b.example/ > d.example/']);
  });

  test('two pages that name each other as canonical are one', async () => {
    const { edges } = await build([
      { url: A, links: [B, D] },
      { url: B, canonical: D },
      { url: D, canonical: B },
    ]);
    expect(edges).toEqual(['a.example/ > d.example/']);
  });

  test('raw: a redirect is a page with one more link, and canonicals are ignored', async () => {
    const { nodes, edges } = await build(
      [{ url: A, links: [B] }, { ...to(B, C), links: [] }, { url: C, canonical: A, links: [D] }, { url: D }],
      { raw: true },
    );
    expect(nodes).toHaveLength(4);
    expect(edges).toEqual(['a.example/ > b.example/', 'www.b.example/c > d.example/', 'b.example/ > www.b.example/c']);
  });
});

describe('graphs of hosts and domains', () => {
  const rows: readonly Row[] = [
    { url: 'https://x.example.com/1', links: ['https://x.example.com/2', 'https://example.com/', B] },
    { url: 'https://x.example.com/2', links: ['http://example.com:8080/', B] },
    { url: 'https://example.com/' },
    { url: 'http://example.com:8080/', links: ['https://x-y.example.com/'] },
    { url: 'https://x-y.example.com/', status: 'unfetched' },
    { url: 'https://gone.example.com/', status: 'gone' },
    { url: B, links: ['https://x.example.com/1'] },
  ];

  test('nodes are in byte order of their names, not in the order of their rows', async () => {
    const { nodes, edges, counters } = await build(rows, { levels: ['host'] });
    expect(nodes).toEqual(['com.example', 'com.example.x', 'com.example.x-y', 'example.b']);
    expect(edges).toEqual([
      'com.example > com.example.x-y',
      'com.example.x > com.example',
      'com.example.x > example.b',
      'example.b > com.example.x',
    ]);
    expect(counters).toMatchObject({ links_within_host: 1, links_repeated: 2 });
  });

  test('domains follow the public suffix list', async () => {
    const { nodes, edges } = await build(rows, { levels: ['domain'] });
    expect(nodes).toEqual(['com.example', 'example.b']);
    expect(edges).toEqual(['com.example > example.b', 'example.b > com.example']);
  });
});

test('links that leave a selection are counted separately', async () => {
  const ranges = [{ start: 'example.a:', end: 'example.a;' }];
  const { edges, counters } = await build(
    [{ url: A, links: [`${A}2`, B, 'https://a.example/none'] }, { url: `${A}2` }],
    {
      ranges,
    },
  );
  expect(edges).toEqual(['a.example/ > a.example/2']);
  expect(counters).toMatchObject({ links_outside: 1, links_unknown: 1 });
});

test('a random table has the same graph in little memory as a map of all URLs gives', async () => {
  const random = randomNumbers(3);
  const pick = (n: number): number => Math.floor(random() * n);
  const url = (n: number): string => `https://h${n % 37}.example.org/${n}`;
  const statuses: readonly Status[] = ['fetched', 'fetched', 'unfetched', 'redir_temp', 'gone', 'notmodified'];
  const COUNT = 3000;
  const rows: Row[] = Array.from({ length: COUNT }, (_, n) => {
    const status = statuses[pick(statuses.length)]!;
    const other = url(pick(COUNT + 50));
    return {
      url: url(n),
      status,
      links: Array.from({ length: pick(60) }, () => url(pick(COUNT + 500))),
      ...(status === 'redir_temp' && { redirectTarget: other }),
      ...(status === 'fetched' && n % 3 === 0 && { canonical: other }),
    };
  });
  const byUrl = new Map(rows.map((row) => [row.url, row]));
  const resolve = (from: string, seen: ReadonlySet<string> = new Set()): string | undefined => {
    const row = byUrl.get(from);
    if (!row || row.status === 'gone' || seen.has(from)) return undefined;
    const named = row.redirectTarget ?? row.canonical;
    if (row.status !== 'redir_temp' && (named === undefined || row.status !== 'fetched')) return from;
    const result = named === undefined ? undefined : resolve(named, new Set([...seen, from]));
    if (row.status === 'redir_temp') return result;
    return result === undefined || byUrl.get(result)!.status === 'unfetched' ? from : result;
  };
  // In a circle of canonicals the result depends on the start, so this follows the rows.
  const inCircle = (from: string): boolean => {
    const seen = new Set<string>();
    for (let at: string | undefined = from; at !== undefined && !seen.has(at);) {
      seen.add(at);
      const row = byUrl.get(at);
      at =
        row && row.status !== 'gone' && row.status !== 'unfetched' ? (row.redirectTarget ?? row.canonical) : undefined;
      if (at !== undefined && seen.has(at)) return true;
    }
    return false;
  };
  const circles = new Set(rows.filter((row) => inCircle(row.url)).map((row) => row.url));
  const usable = rows.filter((row) => !circles.has(row.url));
  for (const gone of circles) byUrl.delete(gone);
  const expected = new Set<string>();
  for (const row of usable) {
    if (resolve(row.url) !== row.url) continue;
    for (const link of row.links ?? []) {
      const target = resolve(link);
      if (target !== undefined && target !== row.url) expected.add(`${row.url} > ${target}`.replaceAll('https://', ''));
    }
  }
  const { edges } = await build(usable, { memory: 1 });
  expect(edges.length).toBeGreaterThan(10_000);
  const found = new Set(edges);
  expect(edges.filter((edge) => !expected.has(edge))).toEqual([]);
  expect([...expected].filter((edge) => !found.has(edge))).toEqual([]);
  expect(edges).toHaveLength(expected.size);
});
