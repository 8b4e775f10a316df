import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildGraphs, openAdjacencyBlocks } from '../../../packages/graph/index.js';
import { FAR, TRAIT, findWays } from '../../../packages/focus/proposals/ways.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { seeds } from '../../support/runs.js';
import { suiteFolder } from '../../support/files/temp-folder.js';

const folder = suiteFolder();

const urlOf = (node: number): string => `http://a.example/${String(node).padStart(4, '0')}`;

/** The least costs, found by trying every link until nothing changes. */
function naive(
  links: readonly (readonly number[])[],
  { traits, domains }: { traits: Uint8Array; domains: Uint32Array },
  { ofNode, sets }: { ofNode: Uint32Array; sets: readonly (readonly number[])[] },
  isActive: (proposal: number) => boolean,
  within: boolean,
): number[] {
  const step = (from: readonly number[], to: readonly number[]): number =>
    to.some((proposal) => isActive(proposal) && !from.includes(proposal)) ? 1 : 0;
  const is = (node: number, trait: number): boolean => (traits[node]! & trait) !== 0;
  const cost = links.map((_, node) =>
    is(node, TRAIT.root) && !is(node, TRAIT.closed) ? step([], sets[ofNode[node]!]!) : Infinity,
  );
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const [from, targets] of links.entries()) {
      for (const to of targets) {
        if (is(to, TRAIT.closed) || (within && domains[from] !== domains[to])) continue;
        const next = cost[from]! + step(sets[ofNode[from]!]!, sets[ofNode[to]!]!);
        if (next < cost[to]!) {
          cost[to] = next;
          isChanged = true;
        }
      }
    }
  }
  return cost;
}

test.each(seeds(12, 60).map((i) => i + 1))(
  'finds the cheapest ways, whatever the blocks are, seed %i',
  async (seed) => {
    const random = randomNumbers(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const nodes = 5 + below(120);
    const links = Array.from({ length: nodes }, (_, i) =>
      [...new Set(Array.from({ length: below(4) }, () => below(nodes)))].filter((to) => to !== i).sort((a, b) => a - b),
    );
    const rows = links.map((targets, i) => ({
      key: `example.a:http/${String(i).padStart(4, '0')}`,
      status: 'fetched' as const,
      links: targets.map(urlOf),
    }));
    const work = await mkdtemp(join(folder, 'graph-'));
    const { graphs } = await buildGraphs(rows, { folder: work, levels: ['page'], raw: true, count: () => undefined });
    await using blocks = await openAdjacencyBlocks(graphs[0]!.adjacency, 1 + below(60));
    const sets = [[], ...Array.from({ length: 1 + below(5) }, () => [0, 1, 2, 3].filter(() => random() < 0.4))];
    const cuts = { ofNode: Uint32Array.from(links, () => (random() < 0.4 ? below(sets.length) : 0)), sets };
    const traits = Uint8Array.from(
      links,
      () => (random() < 0.05 ? TRAIT.closed : 0) | (random() < 0.1 ? TRAIT.root : 0),
    );
    const graph = { nodes, traits, domains: Uint32Array.from(links, () => below(3)), links: blocks };
    for (const within of [false, true]) {
      const isActive = (proposal: number): boolean => proposal !== seed % 4;
      const ways = await findWays(graph, cuts, { isActive, within });
      const expected = naive(links, graph, cuts, isActive, within);
      expect(Array.from(ways.cost, (cost) => (cost === FAR ? Infinity : cost))).toEqual(expected);
      for (let node = 0; node < nodes; node++) {
        if (ways.cost[node] === FAR) continue;
        const way: number[] = [];
        for (let at = node; at < nodes; at = ways.before[at]!) way.unshift(at);
        expect(traits[way[0]!]! & TRAIT.root).toBeTruthy();
        for (const [i, at] of way.slice(1).entries()) expect(links[way[i]!]).toContain(at);
      }
    }
  },
);
