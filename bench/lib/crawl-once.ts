import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crawler } from './crawlers.js';
import { bytesOnDisk, measure } from './measure.js';
import { quartersOf, type Look } from './quarters.js';
import type { Site } from './site.js';

export type CrawlSample = Awaited<ReturnType<typeof crawlOnce>>;

/** Seconds between two polls. Polls take time of the same cores. */
const LOOK_SECONDS = 0.1;

/** Crawls a site from the start of the process to its end, into a folder of the cache that is removed. */
export async function crawlOnce(
  crawler: Crawler,
  site: Site,
  cache: string,
  {
    args: nodeArgs = [],
    env: extraEnv,
    cores,
  }: { args?: readonly string[]; env?: Readonly<Record<string, string>>; cores?: number } = {},
) {
  const out = join(cache, 'crawl');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { command, args, env = {} } = crawler.command({ ...site, out });
  // The environment must not configure webcrawl.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WEBCRAWL_'));
  const before = await site.requests();
  const start = performance.now();
  const looks: Look[] = [];
  let isAsking = false;
  const onLook = (cpuTime: number): void => {
    const at = (performance.now() - start) / 1000;
    if (isAsking || cpuTime === 0 || at - (looks.at(-1)?.seconds ?? 0) < LOOK_SECONDS) return;
    isAsking = true;
    void site.requests().then(
      (requests) => {
        looks.push({ seconds: at, cpuSeconds: cpuTime, requests: requests - before });
        isAsking = false;
      },
      // The crawl continues without this poll.
      () => (isAsking = false),
    );
  };
  const { stdout, seconds, cpuSeconds, peakMb } = await measure(command, [...nodeArgs, ...args], {
    cwd: out,
    env: { ...Object.fromEntries(inherited), ...env, ...extraEnv },
    ...(cores !== undefined && { cores }),
    onLook,
  });
  const pages = crawler.pages(stdout);
  const diskMb = (await bytesOnDisk(out)) / 2 ** 20;
  const end: Look = { seconds, cpuSeconds, requests: (await site.requests()) - before };
  // A process that polled the crawl may still be ending.
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
  /** Empty if the system does not tell the CPU time of a running process. */
  const quarters = looks.length > 0 ? quartersOf(looks, end) : [];
  return { pages, seconds, cpuSeconds, diskMb, quarters, ...(peakMb !== undefined && { peakMb }) };
}
