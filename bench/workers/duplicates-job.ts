// Makes the table of the benchmark `duplicates`, or marks the duplicates in it. Each runs in its own process.
import { createHash } from 'node:crypto';
import { setV8Flags } from '../../packages/util/index.js';
import { jobs, openContext, rowKeyOf, type OpenContext, type PageChange } from '../../packages/webcrawl/internal.js';
import { madeDuplicates, scoreDuplicates, type Found } from '../lib/made-duplicates.js';
import { givenArgument, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';

/** The table, its size, and the step to run. */
export interface DuplicatesJob {
  readonly directory: string;
  readonly families: number;
  readonly copies: number;
  readonly step: 'load' | 'dedup';
}

/** The results and the cost. */
export interface DuplicatesFigures extends Found {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly ownMb: number;
  readonly counters: Readonly<Record<string, number>>;
}

const CHUNK = 1000;
const { directory, families, copies, step } = givenArgument<DuplicatesJob>();
setV8Flags();
const crawl = await openContext({ table: `level:${directory}` });
if (step === 'load') {
  await load(crawl);
  await crawl.close();
  reply({});
} else {
  const memory = watchMemory();
  const cpu = process.cpuUsage();
  const { seconds, counters } = await jobs.dedup(crawl, { yes: true });
  const { user, system } = process.cpuUsage(cpu);
  const { ownMb = peakMemoryMb() } = memory();
  const found = await scored(crawl);
  await crawl.close();
  const cpuSeconds = (user + system) / 1e6;
  const pages = families * (copies + 1);
  reply({ ...found, pages, seconds, cpuSeconds, ownMb, counters } satisfies DuplicatesFigures);
}

async function load(crawl: OpenContext): Promise<void> {
  let chunk: PageChange[] = [];
  const write = (): Promise<void> => {
    const changes = chunk;
    chunk = [];
    const keys = changes.map(({ key }) => key);
    return crawl.tables.changeRows(keys, [], 0, () => changes);
  };
  for (const { url, text } of madeDuplicates(families, copies)) {
    const signature = createHash('md5').update(text).digest('hex');
    chunk.push({ key: rowKeyOf(url), set: { status: 'fetched', dueAt: 0, score: 1, signature, text } });
    if (chunk.length === CHUNK) await write();
  }
  await write();
}

async function scored(crawl: OpenContext): Promise<Found> {
  const kept = new Map<string, string>();
  for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] })) {
    if (duplicateOf !== undefined) kept.set(url, duplicateOf);
  }
  return scoreDuplicates(madeDuplicates(families, copies), (url) => kept.get(url));
}
