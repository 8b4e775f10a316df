/**
 * `webcrawl audit` beside linkchecker and lychee: the broken links and `#fragments` that each reports on the manuals of Debian
 * and on Rust's std and book, and the cost of a check with the same number of connections and no delay.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { LINK_CHECKERS, type BrokenLink, type CheckTask, type LinkChecker } from './lib/link-checkers.js';
import { measure, type Measurement } from './lib/measure.js';
import { spread, type Spread } from './lib/rounds.js';
import { CHECKED_SITES, serveChecked } from './lib/sites/checked-manuals.js';

type SiteKey = keyof typeof CHECKED_SITES;
const SITES = Object.keys(CHECKED_SITES) as SiteKey[];
const OURS = 'webcrawl';
/**
 * linkchecker requests a page again for each of its fragments, which would take an hour for all manuals of Debian. It runs
 * once, on the smaller sites.
 */
const SLOW = 'linkchecker';
const TOO_MUCH: readonly SiteKey[] = ['debian', 'rust'];
/** Causes of differences. If webcrawl reports one notice for all fragments of a page, each of them counts as reported. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/#\d+-\d+$/, 'a range of lines, which a script of the page reads: one notice for the page'],
];
/** Maximum number of differences in a note. */
const SHOWN = 3;

interface Sample extends Omit<Measurement, 'stdout'> {
  readonly site: SiteKey;
  readonly name: string;
  readonly broken: readonly BrokenLink[];
}

/** `link-check`: beside other link checkers. */
export const linkCheckBench: Bench = {
  about: 'broken links and places of two sets of manuals, and the cost of the check, beside linkchecker and lychee',
  names: [...LINK_CHECKERS.map(({ name }) => name), ...SITES],
  rounds: 2,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const samples: Sample[] = [];
  const isAsked = (name: string, among: readonly string[]): boolean =>
    isWanted(options, name) || !options.only?.some((one) => among.includes(one));
  const names = LINK_CHECKERS.map(({ name }) => name);
  const checkers = LINK_CHECKERS.filter(({ name, version }) => isAsked(name, names) && version() !== undefined);
  for (const site of SITES.filter((one) => isAsked(one, SITES))) {
    const served = await serveChecked(site);
    const task = { site: served, out: join(options.cache, 'link-check') };
    try {
      for (let round = 0; round < options.rounds; round++) {
        // The others need the list of pages of webcrawl, which runs first.
        for (const checker of checkers.filter(
          ({ name }) => name !== SLOW || (round === 0 && !TOO_MUCH.includes(site)),
        )) {
          const sample = await check(checker, site, task);
          samples.push(sample);
          const { seconds, cpuSeconds, broken } = sample;
          options.say(
            `${site}, round ${round + 1}: ${checker.name} ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, ${broken.length} broken`,
          );
        }
      }
    } finally {
      await served.close();
      await rm(task.out, { recursive: true, force: true });
    }
  }
  return present(checkers, samples);
}

async function check(checker: LinkChecker, site: SiteKey, task: CheckTask): Promise<Sample> {
  if (checker.name === OURS) {
    await rm(task.out, { recursive: true, force: true });
    await mkdir(task.out, { recursive: true });
  }
  const { command, args } = checker.command(task);
  const { stdout, ...figures } = await measure(command, args, { mayFail: true });
  return { site, name: checker.name, ...figures, broken: [...(await checker.broken(task, stdout))] };
}

function present(checkers: readonly LinkChecker[], samples: readonly Sample[]): BenchResult {
  const rows = SITES.flatMap((site) =>
    checkers.flatMap(({ name, version }) => {
      const own = samples.filter((sample) => sample.site === site && sample.name === name);
      const ours = samples.findLast((sample) => sample.site === site && sample.name === OURS);
      if (own.length === 0 || !ours) return [];
      const over = (figure: (sample: Sample) => number): Spread => spread(own.map(figure));
      return {
        name: `${site}: ${name} ${version() ?? ''}`,
        broken: own.at(-1)!.broken.length,
        onlyIt: missingIn(ours, own.at(-1)!).length,
        onlyOurs: missingIn(own.at(-1)!, ours).length,
        seconds: over(({ seconds }) => seconds),
        cpuSeconds: over(({ cpuSeconds }) => cpuSeconds),
        peakMb: over(({ peakMb = NaN }) => peakMb),
      };
    }),
  );
  return {
    title: 'link-check: broken links of manuals',
    columns: [
      { key: 'name', head: 'site and checker' },
      { key: 'broken', head: 'broken' },
      { key: 'onlyIt', head: 'only it' },
      { key: 'onlyOurs', head: 'only webcrawl' },
      { key: 'seconds', head: 's', digits: 1 },
      { key: 'cpuSeconds', head: 'CPU s', digits: 1 },
      { key: 'peakMb', head: 'peak MB' },
    ],
    rows,
    notes: [
      ...samples
        .filter(({ name }, i) => name !== OURS && !samples.slice(i + 1).some((later) => isSame(later, samples[i]!)))
        .flatMap((theirs) =>
          differences(
            samples.findLast((one) => one.site === theirs.site && one.name === OURS)!,
            theirs,
          ),
        ),
      'lychee is given the pages that webcrawl found, since it follows no links. linkchecker is run once, on the smaller sites.',
    ],
    chart: {
      title: 'Checking links',
      panels: [
        {
          title: 'CPU seconds',
          digits: 1,
          better: 'less',
          bars: rows.map(({ name, cpuSeconds }) => ({ label: name, value: cpuSeconds, ours: name.includes(OURS) })),
        },
      ],
    },
    samples,
  };
}

function isSame(a: Sample, b: Sample): boolean {
  return a.site === b.site && a.name === b.name;
}

/**
 * The broken links of `one` that `other` does not report. If a page is broken, a link to one of its fragments counts as
 * reported, too.
 */
function missingIn(other: Sample, one: Sample): BrokenLink[] {
  const named = new Set(other.broken);
  const pages = new Set(other.broken.map(pageOf));
  return one.broken.filter((link) => {
    const page = pageOf(link);
    if (named.has(link) || named.has(page)) return false;
    return link === page || link.endsWith('#*') ? !pages.has(page) : true;
  });
}

function pageOf(link: BrokenLink): string {
  return link.split('#', 1)[0]!;
}

/** A line for each cause of differences. */
function differences(ours: Sample, theirs: Sample): string[] {
  const noticed = new Set(ours.broken.filter((link) => link.endsWith('#*')).map(pageOf));
  const tell = (links: readonly BrokenLink[], by: string): string[] => {
    const byCause = new Map<string, BrokenLink[]>();
    for (const link of links) {
      const known = CAUSES.find(([pattern]) => pattern.test(link))?.[1];
      const cause = known && (by === OURS || noticed.has(pageOf(link))) ? known : 'not explained';
      byCause.set(cause, [...(byCause.get(cause) ?? []), link]);
    }
    return [...byCause].map(
      ([cause, all]) => `${ours.site}, ${all.length} named by ${by} alone: ${cause}. ${all.slice(0, SHOWN).join(' ')}`,
    );
  };
  return [...tell(missingIn(ours, theirs), theirs.name), ...tell(missingIn(theirs, ours), OURS)];
}
