import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobs, type FetchOutcome, type Plugin } from '../../../packages/webcrawl/internal.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { turns, until } from '../../support/events.js';
import { start } from '../../support/job-steps.js';
import { ABSENT, content } from '../../support/web/outcomes.js';
import { START, testCrawl } from '../../support/test-crawl.js';

// Fake time moves only when a test moves it: a wait shows as a timer.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const PAGES = ['http://a.com/1', 'http://a.com/2'];
/** Two ways to slow a crawl down: a setting, and robots.txt. In seconds. */
const WAYS = [
  { way: 'fetcher.serverDelay', delay: 5, settings: { 'fetcher.serverDelay': 5 }, robots: undefined },
  { way: 'Crawl-delay', delay: 7, settings: {}, robots: 'User-agent: *\nCrawl-delay: 7' },
] as const;

/** A host whose pages are all alike, with a list of the URLs requested from it. */
function host(robots: string | undefined) {
  const asked: string[] = [];
  const self = {
    asked,
    /** Called before each answer. */
    onRequest: async (_url: string): Promise<void> => {},
    plugin: {
      name: 'one-host',
      protocol: {
        schemes: ['http'],
        async fetch({ url }): Promise<FetchOutcome> {
          asked.push(url);
          await self.onRequest(url);
          if (!url.endsWith('/robots.txt')) return content('x');
          return robots === undefined ? ABSENT : content(robots);
        },
      },
    } satisfies Plugin,
  };
  return self;
}

/** Advances time from timer to timer until a job is done. */
async function toItsEnd<T>(job: Promise<T>): Promise<T> {
  let isOver = false;
  const over = job.finally(() => (isOver = true));
  over.catch(() => undefined);
  while (!isOver) {
    await turns();
    if (!isOver) vi.advanceTimersToNextTimer();
  }
  return over;
}

describe.each(WAYS)('a delay by $way', ({ delay, settings, robots }) => {
  /** A crawl after one run that requested the first page and ended at the start of the clock. */
  async function afterOneRun() {
    const web = host(robots);
    const crawl = await testCrawl(undefined, { settings, plugins: [web.plugin] });
    const batch = await start(crawl, PAGES[0]!);
    await toItsEnd(jobs.fetch(crawl, { batch }));
    expect(web.asked).toEqual(['http://a.com/robots.txt', PAGES[0]]);
    await jobs.updatedb(crawl, { batch });
    return { crawl, web };
  }

  it('counts from the last request of the previous run', async () => {
    const { crawl, web } = await afterOneRun();
    await using _ = crawl;
    crawl.setTime(START + 2000);
    const batch = await start(crawl, PAGES[1]!);
    const before = web.asked.length;
    const fetch = jobs.fetch(crawl, { batch });
    await until(() => web.asked.length > before || vi.getTimerCount() > 0);
    vi.advanceTimersByTime((delay - 2) * 1000 - 1);
    await turns();
    expect(web.asked.slice(before)).toEqual([]);
    vi.advanceTimersByTime(1);
    await until(() => web.asked.length > before);
    expect((await toItsEnd(fetch)).counters).toEqual({ fetched: 1, success: 1 });
    expect(web.asked.slice(before)).toEqual([PAGES[1]]);
  });

  it('causes no wait if it has passed before the next run', async () => {
    const { crawl, web } = await afterOneRun();
    await using _ = crawl;
    crawl.setTime(START + delay * 1000);
    const batch = await start(crawl, PAGES[1]!);
    const before = web.asked.length;
    const fetch = jobs.fetch(crawl, { batch });
    await until(() => web.asked.length > before || vi.getTimerCount() > 0);
    expect(web.asked.slice(before)).toEqual([PAGES[1]]);
    await toItsEnd(fetch);
  });

  it('is kept in full after a run that was killed, because the time of its last request is unknown', async () => {
    const { crawl: killed, web } = await afterOneRun();
    killed.setTime(START + 60_000);
    const batch = await start(killed, ...PAGES);
    let asked = (): void => {};
    const inFlight = new Promise<void>((resolve) => (asked = resolve));
    web.onRequest = () => new Promise(() => asked());
    void jobs.fetch(killed, { batch });
    await inFlight;

    const left = await copyStore(killed.tables.store);
    const after = host(robots);
    await using crawl = await testCrawl(undefined, { store: left, settings, plugins: [after.plugin] });
    crawl.setTime(START + 61_000);
    const timers = vi.getTimerCount();
    const fetch = jobs.fetch(crawl, { batch });
    await until(() => after.asked.length > 0 || vi.getTimerCount() > timers);
    vi.advanceTimersByTime(delay * 1000 - 1);
    await turns();
    expect(after.asked).toEqual([]);
    vi.advanceTimersByTime(1);
    await until(() => after.asked.length > 0);
    expect((await toItsEnd(fetch)).counters).toMatchObject({ success: 1 });
  });
});
