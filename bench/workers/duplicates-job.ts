// Makes a table of known duplicates, finds them, and tells how well, how fast, and with how much memory.
import { createHash } from 'node:crypto';
import { jobs, openCrawl, rowKeyOf, type PageChange } from '../../packages/webcrawl/index.js';
import { madeDuplicates, scoreDuplicates, type Found } from '../lib/made-duplicates.js';
import { givenArgument, growHeapAsCommand, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';

/** Where, and how many pages. */
export interface DuplicatesJob {
  readonly directory: string;
  readonly families: number;
  readonly copies: number;
}

/** What was found, and what it took. */
export interface DuplicatesFigures extends Found {
  readonly pages: number;
  readonly seconds: number;
  readonly ownMb: number;
  readonly counters: Readonly<Record<string, number>>;
}

const CHUNK = 1000;
const { directory, families, copies } = givenArgument<DuplicatesJob>();
growHeapAsCommand();
const crawl = await openCrawl({ table: `level:${directory}` });
let chunk: PageChange[] = [];
for (const { url, text } of madeDuplicates(families, copies)) {
  const signature = createHash('md5').update(text).digest('hex');
  chunk.push({ key: rowKeyOf(url), set: { status: 'fetched', dueAt: 0, score: 1, signature, text } });
  if (chunk.length === CHUNK) await load();
}
await load();
const memory = watchMemory();
const { seconds, counters } = await jobs.dedup(crawl);
const { ownMb = peakMemoryMb() } = memory();
const kept = new Map<string, string>();
for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] })) {
  if (duplicateOf !== undefined) kept.set(url, duplicateOf);
}
await crawl.close();
const found = scoreDuplicates(madeDuplicates(families, copies), (url) => kept.get(url));
reply({ ...found, pages: families * (copies + 1), seconds, ownMb, counters } satisfies DuplicatesFigures);

async function load(): Promise<void> {
  const changes = chunk;
  chunk = [];
  await crawl.tables.changeRows(
    changes.map(({ key }) => key),
    [],
    0,
    () => changes,
  );
}
