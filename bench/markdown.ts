/**
 * How much of the main part of pages becomes Markdown, and how much else, on manuals with known main parts. Also: for how many pages the
 * rendered Markdown differs from the HTML of the main content in words, links, items, cells or code. And how much of the content boxes of
 * manuals is kept as main content. Most of these manuals state no generator that webcrawl knows.
 */
import { BOXED_MANUALS, isManualThere } from './lib/boxed-manuals.js';
import { boxTable, type BoxSample } from './lib/box-table.js';
import { missingSets } from './lib/main-content-sets.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { MANUALS, isThere } from './lib/manuals.js';
import type { MarkdownScore } from './lib/markdown-score.js';
import { runWorker } from './lib/worker.js';

/** Number of pages of each manual, spread over it. */
const PAGES = 200;
/** Number of pages of the comparison set of `main-content`, whose main parts are only known in part. */
const ARTICLES = 400;
const SET = 'articles';
/** Number of pages of each manual with a content box, chosen by the hashes of their paths. */
const BOXED_PAGES = 60;

interface Sample extends MarkdownScore {
  readonly name: string;
  readonly generator: string;
  /** The differences between the Markdown of a page and its HTML, for each page with any. */
  readonly differing: readonly string[];
  readonly cpuSeconds: number;
}

/** `markdown`: precision and recall on manuals. */
export const markdownBench: Bench = {
  about: 'precision and recall of the field markdown on manuals with known main parts',
  names: [],
  rounds: 1,
  run,
};

async function run({ scale, say }: BenchOptions): Promise<BenchResult> {
  const samples: Sample[] = [];
  const absent = [
    ...MANUALS.filter((manual) => !isThere(manual)),
    ...BOXED_MANUALS.filter((manual) => !isManualThere(manual)),
  ];
  const sources = [
    ...MANUALS.filter(isThere).map(({ name, generator }) => ({ name, generator, count: PAGES })),
    ...(missingSets().includes('comparison') ? [] : [{ name: SET, generator: 'many', count: ARTICLES }]),
  ];
  for (const { name, generator, count } of sources) {
    say(name);
    const job = { name, most: scaled(count, scale, 2) };
    const score = await runWorker<Omit<Sample, 'name' | 'generator'>>(
      new URL('workers/markdown-job.js', import.meta.url),
      job,
    );
    samples.push({ name, generator, ...score });
  }
  const boxSamples = { alone: [] as BoxSample[], bySite: [] as BoxSample[] };
  for (const { name, set } of BOXED_MANUALS.filter(isManualThere)) {
    say(name);
    const job = { name, most: scaled(BOXED_PAGES, scale, 2) };
    for (const way of ['alone', 'bySite'] as const) {
      const score = await runWorker<Omit<BoxSample, 'name' | 'set'>>(
        new URL('workers/manual-box-job.js', import.meta.url),
        { ...job, isBySite: way === 'bySite' },
      );
      boxSamples[way].push({ name, set, ...score });
    }
  }
  const rows = samples.map(({ name, generator, pages, found, wanted, right, cpuSeconds, differing, ...counts }) => ({
    name,
    generator,
    pages,
    precision: found === 0 ? undefined : right / found,
    recall: wanted === 0 ? undefined : right / wanted,
    headings: counts.headings === 0 ? undefined : counts.headingsKept / counts.headings,
    code: counts.code === 0 ? undefined : counts.codeKept / counts.code,
    differing: differing.length,
    cpuMs: (cpuSeconds * 1000) / pages,
  }));
  const bars = (figure: 'precision' | 'recall') =>
    rows.flatMap((row) =>
      row[figure] === undefined ? [] : [{ label: row.name, value: row[figure], ours: true as const }],
    );
  return {
    title: 'markdown: manuals against their main parts',
    columns: [
      { key: 'name', head: 'manual' },
      { key: 'generator', head: 'made by' },
      { key: 'pages', head: 'pages' },
      { key: 'precision', head: 'precision', digits: 3 },
      { key: 'recall', head: 'recall', digits: 3 },
      { key: 'headings', head: 'headings', digits: 3 },
      { key: 'code', head: 'lines of code', digits: 3 },
      { key: 'differing', head: 'pages that differ' },
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
    ],
    rows,
    more: [
      boxTable(
        'main content of manuals against their content boxes, by the templates of their sites',
        boxSamples.bySite,
      ),
      boxTable('main content of manuals against their content boxes, each page alone', boxSamples.alone),
    ],
    notes: [
      'Precision: the part of the words of the Markdown that are of the main part; recall: of its words those that are there.',
      'Pages that differ: those of which the Markdown, as markdown-it shows it, has other words, links, items, cells or code than the HTML of the main content.',
      'Headings and lines of code: the part of them that are headings and code in the Markdown.',
      'Content boxes: kept is the part of the words of the box that is kept; outside is the part of the kept words that is not of the box. A heading, pre or table is lost if less than half of its words are kept in an element of the same name. Make no choice by the manuals that are held out.',
      ...(absent.length > 0
        ? [`Left out, since bench/install.sh has not fetched them: ${absent.map(({ name }) => name).join('; ')}.`]
        : []),
    ],
    chart: {
      title: 'Markdown of manuals',
      panels: [
        { title: 'precision', digits: 3, better: 'more', bars: bars('precision') },
        { title: 'recall', digits: 3, better: 'more', bars: bars('recall') },
      ],
    },
    samples,
  };
}
