import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import { createSetAside, isSetAside } from '../../../packages/jobs/hosts/backoff-record.js';
import { createHostBackoff, type HostBackoff } from '../../../packages/jobs/hosts/host-backoff.js';
import { withBackoff } from '../../../packages/jobs/requests/robots-backoff.js';
import { enterSeedHosts } from '../../../packages/jobs/hosts/seed-hosts.js';
import type { FetchOutcome } from '../../../packages/plugin-api/index.js';
import { MemoryStore, hostKeyOf, openTables, rowKeyOf, type Store } from '../../../webtable/index.js';
import { INDEX_COLUMNS } from '../../../webtable/schema.js';
import { STORES } from '../../support/stores/open-stores.js';

const HOST = 'www.example.com';
const URL_A = `http://${HOST}/a`;
const DAY = 86_400;

const throttled = (retryAfter?: number): FetchOutcome => ({
  kind: 'retry',
  code: 'throttled',
  http: 429,
  message: 'HTTP 429',
  ...(retryAfter !== undefined && { retryAfter }),
});
const refused: FetchOutcome = { kind: 'retry', code: 'connect_failed' };
const fine: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
const broken: FetchOutcome = { kind: 'retry', code: 'http_error', http: 500 };

/** Clocks that move together, unless the system clock is set. */
async function setUp({
  store = new MemoryStore(),
  settings = {},
  jitter = 0,
}: { store?: Store; settings?: object; jitter?: number } = {}) {
  const tables = await openTables(store);
  let system = 1e12;
  let ticks = 5000;
  const crawl = {
    tables,
    settings: settingsSchema.parse(settings),
    clock: () => system,
    random: () => jitter,
  };
  let failures = 0;
  const open = () => createHostBackoff(crawl, { ticks: () => ticks, onFailure: () => failures++ });
  let backoff = open();
  return {
    crawl,
    store,
    record: async () => (await tables.hosts.backoff.get([hostKeyOf(HOST)]))[0],
    noted: () => failures,
    restart: () => void (backoff = open()),
    pass(seconds: number) {
      system += seconds * 1000;
      ticks += seconds * 1000;
    },
    setSystem: (time: number) => void (system = time),
    seconds: async (host = HOST) => (await backoff.pauseOf(`http://${host}/`))?.seconds,
    kind: async (url = URL_A) => (await backoff.pauseOf(url))?.kind,
    ask: (outcome: FetchOutcome | Promise<FetchOutcome>, url = URL_A) => backoff.ask(url, async () => outcome),
    get backoff() {
      return backoff;
    },
  };
}

describe('the wait', () => {
  it('doubles with every failure in a row up to its maximum, and starts again at its minimum after an answer', async () => {
    const host = await setUp({ settings: { fetcher: { maxBackoffSeconds: 50 } } });
    expect(await host.seconds()).toBeUndefined();
    const waits: (number | undefined)[] = [];
    for (const outcome of [refused, throttled(), refused, refused, refused]) {
      await host.ask(outcome);
      waits.push(await host.seconds());
      host.pass(50);
    }
    expect(waits).toEqual([10, 20, 40, 50, 50]);
    expect(host.noted()).toBe(5);
    await host.ask(broken);
    expect((await host.record())?.failures).toBe(5);
    await host.ask(fine);
    expect(await host.record()).toBeUndefined();
    await host.ask(refused);
    expect(await host.seconds()).toBe(10);
  });

  it('stays finite after any number of failures, and is zero if the setting is zero', async () => {
    const host = await setUp();
    const record = { failures: 1e9, since: 1e12, until: 1e12, code: 'dns_failed' };
    await host.crawl.tables.hosts.backoff.put(new Map([[hostKeyOf(HOST), record]]));
    await host.ask(refused);
    expect(await host.seconds()).toBe(DAY);
    const none = await setUp({ settings: { fetcher: { minBackoffSeconds: 0 } } });
    for (let i = 0; i < 2000; i++) await none.ask(refused);
    expect(await none.seconds()).toBeUndefined();
    expect((await none.record())?.failures).toBe(2000);
  });

  it('is what the host requests, up to a day', async () => {
    for (const [retryAfter, expected] of [
      [0, undefined],
      [0.25, 0.25],
      [1, 1],
      [600, 600],
      [DAY, DAY],
      [31_536_000, DAY],
      [Infinity, DAY],
      [NaN, 10],
      [-1, 10],
    ] as const) {
      const host = await setUp();
      await host.ask(throttled(retryAfter));
      expect(await host.seconds(), `${retryAfter}`).toBe(expected);
    }
  });

  it('is at most a day with its random part', async () => {
    const host = await setUp({ jitter: 0.99 });
    await host.ask(throttled(DAY - 60));
    expect(await host.seconds()).toBe(DAY);
  });

  it('is longer than the host requests if it keeps failing, and never shorter', async () => {
    const host = await setUp();
    const waits: (number | undefined)[] = [];
    for (const retryAfter of [1, 1, 1, 1, 1, 7200]) {
      await host.ask(throttled(retryAfter));
      waits.push(await host.seconds());
      host.pass(8000);
    }
    expect(waits).toEqual([1, 1, 1, 80, 160, 7200]);
  });

  it('is randomly extended by up to a quarter, and never shortened', async () => {
    for (const [jitter, low, high] of [
      [0, 10, 100],
      [0.5, 11.25, 112.5],
      [0.999_999, 12.499, 124.99],
    ] as const) {
      const host = await setUp({ jitter });
      await host.ask(refused);
      expect(await host.seconds()).toBeGreaterThanOrEqual(low);
      expect(await host.seconds()).toBeLessThan(low + 0.01);
      await host.ask(throttled(100));
      expect(await host.seconds()).toBeGreaterThanOrEqual(high);
      expect(await host.seconds()).toBeLessThan(high + 0.1);
    }
  });

  it('is long if it exceeds fetcher.maxBackoffWaitSeconds without the random part', async () => {
    const host = await setUp({ jitter: 0.99 });
    await host.ask(throttled(60));
    expect(await host.kind()).toBe('wait');
    const longer = await setUp();
    await longer.ask(throttled(76));
    expect(await longer.kind()).toBe('set_aside');
    longer.pass(2);
    longer.restart();
    expect(await longer.kind()).toBe('wait');
    const never = await setUp({ settings: { fetcher: { maxBackoffWaitSeconds: 0 } } });
    await never.ask(throttled(0.1));
    expect(await never.kind()).toBe('set_aside');
  });

  it('in a queue of many hosts is skipped for a host that cannot be reached: three failures are enough', async () => {
    for (const [urlMode, kinds] of [
      ['host', ['wait', 'wait', 'wait', 'failed']],
      ['domain', [undefined, undefined, 'failed', 'failed']],
      ['ip', [undefined, undefined, 'failed', 'failed']],
    ] as const) {
      const host = await setUp({ settings: { partition: { urlMode } } });
      const found = [];
      for (let i = 0; i < 4; i++) {
        await host.ask(refused);
        found.push(await host.kind());
      }
      expect(found, urlMode).toEqual(kinds);
      await host.ask(fine);
      host.pass(100);
      await host.ask(throttled(30));
      expect(await host.kind(), urlMode).toBe('wait');
    }
  });

  it('is skipped for a name without an address too', async () => {
    const host = await setUp();
    const gone: FetchOutcome = { kind: 'retry', code: 'dns_failed', message: 'no address' };
    for (let i = 0; i < 2; i++) {
      await host.ask(gone);
      expect(await host.kind()).toBeUndefined();
    }
    await host.ask(gone);
    expect(await host.backoff.pauseOf(URL_A)).toMatchObject({ kind: 'failed', failure: { code: 'dns_failed' } });
  });

  it('that a host requests applies to all its schemes and ports, and to no other host', async () => {
    const host = await setUp();
    await host.ask(throttled(7), 'https://www.example.com:8443/x');
    expect(await host.seconds()).toBe(7);
    for (const other of ['example.com', 'a.www.example.com', '[::1]', '127.0.0.1']) {
      expect(await host.seconds(other)).toBeUndefined();
    }
    await host.ask(refused, 'http://[::1]/');
    expect(await host.seconds('[::1]')).toBe(10);
    await host.backoff.fail('http://127.0.0.1/', { code: 'dns_failed', retryAfter: 3 });
    // The host answered, so its pages stay due, and none fails.
    expect(await host.backoff.pauseOf('http://127.0.0.1/')).toMatchObject({ kind: 'set_aside', seconds: 3 });
  });
});

describe('a connection that fails', () => {
  const DEAD = `https://${HOST}:8443/x`;

  it('counts for its origin: another origin is requested at once, and if that answers, the host gets no back-off', async () => {
    const host = await setUp();
    await host.ask(refused, DEAD);
    expect(await host.kind(DEAD)).toBe('wait');
    expect(await host.kind()).toBeUndefined();
    await host.ask(fine);
    expect(await host.record()).toBeUndefined();
    expect(await host.kind(DEAD)).toBeUndefined();
  });

  it('is the outcome of the pages of its origin after three in a row, while the host answers on another origin', async () => {
    const host = await setUp();
    await host.ask(fine);
    for (let i = 0; i < 3; i++) {
      expect(await host.kind(DEAD)).toBeUndefined();
      await host.ask(refused, DEAD);
    }
    expect(await host.backoff.pauseOf(DEAD)).toEqual({ kind: 'failed', seconds: 0, failure: refused });
    expect(await host.kind()).toBeUndefined();
    expect(await host.record()).toBeUndefined();
    expect(host.noted()).toBe(0);
    host.pass(DAY);
    await host.ask(fine, DEAD);
    expect(await host.kind(DEAD)).toBeUndefined();
    await host.ask(throttled(50));
    expect(await host.kind(DEAD)).toBe('wait');
  });

  it('does not end a wait that the host requested during the request', async () => {
    const host = await setUp();
    let fail = (_: FetchOutcome): void => {};
    const underWay = host.ask(new Promise<FetchOutcome>((resolve) => (fail = resolve)));
    // The request is sent by now.
    await host.kind();
    host.pass(1);
    await host.ask(throttled(3600));
    fail(refused);
    await underWay;
    expect(await host.kind(DEAD)).toBe('set_aside');
    expect(await host.record()).toMatchObject({ code: 'throttled' });
  });

  it('starts a back-off of the host once the origin that last answered fails as well', async () => {
    const host = await setUp();
    await host.ask(fine, `https://${HOST}/`);
    host.pass(1);
    await host.ask(fine);
    host.pass(1);
    await host.ask(refused);
    expect(await host.kind()).toBe('wait');
    expect(await host.record()).toMatchObject({ code: 'connect_failed', failures: 1 });
  });
});

describe('a robots.txt that redirects to another host that fails', () => {
  const HTTPS = `https://${HOST}/a`;
  const askRobots = (backoff: HostBackoff, target = 'http://dead.com/') =>
    withBackoff(
      {
        schemes: ['http'],
        fetch: async () => ({ kind: 'redirect', code: 'moved', http: 301, target, permanent: true }),
      },
      backoff,
      new AbortController().signal,
    ).fetch({ url: `http://${HOST}/robots.txt` });

  it('is a failure of its origin: another origin that has answered is not held up, in this run and in a later one', async () => {
    const host = await setUp();
    await host.ask(fine, HTTPS);
    for (let i = 0; i < 3; i++) {
      host.pass(1);
      expect(await host.kind()).toBeUndefined();
      await askRobots(host.backoff);
      await host.backoff.fail(URL_A, { code: 'throttled', http: 429, retryAfter: DAY });
      expect(await host.record()).toBeUndefined();
    }
    expect(await host.kind()).toBe('failed');
    expect(await host.kind(HTTPS)).toBeUndefined();
    host.restart();
    expect(await host.kind(HTTPS)).toBeUndefined();
  });

  it('does not end a wait that the host requested, and pages do not stay due if the host cannot be reached either', async () => {
    const host = await setUp();
    await host.ask(throttled(3600));
    await host.backoff.fail(URL_A, { code: 'connect_failed' });
    expect(await host.record()).toMatchObject({ code: 'throttled', http: 429 });
    expect(await host.kind(HTTPS)).toBe('set_aside');
    const other = await setUp();
    await other.backoff.fail(URL_A, { code: 'dns_failed' });
    expect(await other.record()).toMatchObject({ code: 'dns_failed', http: 0 });
    for (let i = 0; i < 3; i++) await other.ask(refused, HTTPS);
    expect(await other.kind(HTTPS)).toBe('failed');
  });

  it('is not one that redirects within its host: its origin has answered, so an origin that fails gives the host no back-off', async () => {
    const host = await setUp();
    for (let i = 0; i < 3; i++) {
      host.pass(1);
      await askRobots(host.backoff, `https://${HOST}/robots.txt`);
      await host.ask(refused, HTTPS);
      expect(await host.record()).toBeUndefined();
      expect(await host.kind()).toBeUndefined();
    }
    expect(await host.kind(HTTPS)).toBe('failed');
  });

  it('fails its origin after three times, although a redirect within its host leads to it', async () => {
    const host = await setUp();
    for (let i = 0; i < 3; i++) {
      host.pass(1);
      await askRobots(host.backoff, `http://${HOST}:81/robots.txt`);
      host.pass(1);
      await host.ask(fine, HTTPS);
      await host.backoff.fail(URL_A, { code: 'connect_failed' });
    }
    expect(await host.kind()).toBe('failed');
  });
});

describe('a host that is set aside', () => {
  it('stays so until the rest of the back-off is short enough to wait for, in the same run and in a later one', async () => {
    for (const restart of [false, true]) {
      const host = await setUp();
      await host.ask(throttled(100));
      if (restart) host.restart();
      expect(await host.backoff.pauseOf(URL_A)).toMatchObject({ seconds: 100, kind: 'set_aside' });
      host.pass(50);
      expect(await host.backoff.pauseOf(URL_A)).toMatchObject({ seconds: 50, kind: 'wait' });
      host.pass(50);
      expect(await host.seconds()).toBeUndefined();
    }
  });

  it('is used again once it answers', async () => {
    const host = await setUp();
    await host.ask(throttled(100));
    host.pass(1);
    await host.ask(fine);
    expect(await host.seconds()).toBeUndefined();
  });
});

describe('requests at the same time', () => {
  it('count as one failure, and an answer to a request sent before a failure does not end the back-off', async () => {
    const host = await setUp();
    const answers: ((outcome: FetchOutcome) => void)[] = [];
    const asked = Array.from({ length: 4 }, () => host.ask(new Promise((resolve) => answers.push(resolve))));
    await host.seconds();
    host.pass(1);
    answers[0]?.(throttled());
    await asked[0];
    answers[1]?.(throttled(30));
    await asked[1];
    answers[2]?.(fine);
    answers[3]?.(throttled(5));
    await Promise.all(asked);
    expect(await host.seconds()).toBe(30);
    expect(await host.record()).toMatchObject({ failures: 1 });
    expect(host.noted()).toBe(1);
  });

  it('that end without an answer do not end a wait that the host has requested meanwhile', async () => {
    const host = await setUp();
    const other = `http://${HOST}:8080/b`;
    const answers: ((outcome: FetchOutcome) => void)[] = [];
    const asked = [1, 2].map(() => host.ask(new Promise((resolve) => answers.push(resolve)), other));
    await host.seconds();
    host.pass(1);
    await host.ask(throttled(600));
    host.pass(1);
    answers[0]?.(fine);
    await asked[0];
    answers[1]?.(refused);
    await asked[1];
    expect(await host.record()).toMatchObject({ code: 'throttled', http: 429, failures: 1 });
    for (const url of [URL_A, other]) expect(await host.kind(url)).toBe('set_aside');
    host.pass(600);
    for (const url of [URL_A, other]) expect(await host.kind(url)).toBeUndefined();
  });

  it('of several processes all obey a wait that the host requested from one of them', async () => {
    const host = await setUp({ settings: { partition: { urlMode: 'domain' } } });
    await host.seconds();
    const since = 1e12;
    const wish = { failures: 1, since, until: since + 600_000, code: 'throttled', http: 429 };
    await host.crawl.tables.hosts.backoff.put(new Map([[hostKeyOf(HOST), wish]]));
    await host.ask(refused);
    expect(await host.record()).toMatchObject({ code: 'throttled', http: 429, until: wish.until });
    host.restart();
    expect(await host.kind()).toBe('set_aside');
  });

  it('to a thousand hosts share no state', async () => {
    const host = await setUp();
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) => host.ask(i % 2 ? refused : fine, `http://h${i}.example.com/`)),
    );
    for (let i = 0; i < 1000; i++) expect(await host.seconds(`h${i}.example.com`)).toBe(i % 2 ? 10 : undefined);
  });
});

describe('the record', () => {
  it('is in the table before the caller gets the answer', async () => {
    const host = await setUp();
    await host.ask(throttled(90));
    expect(await host.record()).toEqual({
      failures: 1,
      since: 1e12,
      until: 1e12 + 90_000,
      code: 'throttled',
      http: 429,
      message: 'HTTP 429',
    });
    host.pass(90);
    await host.ask({ ...refused, message: 'x'.repeat(10_000) });
    expect((await host.record())?.message).toHaveLength(200);
  });

  it('holds after a restart, continues to count, and ends on time', async () => {
    const host = await setUp();
    await host.ask(refused);
    host.pass(4);
    host.restart();
    expect(await host.seconds()).toBe(6);
    host.pass(6);
    expect(await host.seconds()).toBeUndefined();
    host.restart();
    expect(await host.seconds()).toBeUndefined();
    await host.ask(refused);
    expect(await host.seconds()).toBe(20);
    host.pass(30);
    host.restart();
    await host.ask(fine);
    expect(await host.record()).toBeUndefined();
  });

  it('holds neither shorter nor for ever if the system clock is set back', async () => {
    const host = await setUp();
    await host.ask(throttled(100));
    host.setSystem(1e11);
    // Within a run the system clock does not matter.
    expect(await host.seconds()).toBe(100);
    const before = (await host.record())!;
    expect(isSetAside(host.crawl.settings, before, 1e11)).toBe(false);
    host.restart();
    expect(await host.seconds()).toBe(100);
    host.pass(60);
    host.restart();
    expect(await host.seconds()).toBe(40);
    host.pass(40);
    host.restart();
    expect(await host.seconds()).toBeUndefined();
  });

  it('is ignored if it cannot be read', async () => {
    for (const text of ['', '{', 'null', '7', '{}', '{"failures":"x","since":1,"until":2}']) {
      const host = await setUp();
      await host.store.write('host', [
        { key: 'com.example.www', put: new Map([[INDEX_COLUMNS.hostBackoff, Buffer.from(text)]]) },
      ]);
      expect(await host.record(), text).toBeUndefined();
      expect(await host.seconds(), text).toBeUndefined();
    }
  });

  it.each(Object.keys(STORES))('does not make a host a seed, nor does removing it undo that (%s)', async (name) => {
    const { store, cleanup } = await STORES[name]!();
    onTestFinished(cleanup);
    const host = await setUp({ store });
    const other = 'http://other.example.com/';
    const { tables } = host.crawl;
    await enterSeedHosts(tables, [rowKeyOf(URL_A)]);
    const hosts = [HOST, 'other.example.com'].map(hostKeyOf);
    for (const outcome of [refused, fine]) {
      await host.ask(outcome);
      await host.ask(outcome, other);
      expect(await tables.hosts.seeds.get(hosts)).toEqual(['undecided', undefined]);
    }
  });

  it('is not written for hosts that answer', async () => {
    const host = await setUp();
    host.store.write = () => Promise.reject(new Error('written'));
    for (const outcome of [fine, broken, fine]) await host.ask(outcome);
  });

  it('fails the request with the error if it cannot be written, and the next one is written', async () => {
    const host = await setUp();
    const write = host.store.write.bind(host.store);
    host.store.write = () => Promise.reject(new Error('no space'));
    await expect(host.ask(refused)).rejects.toThrow('no space');
    host.store.write = write;
    await host.ask(refused);
    expect(await host.record()).toMatchObject({ failures: 2 });
  });
});

it('is read once per host by generate, and states which hosts fetch would not wait for', async () => {
  const host = await setUp();
  await host.ask(throttled(1000));
  await host.ask(throttled(50), 'http://b.example.com/');
  let reads = 0;
  const get = host.store.get.bind(host.store);
  host.store.get = (...args: Parameters<Store['get']>) => {
    reads += 1;
    return get(...args);
  };
  const at = (seconds: number) => createSetAside(host.crawl, 1e12 + seconds * 1000);
  const now = at(0);
  for (let i = 0; i < 10; i++) {
    expect(await Promise.all([HOST, 'b.example.com', 'c.example.com'].map(hostKeyOf).map(now))).toEqual([
      true,
      false,
      false,
    ]);
  }
  expect(reads).toBe(3);
  expect(await at(924)(hostKeyOf(HOST))).toBe(true);
  expect(await at(925)(hostKeyOf(HOST))).toBe(false);
  expect(await at(5000)(hostKeyOf(HOST))).toBe(false);
});

describe('robots.txt', () => {
  it('is not requested during the back-off of its host; a URL of another scheme or with a password is passed on', async () => {
    const host = await setUp();
    const asked: string[] = [];
    const robots = withBackoff(
      {
        schemes: ['http'],
        fetch: async ({ url }) => {
          asked.push(url);
          return url.includes('www') ? { kind: 'retry', code: 'http_error', http: 500 } : fine;
        },
      },
      host.backoff,
      new AbortController().signal,
    );
    const url = `http://${HOST}/robots.txt`;
    expect(await robots.fetch({ url })).toMatchObject({ code: 'http_error' });
    expect(await host.seconds()).toBe(10);
    expect(await robots.fetch({ url })).toMatchObject({ kind: 'retry', code: 'host_backoff', retryAfter: 10 });
    expect(await robots.fetch({ url: 'ftp://a/robots.txt' })).toEqual(fine);
    expect(await robots.fetch({ url: 'http://u:p@a/robots.txt' })).toEqual(fine);
    expect(asked).toEqual([url, 'ftp://a/robots.txt', 'http://u:p@a/robots.txt']);
  });

  it('does not change the back-off of its host if the request was aborted', async () => {
    const host = await setUp();
    const stop = new AbortController();
    const robots = withBackoff(
      {
        schemes: ['http'],
        async fetch({ signal }) {
          stop.abort();
          expect(signal?.aborted).toBe(true);
          return { kind: 'retry', code: 'aborted' };
        },
      },
      host.backoff,
      stop.signal,
    );
    expect(await robots.fetch({ url: `http://${HOST}/robots.txt` })).toMatchObject({ code: 'aborted' });
    expect(await host.backoff.pauseOf(URL_A)).toBeUndefined();
  });
});
