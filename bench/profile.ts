/**
 * webcrawl crawls the site of the benchmark `crawl` twice. The first time the CPU time of each of its threads is noted; the second time
 * Node's profiler samples all threads that run JavaScript.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchOptions, BenchResult } from './lib/bench.js';
import type { Bar } from './lib/chart.js';
import { IDLE, readProfiles, type ThreadProfile } from './lib/cpu-profile.js';
import { crawlOnce, type CrawlSample } from './lib/crawl-once.js';
import { OURS, unbundled } from './lib/crawlers.js';
import { inEmptyFolder } from './lib/folders.js';
import { SITES, withSite, type Site } from './lib/site.js';
import { formatNumber, tabulate } from './lib/table.js';
import { NOTES_FOLDER, readThreadTimes } from './lib/thread-times.js';

const INTERVAL_US = 500;

export const profileBench: Bench = {
  about: 'where the CPU time of a crawl of a site goes, by thread and by part',
  names: [],
  sites: SITES,
  rounds: 1,
  run,
};

type Times = ReadonlyMap<string, number>;

async function run(options: BenchOptions): Promise<BenchResult> {
  return withSite(options, (site) =>
    inEmptyFolder(join(options.cache, 'profile'), async (folder) =>
      present(site, await crawlTwice(site, options, folder)),
    ),
  );
}

async function crawlTwice(site: Site, { cache, say }: BenchOptions, folder: string) {
  say('a crawl with an eye on its threads');
  const notes = join(folder, 'notes');
  await mkdir(notes);
  const preload = new URL('workers/note-threads.js', import.meta.url).href;
  const plain = await crawlOnce(unbundled(OURS), site, cache, {
    args: ['--import', preload],
    env: { [NOTES_FOLDER]: notes },
  });

  say('a crawl with the profiler');
  const args = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${INTERVAL_US}`];
  const profiled = await crawlOnce(unbundled(OURS), site, cache, { args });
  const profiles = await readProfiles(folder);
  return {
    plain,
    profiled,
    threads: await readThreadTimes(notes),
    main: sum(profiles.filter(({ isMain }) => isMain)),
    parse: sum(profiles.filter(({ isMain }) => !isMain)),
  };
}

function sum(profiles: readonly ThreadProfile[]): Times {
  const all = new Map<string, number>();
  for (const { seconds } of profiles) {
    for (const [part, value] of seconds) all.set(part, (all.get(part) ?? 0) + value);
  }
  return all;
}

function present(
  site: Site,
  { plain, profiled, threads, main, parse }: Awaited<ReturnType<typeof crawlTwice>>,
): BenchResult {
  const all = sum([main, parse].map((seconds) => ({ isMain: false, seconds })));
  const busy = total(all) - (all.get(IDLE) ?? 0);
  const parts = largestFirst(all).map(([what, seconds]) => ({
    what,
    seconds,
    main: main.get(what),
    parse: parse.get(what),
    pages: profiled.pages,
    share: what === IDLE ? undefined : (100 * seconds) / busy,
  }));
  const kinds = largestFirst(threads ?? new Map<string, number>()).map(([kind, seconds]) => ({
    what: `CPU time: ${kind}`,
    seconds,
    main: undefined,
    parse: undefined,
    pages: plain.pages,
    share: (100 * seconds) / plain.cpuSeconds,
  }));
  const { columns, rows } = tabulate(
    [...kinds, ...parts],
    {
      what: { head: 'seconds', of: ({ what }) => what },
      main: { head: 'main thread', digits: 2, of: (one) => one.main },
      parse: { head: 'parse threads', digits: 2, of: (one) => one.parse },
      all: { head: 'all', digits: 2, of: ({ seconds }) => seconds },
      perThousand: { head: 'per 1,000 pages', digits: 3, of: ({ seconds, pages }) => (1000 * seconds) / pages },
      share: { head: '%', digits: 1, of: ({ share }) => share },
    },
    ({ what }) => ({ label: what }),
  );
  const bars = (times: Times): Bar[] =>
    largestFirst(times)
      .filter(([name]) => name !== IDLE)
      .map(([label, value]) => ({ label, value, ours: true }));
  return {
    title: `profile: a crawl of ${site.name}, ${formatNumber(plain.pages)} pages`,
    columns,
    rows,
    notes: [
      `The crawl took ${figures(plain)}. With the profiler, which distorts a little, another took ${figures(profiled)}.`,
      'CPU time is what the system counts of each thread, and its share that of all. The other lines are samples of the threads that run JavaScript, and shares of those that are not idle.',
      'A sample is time that has passed: in a native function, a call of LevelDB or a message, it may be time in which the thread waited for its turn on a core.',
      'Start-up is the loading of modules. Functions that the engine compiles as they are called first count where they are.',
      ...(threads ? [] : ['This system does not tell the CPU time of threads.']),
    ],
    chart: {
      title: `Where the time of a crawl of ${site.name} goes`,
      panels: [
        { title: 'CPU seconds by thread', times: threads },
        { title: 'Main thread, seconds', times: main },
        { title: 'Parse threads, seconds', times: parse },
      ].flatMap(({ title, times }) => (times ? [{ title, digits: 2, bars: bars(times) }] : [])),
    },
    samples: {
      plain,
      profiled,
      main: Object.fromEntries(main),
      parse: Object.fromEntries(parse),
      ...(threads && { threads: Object.fromEntries(threads) }),
    },
  };
}

function figures({ seconds, cpuSeconds }: CrawlSample): string {
  return `${seconds.toFixed(2)} s and ${cpuSeconds.toFixed(2)} CPU seconds`;
}

function total(times: Times): number {
  return [...times.values()].reduce((all, value) => all + value, 0);
}

function largestFirst(times: Times): [string, number][] {
  return [...times].sort(([, a], [, b]) => b - a);
}
