// Builds and ranks a made-up graph for the benchmark `graph`, and measures each step.
import { mkdir } from 'node:fs/promises';
import { setV8Flags } from '../../packages/util/index.js';
import { buildGraphs, pageRank, withWorkFolder } from '../../packages/graph/public.js';
import { madeRows, type GraphPlan } from '../lib/made-graph.js';
import { givenArgument, reply, watchMemory } from '../lib/worker.js';

setV8Flags();
const { plan, folder, rounds } = givenArgument<{ plan: GraphPlan; folder: string; rounds: number }>();
await mkdir(folder, { recursive: true });
const memory = watchMemory();

async function measured<T>(step: string, task: () => Promise<T>, per = 1): Promise<T> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await task();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  steps.push({ step, seconds: seconds / per, cpuSeconds: (user + system) / 1e6 / per, ...memory() });
  return result;
}

const steps: unknown[] = [];
let links = 0;
await measured('the rows alone', () => {
  for (const row of madeRows(plan)) links += row.links.length;
  return Promise.resolve();
});
const found = await withWorkFolder(folder, async (work) => {
  const { graphs } = await measured('nodes and edges', () =>
    buildGraphs(madeRows(plan), { folder: work, levels: ['page'], count: () => {} }),
  );
  const { adjacency } = graphs[0]!;
  const settings = { damping: 0.85, tolerance: 0, danglingMass: 'spread', maxIterations: rounds } as const;
  await measured('a round of PageRank', () => pageRank(adjacency, settings), rounds);
  return { nodes: adjacency.nodes, edges: adjacency.edges };
});
reply({ ...found, links, steps });
