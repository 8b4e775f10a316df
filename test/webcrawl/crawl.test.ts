import { expect, test } from 'vitest';
import { openCrawl } from '../../packages/webcrawl/index.js';
import { fakeWeb, openTestCrawl, TEST_START } from '../../packages/webcrawl/testing/public.js';

const WEB = {
  'http://a.example/': '<title>Home</title><a href="/b">b</a>',
  'http://a.example/b': '<title>B</title>',
};
const seeds = ['http://a.example/'];

test('a crawl shows its public members, and none of its internals', async () => {
  await using crawl = await openCrawl({ table: 'memory:' });
  const shown = Object.entries(crawl);
  const methods = shown.filter(([, value]) => typeof value === 'function').map(([name]) => name);
  expect(shown.filter(([, value]) => typeof value !== 'function').map(([name]) => name)).toEqual([
    'settings',
    'settingSources',
    'owner',
    'notServed',
    'check',
    'rules',
    'export',
  ]);
  expect(methods.sort()).toEqual(
    [
      ...['run', 'runContinuously', 'inject', 'generate', 'fetch', 'parse', 'updatedb'],
      ...['index', 'forgetIndex', 'rank', 'dedup', 'repair', 'compact', 'remove'],
      ...['audit', 'changes', 'mark', 'marks', 'unmark', 'sendChanges', 'changeTargets', 'removeChangeTarget'],
      ...['hosts', 'explainHost', 'plan'],
      ...['page', 'pages', 'stats', 'status', 'explain', 'search', 'openSearch', 'serve', 'close'],
    ].sort(),
  );
});

test('its methods are the jobs, alone or together', async () => {
  await using crawl = await openTestCrawl(fakeWeb(WEB));
  expect((await crawl.inject({ seeds })).counters).toEqual({ injected: 1 });
  const { batchId = '' } = await crawl.generate();
  expect((await crawl.fetch({ batch: batchId })).counters.success).toBe(1);
  expect((await crawl.parse({ batch: batchId })).counters.links).toBe(1);
  expect((await crawl.updatedb({ batch: batchId })).counters.added).toBe(1);
  expect((await crawl.run({ seeds: [] })).counters.fetched).toBe(1);
  expect((await crawl.stats()).statuses).toEqual({ fetched: 2 });
  expect((await crawl.explain('http://a.example/b')).next.kind).toBe('waiting');
  expect(await crawl.status()).toMatchObject({ jobs: [], due: { count: 0 } });
});

test('a field that only the crawler itself uses is no field of a page', async () => {
  await using crawl = await openTestCrawl(fakeWeb(WEB));
  const fields = ['title', 'linkedUpTo'] as const;
  // @ts-expect-error: an internal field
  await expect(crawl.page('http://a.example/', fields)).rejects.toMatchObject({ code: 'USAGE' });
  // @ts-expect-error: an internal field
  await expect(crawl.pages({ fields }).next()).rejects.toMatchObject({ code: 'USAGE' });
  // @ts-expect-error: an internal field
  await expect(crawl.export.pages({ output: '-', fields })).rejects.toMatchObject({ code: 'USAGE' });
});

test('checks and rules use the data of the table', async () => {
  await using crawl = await openTestCrawl(fakeWeb(WEB));
  await crawl.rules.add({ kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/b' } });
  expect(await crawl.check.url('http://a.example/b')).toMatchObject({ accepted: false, rejectedBy: 'rules' });
  expect((await crawl.run({ seeds })).counters.fetched).toBe(1);
  expect(
    await crawl.check.parse({
      url: 'http://a.example/',
      contentType: 'text/html',
      content: Buffer.from('<title>T'),
      headers: {},
      truncated: false,
    }),
  ).toMatchObject({
    kind: 'success',
    title: 'T',
  });
});

test('the clock of a test stands still until it is moved', async () => {
  await using crawl = await openTestCrawl(fakeWeb(WEB));
  await crawl.run({ seeds });
  expect(await crawl.page('http://a.example/', ['fetchedAt'])).toMatchObject({ fetchedAt: TEST_START });
  expect((await crawl.run({ seeds: [] })).counters.fetched).toBeUndefined();
  crawl.advance(31 * 86_400_000);
  expect(crawl.now).toBe(TEST_START + 31 * 86_400_000);
  expect((await crawl.run({ seeds: [] })).counters.fetched).toBe(2);
});

test.each([
  ['run', { seed: seeds }, 'crawl.run has no option "seed"', 'did you mean seeds?'],
  ['runContinuously', { seeds, search: false, onRest: 0 }, 'crawl.run has no option "onRest"', 'did you mean onIdle?'],
  ['run', { seeds, maxTime: 5 }, 'crawl.run has no option "maxTime"', 'did you mean maxSeconds?'],
  ['explain', { robot: true }, 'crawl.explain has no option "robot"', 'did you mean robots?'],
  ['search', { limt: 3 }, 'crawl.search has no option "limt"', 'did you mean limit?'],
  ['serve', { prot: 0 }, 'crawl.serve has no option "prot"', 'did you mean port?'],
  ['stats', { singal: 0 }, 'crawl.stats has no option "singal"', 'did you mean signal?'],
])('%s rejects an unknown option: %o', async (name, options, message, hint) => {
  await using crawl = await openCrawl({ table: 'memory:' });
  const method = (crawl as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>)[name]!;
  const given = name === 'explain' || name === 'search' ? ['http://a.example/', options] : [options];
  await expect(method(...given)).rejects.toMatchObject({ code: 'USAGE', message, hint });
});

test('so does openCrawl', async () => {
  const options = { tabel: 'memory:' } as object;
  await expect(openCrawl(options)).rejects.toMatchObject({
    message: 'openCrawl has no option "tabel"',
    hint: 'did you mean table?',
  });
});
