import { beforeEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../config/schema.js';
import {
  createRobots,
  httpProtocol,
  ROBOTS_LIMIT,
  type Robots,
  type StoredRobots,
} from '../../packages/fetch/index.js';
import type { FetchOutcome, Protocol } from '../../packages/plugin-api/index.js';
import { answer, rawServer } from '../support/raw-server.js';

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
  it('is fetched once per origin and followed', async () => {
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

  it('is shared by callers who come while it is fetched', async () => {
    let deliver: (outcome: FetchOutcome) => void = () => undefined;
    web['http://a.org/robots.txt'] = new Promise((resolve) => (deliver = resolve));
    const answers = Array.from({ length: 50 }, (_, i) => robots.check(`http://a.org/${i % 2 ? 'x' : 'y'}`));
    await new Promise((resolve) => setTimeout(resolve, 1));
    deliver(file('User-agent: bot\nDisallow: /x'));
    const kinds = (await Promise.all(answers)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'denied')).toHaveLength(25);
    expect(fetched).toHaveLength(1);
  });

  it('holds for a day, also after a restart', async () => {
    web['http://a.org/robots.txt'] = file('User-agent: *\nDisallow: /');
    await robots.check('http://a.org/');
    expect(stored.get('http://a.org')).toMatchObject({ fetchedAt: now, status: 200 });
    web = {};
    now += DAY - 1;
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(await fresh().check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(1);
    now += 1;
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(2);
    expect(stored.get('http://a.org')).toEqual({ fetchedAt: now, status: 404 });
  });

  it('from the future is not believed', async () => {
    stored.set('http://a.org', { fetchedAt: now + 1, status: 200, body: 'User-agent: *\nDisallow: /' });
    expect(await robots.check('http://a.org/')).toMatchObject({ kind: 'allowed' });
  });

  it('is kept byte by byte', async () => {
    web['http://a.org/robots.txt'] = file(Buffer.from('User-agent: *\nDisallow: /\xe9\nDisallow: /\xc3\xa8', 'latin1'));
    await robots.check('http://a.org/');
    for (const path of ['%E9', '%C3%A8', 'è']) {
      expect(await fresh().check(`http://a.org/${path}`)).toMatchObject({ kind: 'denied' });
    }
    expect(fetched).toHaveLength(1);
  });

  it('leaves memory for others, but not the store', async () => {
    const small = fresh(0);
    web['http://a.org/robots.txt'] = file('User-agent: *\nDisallow: /');
    expect(await small.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(await small.check('http://a.org/')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(1);
  });
});

describe('redirects', () => {
  const chain = (length: number): void => {
    for (let i = 0; i < length; i++)
      web[i ? `http://h${i}.org/r` : 'http://a.org/robots.txt'] = to(`http://h${i + 1}.org/r`);
    web[`http://h${length}.org/r`] = file('User-agent: *\nDisallow: /x');
  };

  it('are followed five times, across hosts', async () => {
    chain(5);
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'denied' });
    expect(fetched).toHaveLength(6);
    expect(await robots.check('http://h5.org/x')).toMatchObject({ kind: 'allowed' });
  });

  it('beyond that lead to no file', async () => {
    chain(6);
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(6);
  });

  it('in a circle or to nowhere lead to no file', async () => {
    web['http://a.org/robots.txt'] = to('http://a.org/robots.txt');
    web['http://b.org/robots.txt'] = to(null);
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
    expect(await robots.check('http://b.org/x')).toMatchObject({ kind: 'allowed' });
    expect(fetched).toHaveLength(7);
  });
});

describe('without a file', () => {
  it.each([400, 401, 403, 404, 410, 418, 451])('%s allows all', async (status) => {
    web['http://a.org/robots.txt'] = [403, 418, 451].includes(status)
      ? fails(status)
      : { kind: 'gone', code: 'x', http: status };
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'allowed' });
    expect(stored.get('http://a.org')).toEqual({ fetchedAt: now, status });
  });

  it.each([429, 500, 503, 599, 999, 304, undefined])('%s puts off, and is not remembered', async (status) => {
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

  it('is not had from a protocol that calls it not modified', async () => {
    web['http://a.org/robots.txt'] = { kind: 'notmodified', code: 'notmodified', http: 304 };
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'unavailable', code: 'notmodified' });
  });

  it('says where it could not be had', async () => {
    web['http://a.org/robots.txt'] = to('http://b.org/r');
    web['http://b.org/r'] = fails(503, 60);
    expect(await robots.check('http://a.org/x')).toMatchObject({ url: 'http://b.org/r', http: 503, retryAfter: 60 });
    web['http://b.org/r'] = { kind: 'gone', code: 'private_address', message: 'private' };
    const refused = await robots.check('http://a.org/x');
    expect(refused).toMatchObject({ kind: 'unavailable', url: 'http://b.org/r', code: 'private_address' });
    expect(refused).not.toHaveProperty('refused');
  });

  it('does not fall back on an old one', async () => {
    stored.set('http://a.org', { fetchedAt: now - DAY, status: 200, body: '' });
    web['http://a.org/robots.txt'] = fails(500);
    expect(await robots.check('http://a.org/x')).toMatchObject({ kind: 'unavailable' });
  });
});

it('passes on what the store throws, and asks it again', async () => {
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

it('reads no more of an endless file than counts', async () => {
  const line = 'Disallow: /x\n';
  const server = await rawServer(() => answer('200 OK', {}, `User-agent: *\n${line.repeat(100_000)}`));
  const http = httpProtocol(settingsSchema.shape.http.parse({ contentLimit: -1, privateAddresses: 'allow' }));
  const real = createRobots({ protocol: http, agents: [], clock: () => now, store });
  expect(await real.check(`${server.origin}/x`)).toMatchObject({ kind: 'denied' });
  expect(stored.get(server.origin)?.body?.length).toBe(ROBOTS_LIMIT + 1);
  await http.close();
  await server.close();
});
