import { hash } from 'node:crypto';
import { open, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi, onTestFinished } from 'vitest';
import { GRAPH_FORMATS, exportGraph, type ExportGraphOptions } from '../../packages/webcrawl/internal.js';
import { openKrake } from '../../packages/export/krake/open-krake.js';
import { writeMapping } from '../../packages/export/krake/write-mapping.js';
import { commonCrawl } from '../../packages/export/graph/common-crawl.js';
import { checkSmall } from '../../packages/export/graph/graph-format.js';
import { MAX_PICTURE_NODES } from '../../packages/export/graph/svg-graph.js';
import type { Target } from '../../packages/export/index.js';
import type { LinkGraph } from '../../packages/graph/index.js';
import { rowKeyOf, type PageChange } from '../../webtable/index.js';
import { fileDigests } from '../support/files/file-digests.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
let crawl: TestCrawl;
beforeEach(async () => {
  folder = testFolder();
  crawl = await testCrawl(undefined);
  onTestFinished(() => crawl.close());
  await changeRows(crawl, ROWS);
});

const page = (url: string, links: readonly string[], more: NonNullable<PageChange['set']> = {}): PageChange => ({
  key: rowKeyOf(url),
  set: { status: 'fetched', outlinks: links.map((link) => ({ url: link, anchor: '' })), ...more },
});
const A = 'https://www.example.com/a?x=1&y="<b>"';
const A_URL = 'https://www.example.com/a?x=1&y=%22%3Cb%3E%22';
const B = 'https://example.com/';
const C = "https://other.example/it's";
const OLD = 'https://old.example/';
const ROWS = [
  page(A, [B, C, 'https://none.example/']),
  page(B, [OLD, A_URL]),
  page(C, [], { status: 'unfetched' }),
  page(OLD, [], { status: 'redir_perm', redirectTarget: C }),
];

const write = async (name: string, options: Partial<ExportGraphOptions> = {}) => {
  const output = join(folder, name);
  const { counters } = await exportGraph(crawl, { output, level: 'page', ...options });
  return { output, counters };
};
const text = async (...path: string[]): Promise<string> => {
  const bytes = await readFile(join(...path));
  return (path.at(-1)!.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};

describe('cc', () => {
  test('lists the pages in key order, and the edges by their numbers', async () => {
    const { output, counters } = await write('pages');
    expect(await text(output, 'vertices.txt.gz')).toBe(
      [
        `0\tcom.example.www:https/a?x=1&y=%22%3Cb%3E%22\t${A_URL}`,
        '1\tcom.example:https/\thttps://example.com/',
        "2\texample.other:https/it's\thttps://other.example/it's",
        '',
      ].join('\n'),
    );
    expect(await text(output, 'edges.txt.gz')).toBe('0\t1\n0\t2\n1\t0\n1\t2\n');
    expect(counters).toMatchObject({ nodes: 3, edges: 4, scanned: 4, redirects: 1, links_unknown: 1, parts: 2 });
    const manifest = JSON.parse(await text(output, 'manifest.json')) as object;
    expect(manifest).toMatchObject({ export: 'graph', level: 'page', format: 'cc', raw: false, nodes: 3, edges: 4 });
    expect(await readdir(folder)).toEqual(['pages']);
  });

  test('can be of hosts, and raw', async () => {
    const hosts = await write('hosts', { level: 'host', raw: true });
    expect(await text(hosts.output, 'vertices.txt.gz')).toBe(
      '0\tcom.example\n1\tcom.example.www\n2\texample.old\n3\texample.other\n',
    );
    expect(await text(hosts.output, 'edges.txt.gz')).toBe('0\t1\n0\t2\n1\t0\n1\t3\n2\t3\n');
  });

  test('can be of a part of the table', async () => {
    const { output, counters } = await write('part', { domain: 'example.com' });
    expect(await text(output, 'edges.txt.gz')).toBe('0\t1\n1\t0\n');
    expect(counters).toMatchObject({ links_outside: 3, scanned: 2 });
  });

  test('can be without rows', async () => {
    const { output, counters } = await write('none', { host: 'none.example' });
    expect(await text(output, 'vertices.txt.gz')).toBe('');
    expect(counters.scanned).toBeUndefined();
  });
});

test('graphml and dot escape all that a URL may contain', async () => {
  const graphml = await text((await write('g.graphml')).output);
  expect(graphml).toContain(
    `<node id="n2"><data key="key">example.other:https/it&#39;s</data><data key="name">https://other.example/it&#39;s</data></node>`,
  );
  expect(graphml).toContain('x=1&#38;y=');
  expect(graphml).toContain('<edge source="n1" target="n2"/>');
  const dot = await text((await write('g.dot')).output);
  expect(dot.split('\n').slice(0, 2)).toEqual(['digraph pages {', `  n0 [label="${A_URL}"];`]);
  expect(dot).toContain('  n1 -> n2;\n}\n');
});

test('a graph that is too large for such a format is an error', () => {
  const graph = { adjacency: { path: '', nodes: 7, edges: 11 } };
  expect(() => checkSmall(graph as never, 'DOT', 10)).toThrow(
    'expected a graph of at most 10 nodes and edges for DOT, found 7 nodes and 11 edges',
  );
});

test('krake: nodes by the hash of their URL, links both ways', async () => {
  const { output } = await write('krake', { format: 'krake' });
  const krake = await openKrake(output);
  const urls = [A_URL, B, C];
  const [a, b, c] = await Promise.all(urls.map((url) => krake.nodeOf(url)));
  expect(await Promise.all([0, 1, 2].map((node) => krake.urlOf(node)))).toHaveLength(3);
  const links = await krake.links(C);
  expect(Array.from(links!.inlinks)).toEqual([a!, b!].sort((x, y) => x - y));
  expect(Array.from((await krake.links(A_URL))!.outlinks)).toEqual([b!, c!].sort((x, y) => x - y));
  // A graph alone has no bodies.
  expect([krake.pages, await krake.content(A_URL), await krake.contents().next()]).toMatchObject([
    0,
    undefined,
    { done: true },
  ]);
  await krake.close();
});

test('svg: is the same picture for the same graph, and escapes names', async () => {
  const first = await text((await write('a.svg')).output);
  expect(await text((await write('b.svg')).output)).toBe(first);
  expect(first).toContain('Pages: 3 with 4 edges');
  expect(first).toContain('https://other.example/it&#39;s');
  expect(first.match(/<circle /g)).toHaveLength(3);
  expect(first.match(/<path d="M[\d. ]+Q/g)).toHaveLength(4);
  expect(first).not.toContain('NaN');
  expect(await text((await write('none.svg', { host: 'none.example' })).output)).toContain('Pages: 0 with 0 edges');
  expect(await text((await write('one.svg', { host: 'other.example' })).output)).not.toMatch(/NaN|Infinity/);
});

test('svg: shows the nodes of the highest rank, at any position in key order', async () => {
  const hub = 'https://a149.example/';
  const second = 'https://a200.example/';
  const at = (i: number): string => `https://a${String(i).padStart(3, '0')}.example/`;
  await changeRows(
    crawl,
    Array.from({ length: 250 }, (_, i) => page(at(i), i % 3 === 0 ? [second] : [hub])),
  );
  const picture = await text((await write('many.svg', { domain: 'example' })).output);
  expect(picture).toContain(`<title>${hub} (`);
  expect(picture).toContain(`<title>${second} (`);
  // Clockwise from the top in key order, each at its own place and with its name.
  const circles = [...picture.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)".*?<title>(\S+) /g)];
  const turn = ([, x, y]: readonly string[]): number =>
    (Math.atan2(Number(y) - 610, Number(x) - 600) + 2.5 * Math.PI + 0.01) % (2 * Math.PI);
  const names = circles.sort((a, b) => turn(a) - turn(b)).map(([, , , name]) => name!);
  expect(names).toHaveLength(MAX_PICTURE_NODES);
  expect(names).toEqual([...names].sort());
  for (const name of names) expect(picture).toContain(`>${name}</text>`);
});

test('an existing target stays, unless it may be replaced', async () => {
  await write('g.dot');
  await expect(write('g.dot')).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
  await write('g.dot', { force: true, level: 'host' });
  expect(await text(folder, 'g.dot')).toContain('digraph hosts');
});

test('standard output accepts only formats of one file', async () => {
  let out = '';
  const stdout = (data: Uint8Array): Promise<void> => {
    out += Buffer.from(data).toString();
    return Promise.resolve();
  };
  await exportGraph(crawl, { output: '-', level: 'host', format: 'dot', stdout });
  expect(out).toContain('label="www.example.com"');
  await expect(exportGraph(crawl, { output: '-', level: 'host', stdout })).rejects.toMatchObject({ code: 'USAGE' });
});

test('an aborted export leaves nothing at the target', async () => {
  const controller = new AbortController();
  controller.abort();
  const report = await exportGraph(crawl, { output: join(folder, 'x'), level: 'page', signal: controller.signal });
  expect(report.interrupted).toBe(true);
  expect((await readdir(folder)).filter((name) => !name.startsWith('.'))).toEqual([]);
});

test('cc: an abort during writing ends the export at once', async () => {
  const controller = new AbortController();
  const adjacency = { path: join(folder, 'edges'), nodes: 0, edges: 0 };
  await writeFile(adjacency.path, new Uint8Array(8));
  let pieces = 0;
  const graph = {
    level: 'host',
    adjacency,
    // Names that do not compress, so that some leave gzip while others are waited for.
    async *keys() {
      for (; pieces < 100; pieces++) {
        if (pieces > 10) controller.abort();
        yield Array.from({ length: 500 }, (_, i) => hash('sha256', `${pieces} ${i}`));
      }
    },
  } as unknown as LinkGraph;
  const part = { write: () => Promise.resolve(), end: () => Promise.resolve() };
  const target = { part: () => Promise.resolve(part) } as unknown as Target;
  const { signal } = controller;
  await expect(commonCrawl.write({ graph, target, folder, signal })).rejects.toThrow('aborted');
  expect(pieces).toBeLessThan(100);
});

test('rejects an unknown format or output', async () => {
  await expect(write('x', { format: 'gexf' as never })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/expected format to be one of cc, parquet, krake, graphml, dot, svg/) as string,
  });
  await expect(exportGraph(crawl, { output: '', level: 'page' })).rejects.toMatchObject({ code: 'USAGE' });
});

describe.each(GRAPH_FORMATS)('%s', (format) => {
  test('without rows has no nodes; a node that links only to itself and to excluded pages has no edges', async () => {
    await changeRows(crawl, [page('https://one.example/', ['https://one.example/', 'https://none.example/', B])]);
    const none = await write('none', { format, host: 'none.example' });
    expect(none.counters).not.toHaveProperty('nodes');
    const one = await write('one', { format, host: 'one.example' });
    expect(one.counters).toMatchObject({ nodes: 1, links_to_itself: 1, links_outside: 2 });
    expect(one.counters).not.toHaveProperty('edges');
  });

  test.each(['writeFile', 'appendFile'] as const)(
    'on a full disk, with the error of %s, leaves the old export',
    async (name) => {
      const { output } = await write('g', { format });
      const before = await fileDigests(folder);
      await using file = await open(tmpdir(), 'r');
      const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      const spy = vi.spyOn(Object.getPrototypeOf(file) as typeof file, name).mockRejectedValue(full);
      try {
        await expect(exportGraph(crawl, { output, format, level: 'page', force: true })).rejects.toMatchObject({
          code: 'STORE_FULL',
        });
      } finally {
        spy.mockRestore();
      }
      // What was written so far may stay beside it, for the next run.
      const left = Object.entries(await fileDigests(folder)).filter(([path]) => !path.startsWith('/.g.part'));
      expect(Object.fromEntries(left)).toEqual(before);
      await write('g', { format, force: true });
      expect(Object.keys(await fileDigests(folder)).sort()).toEqual(Object.keys(before).sort());
    },
  );
});

test('krake refuses more nodes than an int32 can count before it reads any', async () => {
  const nodes = { [Symbol.asyncIterator]: () => expect.unreachable() } as never;
  await expect(writeMapping({} as Target, { count: 2 ** 31, nodes, hasContent: false, folder })).rejects.toMatchObject({
    code: 'BAD_OUTPUT',
    message: 'expected at most 2147483647 nodes in a file of Krake, found 2147483648',
  });
});

describe('the name of the output', () => {
  test.each([
    ['g.graphml', 'graphml'],
    ['g.gv', 'dot'],
    ['G.SVG', 'svg'],
    ['links', 'cc'],
    ['example.com', 'cc'],
    ['example.net', 'cc'],
  ])('%s makes %s', async (name, format) => {
    const { output } = await write(name, { level: 'host' });
    const manifest = format === 'cc' ? join(output, 'manifest.json') : `${output}.manifest.json`;
    expect(JSON.parse(await text(manifest))).toMatchObject({ format });
  });

  test.each([
    ['g.parquet', undefined, 'expected the name of a folder for a graph as Parquet, found'],
    ['g.parquet', 'parquet', 'expected the name of a folder for a graph as Parquet, found'],
    ['g.csv', undefined, 'expected the name of a folder, or of a file .graphml, .dot or .svg, found'],
    ['hosts.dot.gz', 'cc', 'expected the name of a folder for the format cc, found'],
    ['edges.txt.gz', 'cc', 'expected the name of a folder for the format cc, found'],
    ['g.svg', 'dot', 'expected a name that ends in .dot for the format dot, found'],
    ['g.png', 'svg', 'expected a name that ends in .svg for the format svg, found'],
    ['g.dot', 'krake', 'expected the name of a folder for the format krake, found'],
  ] as const)('%s is not a name for %s', async (name, format, message) => {
    const made = write(name, { ...(format && { format }) });
    await expect(made).rejects.toMatchObject({ code: 'USAGE', message: `${message} ${join(folder, name)}` });
    expect(await readdir(folder)).toEqual([]);
  });
});

test('rejects an unknown level', async () => {
  await expect(write('x', { level: 'site' as never })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(/expected level to be one of page, host, domain/) as string,
  });
});
