import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { addArticle, addFragments, f1Of, noMainContentScore, type MainContentScore } from './lib/main-content-score.js';
import { EXTRACTORS, isInstalled, openReader } from './lib/page-readers.js';
import { mainContentPages, missingSets } from './lib/page-sets.js';
import { tabulate } from './lib/table.js';
import { runJob } from './lib/worker.js';

const WARM_UP_PAGES = 20;

interface Sample {
  readonly name: string;
  readonly fragments: MainContentScore;
  readonly heldOut: MainContentScore;
  readonly articles: MainContentScore;
  readonly cpuMs: number;
}

interface Failure {
  readonly name: string;
  readonly failed: string;
}

export const mainContentBench: Bench = {
  about: 'precision and recall of the main content of pages, with other extractors, on two public sets',
  names: Object.keys(EXTRACTORS),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const wanted = Object.keys(EXTRACTORS).filter((name) => isWanted(options, name));
  const installed = wanted.filter((name) => isInstalled(EXTRACTORS[name]!));
  const samples: (Sample | Failure)[] = [];
  for (const name of installed) {
    options.say(name);
    const job = { name, scale: options.scale };
    const sample = await runJob(import.meta.url, scoreExtractor, job).catch((error: Error) => error);
    samples.push(sample instanceof Error ? { name, failed: sample.message } : { name, ...sample });
  }
  const absent = wanted.filter((name) => !installed.includes(name));
  return resultOf(samples, [...missingSets('comparison', 'articles'), ...absent]);
}

/** The table of the measured extractors and of the failed ones. @param absent the names of parts that are not installed */
export function resultOf(samples: readonly (Sample | Failure)[], absent: readonly string[]): BenchResult {
  const measured = samples.filter((sample) => !('failed' in sample));
  const failed = samples.filter((sample) => 'failed' in sample);
  const of = (figure: (sample: Sample) => number) => (sample: Sample | Failure) => {
    const value = 'failed' in sample ? NaN : figure(sample);
    return Number.isNaN(value) ? undefined : value;
  };
  const { panels, ...table } = tabulate(
    [...measured, ...failed],
    {
      name: { head: 'extractor', of: ({ name }) => name },
      pages: { head: 'pages', of: of(({ fragments }) => fragments.pages) },
      precision: { head: 'precision', digits: 3, of: of(({ fragments }) => precisionOf(fragments)) },
      recall: { head: 'recall', digits: 3, of: of(({ fragments }) => recallOf(fragments)) },
      f1: { head: 'F1', digits: 3, better: 'more', panel: 'F1 of fragments', of: of(({ fragments }) => f1(fragments)) },
      heldOutPrecision: { head: 'held out: precision', digits: 3, of: of(({ heldOut }) => precisionOf(heldOut)) },
      heldOutRecall: { head: 'recall', digits: 3, of: of(({ heldOut }) => recallOf(heldOut)) },
      heldOutF1: { head: 'F1', digits: 3, of: of(({ heldOut }) => f1(heldOut)) },
      empty: { head: 'without text', of: of(({ fragments }) => fragments.empty) },
      articlePrecision: { head: 'articles: precision', digits: 3, of: of(({ articles }) => meanPrecision(articles)) },
      articleRecall: { head: 'recall', digits: 3, of: of(({ articles }) => meanRecall(articles)) },
      articleF1: {
        head: 'F1',
        digits: 3,
        of: of(({ articles }) => f1Of(meanPrecision(articles), meanRecall(articles))),
      },
      cpuMs: { head: 'CPU ms a page', digits: 1, of: of(({ fragments, cpuMs }) => cpuMs / fragments.pages) },
      ...(failed.length > 0 && {
        failed: { head: 'failed', of: (sample: Sample | Failure) => ('failed' in sample ? sample.failed : undefined) },
      }),
    },
    ({ name }) => ({ label: name, ours: name === 'webcrawl' }),
  );
  return {
    title: 'main content: fragments that must and must not be in it, and whole articles',
    ...table,
    notes: [
      'Pages with fragments: the comparison set of go-trafilatura 1.12.2. Held out are those whose URL has a SHA-1 that begins with a letter.',
      'Articles: the article-extraction-benchmark of Scrapinghub, compared in four words in a row, without titles and pictures. webcrawl was trained with these pages too.',
      ...(absent.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${absent.join(', ')}.`] : []),
    ],
    chart: { title: 'Main content', panels },
    samples,
  };
}

const precisionOf = ({ right, wrong }: MainContentScore): number => right / (right + wrong);
const recallOf = ({ right, missing }: MainContentScore): number => right / (right + missing);
const f1 = (score: MainContentScore): number => f1Of(precisionOf(score), recallOf(score));
const meanPrecision = ({ precision, precisions }: MainContentScore): number => precision / precisions;
const meanRecall = ({ recall, recalls }: MainContentScore): number => recall / recalls;

export async function scoreExtractor({ name, scale }: { name: string; scale: number }): Promise<Omit<Sample, 'name'>> {
  const { fragments, articles, isTuning } = await mainContentPages(scale);
  const score = { fragments: noMainContentScore(), heldOut: noMainContentScore(), articles: noMainContentScore() };
  let allMs = 0;
  const read = await openReader(EXTRACTORS[name]!, fragments.slice(0, WARM_UP_PAGES));
  for (const page of fragments) {
    const { text, cpuMs } = await read(page);
    addFragments(score.fragments, page, text);
    if (!isTuning(page.url)) addFragments(score.heldOut, page, text);
    allMs += cpuMs;
  }
  for (const page of articles) addArticle(score.articles, page, (await read(page)).text);
  return { ...score, cpuMs: allMs };
}
