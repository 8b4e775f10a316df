import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setV8Flags } from '../packages/util/index.js';
import { jobs, openContext, rowKeyOf, type PageChange } from '../packages/webcrawl/internal.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { loadPages } from './lib/fill-table.js';
import { inEmptyFolder } from './lib/folders.js';
import { EDITS, madeDuplicates, scoreDuplicates, type Language } from './lib/made-duplicates.js';
import { formatNumber, tabulate } from './lib/table.js';
import { measured, runJob } from './lib/worker.js';

const FAMILIES = 500_000;
const COPIES = 1;
const SMALLER_BY = 10;

export const duplicatesBench: Bench = {
  about: 'precision and recall of dedup on known duplicates; seconds and memory for 1,000,000 pages',
  names: [],
  rounds: 1,
  run,
};

async function run({ cache, scale, say }: BenchOptions): Promise<BenchResult> {
  const measure = (atFullSize: number): ReturnType<typeof markDuplicates> =>
    inEmptyFolder(join(cache, 'duplicates'), async (directory) => {
      const job = { directory, families: scaled(atFullSize, scale, 100) };
      say(`a table of ${formatNumber(job.families * (COPIES + 1))} pages`);
      await runJob(import.meta.url, loadDuplicates, job);
      return runJob(import.meta.url, markDuplicates, job);
    });
  const fewer = await measure(FAMILIES / SMALLER_BY);
  const figures = await measure(FAMILIES);
  const { recalls, precision, marked, pages, seconds, cpuSeconds, ownMb } = figures;
  const recallIn = (language: Language) => (edit: string) =>
    recalls.find((one) => one.edit === edit && one.language === language)?.recall ?? NaN;
  const perPage = ((ownMb - fewer.ownMb) * 2 ** 20) / (pages - fewer.pages);
  const { panels, ...table } = tabulate(
    EDITS,
    {
      edit: { head: 'how the copy differs', of: (edit) => edit },
      english: { head: 'English', digits: 3, better: 'more', of: recallIn('English') },
      chinese: { head: 'Chinese', digits: 3, better: 'more', of: recallIn('Chinese') },
    },
    (edit) => ({ label: edit }),
  );
  return {
    title: `duplicates: the part of known ones that is found among ${formatNumber(pages)} pages`,
    ...table,
    notes: [
      `Precision ${precision.toFixed(4)}: so many of ${formatNumber(marked)} pages marked are duplicates of the page that is kept.`,
      `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s; peak memory ${ownMb.toFixed(0)} MB, without mapped files of the table. Of ${formatNumber(fewer.pages)} pages it is ${fewer.ownMb.toFixed(0)} MB: ${Math.round(perPage)} bytes for each further page.`,
      'Pages have 20 to 1,100 words and a menu of 60 that 50 pages share; those below dedup.minWords are found only where they are the same.',
    ],
    chart: { title: 'Known duplicates found', panels },
    samples: [fewer, figures],
  };
}

interface Job {
  readonly directory: string;
  readonly families: number;
}

export async function loadDuplicates({ directory, families }: Job): Promise<void> {
  setV8Flags();
  await using crawl = await openContext({ table: `level:${directory}` });
  await loadPages(crawl.tables, rows(families), 0);
}

function* rows(families: number): Generator<PageChange> {
  for (const { url, text } of madeDuplicates(families, COPIES)) {
    const signature = createHash('md5').update(text).digest('hex');
    yield { key: rowKeyOf(url), set: { status: 'fetched', dueAt: 0, score: 1, signature, text } };
  }
}

export async function markDuplicates({ directory, families }: Job) {
  setV8Flags();
  await using crawl = await openContext({ table: `level:${directory}` });
  const [{ counters }, cost] = await measured(() => jobs.dedup(crawl, { yes: true }));
  const kept = new Map<string, string>();
  for await (const { url, duplicateOf } of crawl.pages({ fields: ['duplicateOf'] })) {
    if (duplicateOf !== undefined) kept.set(url, duplicateOf);
  }
  const found = scoreDuplicates(madeDuplicates(families, COPIES), (url) => kept.get(url));
  return { ...found, ...cost, pages: families * (COPIES + 1), counters };
}
