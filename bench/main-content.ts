/** How well the main content of pages is found, by webcrawl and by others, on two public sets. */
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { f1Of, type MainContentScore } from './lib/main-content-score.js';
import { EXTRACTOR_NAMES, isInstalled, missingSets } from './lib/main-content-sets.js';
import { runWorker } from './lib/worker.js';

interface Sample {
  readonly name: string;
  readonly fragments: MainContentScore;
  /** The score on pages that were not used for training. */
  readonly heldOut: MainContentScore;
  readonly articles: MainContentScore;
  readonly cpuMs: number;
}

/** An extractor that could not be measured. */
interface Failure {
  readonly name: string;
  /** How its process ended, and the first line of its error. */
  readonly failed: string;
}

/** `main-content`: precision and recall of the field `markdown` and of other extractors. */
export const mainContentBench: Bench = {
  about: 'precision and recall of the main content of pages, with other extractors, on two public sets',
  names: EXTRACTOR_NAMES,
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const wanted = EXTRACTOR_NAMES.filter((name) => isWanted(options, name));
  const samples: Sample[] = [];
  const failed: Failure[] = [];
  for (const name of wanted.filter(isInstalled)) {
    options.say(name);
    const job = { name, scale: options.scale };
    try {
      const score = await runWorker<Omit<Sample, 'name'>>(new URL('workers/main-content-job.js', import.meta.url), job);
      samples.push({ name, ...score });
    } catch (error) {
      failed.push({ name, failed: (error as Error).message });
    }
  }
  const absent = wanted.filter((name) => !isInstalled(name));
  return resultOf(samples, failed, [...missingSets(), ...absent]);
}

/** The table of the measured extractors, the failed ones, and the names of those that are not installed. */
export function resultOf(
  samples: readonly Sample[],
  failed: readonly Failure[],
  absent: readonly string[],
): BenchResult {
  const rows = samples.map(rowOf);
  return {
    title: 'main content: fragments that must and must not be in it, and whole articles',
    columns: [
      { key: 'name', head: 'extractor' },
      { key: 'pages', head: 'pages' },
      { key: 'precision', head: 'precision', digits: 3 },
      { key: 'recall', head: 'recall', digits: 3 },
      { key: 'f1', head: 'F1', digits: 3 },
      { key: 'heldOutPrecision', head: 'held out: precision', digits: 3 },
      { key: 'heldOutRecall', head: 'recall', digits: 3 },
      { key: 'heldOutF1', head: 'F1', digits: 3 },
      { key: 'empty', head: 'without text' },
      { key: 'articlePrecision', head: 'articles: precision', digits: 3 },
      { key: 'articleRecall', head: 'recall', digits: 3 },
      { key: 'articleF1', head: 'F1', digits: 3 },
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
      ...(failed.length > 0 ? [{ key: 'failed', head: 'failed' }] : []),
    ],
    rows: [...rows, ...failed.map((one) => ({ ...one }))],
    notes: [
      'Pages with fragments: the comparison set of go-trafilatura 1.12.2. Held out are those whose URL has a SHA-1 that begins with a letter.',
      'Articles: the article-extraction-benchmark of Scrapinghub, compared in four words in a row, without titles and pictures. webcrawl was trained with these pages too.',
      ...(absent.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${absent.join(', ')}.`] : []),
    ],
    chart: {
      title: 'Main content',
      panels: [
        {
          title: 'F1 of fragments',
          digits: 3,
          better: 'more',
          bars: rows.map(({ name, f1 }) => ({
            label: name,
            value: f1 ?? 0,
            ...(name === 'webcrawl' && { ours: true as const }),
          })),
        },
      ],
    },
    samples: [...samples, ...failed],
  };
}

function rowOf({ name, fragments, heldOut, articles, cpuMs }: Sample) {
  const held = fragmentFigures(heldOut);
  return {
    name,
    pages: fragments.pages,
    ...fragmentFigures(fragments),
    heldOutPrecision: held.precision,
    heldOutRecall: held.recall,
    heldOutF1: held.f1,
    empty: fragments.empty,
    ...articleFigures(articles),
    cpuMs: fragments.pages === 0 ? undefined : cpuMs / fragments.pages,
  };
}

function fragmentFigures({
  right,
  wrong,
  missing,
}: MainContentScore): Partial<Record<'precision' | 'recall' | 'f1', number>> {
  if (right === 0) return {};
  const precision = right / (right + wrong);
  const recall = right / (right + missing);
  return { precision, recall, f1: f1Of(precision, recall) };
}

function articleFigures(score: MainContentScore): Record<string, number> {
  if (score.precisions === 0 || score.recalls === 0) return {};
  const articlePrecision = score.precision / score.precisions;
  const articleRecall = score.recall / score.recalls;
  return { articlePrecision, articleRecall, articleF1: f1Of(articlePrecision, articleRecall) };
}
