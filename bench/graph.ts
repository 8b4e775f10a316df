/**
 * The graph of links and its rank: seconds and memory for making nodes and edges from rows, and for an iteration of PageRank. The rows are
 * generated while they are read.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import type { GraphPlan } from './lib/made-graph.js';
import type { Row } from './lib/table.js';
import { runWorker } from './lib/worker.js';
import type { GraphSample, GraphStep } from './workers/graph-job.js';

const PAGES = 5_000_000;
const LINKS = 100_000_000;
const ITERATIONS = 5;

/** `graph`: the time and memory of graph and rank. */
export const graphBench: Bench = {
  about: 'seconds and memory to make the graph of links, and of an iteration of PageRank',
  names: ['graph'],
  rounds: 1,
  run,
};

async function run({ scale, cache, say }: BenchOptions): Promise<BenchResult> {
  const plan: GraphPlan = { pages: scaled(PAGES, scale, 1000), links: scaled(LINKS, scale, 20_000) };
  const folder = join(cache, 'graph');
  say(`${plan.pages} pages`);
  const job = { plan, folder, iterations: ITERATIONS };
  const sample = await runWorker<GraphSample>(new URL('workers/graph-job.js', import.meta.url), job);
  await rm(folder, { recursive: true, force: true });
  const count = (n: number): string => n.toLocaleString('en-US');
  const rows = sample.steps.map((step): Row & GraphStep => ({ ...step }));
  return {
    title: `graph: ${count(sample.nodes)} nodes, ${count(sample.edges)} edges of ${count(sample.links)} links`,
    columns: [
      { key: 'step', head: 'step' },
      { key: 'seconds', head: 's', digits: 1 },
      { key: 'cpuSeconds', head: 'CPU s', digits: 1 },
      { key: 'residentMb', head: 'peak MB' },
      { key: 'ownMb', head: 'own MB' },
    ],
    rows,
    notes: ['Making the rows is part of the second step too; the first says how much of it.'],
    chart: {
      title: 'The graph of links',
      panels: [
        { title: 'Seconds', digits: 1, better: 'less', bars: rows.map(({ step, seconds }) => bar(step, seconds)) },
        { title: 'Peak memory, MB', better: 'less', bars: rows.map(({ step, residentMb }) => bar(step, residentMb)) },
      ],
    },
    samples: sample,
  };
}

function bar(label: string, value: number): { label: string; value: number; ours: true } {
  return { label, value, ours: true };
}
