/** How well the publishing date of pages is found, by webcrawl and by htmldate, on a public set. */
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { DATE_FINDERS, DATE_SETS, hasDatePages, hasFinder, type DatedPage, type DateFinder } from './lib/date-sets.js';
import { runWorker } from './lib/worker.js';

interface FoundDay extends Omit<DatedPage, 'file'> {
  /** Empty: no date. */
  readonly found: string;
  readonly cpuMs: number;
}

interface Sample {
  readonly name: DateFinder;
  readonly found: readonly FoundDay[];
}

/** `dates`: the share of pages whose publishing day is found. */
export const datesBench: Bench = {
  about: 'the days on which pages were published, beside htmldate, on the pages of its comparison',
  names: DATE_FINDERS,
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const wanted = DATE_FINDERS.filter((name) => isWanted(options, name));
  const samples: Sample[] = [];
  for (const name of wanted.filter(hasFinder)) {
    options.say(name);
    const job = { name, scale: options.scale };
    samples.push({
      name,
      ...(await runWorker<Omit<Sample, 'name'>>(new URL('workers/dates-job.js', import.meta.url), job)),
    });
  }
  const rows = samples.map(({ name, found }) => {
    const comparison = found.filter(({ set }) => set === 'comparison');
    return {
      name,
      pages: comparison.length,
      ...figures(comparison),
      heldOut: figures(comparison.filter(({ heldOut }) => heldOut)).right,
      ...Object.fromEntries(
        DATE_SETS.slice(1).map((set) => [set, figures(found.filter((page) => page.set === set)).right]),
      ),
      cpuMs: found.length === 0 ? undefined : found.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / found.length,
    };
  });
  const left = [...(hasDatePages() ? [] : ['date-pages']), ...wanted.filter((name) => !hasFinder(name))];
  return {
    title: 'dates: pages whose day of publishing is found',
    columns: [
      { key: 'name', head: 'finder' },
      { key: 'pages', head: 'pages' },
      { key: 'right', head: 'right', digits: 3 },
      { key: 'wrong', head: 'wrong', digits: 3 },
      { key: 'none', head: 'none', digits: 3 },
      { key: 'heldOut', head: 'right, held out', digits: 3 },
      { key: 'mediacloud', head: 'mediacloud: right', digits: 3 },
      { key: 'mock', head: 'mock: right', digits: 3 },
      { key: 'cpuMs', head: 'CPU ms a page', digits: 1 },
    ],
    rows,
    notes: [
      'The pages are those of the comparison of go-htmldate 1.10.1. A day is right where it is the one that is known, in the zone of the page.',
      'Held out are pages whose URL has a SHA-1 that begins with a letter: nothing was chosen by looking at them. htmldate is not told the URL.',
      ...(left.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${left.join(', ')}.`] : []),
    ],
    chart: {
      title: 'Dates of pages',
      panels: [
        {
          title: 'the part of pages with the right day',
          digits: 3,
          better: 'more',
          bars: rows.map(({ name, right }) => ({
            label: name,
            value: right ?? 0,
            ...(name === 'webcrawl' && { ours: true as const }),
          })),
        },
      ],
    },
    samples,
  };
}

function figures(found: readonly FoundDay[]): Partial<Record<'right' | 'wrong' | 'none', number>> {
  if (found.length === 0) return {};
  const right = found.filter(({ day, found: own }) => own === day).length;
  const none = found.filter(({ found: own }) => own === '').length;
  const all = found.length;
  return { right: right / all, wrong: (all - right - none) / all, none: none / all };
}
