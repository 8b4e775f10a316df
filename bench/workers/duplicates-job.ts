// Makes the table of the benchmark `duplicates`, or marks the duplicates in it. Each runs in its own process.
import { createHash } from 'node:crypto';
import { setV8Flags } from '../../packages/util/index.js';
import { jobs, openContext, rowKeyOf, type OpenContext, type PageChange } from '../../packages/webcrawl/internal.js';
import { madeDuplicates, scoreDuplicates, type Found } from '../lib/made-duplicates.js';
import { loadPages } from '../lib/load-pages.js';
import { givenArgument, measured, reply, type TaskCost } from '../lib/worker.js';

/** The table, its size, and the step to run. */
export interface DuplicatesJob {
  readonly directory: string;
  readonly families: number;
  readonly copies: number;
  readonly step: 'load' | 'dedup';
}

/** The results and the cost. */
export interface DuplicatesFigures extends Found, TaskCost {
  readonly pages: number;
  readonly counters: Readonly<Record<string, number>>;
}

const { directory, families, copies, step } = givenArgument<DuplicatesJob>();
setV8Flags();
const crawl = await openContext({ table: `level:${directory}` });
if (step === 'load') {
  await loadPages(crawl.tables, rows(), 0);
  await crawl.close();
  reply({});
} else {
  const [{ counters }, cost] = await measured(() => jobs.dedup(crawl, { yes: true }));
  const found = await scored(crawl);
  await crawl.close();
  reply({ ...found, ...cost, pages: families * (copies + 1), counters } satisfies DuplicatesFigures);
}

function* rows(): Generator<PageChange> {
  for (const { url, text } of madeDuplicates(families, copies)) {
    const signature = createHash('md5').update(text).digest('hex');
    yield { key: rowKeyOf(url), set: { status: 'fetched', dueAt: 0, score: 1, signature, text } };
  }
}

async function scored(crawl: OpenContext): Promise<Found> {
  const kept = new Map<string, string>();
  for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] })) {
    if (duplicateOf !== undefined) kept.set(url, duplicateOf);
  }
  return scoreDuplicates(madeDuplicates(families, copies), (url) => kept.get(url));
}
