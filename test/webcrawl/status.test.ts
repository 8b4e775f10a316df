import { jobContext } from '../../packages/jobs/context.js';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  jobs,
  openContext,
  serve,
  status,
  type FetchOutcome,
  type OpenCrawlOptions,
  type Plugin,
  type Progress,
} from '../../packages/webcrawl/internal.js';
import { createPrompt } from '../../packages/webcrawl/status.js';
import { select } from '../support/job-steps.js';
import { until } from '../support/events.js';
import { ABSENT, content } from '../support/web/outcomes.js';
import { freshFolder } from '../support/files/temp-folder.js';
import { crawl as crawlJob } from '../../packages/jobs/index.js';

const directory = freshFolder();
/** The answer of the web. */
let answer: (url: string) => FetchOutcome | Promise<FetchOutcome>;

const web: Plugin = {
  name: 'web',
  protocol: {
    schemes: ['http'],
    fetch: async ({ url }) => (url.endsWith('/robots.txt') ? ABSENT : answer(url)),
  },
};
function open(options: OpenCrawlOptions = {}) {
  const table = `level:${join(directory, 'table')}`;
  return openContext({
    table,
    settings: { 'fetcher.serverDelay': 0, 'parser.threads': 0 },
    plugins: [web],
    ...options,
  });
}

it('shows a running crawl, here and from another process, like its progress', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let onHeld = (): void => {};
  const isHeld = new Promise<void>((resolve) => (onHeld = resolve));
  answer = async (url) => {
    if (url.endsWith('/')) return content('<a href="/gone">a</a> <a href="/held">b</a>');
    if (url.endsWith('/gone')) return ABSENT;
    onHeld();
    await held;
    return content('');
  };
  await using crawl = await open({ name: 'here' });
  await using other = await open({ name: 'there' });
  let last: Progress | undefined;
  const running = jobs.crawl(crawl, { seeds: ['http://a.example/'], onProgress: (progress) => (last = progress) });
  await isHeld;
  // Until the other page of the round is done too, and the count of due rows is not from before the round.
  let seen = await status(other);
  while (seen.jobs[0]?.errors.not_found !== 1 || seen.due.count > 0) seen = await status(other);
  expect(seen.owner).toMatchObject({ pid: process.pid, name: 'here' });
  expect(seen.due).toMatchObject({ count: 0, more: false });
  expect(seen.lastFetch).toMatchObject({ state: 'running' });
  const job = {
    job: 'crawl',
    done: 2,
    // The page in the batch counts, although no row is due.
    toGo: 1,
    counters: { fetched: 2, not_found: 1, success: 1 },
    errors: { not_found: 1 },
    fetching: { inFlight: 1, waiting: 0, setAside: 0, pages: [{ url: 'http://a.example/held' }], hosts: [] },
  };
  expect(seen.jobs).toMatchObject([job]);
  expect(seen.jobs[0]).not.toHaveProperty('total');
  const own = await status(crawl);
  expect(own).not.toHaveProperty('owner');
  expect(own.jobs).toMatchObject([job]);
  release();
  expect((await running).counters).toMatchObject({ fetched: 3 });
  expect(last).toMatchObject({
    job: 'crawl',
    done: 3,
    errors: { not_found: 1 },
    seconds: expect.any(Number) as number,
  });
  expect(await status(other)).toMatchObject({ jobs: [], lastFetch: { state: 'ended' } });
});

it('has a rate from the first call on', async () => {
  await using crawl = await openContext({ table: 'memory:' });
  await crawl.running.run('fetch', undefined, async (watch) => {
    await new Promise((resolve) => setImmediate(resolve));
    watch(() => ({ job: 'fetch', done: 5, counters: {}, errors: {} }));
    expect(crawl.running.progress()[0]?.rate).toBeGreaterThan(0);
    return { job: 'fetch', seconds: 0, counters: {} };
  });
});

it('states how far the index lags, also in the metrics', async () => {
  answer = () => content('<p>A page.');
  await using crawl = await open();
  await jobs.index(crawl);
  expect(await status(crawl)).toMatchObject({ batchesToIndex: 0 });
  for (const seed of ['http://a.example/', 'http://b.example/']) {
    await jobs.inject(crawl, { seeds: [seed] });
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
  }
  expect(await status(crawl)).toMatchObject({ batchesToIndex: 2, batches: [] });
  await using served = await serve(crawl, { port: 0 });
  expect(await (await fetch(`${served.url}metrics`)).text()).toContain('webcrawl_batches_to_index 2');
  expect(await (await fetch(`${served.url}dashboard`)).text()).toContain('0 + 2 batches');
  await jobs.index(crawl);
  expect(await status(crawl)).toMatchObject({ batchesToIndex: 0, index: { documents: 2 } });
});

it('does not wait for a slow index, and has its last figures', async () => {
  const answers: ((documents: number) => void)[] = [];
  const read = createPrompt(() => new Promise<number>((resolve) => answers.push(resolve)), 0, 20);
  expect(await read()).toBe(0);
  // The second call does not wait.
  expect(await read()).toBe(0);
  expect(answers).toHaveLength(1);
  answers[0]!(5);
  await until(async () => {
    const asked = read();
    answers[1]?.(6);
    return (await asked) !== 0;
  });
});

it('counts due rows only', async () => {
  answer = () => content('');
  await using crawl = await open();
  await jobs.inject(crawl, { seeds: Array.from({ length: 30 }, (_, i) => `http://h${i % 7}.example/${i}`) });
  expect((await status(crawl)).due).toMatchObject({ count: 30 });
  const { batchId } = await jobs.generate(crawl, { topN: 10 });
  await using fresh = await open();
  expect(await status(fresh)).toMatchObject({ batches: [{ batchId, state: 'open', size: 10 }] });
});

it('jobs other than inject are refused on a table that is open elsewhere, before they change anything', async () => {
  await using first = await open({ name: 'first' });
  await using second = await open();
  expect([first.owner, second.owner?.name]).toEqual([undefined, 'first']);
  await expect(jobs.crawl(second, { seeds: ['http://a.example/'] })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  await expect(jobs.repair(second, {})).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  expect((await status(first)).due.count).toBe(0);
  await jobs.inject(second, { seeds: ['http://a.example/'] });
  expect(first.outsideChanges?.()).toBeGreaterThan(0);
  expect(await first.page('http://a.example/', [])).toMatchObject({ status: 'unfetched' });
  await first.close();
  answer = () => content('');
  expect((await jobs.crawl(second, { seeds: [] })).counters).toMatchObject({ fetched: 1 });
});

it('a crawl that found nothing due looks again when another process has changed rows', async () => {
  answer = () => content('');
  await using crawl = await open({ table: 'memory:' });
  const looks = async (changes: number): Promise<number> => {
    let generates = 0;
    let asked = 0;
    const tables = Object.create(crawl.tables) as typeof crawl.tables;
    tables.exclusive = (name, task) => {
      if (name === 'generate') generates += 1;
      return crawl.tables.exclusive(name, task);
    };
    // Called before and after each check for due rows: the first `changes` checks are followed by a change.
    const outsideChanges = (): number => Math.min(Math.floor((asked += 1) / 2), changes);
    const ruleSteps = { propose: () => Promise.resolve({}), apply: () => Promise.resolve(undefined) };
    await crawlJob(jobContext({ ...crawl, tables, outsideChanges }), { seeds: [] }, ruleSteps);
    return generates;
  };
  const without = await looks(0);
  expect(await looks(3)).toBe(without + 3);
});
