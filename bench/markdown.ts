/**
 * How much of the content boxes of manuals is kept as main content, page by page and with the template of each site; and for how many pages
 * the rendered Markdown differs from the HTML of the main content in words, links, items, cells or code. Most of these manuals state no
 * generator that webcrawl knows.
 */
import { BOXED_MANUALS, isManualThere } from './lib/boxed-manuals.js';
import { boxTable, TOTAL, type BoxSample } from './lib/box-table.js';
import { missingSets } from './lib/main-content-sets.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { runWorker } from './lib/worker.js';
import type { ManualJob } from './workers/manual-job.js';

/** Number of pages of each manual, chosen by the hashes of their paths. */
const PAGES = 60;
/** Number of pages of the comparison set of `main-content`. */
const COMPARISON_PAGES = 400;

/** `markdown`: main content and Markdown of manuals. */
export const markdownBench: Bench = {
  about: 'main content of manuals against their content boxes, and their Markdown against the main content',
  names: [],
  rounds: 1,
  run,
};

async function run({ scale, say }: BenchOptions): Promise<BenchResult> {
  const worker = new URL('workers/manual-job.js', import.meta.url);
  const alone: BoxSample[] = [];
  const bySite: BoxSample[] = [];
  for (const { name, set } of BOXED_MANUALS.filter(isManualThere)) {
    say(name);
    const job: ManualJob = { name, most: scaled(PAGES, scale, 2) };
    alone.push({ ...(await runWorker<BoxSample>(worker, job)), name, set });
    bySite.push({ ...(await runWorker<BoxSample>(worker, { ...job, isBySite: true })), name, set });
  }
  const isCompared = !missingSets().includes('comparison');
  const comparison = isCompared
    ? await runWorker<BoxSample>(worker, { most: scaled(COMPARISON_PAGES, scale, 2) } satisfies ManualJob)
    : undefined;
  const absent = [
    ...BOXED_MANUALS.filter((manual) => !isManualThere(manual)).map(({ name }) => name),
    ...(isCompared ? [] : ['the comparison set']),
  ];
  const first = boxTable('markdown: main content of manuals against their content boxes, each page alone', alone);
  const second = boxTable('the same by the templates of their sites', bySite);
  const sets = second.rows.filter(({ name }) => name.endsWith(TOTAL));
  return {
    ...first,
    more: [second],
    notes: [
      'Kept is the share of the words of the box that is kept; outside is the share of the kept words that is not of the box. A heading, pre or table is lost if less than half of its words are kept in an element of the same name. Make no choice by the manuals that are held out.',
      'Pages that differ: those of which the Markdown, as markdown-it shows it, has other words, links, items, cells or code than the HTML of the main content.',
      ...(comparison
        ? [`${comparison.differing!.length} of ${comparison.pages} pages of the comparison set differ.`]
        : []),
      ...(absent.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${absent.join('; ')}.`] : []),
    ],
    chart: {
      title: 'Main content of manuals, by the templates of their sites',
      panels: (['kept', 'outside'] as const).map((key) => ({
        title: key === 'kept' ? 'share of words kept' : 'share from outside',
        digits: 4,
        better: key === 'kept' ? 'more' : 'less',
        bars: sets.map((row) => ({ label: row.set, value: row[key], ours: true })),
      })),
    },
    samples: { alone, bySite, comparison },
  };
}
