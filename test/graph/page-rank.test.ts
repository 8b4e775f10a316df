import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { pageRank, type Adjacency, type PageRankOptions } from '../../packages/graph/index.js';
import { readLists, readPieces, writeAdjacency, MAX_IN_FILE } from '../../packages/graph/adjacency.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

/** @param edges [source, target], sorted */
function adjacencyOf(nodes: number, edges: readonly (readonly [number, number])[]): Promise<Adjacency> {
  async function* pairs(): AsyncGenerator<Uint32Array> {
    for (let at = 0; at < edges.length; at += 1000) {
      yield Uint32Array.from(edges.slice(at, at + 1000).flatMap(([source, target]) => [target, source]));
    }
    await Promise.resolve();
  }
  return writeAdjacency(join(folder, 'edges'), { nodes, pairs: pairs() });
}

const SETTINGS = { damping: 0.85, tolerance: 1e-12, maxIterations: 500, danglingMass: 'spread' } as const;
const run = async (adjacency: Adjacency, options: Partial<PageRankOptions> = {}) =>
  pageRank(adjacency, { ...SETTINGS, ...options });

describe('three pages, 1 → 2, 1 → 3, 2 → 1', () => {
  /** Their sum is 1 here and 3 in the table, whose values are cut after the sixth digit. */
  const table = ({ ranks }: { readonly ranks: Float64Array }): string[] =>
    Array.from(ranks, (rank) => (3 * rank).toFixed(9).slice(0, 8));
  const sample = (): Promise<Adjacency> =>
    adjacencyOf(3, [
      [0, 1],
      [0, 2],
      [1, 0],
    ]);

  test('with mass dropped, after two iterations and at the end, to the last digit', async () => {
    const options = { danglingMass: 'drop', tolerance: 0.01 / 3 } as const;
    expect(table(await run(await sample(), { ...options, maxIterations: 2 }))).toEqual([
      '0.638750',
      '0.575000',
      '0.575000',
    ]);
    const end = await run(await sample(), options);
    expect(table(end)).toEqual(['0.437921', '0.338731', '0.338731']);
    expect(end.iterations).toBe(10);
  });

  test('with mass spread, their sum is 1', async () => {
    const { ranks } = await run(await sample());
    const [one = 0, two = 0, three = 0] = ranks;
    expect(one + two + three).toBeCloseTo(1, 12);
    // Solved by hand: x = a + 0.85 y, y = z = a + 0.425 x, with a = 0.05 + 0.85 z / 3.
    expect(one).toBeCloseTo(0.05 + (0.85 * three) / 3 + 0.85 * two, 11);
    expect(two).toBeCloseTo(0.05 + (0.85 * three) / 3 + 0.425 * one, 11);
  });
});

/** A web of hosts with ten pages each, half of the links within the host; one page in five has none. */
function someWeb(nodes: number): (readonly [number, number])[] {
  const random = randomNumbers(11);
  return Array.from({ length: nodes }, (_, source) => {
    if (source % 5 === 4) return [];
    const targets = Array.from({ length: 1 + Math.floor(random() * 12) }, () =>
      random() < 0.5 ? source - (source % 10) + Math.floor(random() * 10) : Math.floor(random() ** 3 * nodes),
    );
    return [...new Set(targets)]
      .filter((target) => target !== source)
      .sort((a, b) => a - b)
      .map((target) => [source, target] as const);
  }).flat();
}

/** By definition, with a matrix of weights. */
function naive(nodes: number, edges: readonly (readonly [number, number])[], weight: number): number[] {
  let ranks = Array.from({ length: nodes }, () => 1 / nodes);
  const weightOf = ([source, target]: readonly [number, number]): number =>
    Math.floor(source / 10) === Math.floor(target / 10) ? weight : 1;
  const totals = Array.from({ length: nodes }, () => 0);
  for (const edge of edges) totals[edge[0]]! += weightOf(edge);
  for (let iteration = 0; iteration < 300; iteration++) {
    const dangling = ranks.reduce((sum, rank, node) => (totals[node] === 0 ? sum + rank : sum), 0);
    const next = ranks.map(() => (0.15 + 0.85 * dangling) / nodes);
    for (const edge of edges) {
      if (totals[edge[0]]! > 0) next[edge[1]]! += (0.85 * ranks[edge[0]]! * weightOf(edge)) / totals[edge[0]]!;
    }
    ranks = next;
  }
  return ranks;
}

test.each([1, 0.25, 0])('links within a host that count %d, compared with the definition', async (weight) => {
  const edges = someWeb(400);
  const hostStarts = Uint32Array.from({ length: 40 }, (_, host) => 10 * host);
  const { ranks } = await run(await adjacencyOf(400, edges), { internal: { weight, hostStarts } });
  const expected = naive(400, edges, weight);
  for (const [node, rank] of ranks.entries()) expect(Math.abs(rank - expected[node]!)).toBeLessThan(1e-12);
});

test('a given start leads to the same end in fewer iterations; a start that is good enough stays', async () => {
  const before = await adjacencyOf(2000, someWeb(2000));
  const first = await run(before);
  // A few more links, as after another round of a crawl.
  const more = [...someWeb(2000), [4, 9], [14, 3], [1999, 0]] as (readonly [number, number])[];
  const after = await adjacencyOf(
    2000,
    more.sort(([a, b], [c, d]) => a - c || b - d),
  );
  const cold = await run(after);
  const warm = await run(after, { start: Float64Array.from(first.ranks) });
  expect(warm.iterations).toBeLessThan(cold.iterations);
  for (const [node, rank] of warm.ranks.entries()) expect(Math.abs(rank - cold.ranks[node]!)).toBeLessThan(1e-11);
  const again = await run(after, { start: Float64Array.from(warm.ranks) });
  expect(again.iterations).toBe(1);
  expect(again.ranks).toEqual(warm.ranks);
});

test('no node, one node, no edges', async () => {
  expect((await run(await adjacencyOf(0, []))).ranks).toEqual(new Float64Array(0));
  expect(Array.from((await run(await adjacencyOf(1, []))).ranks)).toEqual([1]);
  const { ranks } = await run(await adjacencyOf(4, []));
  expect(Array.from(ranks)).toEqual([0.25, 0.25, 0.25, 0.25]);
});

test('ends after maxIterations, and on an abort', async () => {
  const adjacency = await adjacencyOf(1000, someWeb(1000));
  expect((await run(adjacency, { maxIterations: 3 })).iterations).toBe(3);
  const controller = new AbortController();
  const ended = run(adjacency, {
    signal: controller.signal,
    onIteration: (iteration) => iteration === 2 && controller.abort(),
  });
  await expect(ended).rejects.toThrow('aborted');
});

describe('the adjacency file', () => {
  test('is read in chunks with any ends', async () => {
    const edges = someWeb(500);
    const adjacency = await adjacencyOf(500, edges);
    const found: number[][] = [];
    let node = 0;
    for await (const targets of readLists(adjacency)) {
      for (const target of targets) found.push([node, target]);
      node += 1;
    }
    expect(found).toEqual(edges);
    const numbers: number[] = [];
    for await (const piece of readPieces(adjacency, undefined, 12)) numbers.push(...piece);
    expect(numbers).toHaveLength(500 + edges.length);
  });

  test('may have a list that is longer than a chunk', async () => {
    const edges = Array.from({ length: 150_000 }, (_, i) => [1, i + 2] as const);
    const adjacency = await adjacencyOf(150_100, edges);
    const sizes: number[] = [];
    for await (const targets of readLists(adjacency)) sizes.push(targets.length);
    expect(sizes).toHaveLength(150_100);
    expect(sizes.filter((size) => size > 0)).toEqual([150_000]);
  });

  test('has a maximum number of nodes', async () => {
    await expect(adjacencyOf(MAX_IN_FILE + 1, [])).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      message: 'expected a graph of at most 4294967280 nodes, found 4294967281',
    });
  });
});
