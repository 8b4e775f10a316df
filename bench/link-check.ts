/** The broken links and `#fragments` that each checker reports, and its cost with the same number of connections and no delay. */
import { join } from 'node:path';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { CHECKED_SITES, serveChecked } from './lib/checked-manuals.js';
import { inEmptyFolder } from './lib/folders.js';
import { LINK_CHECKERS, type BrokenLink, type CheckTask, type LinkChecker } from './lib/link-checkers.js';
import { measure, type Measurement } from './lib/measure.js';
import { over } from './lib/rounds.js';
import { tabulate } from './lib/table.js';

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
const MAX_SHOWN = 3;

type Sample = Omit<Measurement, 'stdout'> & { readonly broken: readonly BrokenLink[] };

interface Checked {
  readonly site: SiteKey;
  readonly checker: LinkChecker;
  readonly samples: Sample[];
}

export const linkCheckBench: Bench = {
  about: 'broken links and places of two sets of manuals, and the cost of the check, beside linkchecker and lychee',
  names: [...LINK_CHECKERS.map(({ name }) => name), ...SITES],
  rounds: 2,
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const chosen = <T extends string>(names: readonly T[]): readonly T[] => {
    const some = names.filter((name) => isWanted(options, name));
    return some.length > 0 ? some : names;
  };
  const names = chosen(LINK_CHECKERS.map(({ name }) => name));
  const checkers = LINK_CHECKERS.filter(({ name, version }) => names.includes(name) && version() !== undefined);
  const all: Checked[] = [];
  for (const site of chosen(SITES)) {
    const onSite = checkers
      .filter(({ name }) => name !== SLOW || !TOO_MUCH.includes(site))
      .map((checker): Checked => ({ site, checker, samples: [] }));
    const served = await serveChecked(site);
    try {
      for (let round = 0; round < options.rounds; round++) {
        await inEmptyFolder(join(options.cache, 'link-check'), async (out) => {
          // The others need the list of pages of webcrawl, which runs first.
          for (const { checker, samples } of onSite) {
            if (round > 0 && checker.name === SLOW) continue;
            const sample = await check(checker, { site: served, out });
            samples.push(sample);
            options.say(
              `${site}, round ${round + 1}: ${checker.name} ${sample.seconds.toFixed(1)} s, CPU ${sample.cpuSeconds.toFixed(1)} s, ${sample.broken.length} broken`,
            );
          }
        });
      }
    } finally {
      await served.close();
    }
    if (onSite.some(({ checker }) => checker.name === OURS)) all.push(...onSite);
  }
  return present(all);
}

async function check(checker: LinkChecker, task: CheckTask): Promise<Sample> {
  const { command, args } = checker.command(task);
  const { stdout, ...figures } = await measure(command, args, { mayFail: true });
  return { ...figures, broken: [...(await checker.broken(task, stdout))] };
}

function present(all: readonly Checked[]): BenchResult {
  const lastOf = ({ samples }: Checked): Sample => samples.at(-1)!;
  const oursOn = (site: SiteKey): Sample => lastOf(all.find((one) => one.site === site && one.checker.name === OURS)!);
  const nameOf = ({ site, checker }: Checked): string => `${site}: ${checker.name} ${checker.version() ?? ''}`;
  const { panels, ...table } = tabulate(
    all,
    {
      name: { head: 'site and checker', of: nameOf },
      broken: { head: 'broken', of: (one) => lastOf(one).broken.length },
      onlyIt: { head: 'only it', of: (one) => missingIn(oursOn(one.site), lastOf(one)).length },
      onlyOurs: { head: 'only webcrawl', of: (one) => missingIn(lastOf(one), oursOn(one.site)).length },
      seconds: { head: 's', digits: 1, of: over(({ seconds }) => seconds) },
      cpuSeconds: {
        head: 'CPU s',
        digits: 1,
        better: 'less',
        panel: 'CPU seconds',
        of: over(({ cpuSeconds }) => cpuSeconds),
      },
      peakMb: { head: 'peak MB', of: over(({ peakMb = NaN }) => peakMb) },
    },
    (one) => ({ label: nameOf(one), ours: one.checker.name === OURS }),
  );
  return {
    title: 'link-check: broken links of manuals',
    ...table,
    notes: [
      ...all
        .filter(({ checker }) => checker.name !== OURS)
        .flatMap((theirs) => differences(theirs, oursOn(theirs.site), lastOf(theirs))),
      'lychee is given the pages that webcrawl found, since it follows no links. linkchecker is run once, on the smaller sites.',
    ],
    chart: { title: 'Checking links', panels },
    samples: all.map(({ site, checker, samples }) => ({ site, name: checker.name, samples })),
  };
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

function differences({ site, checker }: Checked, ours: Sample, theirs: Sample): string[] {
  const noticed = new Set(ours.broken.filter((link) => link.endsWith('#*')).map(pageOf));
  const linesOf = (links: readonly BrokenLink[], by: string): string[] => {
    const byCause = new Map<string, BrokenLink[]>();
    for (const link of links) {
      const known = CAUSES.find(([pattern]) => pattern.test(link))?.[1];
      const cause = known && (by === OURS || noticed.has(pageOf(link))) ? known : 'not explained';
      byCause.set(cause, [...(byCause.get(cause) ?? []), link]);
    }
    return [...byCause].map(
      ([cause, all]) => `${site}, ${all.length} named by ${by} alone: ${cause}. ${all.slice(0, MAX_SHOWN).join(' ')}`,
    );
  };
  return [...linesOf(missingIn(ours, theirs), checker.name), ...linesOf(missingIn(theirs, ours), OURS)];
}
