import { expect, test } from 'vitest';
import { findRejectedPages } from '../../../packages/focus/proposals/rejected-pages.js';
import { findInTheWay, findLost, noteNeeded } from '../../../packages/focus/proposals/lost-pages.js';
import type { TableGraph } from '../../../packages/focus/proposals/read-graph.js';
import { TRAIT, findWays } from '../../../packages/focus/proposals/ways.js';
import { buildGraphs, openAdjacencyBlocks } from '../../../packages/graph/index.js';
import { checkRule, compileRules } from '../../../packages/rules/index.js';
import { rowKeyOf } from '../../../webtable/index.js';
import { runs } from '../../support/runs.js';
import { testFolder } from '../../support/files/temp-folder.js';

test('a long chain of pages, each with a relevant one, is walked once, in time slices, and can be stopped', async () => {
  const LENGTH = runs(20_000, 100_000);
  const folder = testFolder();
  const name = (node: number): string => String(node).padStart(6, '0');
  const rows = Array.from({ length: 2 * LENGTH }, (_, i) => ({
    key: `example.a:http/${name(i)}`,
    status: 'fetched' as const,
    links:
      i < LENGTH ? [i + 1, i + LENGTH].filter((to) => to !== LENGTH).map((to) => `http://a.example/${name(to)}`) : [],
  }));
  const { graphs } = await buildGraphs(rows, { folder, levels: ['page'], raw: true, count: () => undefined });
  await using links = await openAdjacencyBlocks(graphs[0]!.adjacency);
  const nodes = 2 * LENGTH;
  const traits = new Uint8Array(nodes).fill(TRAIT.relevant, LENGTH);
  traits[0] = TRAIT.root;
  let given = 0;
  let asked = 0;
  const timeSlice = {
    // Two of three reads say that the slice is over; the one after a turn says that it is not.
    get isOver() {
      asked += 1;
      return asked % 3 !== 0;
    },
    next: () => {
      given += 1;
      return Promise.resolve();
    },
  };
  const graph = { nodes, traits, domains: new Uint32Array(nodes), links, timeSlice };
  // More changes of rules along the way than are counted.
  const rejections = { ofNode: new Uint32Array(nodes), sets: [[], [0], [1]] };
  for (let node = 1; node < LENGTH; node++) rejections.ofNode[node] = 1 + (node % 2);
  const isActive = () => true;
  const ways = await findWays(graph, rejections, { isActive, within: false });
  const lost = findLost(graph, ways, 1);
  expect(lost.all).toHaveLength(LENGTH - 1);
  const wayBack = { graph, ways, rejections, isActive };
  const found = await findInTheWay([lost.all.at(-1)!, ...lost.all], wayBack);
  expect([...found.keys()].sort()).toEqual([0, 1]);
  const needed = new Set<number>();
  await noteNeeded(lost.all, wayBack, found, needed);
  expect(needed.size).toBe(LENGTH - 1);
  expect(given).toBeGreaterThan(runs(20, 100));
  const signal = AbortSignal.abort(new Error('stop'));
  await expect(findWays(graph, rejections, { isActive, within: false, signal })).rejects.toThrow('stop');
  await expect(findInTheWay(lost.all, { ...wayBack, signal })).rejects.toThrow('stop');
  await expect(noteNeeded(lost.all, { ...wayBack, signal }, found, needed)).rejects.toThrow('stop');
}, 300_000);

test('any number of combinations of rules takes a limited number of sets, and no page counts as less rejected than it is', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `p${String.fromCharCode(97 + i)}`);
  const rules = names.map((each) =>
    checkRule({ kind: 'reject', origin: 'generated', scope: 'domain:a.example', pattern: { regex: `[?&]${each}=` } }),
  );
  const urls = Array.from({ length: 2 ** names.length }, (_, bits) => {
    const query = names.filter((_, i) => (bits >> i) % 2 === 1).map((each) => `${each}=1`);
    return `http://a.example/list?${query.join('&')}`;
  });
  const graph = {
    nodes: urls.length,
    traits: new Uint8Array(urls.length),
    domains: new Uint32Array(urls.length),
    names: ['a.example'],
    damaged: new Set<number>(),
    ruleSet: compileRules({ version: '', rules: [], damaged: [] }, { score: 0, other: 0 }),
    async *keys() {
      yield urls.map(rowKeyOf);
    },
  } as unknown as TableGraph;
  const { sets, ofNode, rows } = await findRejectedPages(graph, rules);
  expect(sets.length).toBeLessThan(1_010);
  expect([...rows]).toEqual(names.map(() => urls.length / 2));
  for (const [bits, set] of ofNode.entries()) {
    for (const i of names.keys()) if ((bits >> i) % 2 === 1) expect(sets[set]).toContain(i);
  }
});
