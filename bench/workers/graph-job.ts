// Builds and ranks a made-up graph for the benchmark `graph`, and measures each step.
import { mkdir } from 'node:fs/promises';
import { setV8Flags } from '../../packages/util/index.js';
import { buildGraphs, pageRank, withWorkFolder } from '../../packages/graph/public.js';
import { madeRows, type GraphPlan } from '../lib/made-graph.js';
import { givenArgument, measured, reply, type TaskCost } from '../lib/worker.js';

/** A step, and its cost. */
export interface GraphStep extends TaskCost {
  readonly step: string;
}

/** The size of the graph, and its steps. */
export interface GraphSample {
  readonly nodes: number;
  readonly edges: number;
  readonly links: number;
  readonly steps: readonly GraphStep[];
}

setV8Flags();
const { plan, folder, iterations } = givenArgument<{ plan: GraphPlan; folder: string; iterations: number }>();
await mkdir(folder, { recursive: true });
const steps: GraphStep[] = [];

async function run<T>(step: string, task: () => T | Promise<T>, times = 1): Promise<T> {
  const [result, { seconds, cpuSeconds, ...memory }] = await measured(task);
  steps.push({ step, seconds: seconds / times, cpuSeconds: cpuSeconds / times, ...memory });
  return result;
}

let links = 0;
await run('the rows alone', () => {
  for (const row of madeRows(plan)) links += row.links.length;
});
const found = await withWorkFolder(folder, async (work) => {
  const { graphs } = await run('nodes and edges', () =>
    buildGraphs(madeRows(plan), { folder: work, levels: ['page'], count: () => {} }),
  );
  const { adjacency } = graphs[0]!;
  const settings = { damping: 0.85, tolerance: 0, danglingMass: 'spread', maxIterations: iterations } as const;
  await run('an iteration of PageRank', () => pageRank(adjacency, settings), iterations);
  return { nodes: adjacency.nodes, edges: adjacency.edges };
});
reply({ ...found, links, steps } satisfies GraphSample);
