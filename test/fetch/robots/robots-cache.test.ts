import { beforeEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import {
  createRobots,
  httpProtocol,
  ROBOTS_LIMIT,
  type Robots,
  type StoredRobots,
} from '../../../packages/fetch/index.js';
import type { FetchOutcome, Protocol } from '../../../packages/plugin-api/index.js';
import { until } from '../../support/events.js';
import { answer, rawServer } from '../../support/web/raw-server.js';

const DAY = 86_400_000;
let now: number;
let fetched: string[];
let stored: Map<string, StoredRobots>;
let web: Record<string, FetchOutcome | Promise<FetchOutcome>>;
let robots: Robots;

const protocol: Protocol = {
  schemes: ['http', 'https'],
  fetch: async ({ url }) => {
    fetched.push(url);
    return (await web[url]) ?? { kind: 'gone', code: 'not_found', http: 404 };
  },
};
const store = {
  get: async (origin: string) => stored.get(origin),
  put: async (origin: string, value: StoredRobots) =>
    void stored.set(origin, JSON.parse(JSON.stringify(value)) as StoredRobots),
};

const file = (text: string | Uint8Array): FetchOutcome => {
  const body = Buffer.from(text);
  return { kind: 'content', code: 'success', http: 200, body, truncated: false, contentType: 'text/plain' };
};
const to = (target: string | null): FetchOutcome => ({
  kind: 'redirect',
  code: 'moved',
  http: 301,
  permanent: true,
  target,
});
const fails = (http: number | undefined, retryAfter?: number): FetchOutcome => ({
  kind: 'retry',
  code: 'x',
  message: 'broken',
  ...(http === undefined ? {} : { http }),
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
const fresh = (memory?: number): Robots =>
  createRobots({ protocol, agents: ['bot'], clock: () => now, store, ...(memory === undefined ? {} : { memory }) });

beforeEach(() => {
  now = 1e12;
  fetched = [];
  stored = new Map();
  web = {};
  robots = fresh();
});

describe('a file', () => {
  it('is fetched once per origin and obeyed', async () => {
    web['http://a.org/robots.txt'] = file('User-agent: *\nDisallow: /x\nCrawl-delay: 3');
    web['https://a.org/robots.txt'] = file('User-agent: *\nDisallow: /');
    expect(await robots.check('http://a.org/')).toEqual({ kind: 'allowed', crawlDelay: 3, asked: true });
    expect(await robots.check('http://a.org/x?y')).toEqual({
      kind: 'denied',
      line: { number: 2, text: 'Disallow: /x' },
    });
    expect(await robots.check('https://a.org/')).toMatchObject({ kind: 'denied' });
    expect(await robots.check('http://a.org:81/x')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toEqual(['http://a.org/robots.txt', 'https://a.org/robots.txt', 'http://a.org:81/robots.txt']);
  });

  it('is shared by callers that come while it is fetched', async () => {
    let deliver: (outcome: FetchOutcome) => void = () => undefined;
    web['http://a.org/robots.txt'] = new Promise((resolve) => (deliver = resolve));
    const answers = Array.from({ length: 50 }, (_, i) => robots.check(`http://a.org/${i % 2 ? 'x' : 'y'}`));
    await until(() => fetched.length > 0);
    deliver(file('User-agent: bot\nDisallow: /x'));
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'denied')).toHaveLength(25);
    expect(fetched).toHaveLength(1);
  });

  it('is valid for a day, also after a restart', async () => {
    web['http://a.org/robots.txt'] = file('User-agent: *\nDisallow: /');
    await robots.check('http://a.org/');
    expect(stored.get('http://a.org')).toMatchObject({ fetchedAt: now, status: 200 });
    web = {};
    now += DAY - 1;
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(await fresh().check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(1);
    now += 1;
    // RFC 9309, 2.4 allows the use of an old copy while the file is unreachable; we use none.
    web['http://a.org/robots.txt'] = fails(503);
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'unavailable' });
    web = {};
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(3);
    expect(stored.get('http://a.org')).toEqual({ fetchedAt: now, status: 404 });
  });

  it('is read again when other processes have changed the store', async () => {
    let changes = 0;
    robots = createRobots({ protocol, agents: ['bot'], clock: () => now, store, changes: () => changes });
    web['http://a.com/robots.txt'] = file('User-agent: *\nDisallow: /');
    expect(await robots.check('http://a.com/')).toMatchObject({ kind: 'denied' });
    changes += 1;
    expect(await robots.check('http://a.com/')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(1);
    web['http://a.com/robots.txt'] = file('');
    stored.clear();
    expect(await robots.check('http://a.com/')).toMatchObject({ kind: 'denied' });
    changes += 1;
    expect(await robots.check('http://a.com/')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(2);
  });

  it('with a time in the future is ignored', async () => {
    stored.set('http://a.org', { fetchedAt: now + 1, status: 200, body: 'User-agent: *\nDisallow: /' });
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'allowed' });
  });

  it('is stored byte by byte', async () => {
    web['http://a.org/robots.txt'] = file(Buffer.from('User-agent: *\nDisallow: /\xe9\nDisallow: /\xc3\xa8', 'latin1'));
    await robots.check('http://a.org/');
    for (const path of ['%E9', '%C3%A8', 'è']) {
      expect(await fresh().check(`http://a.org/${path}`)).toMatchObject({ kind: 'denied' });
    }
    expect(fetched).toHaveLength(1);
  });

  it('is removed from memory to make room, but not from the store', async () => {
    const small = fresh(0);
    web['http://a.org/robots.txt'] = file('User-agent: *\nDisallow: /');
    expect(await small.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(await small.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(1);
  });
});

it('may be behind five redirects, also to other hosts, and applies to the host that was requested', async () => {
  web['http://a.org/robots.txt'] = to('http://h1.org/r');
  for (let i = 1; i < 5; i++) web[`http://h${i}.org/r`] = to(`http://h${i + 1}.org/r`);
  web['http://h5.org/r'] = file('User-agent: *\nDisallow: /x');
  expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'denied' });
  expect(await robots.check('http://h5.org/x')).toMatchObject({ kind: 'allowed' });
});

it('behind a redirect in a circle, or to nowhere, does not exist', async () => {
  web['http://a.org/robots.txt'] = to('http://a.org/robots.txt');
  web['http://b.org/robots.txt'] = to(null);
  expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
  expect(await robots.check('http://b.org/x')).toMatchObject({ kind: 'allowed' });
  expect(fetched).toHaveLength(7);
});

it('behind a redirect to a host of another worker is unavailable until that worker has stored it', async () => {
  web['http://a.org/robots.txt'] = to('http://b.org/robots.txt');
  robots = createRobots({
    protocol,
    agents: ['bot'],
    clock: () => now,
    store,
    isForeign: (url) => url.includes('b.org'),
  });
  const url = 'http://b.org/robots.txt';
  const message = 'robots.txt: redirected to a host of another worker';
  expect(await robots.check('http://a.org/')).toEqual({
    kind: 'unavailable',
    code: 'robots_on_other_worker',
    url,
    message,
  });
  stored.set('http://b.org', { status: 200, body: 'User-agent: *\nDisallow: /', fetchedAt: now });
  expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'denied' });
  expect(fetched).toEqual(['http://a.org/robots.txt', 'http://a.org/robots.txt']);
});

describe('a redirect to another host', () => {
  const url = 'http://a.org/x';
  const theirs = 'http://b.org/robots.txt';
  let turns: string[];
  /** Each turn waits until the test lets it go. */
  let take: (() => Promise<void>)[];
  let given: unknown[];
  const inQueue = (): Robots =>
    createRobots({
      protocol,
      agents: ['bot'],
      clock: () => now,
      store,
      inHostQueue: (at, ask) => {
        turns.push(at);
        return new Promise((resolve) =>
          take.push(async () => {
            given.push(await ask());
            resolve(true);
          }),
        );
      },
    });
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  };

  beforeEach(() => {
    [turns, take, given] = [[], [], []];
    web['http://a.org/robots.txt'] = to(theirs);
    web[theirs] = file('User-agent: *\nDisallow: /x\nCrawl-delay: 7\nSitemap: /map');
    robots = inQueue();
  });

  it('is followed in the turn of that host, while all callers wait', async () => {
    const waits: unknown[] = [];
    const whileRedirected = <T>(wait: Promise<T>): Promise<T> => {
      waits.push(wait);
      return wait;
    };
    const verdicts = [robots.check(url, { whileRedirected }), robots.check(url, { whileRedirected })];
    await settled();
    verdicts.push(robots.check('http://a.org/y', { whileRedirected }));
    await settled();
    expect([fetched, turns, waits.length]).toEqual([['http://a.org/robots.txt'], [theirs], 3]);
    await take[0]!();
    const line = { number: 2, text: 'Disallow: /x' };
    expect(await Promise.all(verdicts)).toEqual([
      { kind: 'denied', line, asked: true },
      { kind: 'denied', line, asked: true },
      { kind: 'allowed', crawlDelay: 7, asked: true },
    ]);
    expect(given).toEqual([{ asked: true, crawlDelay: 7 }]);
    expect(fetched).toEqual(['http://a.org/robots.txt', theirs]);
    expect(await robots.check(url)).toEqual({ kind: 'denied', line });
  });

  it('gives that host its file too, and both get its sitemaps', async () => {
    const told: string[] = [];
    const tell = (whose: string) => ({ onSitemaps: async () => void told.push(whose) });
    const verdict = robots.check(url, tell('a'));
    await settled();
    await take[0]!();
    await verdict;
    expect(told).toEqual(['a']);
    expect(stored.get('http://b.org')).toMatchObject({ sitemapsPending: true, status: 200 });
    const line = { number: 2, text: 'Disallow: /x' };
    expect(await inQueue().check('http://b.org/x', tell('b'))).toEqual({ kind: 'denied', line });
    await robots.check('http://b.org/x', tell('b'));
    expect(told).toEqual(['a', 'b']);
    expect(stored.get('http://b.org')).not.toHaveProperty('sitemapsPending');
    expect(fetched).toHaveLength(2);
  });

  it('needs no turn if that file is known, and is as old as that file', async () => {
    await robots.check('http://b.org/');
    now += DAY - 1;
    expect(await robots.check(url)).toMatchObject({ kind: 'denied', asked: true });
    expect(turns).toEqual([]);
    now += 1;
    void robots.check(url);
    await settled();
    expect(fetched).toEqual([theirs, 'http://a.org/robots.txt', 'http://a.org/robots.txt']);
    expect(turns).toEqual([theirs]);
  });

  it('sends no request if that file arrived while it waited', async () => {
    const verdict = robots.check(url);
    await settled();
    await robots.check('http://b.org/');
    await take[0]!();
    expect(await verdict).toMatchObject({ kind: 'denied' });
    expect(given).toEqual([{ asked: false }]);
    expect(fetched).toEqual(['http://a.org/robots.txt', theirs]);
  });

  it.each([`${theirs}?x`, 'http://b.org/robots.txt/', 'http://b.org/x/robots.txt', 'http://b.org/'])(
    'to %s says nothing about that host',
    async (target) => {
      web['http://a.org/robots.txt'] = to(target);
      web[target] = file('User-agent: *\nDisallow: /\nCrawl-delay: 7');
      const verdict = robots.check(url);
      await settled();
      await take[0]!();
      expect(await verdict).toMatchObject({ kind: 'denied' });
      expect(given).toEqual([{ asked: true }]);
      expect([...stored.keys()]).toEqual(['http://a.org']);
    },
  );

  it('and back again takes a turn each time, five in total', async () => {
    web[theirs] = to('http://a.org/robots.txt');
    const verdicts = [robots.check(url), robots.check('http://b.org/')];
    for (let i = 0; i < 10; i++) {
      await settled();
      await take[i]!();
    }
    expect(await Promise.all(verdicts)).toEqual(Array.from({ length: 2 }, () => ({ kind: 'allowed', asked: true })));
    expect([...stored.values()]).toEqual(Array.from({ length: 2 }, () => ({ status: 301, fetchedAt: now })));
    expect(turns).toHaveLength(10);
    // At the turn for the last one, it was known that the other leads nowhere.
    expect(fetched).toHaveLength(11);
  });

  it('is forgotten if the run ends before the turn', async () => {
    robots = createRobots({ protocol, agents: ['bot'], clock: () => now, store, inHostQueue: async () => false });
    expect(await robots.check(url)).toMatchObject({ kind: 'unavailable', url: theirs, code: 'aborted' });
    expect(stored.size).toBe(0);
    await robots.check(url);
    expect(fetched).toEqual(['http://a.org/robots.txt', 'http://a.org/robots.txt']);
  });

  it('gives all callers the error of the turn in the queue, and is requested again by the next check', async () => {
    let breaks = true;
    robots = createRobots({
      protocol,
      agents: ['bot'],
      clock: () => now,
      store,
      inHostQueue: async (_url, ask) => {
        if (breaks) throw new Error('disk');
        await ask();
        return true;
      },
    });
    const verdicts = await Promise.allSettled([robots.check(url), robots.check(url)]);
    expect(verdicts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    breaks = false;
    expect(await robots.check(url)).toMatchObject({ kind: 'denied' });
  });
});

describe('without a file', () => {
  it.each([400, 401, 403, 404, 410, 418, 451, 499])('%s allows all', async (status) => {
    web['http://a.org/robots.txt'] = [403, 418, 451, 499].includes(status)
      ? fails(status)
      : { kind: 'gone', code: 'x', http: status };
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
    expect(stored.get('http://a.org')).toEqual({ fetchedAt: now, status });
  });

  // RFC 9309, 2.3.1.3 lets 429 allow all; here it counts as unreachable for now.
  it.each([429, 500, 503, 599, 999, 304, undefined])('%s delays the pages, and is not remembered', async (status) => {
    const url = 'http://a.org/robots.txt';
    web[url] = fails(status, 7);
    expect(await robots.check('http://a.org/x')).toEqual({
      kind: 'unavailable',
      message: 'robots.txt: broken',
      url,
      code: 'x',
      ...(status !== undefined && { http: status }),
      retryAfter: 7,
    });
    expect(stored.size).toBe(0);
    web[url] = file('');
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(2);
  });

  it('a protocol that answers 304 makes it unavailable', async () => {
    web['http://a.org/robots.txt'] = { kind: 'notmodified', code: 'notmodified', http: 304 };
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'unavailable', code: 'notmodified' });
  });

  it('reports why it is unavailable', async () => {
    web['http://a.org/robots.txt'] = to('http://b.org/r');
    web['http://b.org/r'] = fails(503, 60);
    expect(await robots.check('http://a.org/x')).toMatchObject({ url: 'http://b.org/r', http: 503, retryAfter: 60 });
    web['http://b.org/r'] = { kind: 'gone', code: 'private_address', message: 'private' };
    const refused = await robots.check('http://a.org/x');
    expect(refused).toMatchObject({ kind: 'unavailable', url: 'http://b.org/r', code: 'private_address' });
    expect(refused).not.toHaveProperty('refused');
  });

  it('does not use an old one', async () => {
    stored.set('http://a.org', { fetchedAt: now - DAY, status: 200, body: '' });
    web['http://a.org/robots.txt'] = fails(500);
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'unavailable' });
  });
});

it('passes on what the store throws, and reads the store again', async () => {
  let broken = true;
  const get = async (): Promise<StoredRobots> => {
    if (broken) throw new Error('the disk is full');
    return { fetchedAt: now, status: 404 };
  };
  const failing = createRobots({ protocol, agents: [], clock: () => now, store: { ...store, get } });
  await expect(failing.check('http://a.org/')).rejects.toThrow('the disk is full');
  broken = false;
  expect(await failing.check('http://a.org/')).toMatchObject({ kind: 'allowed' });
  await expect(failing.check('gopher://a.org/')).rejects.toMatchObject({ code: 'BAD_URL' });
});

it('is unavailable in a coding that cannot be decoded', async () => {
  const server = await rawServer(() => answer('200 OK', { 'Content-Encoding': 'dcb' }, 'unreadable'));
  const http = httpProtocol(settingsSchema.shape.http.parse({ privateAddresses: 'allow' }));
  const real = createRobots({ protocol: http, agents: [], clock: () => now, store });
  expect(await real.check(`${server.origin}/x`)).toMatchObject({ kind: 'unavailable', code: 'unsupported_coding' });
  expect(stored.size).toBe(0);
  await http.close();
  await server.close();
});

it('reads an endless file only up to the limit', async () => {
  const line = 'Disallow: /x\n';
  const server = await rawServer(() => answer('200 OK', {}, `User-agent: *\n${line.repeat(100_000)}`));
  const http = httpProtocol(settingsSchema.shape.http.parse({ contentLimit: -1, privateAddresses: 'allow' }));
  const real = createRobots({ protocol: http, agents: [], clock: () => now, store });
  expect(await real.check(`${server.origin}/x`)).toMatchObject({ kind: 'denied' });
  expect(stored.get(server.origin)?.body?.length).toBe(ROBOTS_LIMIT + 1);
  await http.close();
  await server.close();
});

describe('the sitemaps in a file', () => {
  const url = 'http://a.com/x';

  it('are reported to the caller that fetched it, before it is stored', async () => {
    web['http://a.com/robots.txt'] = file('User-agent: *\nDisallow: /x\nSitemap: /a\nsitemap: http://b.com/b#c');
    const told: unknown[] = [];
    const tell = async (sitemaps: readonly string[]) => void told.push(sitemaps, stored.size);
    expect(await robots.check(url, { onSitemaps: tell })).toMatchObject({ kind: 'denied' });
    expect(told).toEqual([['/a', 'http://b.com/b'], 0]);
    await robots.check(url, { onSitemaps: tell });
    await fresh().check(url, { onSitemaps: tell });
    expect(told).toHaveLength(2);
    now += DAY;
    await robots.check(url, { onSitemaps: tell });
    expect(told).toHaveLength(4);
  });

  it('are reported to one of several callers at once, and to none if there are none', async () => {
    web['http://a.com/robots.txt'] = file('Sitemap: /a');
    web['http://b.com/robots.txt'] = file('Allow: /');
    let told = 0;
    const tell = async () => void told++;
    await Promise.all([
      robots.check(url, { onSitemaps: tell }),
      robots.check(url, { onSitemaps: tell }),
      robots.check('http://b.com/', { onSitemaps: tell }),
    ]);
    expect(told).toBe(1);
  });

  it.each([
    ['the same run', () => robots],
    ['a later run', () => fresh()],
  ])('wait for a caller that takes them, in %s', async (_, later) => {
    web['http://a.com/robots.txt'] = file('Sitemap: /a');
    const told: (readonly string[])[] = [];
    const tell = async (sitemaps: readonly string[]) => void told.push(sitemaps);
    await robots.check(url);
    await robots.check(url);
    const taker = later();
    await taker.check(url, { onSitemaps: tell });
    await taker.check(url, { onSitemaps: tell });
    expect(told).toEqual([['/a']]);
    expect(fetched).toEqual(['http://a.com/robots.txt']);
    expect(stored.get('http://a.com')).not.toHaveProperty('sitemapsPending');
  });

  it('are reported again if the report failed', async () => {
    web['http://a.com/robots.txt'] = file('Sitemap: /a');
    await expect(robots.check(url, { onSitemaps: () => Promise.reject(new Error('disk')) })).rejects.toThrow('disk');
    expect(stored.size).toBe(0);
    let told = 0;
    expect(await robots.check(url, { onSitemaps: async () => void told++ })).toEqual({ kind: 'allowed', asked: true });
    expect(told).toBe(1);
  });
});
