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
}

/** What a program that runs on Node is given besides. */
export interface NodeExtras {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Crawls a site from the start of the process to its end, into a folder of the cache that is removed. */
export async function crawlOnce(
  crawler: Crawler,
  site: Site,
  cache: string,
  extras: NodeExtras = { args: [] },
): Promise<CrawlSample> {
  const out = join(cache, 'crawl');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const { command, args, env = {} } = crawler.command({ ...site, out });
  // Nothing of the environment may set webcrawl up.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WEBCRAWL_'));
  const { stdout, seconds, cpuSeconds, peakMb } = await measure(command, [...extras.args, ...args], {
    cwd: out,
    env: { ...Object.fromEntries(inherited), ...env, ...extras.env },
  });
  const pages = crawler.pages(stdout);
  const diskMb = (await bytesOnDisk(out)) / 2 ** 20;
  // Who looked at the crawl may not be gone yet.
  await rm(out, { recursive: true, force: true, maxRetries: 5 });
  return { pages, seconds, cpuSeconds, diskMb, ...(peakMb !== undefined && { peakMb }) };
}
