/** How many of known duplicates `webcrawl dedup` finds, how often it is wrong, and its cost for 1,000,000 pages. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { EDITS, type Language } from './lib/made-duplicates.js';
import { runWorker } from './lib/worker.js';
import type { DuplicatesFigures, DuplicatesJob } from './workers/duplicates-job.js';

const FAMILIES = 500_000;
const COPIES = 1;
/** The smaller table, for comparing memory, has fewer pages by this factor. */
const FEWER = 10;

/** `duplicates`: precision and recall on a made set. */
export const duplicatesBench: Bench = {
  about: 'precision and recall of dedup on known duplicates; seconds and memory for 1,000,000 pages',
  names: [],
  rounds: 1,
  run,
};

async function run({ cache, scale, say }: BenchOptions): Promise<BenchResult> {
  const directory = join(cache, 'duplicates');
  const measure = async (wanted: number): Promise<DuplicatesFigures> => {
    await rm(directory, { recursive: true, force: true });
    const job = { directory, families: scaled(wanted, scale, 100), copies: COPIES };
    say(`a table of ${(job.families * (COPIES + 1)).toLocaleString('en-US')} pages`);
    const worker = new URL('workers/duplicates-job.js', import.meta.url);
    await runWorker(worker, { ...job, step: 'load' } satisfies DuplicatesJob);
    const figures = await runWorker<DuplicatesFigures>(worker, { ...job, step: 'dedup' } satisfies DuplicatesJob);
    await rm(directory, { recursive: true, force: true });
    return figures;
  };
  const fewer = await measure(FAMILIES / FEWER);
  const figures = await measure(FAMILIES);
  const { recalls, precision, marked, pages, seconds, cpuSeconds, ownMb } = figures;
  const recallOf = (edit: string, language: Language): number =>
    recalls.find((one) => one.edit === edit && one.language === language)?.recall ?? NaN;
  const rows = EDITS.map((edit) => ({
    edit,
    english: recallOf(edit, 'English'),
    chinese: recallOf(edit, 'Chinese'),
  }));
  return {
    title: `duplicates: the part of known ones that is found among ${pages.toLocaleString('en-US')} pages`,
    columns: [
      { key: 'edit', head: 'how the copy differs' },
      { key: 'english', head: 'English', digits: 3 },
      { key: 'chinese', head: 'Chinese', digits: 3 },
    ],
    rows,
    notes: [
      `Precision ${precision.toFixed(4)}: so many of ${marked.toLocaleString('en-US')} pages marked are duplicates of the page that is kept.`,
      `${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s; peak memory ${ownMb.toFixed(0)} MB, without mapped files of the table. Of ${fewer.pages.toLocaleString('en-US')} pages it is ${fewer.ownMb.toFixed(0)} MB: ${Math.round(((ownMb - fewer.ownMb) * 2 ** 20) / (pages - fewer.pages))} bytes for each further page.`,
      'Pages have 20 to 1,100 words and a menu of 60 that 50 pages share; those below dedup.minWords are found only where they are the same.',
    ],
    chart: {
      title: 'Known duplicates found',
      panels: (['English', 'Chinese'] as const).map((language) => ({
        title: language,
        better: 'more' as const,
        bars: EDITS.map((edit) => ({ label: edit, value: recallOf(edit, language), ours: true })),
      })),
    },
    samples: [fewer, figures],
  };
}
