import { mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openKrake } from '../../../packages/export/public.js';
import { exportKrake } from '../../../packages/webcrawl/internal.js';
import { contentRecord, int32, offsetRecord } from '../../../packages/export/krake/formats.js';
import type { Target } from '../../../packages/export/index.js';
import { writeMapping } from '../../../packages/export/krake/write-mapping.js';
import { graphPieces, writeWebGraph, type SortedLinks } from '../../../packages/export/krake/web-graph.js';
import { writeAdjacency } from '../../../packages/graph/adjacency.js';
import { filesOf, withTable } from '../../support/export/archive-table.js';
import { expectedKrake, fillKrake } from '../../support/export/krake-table.js';

describe('the files of Krake, byte for byte', () => {
  test('a page has its sizes before and after it', async () => {
    const record = await contentRecord(Buffer.from('<p>source'));
    const size = record.readInt32BE(0);
    expect(record.length).toBe(size + 8);
    expect(record.readInt32BE(4 + size)).toBe(size);
    expect(inflateSync(record.subarray(4, 4 + size)).toString()).toBe('<p>source');
  });

  test('an offset is int32 and int64', () => {
    expect(offsetRecord(258, 2 ** 40 + 1).toString('hex')).toBe('00000102' + '0000010000000001');
  });

  test('a node has its in-links first', async () => {
    const pieces = await allOf(graphPieces(linksOf([], [0]), linksOf([1], [0, 1])));
    expect(Buffer.concat(pieces).toString('hex')).toBe(
      '00000002' +
        ('00000001' + '00000000' + '00000001') +
        ('00000003' + '00000001' + '00000000' + '00000000' + '00000001'),
    );
  });

  test('a value that an int32 cannot hold is an error that says what to do', async () => {
    expect(int32(2 ** 31 - 1, 'pages').toString('hex')).toBe('7fffffff');
    expect(() => int32(2 ** 31, 'pages')).toThrow(/at most 2147483647 pages.*found 2147483648/);
    expect(() => offsetRecord(2 ** 31, 0)).toThrow(expect.objectContaining({ code: 'BAD_OUTPUT' }));
    const tooMany = { ...linksOf([]), counts: Uint32Array.of(2 ** 31) };
    await expect(graphPieces(tooMany, linksOf([])).next()).rejects.toThrow(/edges of a node/);
  });

  test('a node with more links than one chunk has all of them, in the order of their NodeIDs', async () => {
    await withTable(async (_, folder) => {
      // All link to the first and to the one before them, and the first links to all.
      const count = 50_001;
      const pairs = function* (): Generator<Uint32Array> {
        for (let to = 1; to < count; to++) yield Uint32Array.of(to, 0);
        for (let from = 1; from < count; from++) yield Uint32Array.of(0, from, from - 1, from);
      };
      const adjacency = await writeAdjacency(join(folder, 'edges'), { nodes: count, pairs: iterate(pairs()) });
      const nodeIds = Uint32Array.from({ length: count }, (__, node) => count - 1 - node);
      const written: Uint8Array[] = [];
      const part = { write: async (data: Uint8Array) => void written.push(data), end: async () => undefined };
      const target = { part: async () => part } as unknown as Target;
      await writeWebGraph(target, { adjacency, nodeIds, folder, signal: undefined });
      const bytes = Buffer.concat(written);
      // The first node has the last NodeID: its edges and in-links are followed by the numbers of all others, twice.
      const ofFirst = bytes.subarray(-4 * (2 * (count - 1) + 2));
      expect([ofFirst.readInt32BE(0), ofFirst.readInt32BE(4)]).toEqual([2 * (count - 1), count - 1]);
      const others = Array.from({ length: count - 1 }, (__, node) => node);
      const numbers = Array.from({ length: 2 * (count - 1) }, (__, i) => ofFirst.readInt32BE(8 + 4 * i));
      expect(numbers).toEqual([...others, ...others]);
    });
  });
});

test('its sort ends on the signal', async () => {
  await withTable(async (_, folder) => {
    const adjacency = await writeAdjacency(join(folder, 'edges'), { nodes: 2, pairs: iterate([Uint32Array.of(1, 0)]) });
    const signal = AbortSignal.abort();
    const nodes = iterate([{ name: 'a' }, { name: 'b' }]);
    const target = {} as Target;
    const graph = { adjacency, nodeIds: Uint32Array.of(0, 1), folder, signal };
    await expect(writeWebGraph(target, graph)).rejects.toThrow('aborted');
    await expect(writeMapping(target, { count: 2, nodes, hasContent: false, folder, signal })).rejects.toThrow(
      'aborted',
    );
  });
});

/** The other ends of each node. */
const linksOf = (...ends: readonly number[][]): SortedLinks => ({
  counts: Uint32Array.from(ends, ({ length }) => length),
  pairs: iterate([Uint32Array.from(ends.flatMap((others, node) => others.flatMap((other) => [other, node])))]),
});

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function* iterate<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

describe('export krake', () => {
  test('is read by NodeID and by URL, both ways', async () => {
    await withTable(async (crawl, folder) => {
      await fillKrake(crawl);
      const output = join(folder, 'out');
      const { counters } = await exportKrake(crawl, { output });
      const expected = expectedKrake();
      const edges = expected.reduce((sum, { outlinks }) => sum + outlinks.length, 0);
      expect(counters).toMatchObject({ selected: 40, pages: 29, no_body: 10, lost_body: 1, edges, parts: 5 });

      const krake = await openKrake(output);
      try {
        expect([krake.nodes, krake.pages]).toEqual([40, 29]);
        for (const [node, { url, key, source, inlinks, outlinks }] of expected.entries()) {
          expect(await krake.nodeOf(url)).toBe(node);
          expect(await krake.urlOf(node)).toBe(url);
          expect(Buffer.from(await krake.keyOf(node)).toString('hex')).toBe(key);
          for (const by of [node, url]) {
            const content = await krake.content(by);
            expect(content && Buffer.from(content).toString()).toBe(source);
            const links = await krake.links(by);
            expect([[...Array.from(links!.inlinks)], [...Array.from(links!.outlinks)]]).toEqual([inlinks, outlinks]);
          }
        }
        const forwards: number[] = [];
        const backwards: number[] = [];
        for await (const { offset } of krake.contents()) forwards.push(offset);
        for await (const { offset } of krake.contents('backwards')) backwards.push(offset);
        expect(forwards).toHaveLength(29);
        expect(backwards).toEqual([...forwards].reverse());
        expect(await krake.nodeOf('http://unknown.example/')).toBeUndefined();
        expect(await krake.content('http://unknown.example/')).toBeUndefined();
        expect(await krake.links('http://unknown.example/')).toBeUndefined();
        await expect(krake.content(40)).rejects.toMatchObject({ code: 'BAD_INPUT' });
        await expect(krake.urlOf(-1)).rejects.toMatchObject({ code: 'BAD_INPUT' });
      } finally {
        await krake.close();
      }
    });
  });

  test('is empty without rows, and has one node for one row', async () => {
    await withTable(async (crawl, folder) => {
      await fillKrake(crawl);
      await exportKrake(crawl, { output: join(folder, 'none'), host: 'nowhere.example' });
      const none = await openKrake(join(folder, 'none'));
      expect([none.nodes, none.pages, await none.nodeOf('http://a.example/0')]).toEqual([0, 0, undefined]);
      await none.close();
      await exportKrake(crawl, { output: join(folder, 'one'), prefix: 'http://b.example/31' });
      const one = await openKrake(join(folder, 'one'));
      expect([one.nodes, one.pages, await one.links(0)]).toMatchObject([1, 1, { inlinks: {}, outlinks: {} }]);
      await one.close();
    });
  });

  test('stopped and called again, it ends in the same bytes', async () => {
    await withTable(async (crawl, folder) => {
      await fillKrake(crawl);
      await exportKrake(crawl, { output: join(folder, 'whole') });
      const output = join(folder, 'parts');
      const controller = new AbortController();
      let calls = 0;
      // The first call is before the first row.
      const stop = { signal: controller.signal, onProgress: () => void (++calls > 1 && controller.abort()) };
      expect(await exportKrake(crawl, { output, ...stop })).toMatchObject({ interrupted: true });
      await exportKrake(crawl, { output });
      expect(await filesOf(output)).toEqual(await filesOf(join(folder, 'whole')));
      const [part, whole] = await Promise.all(
        [output, join(folder, 'whole')].map(async (made) => {
          const text = await readFile(join(made, 'manifest.json'), 'utf8');
          return text.replace(/"(began|ended)": ".*"/g, '');
        }),
      );
      expect(part).toBe(whole);
    });
  });
});

describe('openKrake', () => {
  test('reports which file is missing or broken', async () => {
    await withTable(async (crawl, folder) => {
      await expect(openKrake(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'BAD_INPUT' });
      await fillKrake(crawl);
      const output = join(folder, 'out');
      await exportKrake(crawl, { output });
      const copy = async (name: string): Promise<string> => {
        const to = join(folder, name);
        await mkdir(to);
        for (const [file, bytes] of await filesOf(output)) await writeFile(join(to, file), bytes);
        return to;
      };
      for (const file of ['urls.bin', 'offsets.bin', 'graph.bin']) {
        const broken = await copy(`broken-${file}`);
        await truncate(join(broken, file), 3);
        await expect(openKrake(broken)).rejects.toThrow(file);
      }
      for (const file of ['content.bin', 'graph.bin']) {
        const broken = await copy(`short-${file}`);
        await truncate(join(broken, file), (await readFile(join(broken, file))).length - 1);
        const krake = await openKrake(broken);
        const last = file === 'graph.bin' ? krake.links(0) : krake.contents('backwards').next();
        await expect(last).rejects.toMatchObject({ code: 'BAD_INPUT' });
        await krake.close();
      }
    });
  });
});
