import { runOf } from '../../support/job-run.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openLevelStore } from '../../../webtable/index.js';
import { borrowRequests } from '../../../packages/jobs/index.js';
import { openRequests } from '../../../packages/jobs/requests/requests.js';
import { jobs, type FetchOutcome, type FetchRequest, type Plugin } from '../../../packages/webcrawl/internal.js';
import { testCrawl } from '../../support/test-crawl.js';

const A = 'http://a.example/';
const B = 'http://b.example/';
const absent: FetchOutcome = { kind: 'gone', code: 'not_found', http: 404 };

function web(fetch: (request: FetchRequest) => Promise<FetchOutcome>): Plugin {
  return { name: 'test-web', protocol: { schemes: ['http'], fetch } };
}

it('lets a run end that was aborted with a request in flight, then makes its own requests', async () => {
  let respond = (): void => {};
  const responded = new Promise<void>((resolve) => (respond = resolve));
  const plugin = web(async ({ url }) => {
    if (url === B) await responded;
    return absent;
  });
  await using crawl = await testCrawl(undefined, { plugins: [plugin] });
  const run = openRequests(runOf(crawl), { threads: 2, count: () => {} });
  const inFlight = run.request({ url: B });
  while (run.queues.working === 0) await sleep(1);
  run.abort();
  await using borrowed = borrowRequests(crawl, { job: 'audit' });
  const result = borrowed.request({ url: A });
  setTimeout(respond, 20);
  await run.close();
  await inFlight;
  expect(await result).toMatchObject({ kind: 'outcome', outcome: absent });
});

it('requests a URL itself if the run ends while the queue of its host is looked up', async () => {
  let lookedUp = (): void => {};
  const lookup = new Promise<void>((resolve) => (lookedUp = resolve));
  await using crawl = await testCrawl(undefined, { plugins: [web(() => Promise.resolve(absent))] });
  const slow = {
    ...crawl,
    settings: { ...crawl.settings, partition: { ...crawl.settings.partition, urlMode: 'ip' as const } },
    lookup: () => lookup.then(() => ['127.0.0.1']),
  };
  const run = openRequests(runOf(slow), { threads: 1, count: () => {} });
  await using borrowed = borrowRequests(slow, { job: 'audit' });
  const result = borrowed.request({ url: A });
  await sleep(1);
  await run.close();
  lookedUp();
  expect(await result).toMatchObject({ kind: 'outcome', outcome: absent });
});

it('makes way for a fetch, and continues in its queues and after it', async () => {
  const sent: string[] = [];
  let second = (): void => {};
  const isSecondSent = new Promise<void>((resolve) => (second = resolve));
  const plugin = web(async ({ url }) => {
    sent.push(url);
    if (sent.filter((each) => each.startsWith(`${A}l`)).length === 2) second();
    return absent;
  });
  // On disk, where the leases of the own requests are not released within one turn of the event loop.
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-requests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using crawl = await testCrawl(undefined, {
    store: await openLevelStore(folder),
    plugins: [plugin],
    settings: { 'fetcher.serverDelay': 0.05 },
  });
  await using borrowed = borrowRequests(crawl, { job: 'audit', threads: 2 });
  const links = Array.from({ length: 8 }, (_, i) => `${A}l${i}`);
  const results = Promise.all(links.map((url) => borrowed.request({ url })));
  await isSecondSent;
  expect((await jobs.crawl(crawl, { seeds: [B] })).counters).toMatchObject({ fetched: 1, not_found: 1 });
  expect((await results).map(({ kind }) => kind)).toEqual(links.map(() => 'outcome'));
  expect(sent.at(-1)).not.toBe(B);
  expect(sent.filter((url) => url.startsWith(`${A}l`)).sort()).toEqual(links);
});

it('gives up a request that comes after its end', async () => {
  await using crawl = await testCrawl(undefined, { plugins: [web(() => Promise.resolve(absent))] });
  const borrowed = borrowRequests(crawl, { job: 'audit' });
  await borrowed.request({ url: A });
  await borrowed.close();
  expect(await borrowed.request({ url: A })).toMatchObject({ kind: 'left', reason: 'given_up' });
});

it.each(['abort', 'close'] as const)('use no run after its %s, while its last request is in flight', async (end) => {
  let respond = (): void => {};
  const responded = new Promise<void>((resolve) => (respond = resolve));
  await using crawl = await testCrawl(undefined, { plugins: [web(() => responded.then(() => absent))] });
  const run = openRequests(runOf(crawl), { threads: 1, count: () => {} });
  const inFlight = run.request({ url: A });
  while (run.queues.working === 0) await sleep(1);
  expect(crawl.requestsInUse.current).toBe(run);
  const done = run[end]();
  expect(crawl.requestsInUse.current).toBeUndefined();
  expect(await run.request({ url: B })).toMatchObject({ kind: 'left', reason: 'given_up' });
  respond();
  await Promise.all([done, run.close(), inFlight]);
});
