import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GRACE_PERIOD } from '../../../packages/jobs/requests/grace-period.js';
import { gracePeriod } from '../../../packages/util/index.js';
import { jobs, type FetchOutcome, type FetchRequest, type Plugin } from '../../../packages/webcrawl/internal.js';
import { start } from '../../support/job-steps.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('a grace period', () => {
  it('ends that long after the stop, and not before', () => {
    const stop = new AbortController();
    const { signal } = gracePeriod(stop.signal, GRACE_PERIOD);
    vi.advanceTimersByTime(100 * GRACE_PERIOD);
    expect(signal.aborted).toBe(false);
    stop.abort();
    vi.advanceTimersByTime(GRACE_PERIOD - 1);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('begins at once if the signal is already aborted', () => {
    const { signal } = gracePeriod(AbortSignal.abort(), GRACE_PERIOD);
    vi.advanceTimersByTime(GRACE_PERIOD);
    expect(signal.aborted).toBe(true);
  });

  it('leaves no timer behind, before and after the stop', () => {
    for (const isStopped of [false, true]) {
      const stop = new AbortController();
      const grace = gracePeriod(stop.signal, GRACE_PERIOD);
      if (isStopped) stop.abort();
      grace.clear();
      stop.abort();
      expect(vi.getTimerCount()).toBe(0);
      expect(grace.signal.aborted).toBe(false);
    }
  });
});

/** Answers a request with `answerTo`; without an answer, the request ends only when it is aborted. */
function web(answerTo: (url: string) => FetchOutcome | undefined | Promise<FetchOutcome>) {
  const requests: string[] = [];
  let arrived = (): void => {};
  const plugin: Plugin = {
    name: 'web',
    protocol: {
      schemes: ['http'],
      async fetch({ url, signal }: FetchRequest) {
        requests.push(url);
        const answer = answerTo(url);
        arrived();
        return answer ?? new Promise((resolve) => signal!.addEventListener('abort', () => resolve(ABORTED)));
      },
    },
  };
  const asked = async (url: string): Promise<void> => {
    while (!requests.includes(url)) await new Promise<void>((resolve) => (arrived = resolve));
  };
  return { plugin, requests, asked };
}

const ABORTED: FetchOutcome = { kind: 'retry', code: 'aborted' };
const ABSENT: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };
const to = (target: string): FetchOutcome => ({ kind: 'redirect', code: 'moved', http: 301, permanent: true, target });
const flush = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
};

describe('a fetch that is stopped', () => {
  it.each([
    ['a page', (url: string) => (url.endsWith('robots.txt') ? ABSENT : undefined), 'http://a.com/'],
    ['robots.txt', () => undefined, 'http://a.com/robots.txt'],
    [
      'robots.txt of another host',
      (url: string) => (url.startsWith('http://a.com') ? to('http://b.com/robots.txt') : undefined),
      'http://b.com/robots.txt',
    ],
  ])('aborts a request for %s that takes too long, and all rows stay as they were', async (_what, answerTo, last) => {
    let answers = answerTo;
    const fake = web((url) => answers(url));
    await using crawl = await testCrawl(undefined, { plugins: [fake.plugin] });
    const batch = await start(crawl, 'http://a.com/');
    const before = await allRows(crawl);
    const stop = new AbortController();
    let report: unknown;
    const run = jobs.fetch(crawl, { batch, signal: stop.signal }).then((ended) => (report = ended));
    await fake.asked(last);
    stop.abort();
    vi.advanceTimersByTime(GRACE_PERIOD - 1);
    await flush();
    expect(report).toBeUndefined();
    vi.advanceTimersByTime(1);
    await run;
    expect(report).toMatchObject({ interrupted: true, counters: { given_up: 1 } });
    expect((report as { counters: object }).counters).toEqual({ given_up: 1 });
    expect(await allRows(crawl)).toEqual(before);
    expect(vi.getTimerCount()).toBe(0);

    answers = () => ABSENT;
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, not_found: 1 });
    const [row] = await allRows(crawl);
    expect(row).toMatchObject({ status: 'gone', retries: 0 });
  });

  it('stores what arrives within the grace period', async () => {
    let deliver = (_outcome: FetchOutcome): void => {};
    const answer = new Promise<FetchOutcome>((resolve) => (deliver = resolve));
    const fake = web((url) => (url.endsWith('robots.txt') ? ABSENT : answer));
    await using crawl = await testCrawl(undefined, { plugins: [fake.plugin] });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    const stop = new AbortController();
    const run = jobs.fetch(crawl, { batch, signal: stop.signal });
    await fake.asked('http://a.com/1');
    stop.abort();
    vi.advanceTimersByTime(GRACE_PERIOD - 1);
    deliver(ABSENT);
    expect((await run).counters).toEqual({ fetched: 1, not_found: 1 });
    expect(fake.requests).toEqual(['http://a.com/robots.txt', 'http://a.com/1']);
  });

  it('counts a page as failed if the protocol itself reports an abort', async () => {
    const fake = web((url) => (url.endsWith('robots.txt') ? ABSENT : ABORTED));
    await using crawl = await testCrawl(undefined, { plugins: [fake.plugin] });
    const batch = await start(crawl, 'http://a.com/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, aborted: 1 });
  });
});
