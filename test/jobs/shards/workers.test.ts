import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CrawlError,
  MemoryStore,
  jobs,
  openTables,
  type OpenContext,
  type Report,
  type Store,
} from '../../../packages/webcrawl/internal.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';
import { TimedRows, TimedStore, type Treatment } from '../../support/stores/timed-store.js';
import { fakeWeb, links, randomNumbers, type FakePage, type FakeWeb } from '../../support/web/fake-web.js';
import { Killed, WorkerStore, type Fate } from '../../support/worker-store.js';
import { settle } from '../../support/job-steps.js';
import { seeds } from '../../support/runs.js';

const SLOTS = 7;
/** After this number of deaths of a worker, it dies no more. */
const MAX_DEATHS = 4;

type Pick = (n: number) => number;
interface Web {
  readonly pages: Record<string, FakePage>;
  readonly seeds: readonly string[];
  readonly settings: Record<string, unknown>;
}

/** A web whose pages can all be reached, with redirects between domains and failing pages. */
function makeWeb(pick: Pick): Web {
  const hosts = 4 + pick(6);
  const size = 12 + pick(30);
  const host = (i: number): string => `http://${['', 'www.'][i % 2]}h${i >> 1}.com`;
  const urls = Array.from({ length: size }, (_, i) => `${host(pick(hosts))}/p${i}`);
  const pages: Record<string, FakePage> = {};
  const someLinks = (): string => links(...Array.from({ length: 1 + pick(4) }, () => urls[pick(urls.length)]!));
  for (const [i, url] of urls.entries()) {
    const kind = i < 2 ? 9 : pick(10);
    if (kind < 2) {
      const target = `${host(pick(hosts))}/t${i}`;
      pages[url] = { location: target, status: [301, 302][pick(2)]! };
      pages[target] = { html: someLinks() };
    } else if (kind === 3) pages[url] = { status: 500 };
    else if (kind > 3) pages[url] = { html: someLinks() };
  }
  for (let i = 0; i < hosts; i++) {
    const robots = `${host(i)}/robots.txt`;
    // Within the domain, so that one worker requests both.
    if (pick(3) === 0) pages[robots] = { location: `${host(i ^ 1)}/robots.txt`, status: 301 };
    else if (pick(3) === 0)
      pages[robots] = { html: `User-agent: *\nDisallow: /p${pick(9)}`, contentType: 'text/plain' };
  }
  const settings = {
    'generate.maxCount': pick(2) ? -1 : 2 + pick(3),
    'partition.urlMode': pick(2) ? 'host' : 'domain',
    'fetcher.maxRedirects': pick(3),
    'fetcher.threadsFetch': 1 + pick(4),
  };
  return { pages, seeds: urls.slice(0, 2), settings };
}

/** All workers report their requests here. */
function createWatch() {
  const requested = new Map<string, string>();
  const wrong: string[] = [];
  return {
    /** Requests to hosts that another worker was requesting at the same time. */
    wrong,
    web(pages: Record<string, FakePage>, worker: string, pick: Pick): FakeWeb {
      const web = fakeWeb(pages);
      const { fetch } = web.protocol!;
      const watched: typeof fetch = async (request) => {
        const { host } = new URL(request.url);
        const other = requested.get(host);
        if (other !== undefined && other !== worker) wrong.push(`${request.url} by ${worker} and ${other}`);
        requested.set(host, worker);
        await new Promise((resolve) => void setTimeout(resolve, pick(300)));
        const response = await fetch(request);
        if (requested.get(host) === worker) requested.delete(host);
        return response;
      };
      return Object.assign(web, { protocol: { ...web.protocol!, fetch: watched } });
    },
  };
}

/** A table that workers share, each with its own connection, and a web that they crawl. */
async function sharedTable(pick: Pick, random: () => number, { pages, settings }: Web) {
  const rows = new TimedRows();
  const treatment: Treatment = pick(2) ? { refused: 0.02, lostAnswers: 0.02 } : {};
  const connect = (): Store => new TimedStore(random, treatment, rows);
  await openTables(connect(), { slots: SLOTS });
  const watch = createWatch();
  let started = 0;

  /** Runs a job as a process does. A killed one leaves its leases. */
  async function run<T>(job: (crawl: OpenContext) => Promise<T>, fate?: Fate): Promise<T> {
    const store = new WorkerStore(connect(), fate);
    const crawl = await testCrawl(watch.web(pages, `worker ${started++}`, pick), { store, settings });
    try {
      return await job(crawl);
    } finally {
      if (store.isKilled) crawl.tables.leases.stop();
      else await crawl.close();
    }
  }
  return { run, watch, tables: await openTables(new TimedStore(() => 0, {}, rows)) };
}

type Table = Awaited<ReturnType<typeof sharedTable>>;

const mayRetry = (error: unknown): boolean =>
  error instanceof Killed || (error instanceof CrawlError && error.exitCode === 75);

/** Runs workers to their end. As a scheduler does, it restarts those that die. @param fateOf the fate of a worker */
async function runWorkers(
  { run }: Table,
  { seeds: lines }: Web,
  count: number,
  { fateOf = () => undefined, signal }: { fateOf?: (deaths: number) => Fate | undefined; signal?: AbortSignal } = {},
): Promise<{ reports: Report[]; deaths: number }> {
  let deaths = 0;
  const work = async (index: number): Promise<Report> => {
    for (let died = 0; ; died++) {
      try {
        const options = { seeds: lines, stay: 'any', shard: { index, count }, ...(signal && { signal }) } as const;
        return await run((crawl) => jobs.crawl(crawl, options), fateOf(died));
      } catch (error) {
        if (!mayRetry(error)) throw error;
        deaths += 1;
      }
    }
  };
  return { reports: await Promise.all(Array.from({ length: count }, (_, index) => work(index))), deaths };
}
/** What does not depend on the order in which pages are fetched. */
function plainRows(rows: readonly Record<string, unknown>[]): unknown[] {
  return rows
    .map(({ url, status, signature, redirectTarget, outlinks, inlinks = [], marks, parseStatus }) => ({
      url,
      status,
      signature,
      redirectTarget,
      outlinks,
      inlinks: (inlinks as { url: string }[]).map((link) => link.url).sort(),
      parsed: (parseStatus as { code?: string } | undefined)?.code,
      marks: Object.keys((marks as object | undefined) ?? {}).sort(),
    }))
    .sort((a, b) => (String(a.url) < String(b.url) ? -1 : 1));
}

async function crawlAlone({ pages, seeds: lines, settings }: Web): Promise<unknown[]> {
  const store = new MemoryStore();
  await using crawl = await testCrawl(fakeWeb(pages), { store, settings });
  await settle(jobs.crawl(crawl, { seeds: lines, stay: 'any' }));
  return plainRows(await allRows(crawl));
}

/** The rows of a table at its end, without a batch, and with all index entries. */
async function endOf({ run, tables, watch }: Table): Promise<unknown[]> {
  expect(await tables.batches.list()).toEqual([]);
  for await (const entries of tables.batches.allEntries()) expect(entries).toEqual([]);
  expect(watch.wrong).toEqual([]);
  return run(async (crawl) => {
    const rows = plainRows(await allRows(crawl));
    const { counters } = await jobs.repair(crawl);
    expect(Object.keys(counters).filter((name) => name.startsWith('missing'))).toEqual([]);
    return rows;
  });
}

const pickOf =
  (random: () => number): Pick =>
  (n) =>
    Math.floor(random() * n);

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => void vi.useRealTimers());

describe('workers', () => {
  it.each(seeds(3, 60))(
    'end with the rows of one process, although some die, seed %i',
    async (seed) => {
      const random = randomNumbers(seed);
      const pick = pickOf(random);
      const web = makeWeb(pick);
      const table = await sharedTable(pick, random, web);
      const fateOf = (died: number): Fate | undefined =>
        died < MAX_DEATHS && pick(3) > 0
          ? { at: 1 + pick(400), ...(pick(3) === 0 && { suspendedFor: 1000 * pick(100) }) }
          : undefined;
      await settle(runWorkers(table, web, 1 + pick(4), { fateOf }));
      expect(await settle(endOf(table))).toEqual(await crawlAlone(web));
    },
    600_000,
  );

  it.each([
    [3, 2],
    [2, 3],
  ])('continue the open batches of %i stopped workers as %i workers', async (before, after) => {
    const random = randomNumbers(before);
    const pick = pickOf(random);
    const web = makeWeb(pick);
    const table = await sharedTable(pick, random, web);
    const stop = new AbortController();
    const stopped = runWorkers(table, web, before, { signal: stop.signal });
    while ((await settle(table.tables.batches.list())).length < 2) await vi.advanceTimersByTimeAsync(20);
    stop.abort();
    const { reports } = await settle(stopped);
    expect(reports.every(({ interrupted }) => interrupted)).toBe(true);
    expect(await table.tables.batches.list()).not.toEqual([]);
    expect(await table.tables.leases.holders()).toEqual([]);
    await settle(runWorkers(table, web, after));
    expect(await settle(endOf(table))).toEqual(await crawlAlone(web));
  });

  it('take over the slots of a worker that never comes back', async () => {
    const random = randomNumbers(7);
    const pick = pickOf(random);
    const web = makeWeb(pick);
    const table = await sharedTable(pick, random, web);
    const options = (index: number) => ({ seeds: web.seeds, stay: 'any', shard: { index, count: 2 } }) as const;
    const dead = table.run((crawl) => jobs.crawl(crawl, options(0)), { at: 150 });
    dead.catch(() => undefined);
    await settle(table.run((crawl) => jobs.crawl(crawl, options(1))));
    await expect(dead).rejects.toThrow(Killed);
    expect(await settle(endOf(table))).toEqual(await crawlAlone(web));
  });

  it('end only when all of them are idle', async () => {
    const random = randomNumbers(3);
    const pick = pickOf(random);
    const web: Web = { ...makeWeb(pick), pages: { 'http://h0.com/': { html: '' } }, seeds: ['http://h0.com/'] };
    const table = await sharedTable(pick, random, web);
    // Another worker that works: it holds no slot.
    const other = await openTables(table.tables.store);
    const busy = await other.leases.take([], { job: 'crawl', wait: 0 });
    let hasEnded = false;
    const ended = runWorkers(table, web, 2).finally(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hasEnded).toBe(false);
    await other.leases.noteIdle({ since: 1, left: {} });
    await settle(ended);
    await busy.release();
    expect(await table.tables.leases.holders()).toEqual([]);
  });

  it('end although another worker was faster to take a slot', async () => {
    const random = randomNumbers(3);
    const pick = pickOf(random);
    const web: Web = { ...makeWeb(pick), pages: { 'http://h0.com/': { html: '' } }, seeds: ['http://h0.com/'] };
    const table = await sharedTable(pick, random, web);
    const other = await openTables(table.tables.store);
    const taken = other.slots.all.find((slot) => slot !== other.slots.ofQueue('h0.com'))!;
    const held = await other.leases.take([taken], { job: 'crawl', wait: 0 });
    await other.leases.noteIdle({ since: 1, left: {} });
    let isIdle = false;
    let isSeenFree = false;
    const ended = table.run(({ tables, ...crawl }) => {
      const { list, noteIdle } = tables.leases;
      const leases: typeof tables.leases = {
        ...tables.leases,
        noteIdle: (idle) => noteIdle(idle).then(() => void (isIdle = true)),
        // Once after the worker is idle, that slot looks free.
        async list() {
          const all = await list();
          if (!isIdle || isSeenFree) return all;
          isSeenFree = true;
          return all.map(({ holder: _, ...lease }) => lease);
        },
      };
      return jobs.crawl(
        { ...crawl, tables: { ...tables, leases } },
        {
          seeds: web.seeds,
          shard: { index: 0, count: 1 },
        },
      );
    });
    expect((await settle(ended)).counters).toMatchObject({ fetched: 1 });
    await held.release();
  });

  it('take a slot that becomes free while other slots have due rows', async () => {
    const random = randomNumbers(3);
    const pick = pickOf(random);
    const chain = Array.from({ length: 30 }, (_, i) => [`http://h0.com/${i}`, { html: links(`/${i + 1}`) }] as const);
    const web: Web = {
      ...makeWeb(pick),
      pages: { ...Object.fromEntries(chain), 'http://other.com/': { html: '' } },
      seeds: ['http://h0.com/0', 'http://other.com/'],
    };
    const table = await sharedTable(pick, random, web);
    const other = await openTables(table.tables.store);
    const taken = other.slots.ofQueue('other.com');
    expect(taken).not.toBe(other.slots.ofQueue('h0.com'));
    const held = await other.leases.take([taken], { job: 'crawl', wait: 0 });
    const fetched: string[] = [];
    const onFetched = ({ url }: { url: string }): void => {
      if (fetched.push(url) === 1) void held.release();
    };
    const options = { seeds: web.seeds, shard: { index: 0, count: 1 }, onFetched };
    await settle(table.run((crawl) => jobs.crawl(crawl, options)));
    expect(fetched.indexOf('http://other.com/')).toBeGreaterThan(0);
    expect(fetched.indexOf('http://other.com/')).toBeLessThan(fetched.indexOf('http://h0.com/20'));
  });

  it('wait for slots that another worker holds, and say so once', async () => {
    const random = randomNumbers(3);
    const pick = pickOf(random);
    const web: Web = { ...makeWeb(pick), pages: { 'http://h0.com/': { html: '' } }, seeds: ['http://h0.com/'] };
    const table = await sharedTable(pick, random, web);
    const other = await openTables(table.tables.store);
    const held = await other.leases.take(other.slots.all, { job: 'crawl', wait: 0 });
    const waits: string[] = [];
    let hasEnded = false;
    const ended = table
      .run((crawl) =>
        jobs.crawl(crawl, {
          seeds: web.seeds,
          shard: { index: 0, count: 1 },
          onWait: ({ slot }) => void waits.push(slot),
        }),
      )
      .finally(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(120_000);
    expect([hasEnded, waits]).toEqual([false, ['00']]);
    await held.release();
    expect((await settle(ended)).counters).toMatchObject({ fetched: 1 });
  });
});

describe('a worker', () => {
  it.each([
    [{ shard: { index: 0, count: 2 } }, 'shard 0/2 needs a table that several processes can share'],
    [{ shard: { index: 0, count: 1 }, rounds: 1 }, 'a shard and a limit of rounds cannot be combined'],
  ] as const)('is refused with %j', async (options, message) => {
    await using crawl = await testCrawl(undefined);
    await expect(jobs.crawl(crawl, { seeds: ['http://a.com/'], ...options })).rejects.toMatchObject({
      code: 'USAGE',
      message,
    });
  });

  it('of the whole table crawls a table of one process as without a shard', async () => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }));
    const { counters } = await settle(jobs.crawl(crawl, { seeds: ['http://a.com/'], shard: { index: 0, count: 1 } }));
    expect(counters).toMatchObject({ fetched: 1 });
  });
});
