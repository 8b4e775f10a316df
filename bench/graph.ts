/** The rows are generated while they are read. */
import { join } from 'node:path';
import { buildGraphs, pageRank, withWorkFolder } from '../packages/graph/public.js';
import { setV8Flags } from '../packages/util/index.js';
import type { LinkRow } from '../packages/webcrawl/internal.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { inEmptyFolder } from './lib/folders.js';
import { randomShares } from './lib/made-page.js';
import { formatNumber, tabulate } from './lib/table.js';
import { measured, runJob, type TaskCost } from './lib/worker.js';

const PAGES = 5_000_000;
const LINKS = 100_000_000;
const ITERATIONS = 5;
const PAGES_PER_HOST = 1000;
const NO_LINKS_EVERY = 5;

export const graphBench: Bench = {
  about: 'seconds and memory to make the graph of links, and of an iteration of PageRank',
  names: ['graph'],
  rounds: 1,
  run,
};

async function run({ scale, cache, say }: BenchOptions): Promise<BenchResult> {
  const plan = { pages: scaled(PAGES, scale, 1000), links: scaled(LINKS, scale, 20_000) };
  say(`${plan.pages} pages`);
  const sample = await inEmptyFolder(join(cache, 'graph'), (folder) =>
    runJob(import.meta.url, rankGraph, { ...plan, folder }),
  );
  const { nodes, edges, links, steps } = sample;
  const { panels, ...table } = tabulate(
    steps,
    {
      step: { head: 'step', of: ({ step }) => step },
      seconds: { head: 's', digits: 1, better: 'less', panel: 'Seconds', of: ({ seconds }) => seconds },
      cpuSeconds: { head: 'CPU s', digits: 1, of: ({ cpuSeconds }) => cpuSeconds },
      residentMb: { head: 'peak MB', better: 'less', of: ({ residentMb }) => residentMb },
      ownMb: { head: 'own MB', of: ({ ownMb }) => ownMb },
    },
    ({ step }) => ({ label: step }),
  );
  return {
    title: `graph: ${formatNumber(nodes)} nodes, ${formatNumber(edges)} edges of ${formatNumber(links)} links`,
    ...table,
    notes: ['Making the rows is part of the second step too; the first says how much of it.'],
    chart: { title: 'The graph of links', panels },
    samples: sample,
  };
}

interface Plan {
  readonly pages: number;
  /** In sum: half of them within the host, half to any page, and to some pages far more often. */
  readonly links: number;
}

export async function rankGraph({ folder, ...plan }: Plan & { readonly folder: string }) {
  setV8Flags();
  const steps: (TaskCost & { step: string })[] = [];
  async function run<T>(step: string, task: () => T | Promise<T>, times = 1): Promise<T> {
    const [result, { seconds, cpuSeconds, ...memory }] = await measured(task);
    steps.push({ step, seconds: seconds / times, cpuSeconds: cpuSeconds / times, ...memory });
    return result;
  }

  let links = 0;
  await run('the rows alone', () => {
    for (const row of rowsOf(plan)) links += row.links.length;
  });
  return withWorkFolder(folder, async (work) => {
    const { graphs } = await run('nodes and edges', () =>
      buildGraphs(rowsOf(plan), { folder: work, levels: ['page'], count: () => {} }),
    );
    const { adjacency } = graphs[0]!;
    const settings = { damping: 0.85, tolerance: 0, danglingMass: 'spread', maxIterations: ITERATIONS } as const;
    await run('an iteration of PageRank', () => pageRank(adjacency, settings), ITERATIONS);
    return { nodes: adjacency.nodes, edges: adjacency.edges, links, steps };
  });
}

function* rowsOf({ pages, links }: Plan): Generator<LinkRow> {
  const linksOfPage = Math.round((links / pages) * (NO_LINKS_EVERY / (NO_LINKS_EVERY - 1)));
  const random = randomShares(1);
  const padded = (n: number): string => String(n).padStart(7, '0');
  const hostOf = (page: number): string => `h${padded(Math.floor(page / PAGES_PER_HOST))}`;
  for (let page = 0; page < pages; page++) {
    const found: string[] = [];
    const first = page - (page % PAGES_PER_HOST);
    const count = page % NO_LINKS_EVERY === NO_LINKS_EVERY - 1 ? 0 : linksOfPage;
    for (let i = 0; i < count; i++) {
      const isNear = i % 2 === 0;
      const target = isNear ? first + Math.floor(random() * PAGES_PER_HOST) : Math.floor(random() ** 3 * pages);
      const to = Math.min(target, pages - 1);
      found.push(`https://www.${hostOf(to)}.com/page/${padded(to)}`);
    }
    yield { key: `com.${hostOf(page)}.www:https/page/${padded(page)}`, status: 'fetched', links: found };
  }
}
