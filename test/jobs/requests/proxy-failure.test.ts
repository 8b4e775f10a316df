import { describe, expect, it } from 'vitest';
import type { FetchOutcome } from '../../../packages/webcrawl/internal.js';
import { explain, jobs, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { createProxyWatch } from '../../../packages/jobs/requests/proxy-watch.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { rowOf } from '../../support/job-steps.js';
import { testProxy } from '../../support/web/proxy-server.js';
import { answer, rawServer } from '../../support/web/raw-server.js';
import { testCrawl } from '../../support/test-crawl.js';

const A = 'http://a.example/';
const lookup = (): Promise<readonly string[]> => Promise.resolve(['93.184.216.34']);

/** The address of a closed port, with a password. */
async function deadProxy(): Promise<string> {
  const proxy = await testProxy(1);
  await proxy.close();
  return `http://me:topsecret@${proxy.host}`;
}

async function expectUntouched(crawl: OpenContext, url: string): Promise<void> {
  const { status, protocolStatus } = await rowOf(crawl, url, 'status', 'protocolStatus');
  expect([status, protocolStatus]).toEqual(['unfetched', undefined]);
  expect((await explain(crawl, url)).backoff).toBeUndefined();
}

describe('a proxy that cannot be reached', () => {
  it.each([1, 40])(
    'ends fetch and crawl of %i pages with an error that names it, and blames no host',
    async (pages) => {
      const proxy = await deadProxy();
      const { host } = new URL(proxy);
      await using crawl = await testCrawl(undefined, { lookup, settings: { 'http.proxy': proxy } });
      const seeds = Array.from({ length: pages }, (_, i) => `http://h${i}.example/`);
      const failed = {
        code: 'PROXY_FAILED',
        exitCode: 69,
        message: expect.stringContaining(` requests failed at the proxy ${host}`) as string,
      };
      await jobs.inject(crawl, { seeds });
      const { batchId = '' } = await jobs.generate(crawl, {});
      const error = await jobs.fetch(crawl, { batch: batchId, threads: 2 }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject(failed);
      expect((error as Error).message).toContain('ECONNREFUSED');
      expect((error as Error).message).not.toContain('topsecret');
      // The job does not try every page.
      const last = Number(/the last (\d+) requests failed/.exec((error as Error).message)?.[1]);
      expect(last).toBe(pages === 1 ? 1 : 10);
      await expect(jobs.crawl(crawl, { seeds, threads: 2 })).rejects.toMatchObject(failed);
      for (const url of seeds) await expectUntouched(crawl, url);

      // With the proxy back, the same command fetches all pages.
      const server = await rawServer(() => answer('200 OK', { 'Content-Type': 'text/html' }, 'hello'));
      const back = await testProxy(server.port);
      await using again = await testCrawl(undefined, {
        store: crawl.tables.store,
        lookup,
        settings: { 'http.proxy': `http://${back.host}` },
      });
      expect((await jobs.crawl(again, { seeds })).counters).toMatchObject({ success: pages });
      await back.close();
      await server.close();
    },
  );
});

describe('a proxy that fails for some requests', () => {
  const isDown: FetchOutcome = { kind: 'retry', code: 'proxy_failed', message: 'refused' };
  const web = fakeWeb({ [A]: links('/1', '/2', '/3') });

  it('is counted, and the crawl goes on', async () => {
    const { protocol } = web;
    const plugin = {
      name: 'proxied',
      protocol: {
        ...protocol!,
        fetch: (request: Parameters<NonNullable<typeof protocol>['fetch']>[0]) =>
          request.url.endsWith('/2') ? Promise.resolve(isDown) : protocol!.fetch(request),
      },
    };
    const settings = { 'http.proxy': 'http://proxy.example:3128' };
    await using crawl = await testCrawl(undefined, { plugins: [plugin], settings });
    const { counters } = await jobs.crawl(crawl, { seeds: [A] });
    expect(counters).toMatchObject({ success: 1, not_found: 2 });
    expect(counters.proxy_failed).toBeGreaterThanOrEqual(1);
    await expectUntouched(crawl, `${A}2`);
  });
});

describe('the watch of the proxy', () => {
  const settings = { http: { proxy: 'http://proxy.example:3128' } } as OpenContext['settings'];
  const down: FetchOutcome = { kind: 'retry', code: 'proxy_failed', message: 'refused\u001b' };
  const refused: FetchOutcome = { kind: 'retry', code: 'proxy_refused', message: 'HTTP 403' };
  const well: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
  const dns: FetchOutcome = { kind: 'retry', code: 'dns_failed' };
  const failed = expect.objectContaining({ code: 'PROXY_FAILED' }) as Error;
  const times = (n: number, act: () => void): void => Array.from({ length: n }).forEach(act);

  it('gives up at the tenth failure in a row if the proxy never worked, and later if it did', () => {
    const fresh = createProxyWatch({ settings });
    times(9, () => fresh.note(down));
    fresh.note(dns);
    expect(() => fresh.note(down)).toThrow(failed);

    let now = 0;
    const proven = createProxyWatch({ settings }, () => now);
    proven.note(well);
    times(100, () => proven.note(down));
    now = 29_999;
    proven.note(down);
    now = 30_000;
    expect(() => proven.note(down)).toThrow(
      'the last 102 requests failed at the proxy proxy.example:3128: refused\\u001b',
    );
    proven.note(well);
    proven.note(down);
    proven.conclude();
  });

  it('does not count refused tunnels as a proxy that is down, but as a failure if no request succeeded', () => {
    const watch = createProxyWatch({ settings });
    times(50, () => watch.note(refused));
    expect(() => watch.conclude()).toThrow(failed);
    watch.note(well);
    watch.conclude();
    // Refused pages stay due, so they come last.
    times(50, () => watch.note(refused));
    watch.note(down);
    watch.conclude();
    times(9, () => watch.note(down));
    expect(() => watch.conclude()).toThrow(failed);
  });

  it('does nothing without a proxy', () => {
    const watch = createProxyWatch({ settings: { http: { proxy: '' } } as OpenContext['settings'] });
    times(50, () => watch.note(down));
    watch.conclude();
  });
});
