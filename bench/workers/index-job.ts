// Makes a table of made texts, brings it into a search index, and tells how fast, how large, and with how much memory.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { jobs, openCrawl, rowKeyOf, type PageChange } from '../../packages/webcrawl/index.js';
import { madeTexts } from '../lib/made-texts.js';
import { givenArgument, growHeapAsCommand, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';

/** Where, and how many pages. */
export interface IndexJob {
  readonly directory: string;
  readonly pages: number;
}

/** What it took. */
export interface IndexFigures {
  readonly pages: number;
  readonly seconds: number;
  /** Seconds of the whole process, threads included. */
  readonly cpu: number;
  readonly textBytes: number;
  readonly indexBytes: number;
  readonly ownMb: number;
}

const CHUNK = 1000;
const { directory, pages } = givenArgument<IndexJob>();
growHeapAsCommand();
const crawl = await openCrawl({ table: `level:${directory}` });
let chunk: PageChange[] = [];
let textBytes = 0;
for (const { url, title, text, language } of madeTexts(pages)) {
  textBytes += Buffer.byteLength(title) + Buffer.byteLength(text);
  const parseStatus = { code: 'success' };
  const set = { status: 'fetched', dueAt: 0, score: 1, parseStatus, title, text, language } as const;
  chunk.push({ key: rowKeyOf(url), set });
  if (chunk.length === CHUNK) await load();
}
await load();
const memory = watchMemory();
const before = process.cpuUsage();
const { seconds } = await jobs.index(crawl);
const { user, system } = process.cpuUsage(before);
const { ownMb = peakMemoryMb() } = memory();
await crawl.close();
let indexBytes = 0;
for (const name of await readdir(join(directory, 'index')))
  indexBytes += (await stat(join(directory, 'index', name))).size;
reply({ pages, seconds, cpu: (user + system) / 1e6, textBytes, indexBytes, ownMb } satisfies IndexFigures);

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
