/**
 * How much of the main part of pages becomes Markdown, and how much else, on manuals with known main parts. Also: for how many pages the
 * rendered Markdown differs from the HTML of the main content in words, links, items, cells or code. And how much of the content boxes of
 * manuals is kept as main content, most of which state no generator that webcrawl knows.
 */
import { BOXED_MANUALS, isManualThere, type BoxedManual } from './lib/boxed-manuals.js';
import type { BoxScore } from './lib/box-score.js';
import { missingSets } from './lib/main-content-sets.js';
import { scaled, type Bench, type BenchOptions, type BenchResult, type BenchTable } from './lib/bench.js';
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

interface BoxSample extends BoxScore {
  readonly name: string;
  readonly set: BoxedManual['set'];
  readonly withoutBox: number;
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
  const boxSamples: BoxSample[] = [];
  for (const { name, set } of BOXED_MANUALS.filter(isManualThere)) {
    say(name);
    const job = { name, most: scaled(BOXED_PAGES, scale, 2) };
    const score = await runWorker<Omit<BoxSample, 'name' | 'set'>>(
      new URL('workers/manual-box-job.js', import.meta.url),
      job,
    );
    boxSamples.push({ name, set, ...score });
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
    more: [boxTable(boxSamples)],
    notes: [
      'Precision: the part of the words of the Markdown that are of the main part; recall: of its words those that are there.',
      'Pages that differ: those of which the Markdown, as markdown-it shows it, has other words, links, items, cells or code than the HTML of the main content.',
      'Headings and lines of code: the part of them that are headings and code in the Markdown.',
      'Content boxes: lost are headings, pre and tables of which less than half of the words are kept in an element of the same name; outside is the part of the kept words that are not of the box. No choice may be made by the manuals that are held out.',
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
    samples: { markdown: samples, boxes: boxSamples },
  };
}

/** The rows of each set, with the means of shares and the sums of counts. */
function boxTable(samples: readonly BoxSample[]): BenchTable {
  const sets = ['tuning', 'held out', 'marked'] as const;
  const rows = sets.flatMap((set) => {
    const ofSet = samples.filter((sample) => sample.set === set).map(boxRow);
    return ofSet.length === 0 ? [] : [...ofSet, totalOf(set, ofSet)];
  });
  const counts = ['headings', 'pres', 'tables'].flatMap((key) => {
    const head = key === 'pres' ? 'pre' : key;
    return [
      { key, head },
      { key: `${key}Lost`, head: 'lost' },
    ];
  });
  return {
    title: 'main content of manuals against their content boxes',
    columns: [
      { key: 'name', head: 'manual' },
      { key: 'set', head: 'set' },
      { key: 'pages', head: 'pages' },
      { key: 'words', head: 'words' },
      { key: 'kept', head: 'kept', digits: 4 },
      { key: 'outside', head: 'outside', digits: 4 },
      ...counts,
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
    ],
    rows,
  };
}

type BoxRow = Record<(typeof MEANS)[number] | (typeof SUMS)[number], number> & Record<'name' | 'set', string>;

const MEANS = ['kept', 'outside', 'cpuMs'] as const;
const SUMS = ['pages', 'words', 'headings', 'headingsLost', 'pres', 'presLost', 'tables', 'tablesLost'] as const;

function boxRow({ wordsKept, found, cpuSeconds, withoutBox: _, ...sample }: BoxSample): BoxRow {
  const kept = wordsKept / sample.words;
  const outside = found === 0 ? 0 : (found - wordsKept) / found;
  return { ...sample, kept, outside, cpuMs: (cpuSeconds * 1000) / sample.pages };
}

function totalOf(set: string, rows: readonly BoxRow[]): BoxRow {
  const sum = (key: (typeof MEANS)[number] | (typeof SUMS)[number]): number =>
    rows.reduce((total, row) => total + row[key], 0);
  const means = MEANS.map((key) => [key, sum(key) / rows.length] as const);
  const sums = SUMS.map((key) => [key, sum(key)] as const);
  return { ...Object.fromEntries([...means, ...sums]), name: `${set}: means and sums`, set } as BoxRow;
}
