import { readFileSync } from 'node:fs';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { DATE_FINDERS, isInstalled, openReader } from './lib/page-readers.js';
import { DATE_SETS, datedPages, missingSets, type DatedPage } from './lib/page-sets.js';
import { tabulate } from './lib/table.js';
import { runJob } from './lib/worker.js';

const WARM_UP_PAGES = 20;

interface FoundDay extends Omit<DatedPage, 'file'> {
  readonly found: string;
  readonly cpuMs: number;
}

export const datesBench: Bench = {
  about: 'the days on which pages were published, beside htmldate, on the pages of its comparison',
  names: Object.keys(DATE_FINDERS),
  rounds: 1,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const wanted = Object.keys(DATE_FINDERS).filter((name) => isWanted(options, name));
  const samples: { readonly name: string; readonly found: readonly FoundDay[] }[] = [];
  for (const name of wanted.filter((one) => isInstalled(DATE_FINDERS[one]!))) {
    options.say(name);
    samples.push({ name, found: await runJob(import.meta.url, findDays, { name, scale: options.scale }) });
  }
  type Sample = (typeof samples)[number];
  const [main, ...others] = DATE_SETS;
  const share =
    (set: string, isCounted: (page: FoundDay) => boolean, isPart: (page: FoundDay) => boolean = () => true) =>
    ({ found }: Sample): number | undefined => {
      const pages = found.filter((page) => page.set === set && isPart(page));
      return pages.length === 0 ? undefined : pages.filter(isCounted).length / pages.length;
    };
  const isRight = ({ day, found }: FoundDay): boolean => found === day;
  const isNone = ({ found }: FoundDay): boolean => found === '';
  const right = share(main, isRight);
  const { panels, ...table } = tabulate<Sample>(
    samples,
    {
      name: { head: 'finder', of: ({ name }) => name },
      pages: { head: 'pages', of: ({ found }) => found.filter(({ set }) => set === main).length },
      right: { head: 'right', digits: 3, better: 'more', panel: 'the part of pages with the right day', of: right },
      wrong: { head: 'wrong', digits: 3, of: share(main, (page) => !isRight(page) && !isNone(page)) },
      none: { head: 'none', digits: 3, of: share(main, isNone) },
      heldOut: { head: 'right, held out', digits: 3, of: share(main, isRight, ({ heldOut }) => heldOut) },
      ...Object.fromEntries(others.map((set) => [set, { head: `${set}: right`, digits: 3, of: share(set, isRight) }])),
      cpuMs: {
        head: 'CPU ms a page',
        digits: 1,
        of: ({ found }) => found.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / found.length,
      },
    },
    ({ name }) => ({ label: name, ours: name === 'webcrawl' }),
  );
  const left = [...missingSets('date-pages'), ...wanted.filter((name) => !isInstalled(DATE_FINDERS[name]!))];
  return {
    title: 'dates: pages whose day of publishing is found',
    ...table,
    notes: [
      'The pages are those of the comparison of go-htmldate 1.10.1. A day is right where it is the one that is known, in the zone of the page.',
      'Held out are pages whose URL has a SHA-1 that begins with a letter: nothing was chosen by looking at them. htmldate is not told the URL.',
      ...(left.length > 0 ? [`Left out, since bench/install.sh has not fetched them: ${left.join(', ')}.`] : []),
    ],
    chart: { title: 'Dates of pages', panels },
    samples,
  };
}

export async function findDays({ name, scale }: { name: string; scale: number }): Promise<FoundDay[]> {
  const pages = await datedPages(scale);
  const htmlOf = ({ url, file }: DatedPage) => ({ url, html: readFileSync(file) });
  const read = await openReader(DATE_FINDERS[name]!, pages.slice(0, WARM_UP_PAGES).map(htmlOf));
  const found: FoundDay[] = [];
  for (const page of pages) {
    const { text, cpuMs } = await read(htmlOf(page));
    const { file: _, ...known } = page;
    found.push({ ...known, found: text, cpuMs });
  }
  return found;
}
