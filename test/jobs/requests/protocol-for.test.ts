import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import { request, robotsProtocol } from '../../../packages/jobs/requests/protocol-for.js';
import { createSeedHosts } from '../../../packages/jobs/hosts/seed-hosts.js';
import type { FetchOutcome, FetchRequest, Plugin } from '../../../packages/plugin-api/index.js';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { testCrawl } from '../../support/test-crawl.js';

const URL = 'http://a.com/';
const settings = settingsSchema.parse({ http: { timeLimitMs: 1000 } });
const content: FetchOutcome = {
  kind: 'content',
  code: 'success',
  body: new Uint8Array(),
  truncated: false,
  contentType: 'text/html',
};

const crawlWith = (fetch: (request: FetchRequest) => Promise<FetchOutcome>) => ({
  settings,
  plugins: [{ name: 'odd', protocol: { schemes: ['http'], fetch } }] satisfies Plugin[],
});

const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);
beforeEach(() => {
  vi.useFakeTimers();
  process.on('unhandledRejection', onRejection);
});
afterEach(() => {
  vi.useRealTimers();
  process.off('unhandledRejection', onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

describe('a request', () => {
  it('is given up at twice the time limit, and its signal is aborted', async () => {
    let signal: AbortSignal | undefined;
    const crawl = crawlWith((asked) => {
      signal = asked.signal;
      return new Promise(() => undefined);
    });
    const pending = request(crawl, { url: URL });
    await vi.advanceTimersByTimeAsync(1999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await pending).toEqual({ kind: 'retry', code: 'too_slow', message: 'odd: no outcome after 2000 ms' });
    expect(signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('may fail in any way after it was given up', async () => {
    let fail = (_error: Error): void => undefined;
    const crawl = crawlWith(() => new Promise((_, reject) => (fail = reject)));
    const pending = request(crawl, { url: URL });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await pending).toMatchObject({ code: 'too_slow' });
    fail(new Error('too late'));
    vi.useRealTimers();
    // Node reports an unhandled rejection after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('leaves no timer and no listener behind', async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const crawl = crawlWith(async () => content);
    expect(await request(crawl, { url: URL, signal: controller.signal })).toBe(content);
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalledOnce();
  });

  it('passes on the signal of the caller', async () => {
    const seen: (boolean | undefined)[] = [];
    const crawl = crawlWith(({ signal }) => {
      seen.push(signal?.aborted);
      return new Promise((resolve) => {
        const end = (): void => resolve({ kind: 'retry', code: 'aborted' });
        if (signal?.aborted) end();
        signal?.addEventListener('abort', end);
      });
    });
    const controller = new AbortController();
    const pending = request(crawl, { url: URL, signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ code: 'aborted' });
    expect(await request(crawl, { url: URL, signal: controller.signal })).toMatchObject({ code: 'aborted' });
    expect(seen).toEqual([false, true]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('to a protocol that %s may work later', async (_way, fetch) => {
    expect(await request(crawlWith(fetch), { url: URL })).toEqual({
      kind: 'retry',
      code: 'plugin_error_odd',
      message: 'no',
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when it is aborted, even if the protocol ignores the signal', async () => {
    vi.useRealTimers();
    const controller = new AbortController();
    const crawl = crawlWith(() => new Promise(() => undefined));
    const pending = request(crawl, { url: URL, signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'retry', code: 'aborted' });
    expect(await request(crawl, { url: URL, signal: controller.signal })).toMatchObject({ code: 'aborted' });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'ok'],
    ['no code', { kind: 'gone' }],
    ['an empty code', { kind: 'gone', code: '' }],
    ['an unknown kind', { kind: 'constructor', code: 'x' }],
    ['content without a body', { kind: 'content', code: 'success' }],
    ['a body of text', { ...content, body: 'x' }],
    ['a content type that is none', { ...content, contentType: null }],
    ['headers that are lists', { ...content, headers: { a: ['b'] } }],
    ['a status of text', { ...content, http: '200' }],
    ['a message that is an object', { kind: 'gone', code: 'x', message: {} }],
    ['a redirect without target', { kind: 'redirect', code: 'moved', permanent: true }],
    ['a date as Retry-After', { kind: 'retry', code: 'x', retryAfter: new Date(0) }],
  ])('that is answered with %s is a fault of the plugin', async (_what, answer) => {
    const crawl = crawlWith(async () => answer as unknown as FetchOutcome);
    expect(await request(crawl, { url: URL })).toMatchObject({ kind: 'retry', code: 'plugin_error_odd' });
  });

  it('without a protocol is gone', async () => {
    expect(
      await request(
        crawlWith(async () => content),
        { url: 'ftp://a.com/' },
      ),
    ).toEqual({
      kind: 'gone',
      code: 'unsupported_scheme',
    });
  });
});

describe('a crawl with a protocol that never answers', () => {
  const never = (url: RegExp): Plugin => {
    const web = fakeWeb({ 'http://a.com/': 'x', 'http://b.com/': 'x' });
    web.onRequest = (asked) => (url.test(asked) ? new Promise(() => undefined) : undefined);
    return web;
  };

  it('ends, counts it, and fetches the other pages', async () => {
    vi.useRealTimers();
    await using crawl = await testCrawl(undefined, {
      plugins: [never(/a\.com/)],
      settings: { 'http.timeout': 10, 'http.timeLimitMs': 10 },
    });
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    const { batchId } = await jobs.generate(crawl, {});
    const report = await jobs.fetch(crawl, { batch: batchId ?? '' });
    expect(report.counters).toMatchObject({ fetched: 2, success: 1, too_slow: 1 });
    expect(await crawl.page('http://a.com/', ['status', 'protocolStatus'])).toMatchObject({
      status: 'retry',
      protocolStatus: { code: 'too_slow' },
    });
  });

  it('gets no robots.txt either', async () => {
    vi.useRealTimers();
    const plugin: Plugin = { name: 'mute', protocol: { schemes: ['http'], fetch: () => new Promise(() => undefined) } };
    await using crawl = await testCrawl(undefined, {
      plugins: [plugin],
      settings: { 'http.timeout': 5, 'http.timeLimitMs': 5 },
    });
    const robots = robotsProtocol(crawl, createSeedHosts(crawl), () => undefined);
    expect(await robots.fetch({ url: 'http://a.com/robots.txt' })).toMatchObject({ kind: 'retry', code: 'too_slow' });
  });
});
