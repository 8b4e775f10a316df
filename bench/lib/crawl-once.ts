import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Crawler } from './crawlers.js';
import { bytesOnDisk, measure } from './measure.js';
import type { Site } from './site.js';

/** What one crawl did and cost. */
export interface CrawlSample {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb?: number;
  readonly diskMb: number;
  /** One after the other; none where the system does not tell the CPU time of a process under way. */
  readonly quarters: readonly Quarter[];
}

/** What a quarter of the requests of a crawl took. */
export interface Quarter {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** How far a crawl is. */
interface Look {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly requests: number;
}

/** What a crawler is given besides. */
export interface CrawlExtras {
  /** For Node itself. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** On how many cores it runs; absent: on all. */
  readonly cores?: number;
}

/** Seconds from look to look, which take time of the same cores. */
const LOOK_SECONDS = 0.1;

/** Crawls a site from the start of the process to its end, into a folder of the cache that is removed. */
export async function crawlOnce(
  crawler: Crawler,
  site: Site,
  cache: string,
  { args: nodeArgs = [], env: extraEnv, cores }: CrawlExtras = {},
): Promise<CrawlSample> {
  const out = join(cache, 'crawl');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { command, args, env = {} } = crawler.command({ ...site, out });
  // Nothing of the environment may set webcrawl up.
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
      // The crawl goes on without this look.
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
  // Who looked at the crawl may not be gone yet.
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
  const quarters = looks.length > 0 ? quartersOf(looks, end) : [];
  return { pages, seconds, cpuSeconds, diskMb, quarters, ...(peakMb !== undefined && { peakMb }) };
}

function quartersOf(looks: readonly Look[], end: Look): Quarter[] {
  const all = [{ seconds: 0, cpuSeconds: 0, requests: 0 }, ...looks, end];
  const bounds = [0, 1, 2, 3].map((quarter) => lookAt(all, (quarter * end.requests) / 4));
  return bounds.map((from, i) => {
    const to = bounds[i + 1] ?? end;
    return { seconds: to.seconds - from.seconds, cpuSeconds: to.cpuSeconds - from.cpuSeconds };
  });
}

/** When so many requests had been made: between the looks before and after, as if all between them took the same time. */
function lookAt(looks: readonly Look[], requests: number): Look {
  const next = looks.findIndex((look) => look.requests > requests);
  const [from, to] = [looks[next - 1], looks[next]];
  if (!from || !to) return looks[0]!;
  const share = (requests - from.requests) / (to.requests - from.requests);
  const between = (a: number, b: number): number => a + share * (b - a);
  return {
    seconds: requests === 0 ? 0 : between(from.seconds, to.seconds),
    cpuSeconds: requests === 0 ? 0 : between(from.cpuSeconds, to.cpuSeconds),
    requests,
  };
}
