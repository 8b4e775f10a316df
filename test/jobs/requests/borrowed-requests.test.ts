import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { borrowRequests } from '../../../packages/jobs/index.js';
import { openRequests } from '../../../packages/jobs/requests/requests.js';
import type { FetchOutcome, FetchRequest, Plugin } from '../../../packages/webcrawl/internal.js';
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
  const run = openRequests(crawl, { threads: 2, count: () => {} });
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
  const run = openRequests(slow, { threads: 1, count: () => {} });
  await using borrowed = borrowRequests(slow, { job: 'audit' });
  const result = borrowed.request({ url: A });
  await sleep(1);
  await run.close();
  lookedUp();
  expect(await result).toMatchObject({ kind: 'outcome', outcome: absent });
});
