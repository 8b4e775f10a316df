import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CrawlError,
  MemoryStore,
  jobs,
  openTables,
  rules,
  type OpenContext,
  type Store,
  type Tables,
} from '../../../packages/webcrawl/internal.js';
import type { BatchStep } from '../../../webtable/index.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';
import { VersionedRows, VersionedStore, type Treatment } from '../../support/versions/versioned-store.js';
import { fakeWeb, links, randomNumbers, type FakePage, type FakeWeb } from '../../support/web/fake-web.js';
import { Killed, WorkerStore, type Fate } from '../../support/worker-store.js';
import { settle } from '../../support/job-steps.js';
import { seeds } from '../../support/runs.js';

const SLOTS = 7;
const STEPS = ['generate', 'fetch', 'parse', 'updatedb'] as const;
/** Passes over one step in which workers may die; in later passes none dies. */
const WILD_PASSES = 4;
const MOST_PASSES = 16;
const MOST_ROUNDS = 20;

type Pick = (n: number) => number;

/**
 * A web whose result does not depend on the order in which pages are fetched: no two pages redirect to the same one. Pages have 1, 2 or 4
 * links, so that scores are exact sums.
 */
function madeWeb(pick: Pick): {
  pages: Record<string, FakePage>;
  seeds: string[];
  settings: Record<string, unknown>;
  /** A pattern for URLs of relevant pages. */
  useful: string | undefined;
} {
  const hosts = 3 + pick(6);
  const size = 12 + pick(30);
  const host = (i: number): string => `http://h${i % hosts}.${i % 2 ? 'example' : 'other'}.com`;
  const urls = Array.from({ length: size }, (_, i) => `${host(pick(hosts))}/p${i}`);
  const pages: Record<string, FakePage> = {};
  for (const [i, url] of urls.entries()) {
    const kind = i < 2 ? 9 : pick(10);
    if (kind < 2) {
      const target = `${host(pick(hosts))}/t${i}`;
      pages[url] = { location: target, status: [301, 302, 307][pick(3)]! };
      // Sometimes several in a row.
      if (pick(2)) pages[target] = { location: `${host(pick(hosts))}/u${i}`, status: 302 };
      if (pick(3) === 0) urls.push(target);
    } else if (kind === 2) continue;
    else if (kind === 3) pages[url] = { status: 500 };
    else if (kind === 4) pages[url] = { html: 'GIF89a', contentType: 'image/gif' };
    else pages[url] = { html: '' };
  }
  for (const [url, page] of Object.entries(pages)) {
    if (page.location === undefined && page.html === '') pages[url] = { html: someLinks(url, urls, pick) };
    const { location } = page;
    if (location !== undefined && !pages[location]) pages[location] = { html: someLinks(location, urls, pick) };
  }
  for (let i = 0; i < hosts; i++) {
    const kind = pick(5);
    const robots = `${host(i)}/robots.txt`;
    if (kind === 0)
      pages[robots] = { location: `${host(pick(hosts))}/${pick(2) ? 'robots.txt' : 'rules'}`, status: 301 };
    if (kind === 1) pages[robots] = { html: `User-agent: *\nDisallow: /p${pick(9)}`, contentType: 'text/plain' };
    if (pick(2)) pages[`${host(i)}/rules`] = { html: 'User-agent: *\nDisallow: /p3', contentType: 'text/plain' };
  }
  const settings = {
    'generate.maxCount': pick(2) ? -1 : 2 + pick(3),
    'partition.urlMode': pick(3) ? 'host' : 'domain',
    'fetcher.maxRedirects': pick(3),
    'fetcher.threadsFetch': 1 + pick(4),
  };
  const seeds = urls.slice(0, 2 + pick(2));
  const useful = [undefined, '[02468]$', '[123]$'][pick(3)];
  return { pages, seeds, settings, useful };
}

function someLinks(from: string, urls: readonly string[], pick: Pick): string {
  const targets = new Set<string>();
  for (let n = 0; n < 30 && targets.size < 4; n++) targets.add(urls[pick(urls.length)]!);
  targets.delete(from);
  const most = 2 ** Math.floor(Math.log2(Math.max(1, targets.size)));
  return links(...[...targets].slice(0, Math.min(most, [1, 2, 4][pick(3)]!)));
}

const isAgain = (error: unknown): boolean =>
  error instanceof Killed || (error instanceof CrawlError && error.exitCode === 75);

/** All workers report their requests here. */
function createWatch() {
  const asking = new Map<string, string>();
  const wrong: string[] = [];
  return {
    wrong,
    /** The web as one worker sees it. */
    web(pages: Record<string, FakePage>, worker: string, pick: Pick): FakeWeb {
      const web = fakeWeb(pages);
      const { fetch } = web.protocol!;
      const watched: typeof fetch = async (request) => {
        const { host } = new URL(request.url);
        const other = asking.get(host);
        if (other !== undefined && other !== worker) wrong.push(`${request.url} by ${worker} and ${other}`);
        asking.set(host, worker);
        await new Promise((resolve) => void setTimeout(resolve, pick(300)));
        const answer = await fetch(request);
        if (asking.get(host) === worker) asking.delete(host);
        return answer;
      };
      return Object.assign(web, { protocol: { ...web.protocol!, fetch: watched } });
    },
  };
}

async function addUseful(crawl: OpenContext, useful: string | undefined): Promise<void> {
  if (useful !== undefined) await rules.add(crawl, { kind: 'relevant', pattern: { regex: useful } });
}

async function crawlAlone(seed: number) {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const { pages, seeds, settings, useful } = madeWeb(pick);
  const store = new MemoryStore();
  await openTables(store, { slots: SLOTS });
  await using crawl = await testCrawl(fakeWeb(pages), { store, settings });
  await addUseful(crawl, useful);
  await jobs.inject(crawl, { seeds });
  let rounds = 0;
  for (; ; rounds++) {
    const { batchId: batch } = await settle(jobs.generate(crawl));
    if (batch === undefined) break;
    await settle(jobs.fetch(crawl, { batch }));
    await settle(jobs.parse(crawl, { batch }));
    await settle(jobs.updatedb(crawl, { batch }));
  }
  return { rows: await allRows(crawl), rounds };
}

/** Opens a table like a worker, runs a job, and either closes the table or leaves it open as a dead worker does. */
async function work(
  store: WorkerStore,
  web: FakeWeb | undefined,
  settings: Record<string, unknown>,
  run: (crawl: OpenContext) => Promise<unknown>,
) {
  const crawl = await testCrawl(web, { store, settings });
  try {
    await run(crawl);
  } finally {
    if (store.isKilled) crawl.tables.leases.stop();
    else await crawl.close();
  }
}

/** @param deaths whether workers die and are suspended */
async function crawlInShards(seed: number, deaths: boolean) {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const { pages, seeds, settings, useful } = madeWeb(pick);
  const all = new VersionedRows();
  const treatment: Treatment = pick(2) ? { refused: 0.02, lostAnswers: 0.02 } : {};
  /** The store as one process sees it. */
  const connect = (): Store => new VersionedStore(random, treatment, all);
  await openTables(connect(), { slots: SLOTS });
  const watch = createWatch();
  let workers = 0;
  let died = 0;

  /** Runs all shards in any order, some at the same time. */
  async function pass(
    isWild: boolean,
    run: (crawl: OpenContext, shard: { index: number; count: number }) => Promise<unknown>,
  ): Promise<void> {
    const count = 1 + pick(6);
    const left = Array.from({ length: count }, (_, index) => index).sort(() => random() - 0.5);
    while (left.length > 0) {
      const some = left.splice(0, 1 + pick(count));
      const outcomes = await Promise.allSettled(
        some.map(async (index) => {
          const fate: Fate | undefined =
            isWild && pick(3) === 0
              ? { at: 1 + pick(150), ...(pick(3) === 0 && { suspendedFor: 1000 * pick(100) }) }
              : undefined;
          const store = new WorkerStore(connect(), fate);
          const web = watch.web(pages, `worker ${workers++}`, pick);
          await work(store, web, settings, (crawl) => run(crawl, { index, count }));
        }),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        died += 1;
        if (!isAgain(outcome.reason)) throw outcome.reason as Error;
      }
    }
  }

  const tables = await openTables(new VersionedStore(() => 0, {}, all));
  async function step(name: BatchStep, batch: string): Promise<void> {
    for (let passes = 0; !(await tables.batches.isDone(batch, name)); passes++) {
      if (passes > MOST_PASSES)
        throw new Error(`expected ${name} to come to an end, found it open after ${passes} passes`);
      await pass(deaths && passes < WILD_PASSES, (crawl, shard) => {
        if (name === 'generate') return jobs.generate(crawl, { batch, shard });
        return jobs[name as 'fetch'](crawl, { batch, shard });
      });
    }
  }

  await work(new WorkerStore(connect(), undefined), undefined, settings, (crawl) => addUseful(crawl, useful));
  await pass(false, (crawl, shard) => jobs.inject(crawl, { seeds, shard }));
  let rounds = 0;
  for (; ; rounds++) {
    if (rounds > MOST_ROUNDS) throw new Error(`expected a crawl to come to an end, found ${rounds} rounds`);
    const batch = `${1_700_000_000 + rounds}-${pick(1000)}`;
    await step('generate', batch);
    if ((await tables.batches.get(batch)).state === 'closed') break;
    for (const name of STEPS.slice(1)) await step(name, batch);
  }
  const noted = [...(await tables.batches.noted()), ...(await entriesLeft(tables))];
  const crawl = await testCrawl(undefined, { store: connect(), settings });
  const rows = await allRows(crawl);
  const { counters } = await jobs.repair(crawl);
  await crawl.close();
  const missing = Object.keys(counters).filter((name) => name.startsWith('missing'));
  return { rows, rounds, missing, wrong: watch.wrong, died, noted };
}

async function entriesLeft({ batches }: Tables): Promise<string[]> {
  const left: string[] = [];
  for await (const entries of batches.allEntries()) for (const { rowKey } of entries) left.push(rowKey);
  return left;
}

type Row = Record<string, unknown>;

/** The differences between rows, without batches and versions, which differ in every run; scores may differ by 1e-9. */
function differences(expected: readonly Row[], found: readonly Row[]): string[] {
  const byUrl = (rows: readonly Row[]) => new Map(rows.map((row) => [row.url as string, row]));
  const [before, after] = [byUrl(expected), byUrl(found)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((url) => {
    const [a, b] = [before.get(url), after.get(url)];
    if (!a || !b) return [`${url}: ${a ? 'missing' : 'not expected'}`];
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((field) => {
      if (field === 'version') return [];
      const texts = [a, b].map((row) => JSON.stringify(row[field], plain));
      return texts[0] === texts[1] ? [] : [`${url}: ${field} is ${texts[1]}, expected ${texts[0]}`];
    });
  });
}

function plain(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toFixed(9));
  return key === '' && typeof value === 'object' && value !== null && 'updatedb' in value
    ? Object.keys(value).sort()
    : value;
}

describe('a crawl in shards', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it.each(seeds(2, 40))(
    'ends in the rows of one process, seed %i',
    async (seed) => {
      const alone = await crawlAlone(seed);
      for (const deaths of [false, true]) {
        const found = await settle(crawlInShards(seed, deaths));
        const where = deaths ? 'with deaths' : 'without deaths';
        expect(differences(alone.rows, found.rows), where).toEqual([]);
        expect(found, where).toMatchObject({ rounds: alone.rounds, missing: [], wrong: [] });
        if (!deaths) expect(found).toMatchObject({ died: 0, noted: [] });
      }
    },
    1_200_000,
  );
});
