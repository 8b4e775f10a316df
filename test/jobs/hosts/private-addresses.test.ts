import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MemoryStore, explain, jobs, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { createSeedHosts } from '../../../packages/jobs/hosts/seed-hosts.js';
import { hostKeyOf } from '../../../webtable/index.js';
import { FailingStore } from '../../support/stores/failing-store.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { round, rowOf } from '../../support/job-steps.js';
import { answer, rawServer, type RawHandler } from '../../support/web/raw-server.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';

const METADATA = 'http://169.254.169.254/latest/meta-data/';

/** A server that answers for every name, and a crawl that connects to it. */
async function setUp(
  handler: (host: string, path: string) => ReturnType<RawHandler>,
  options: Parameters<typeof testCrawl>[1] = {},
) {
  const server = await rawServer(({ path, headers }) => handler((headers.host ?? '').replace(/:\d+$/, ''), path));
  const lookup = (): Promise<readonly string[]> => Promise.resolve(['127.0.0.1']);
  const crawl = await testCrawl(undefined, { lookup, ...options });
  const url = (host: string, path = '/'): string => `http://${host}:${server.port}${path}`;
  /** `host/path` of each request, in order. */
  const requests = (): string[] =>
    server.requests.map(({ path, headers }) => `${(headers.host ?? '').replace(/:\d+$/, '')}${path}`);
  const close = async (): Promise<void> => {
    await crawl.close();
    await server.close();
  };
  return { crawl, url, requests, [Symbol.asyncDispose]: close };
}

const html = (body: string): Uint8Array => answer('200 OK', { 'Content-Type': 'text/html' }, body);
const to = (location: string): Uint8Array => answer('302 Found', { Location: location });
const none = (): Uint8Array => answer('404 Not Found');
const codeOf = async (crawl: OpenContext, url: string): Promise<string | undefined> =>
  (await rowOf(crawl, url, 'protocolStatus')).protocolStatus?.code;

describe('http.privateAddresses', () => {
  it('seeds: a seed is fetched, a page found by a link is not', async () => {
    await using web = await setUp((host, path) => (path === '/robots.txt' ? none() : html(pages[host + path] ?? '')));
    const { crawl, url } = web;
    const pages: Record<string, string> = {
      'intranet.example/': links('/own', url('other.example'), url('127.0.0.1'), METADATA),
    };
    await jobs.inject(crawl, { seeds: [url('intranet.example')] });
    await round(crawl);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 4, success: 1, private_address: 3 });
    expect(web.requests()).toEqual(['intranet.example/robots.txt', 'intranet.example/', 'intranet.example/own']);
    for (const refused of [url('other.example'), url('127.0.0.1'), METADATA]) {
      const { status, protocolStatus } = await rowOf(crawl, refused, 'status', 'protocolStatus');
      expect(status).toBe('gone');
      expect(protocolStatus?.code).toBe('private_address');
    }
    expect((await rowOf(crawl, url('other.example'), 'protocolStatus')).protocolStatus?.message).toBe(
      'other.example is at 127.0.0.1, in 127.0.0.0/8 (loopback); see http.privateAddresses',
    );
  });

  it('seeds: a host that was refused is fetched once it is injected, and its robots.txt is requested', async () => {
    await using web = await setUp((host, path) =>
      path === '/robots.txt'
        ? answer('200 OK', {}, 'User-agent: *\nDisallow: /no')
        : html(host === 'a.example' ? links(web.url('b.example', '/'), web.url('b.example', '/no')) : ''),
    );
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example')] });
    await round(crawl);
    expect((await round(crawl)).fetched.counters).toMatchObject({ fetched: 2, private_address: 2 });
    await jobs.inject(crawl, { seeds: [url('b.example')] });
    crawl.setTime(START + 365 * 86_400_000);
    expect((await round(crawl)).fetched.counters).toMatchObject({ fetched: 3, success: 2, robots_denied: 1 });
    expect(web.requests()).toContain('b.example/robots.txt');
    expect(web.requests()).not.toContain('b.example/no');
  });

  it('seeds: a host that another process injects counts during a fetch', async () => {
    await using crawl = await testCrawl(undefined, { lookup: () => Promise.resolve(['10.0.0.1']) });
    let changes = 0;
    const seedHosts = createSeedHosts({ ...crawl, outsideChanges: () => changes });
    expect(await seedHosts.mayBePrivate('http://a.example/')).toBe(false);
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    changes += 1;
    expect(await seedHosts.mayBePrivate('http://a.example/')).toBe(true);
  });

  it('allow: everything is fetched', async () => {
    await using web = await setUp(
      (host, path) => (path === '/robots.txt' ? none() : html(host === 'a.example' ? links(web.url('b.example')) : '')),
      { settings: { 'http.privateAddresses': 'allow' } },
    );
    await jobs.inject(web.crawl, { seeds: [web.url('a.example')] });
    await round(web.crawl);
    expect((await round(web.crawl)).fetched.counters).toMatchObject({ fetched: 1, success: 1 });
  });

  it('deny: not even seeds are fetched, and nothing is requested', async () => {
    await using web = await setUp(none, { settings: { 'http.privateAddresses': 'deny' } });
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example'), url('127.0.0.1'), url('0x7f.1', '/x')] });
    expect((await round(crawl)).fetched.counters).toEqual({ fetched: 3, private_address: 3 });
    expect(web.requests()).toEqual([]);
  });
});

describe('a redirect', () => {
  it('is checked at every hop', async () => {
    await using web = await setUp((_host, path) => {
      if (path === '/robots.txt') return none();
      if (path === '/meta') return to(METADATA);
      if (path === '/chain') return to('/chain2');
      if (path === '/chain2') return to(web.url('b.example'));
      return html('reached');
    });
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example', '/meta'), url('a.example', '/chain')] });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 5, redirects_followed: 3, private_address: 2 });
    expect(await codeOf(crawl, METADATA)).toBe('private_address');
    expect(await codeOf(crawl, url('b.example'))).toBe('private_address');
    expect(web.requests().filter((request) => request.startsWith('b.example'))).toEqual([]);
  });

  it('may lead to another host that was injected', async () => {
    await using web = await setUp((host, path) =>
      path === '/robots.txt' ? none() : host === 'a.example' ? to(web.url('b.example', '/page')) : html('reached'),
    );
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example'), url('b.example')] });
    await round(crawl);
    expect(await codeOf(crawl, url('b.example', '/page'))).toBe('success');
  });

  it('of robots.txt to a private address makes it unavailable, not absent', async () => {
    const settings = { 'fetcher.minBackoffSeconds': 10, 'fetcher.maxBackoffWaitSeconds': 0 };
    await using web = await setUp(
      (host, path) => {
        if (path === '/robots.txt') return to(host === 'a.example' ? METADATA : web.url('c.example', '/r'));
        return html('reached');
      },
      { settings },
    );
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example'), url('b.example')] });
    expect((await round(crawl)).fetched.counters).toEqual({ host_backoff: 2, backed_off: 2 });
    expect((await explain(crawl, url('a.example'))).backoff?.message).toMatch(
      /^robots.txt: redirected to 169.254.169.254, in 169.254.169.254\/32/,
    );
    expect(web.requests().sort()).toEqual(['a.example/robots.txt', 'b.example/robots.txt']);
  });
});

describe('DNS', () => {
  it('that changes to a private address gets no second page, and a name with public and private addresses gets none', async () => {
    const table: Record<string, readonly string[]> = { 'a.example': ['127.0.0.1'], 'mixed.example': ['127.0.0.1'] };
    const asked: string[] = [];
    const lookup = (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return Promise.resolve(table[host] ?? []);
    };
    await using web = await setUp((_host, path) => (path === '/robots.txt' ? none() : html('x')), { lookup });
    const { crawl, url } = web;
    table['mixed.example'] = ['8.8.8.8', '127.0.0.1'];
    const store = crawl.tables.store;
    await jobs.inject(crawl, { seeds: [url('a.example'), url('mixed.example')] });
    // `h:in` says that a seed is on this host. Without it, both hosts are known only from links.
    for (const key of ['example.a', 'example.mixed']) await store.write('host', [{ key, delete: ['h:in'] }]);
    expect((await round(crawl)).fetched.counters).toEqual({ fetched: 2, private_address: 2 });
    expect(web.requests()).toEqual([]);
    // One lookup per host: the cache answers for five minutes.
    expect(asked.sort()).toEqual(['a.example', 'mixed.example']);
  });

  it('is cached once for the fetcher and for queues by IP', async () => {
    const asked: string[] = [];
    const lookup = (host: string): Promise<readonly string[]> => {
      asked.push(host);
      return Promise.resolve(['127.0.0.1']);
    };
    await using web = await setUp((_host, path) => (path === '/robots.txt' ? none() : html('x')), {
      lookup,
      settings: { 'partition.urlMode': 'ip' },
    });
    await jobs.inject(web.crawl, { seeds: [web.url('a.example'), web.url('b.example')] });
    expect((await round(web.crawl)).fetched.counters).toMatchObject({ success: 2 });
    expect(asked.sort()).toEqual(['a.example', 'b.example']);
  });
});

describe('a host that was injected', () => {
  /** A crawl whose names resolve to addresses that the test changes. */
  async function withNames(names: Record<string, readonly string[]>, options: Parameters<typeof testCrawl>[1] = {}) {
    const asked: string[] = [];
    const lookup = (host: string): Promise<readonly string[]> => {
      asked.push(host);
      const found = names[host];
      return found ? Promise.resolve(found) : Promise.reject(new Error(`no ${host}`));
    };
    const web = await setUp((_host, path) => (path === '/robots.txt' ? none() : html('secret')), {
      lookup,
      ...options,
    });
    return Object.assign(web, { asked });
  }
  const cellOf = async (crawl: OpenContext, key: string): Promise<string> => {
    const [row] = await crawl.tables.store.get('host', [key], ['h:in']);
    return Buffer.from(row?.cells.get('h:in') ?? []).toString('latin1');
  };
  const addressesOf = async (crawl: OpenContext, url: string) => (await explain(crawl, url)).addresses;
  const LATER = START + 600_000;

  it('with a public address is refused for good at a later private address', async () => {
    const names: Record<string, readonly string[]> = { 'a.example': ['8.8.8.8'] };
    await using web = await withNames(names);
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example')] });
    expect(await cellOf(crawl, 'example.a')).toBe('public');
    names['a.example'] = ['127.0.0.1'];
    crawl.setTime(LATER);
    expect((await round(crawl)).fetched.counters).toEqual({ fetched: 1, private_address: 1 });
    // Injecting it again does not allow private addresses either.
    await jobs.inject(crawl, { seeds: [url('a.example', '/2')] });
    expect((await round(crawl)).fetched.counters).toEqual({ fetched: 1, private_address: 1 });
    expect(web.requests()).toEqual([]);
    expect(await addressesOf(crawl, url('a.example'))).toEqual({
      allowed: 'public',
      reason: 'injected, and its name was public when it was first looked up',
    });
  });

  it('with a private address may have another one later, but none of a cloud platform', async () => {
    const names: Record<string, readonly string[]> = { 'a.example': ['127.0.0.1'], 'b.example': ['10.0.0.1'] };
    await using web = await withNames(names);
    const { crawl, url } = web;
    await jobs.inject(crawl, { seeds: [url('a.example'), url('b.example')] });
    names['b.example'] = ['169.254.169.254'];
    crawl.setTime(LATER);
    expect((await round(crawl)).fetched.counters).toMatchObject({ fetched: 2, success: 1, private_address: 1 });
    expect(await codeOf(crawl, url('a.example'))).toBe('success');
    expect((await addressesOf(crawl, url('b.example')))?.allowed).toBe('private');
  });

  it('without an address is decided at its first fetch, and the decision is written once', async () => {
    const names: Record<string, readonly string[]> = { 'old.example': ['127.0.0.1'] };
    await using web = await withNames(names);
    const { crawl, url } = web;
    const seeds = [url('old.example'), url('old.example', '/2'), url('late.example')];
    expect((await jobs.inject(crawl, { seeds })).counters).toEqual({ injected: 3 });
    await crawl.tables.hosts.seeds.put(new Map([[hostKeyOf('old.example'), 'undecided']]));
    expect(await cellOf(crawl, 'example.late')).toBe('undecided');
    expect((await addressesOf(crawl, url('late.example')))?.allowed).toBe('undecided');
    expect(web.asked.sort()).toEqual(['late.example', 'old.example']);

    const written: string[] = [];
    const { store } = crawl.tables;
    const write = store.write.bind(store);
    store.write = (table, changes) => {
      if (table === 'host') for (const { key, put } of changes) if (put?.has('h:in')) written.push(key);
      return write(table, changes);
    };
    expect((await round(crawl)).fetched.counters).toMatchObject({ fetched: 3, success: 2, network_error: 1 });
    expect(await cellOf(crawl, 'example.old')).toBe('private');
    // Hosts without an address are decided by the first address that they have.
    expect(await cellOf(crawl, 'example.late')).toBe('undecided');
    names['late.example'] = ['8.8.8.8'];
    crawl.setTime(LATER);
    await explain(crawl, url('late.example'), { robots: true });
    expect(await cellOf(crawl, 'example.late')).toBe('undecided');
    names['late.example'] = ['127.0.0.1'];
    // It failed, and is retried a day later.
    crawl.setTime(START + 2 * 86_400_000);
    expect((await round(crawl)).fetched.counters).toMatchObject({ success: 1 });
    expect(await cellOf(crawl, 'example.late')).toBe('private');
    expect(written).toEqual(['example.old', 'example.late']);
  });

  it('with a local name or an address counts as private, without a lookup', async () => {
    await using web = await withNames({ localhost: ['127.0.0.1'], intranet: ['127.0.0.1'] });
    const { crawl, url } = web;
    const seeds = ['localhost', 'intranet', '127.0.0.1'].map((host) => url(host));
    await jobs.inject(crawl, { seeds });
    expect(web.asked).toEqual([]);
    expect((await round(crawl)).fetched.counters).toMatchObject({ fetched: 3, success: 3 });
    const allowed = await Promise.all(seeds.map(async (seed) => (await addressesOf(crawl, seed))?.allowed));
    expect(allowed).toEqual(['private', 'private', 'any']);
    expect((await addressesOf(crawl, url('other.example')))?.reason).toBe('no page of this host was injected');
  });

  it('is looked up only with the setting seeds', async () => {
    for (const mode of ['allow', 'deny'] as const) {
      await using web = await withNames({}, { settings: { 'http.privateAddresses': mode } });
      await jobs.inject(web.crawl, { seeds: [web.url('a.example')] });
      expect(web.asked).toEqual([]);
      expect((await addressesOf(web.crawl, web.url('a.example')))?.reason).toBe(`http.privateAddresses is ${mode}`);
    }
  });

  it('is injected even if its lookup never ends', { timeout: 60_000 }, async () => {
    await using web = await withNames({}, { lookup: () => new Promise(() => undefined) });
    const seeds = Array.from({ length: 40 }, (_, i) => web.url(`h${i}.example`));
    expect((await jobs.inject(web.crawl, { seeds })).counters).toEqual({ injected: 40 });
    expect(await cellOf(web.crawl, 'example.h0')).toBe('undecided');
  });

  it('is looked up beside others without a listener for each on the signal of the caller', async () => {
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const lookup = async (): Promise<readonly string[]> => {
      await new Promise(setImmediate);
      listeners.push(getEventListeners(signal, 'abort').length);
      return ['127.0.0.1'];
    };
    await using web = await withNames({}, { lookup });
    const seeds = Array.from({ length: 40 }, (_, i) => web.url(`h${i}.example`));
    expect((await jobs.inject(web.crawl, { seeds, signal })).counters).toEqual({ injected: 40 });
    expect(listeners).toHaveLength(40);
    // Node warns of more than ten listeners.
    expect(Math.max(...listeners)).toBeLessThan(10);
  });
});

describe('the hosts that were injected', () => {
  const A = 'http://a.example/';
  const noted = async (crawl: OpenContext): Promise<string[]> => {
    const hosts: string[] = [];
    for await (const { key } of crawl.tables.store.scan('host', { columns: ['h:in'] })) hosts.push(key);
    return hosts;
  };
  const allowed = async (crawl: TestCrawl): Promise<readonly string[]> => {
    const reports: string[] = [];
    const plugin = crawl.plugins.find(({ name }) => name === 'fake-web')!.protocol!;
    const { fetch } = plugin;
    Object.assign(plugin, {
      fetch: (request: Parameters<typeof fetch>[0]) => {
        if (request.allowPrivate) reports.push(request.url);
        return fetch(request);
      },
    });
    await round(crawl);
    return reports;
  };

  it('are stored by host for every scheme and port; links and sub-domains are not', async () => {
    const web = fakeWeb({ [A]: links('http://www.a.example/', 'http://a.example:8080/', 'https://a.example/') });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, {
      seeds: [A, 'http://[::1]/', 'http://10.0.0.1:8080/x', 'http://a.example/2', 'nonsense'],
    });
    expect(await noted(crawl)).toEqual(['10.0.0.1', '[::1]', 'example.a']);
    await round(crawl);
    const requests = await allowed(crawl);
    expect(requests.map((url) => url.replace(/robots\.txt$/, '')).sort()).toEqual([
      'http://a.example:8080/',
      'http://a.example:8080/',
      'https://a.example/',
      'https://a.example/',
    ]);
  });

  it('include the host of a page that was known as a link, whatever its distance', async () => {
    const web = fakeWeb({ [A]: { location: 'http://b.example/' }, 'http://b.example/': links('http://c.example/') });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: [A] });
    await round(crawl);
    expect(await noted(crawl)).toEqual(['example.a']);
    // The target of a seed's redirect has distance 0 too.
    await jobs.inject(crawl, { seeds: ['http://b.example/', 'http://c.example/'] });
    expect(await noted(crawl)).toEqual(['example.a', 'example.b', 'example.c']);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
  });

  it('are rebuilt from the rows', async () => {
    await using crawl = await testCrawl(fakeWeb({}));
    const { store } = crawl.tables;
    await jobs.inject(crawl, { seeds: [A, 'http://a.example/2', 'http://b.example/', 'https://10.0.0.1:81/'] });
    await store.write('host', [
      { key: 'example.a', delete: ['h:in'] },
      { key: '10.0.0.1', delete: ['h:in'] },
      { key: 'example.stale', put: new Map([['h:in', Buffer.from('y')]]) },
      // This key sorts next to the rows of a.example, but is not one of them.
      { key: 'example.a.www', put: new Map([['h:in', Buffer.from('y')]]) },
    ]);
    const expected = { rows: 4, missing_seed_host: 2, stale_seed_host: 2 };
    expect((await jobs.repair(crawl)).counters).toEqual(expected);
    expect(await noted(crawl)).toEqual(['10.0.0.1', 'example.a', 'example.b']);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 4 });
  });

  it('are complete wherever inject fails', async () => {
    for (let failAt = 1; ; failAt++) {
      const memory = new MemoryStore();
      await using crawl = await testCrawl(undefined, { store: memory });
      const broken = await testCrawl(undefined, { store: new FailingStore(memory, failAt) });
      const failed = await jobs.inject(broken, { seeds: [A, 'http://b.example/'] }).then(
        () => false,
        () => true,
      );
      expect((await jobs.repair(crawl)).counters.missing_seed_host).toBeUndefined();
      if (!failed) break;
    }
  });
});
