import { jobContext } from '../../../packages/jobs/context.js';
import { runOf } from '../../support/job-run.js';
import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type Store } from '../../../packages/webcrawl/internal.js';
import { createLinkSlice } from '../../../packages/jobs/linking/link-slice.js';
import { createLinker } from '../../../packages/jobs/linking/linker.js';
import { createTracker } from '../../../packages/jobs/reporting/tracker.js';
import { rowOf, start } from '../../support/job-steps.js';
import { damage } from '../../support/stores/damage.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { allRows, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const A = 'http://a.com/';
const B = 'http://b.com/';

it('keeps links to own rows for their release, and does not read these rows', async () => {
  await using crawl = await testCrawl(undefined);
  const slice = createLinkSlice();
  const from = {
    source: 'com.a:http/',
    chunk: { name: '1-1/00', number: 0 },
    distance: 1,
    redirectDepth: 0,
  };
  slice.add('com.a:http/own', from, { anchor: 'own', score: 1 });
  slice.add('com.a:http/other', from, { anchor: 'other', score: 1 });
  const linker = createLinker(runOf(crawl), '1-1', createTracker(jobContext(crawl), 'updatedb', {}).count);
  const left = await linker.addLinks(slice, new Set(['com.a:http/own']));
  // A read would have found no such row, and the row would have been created.
  expect(await crawl.page('http://a.com/own', ['linkedUpTo'])).toBeUndefined();
  expect(await crawl.page('http://a.com/other', ['linkedUpTo'])).toMatchObject({
    linkedUpTo: { '1-1/00': '0' },
  });
  expect(left.linksOf('com.a:http/own')).toMatchObject([{ anchor: 'own' }]);
  expect(left.linksOf('com.a:http/other')).toEqual([]);
});

it('counts a damaged own row with a link once', async () => {
  await using crawl = await testCrawl(fakeWeb({ [A]: links(B), [B]: links(A) }));
  const batch = await start(crawl, A, B);
  await jobs.fetch(crawl, { batch, parse: true });
  await damage(crawl, B, 'retries');
  expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, linked: 1, links: 1, damaged: 1 });
});

it('after a kill, a released row gets the links of a source that was damaged and is readable again', async () => {
  for (let failAt = 1, isReleased = false; !isReleased; failAt++) {
    const store = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb({ [A]: links(B), [B]: 'x' }), { store });
    const batch = await start(crawl, A, B);
    await jobs.fetch(crawl, { batch, parse: true });
    const heal = await damage(crawl, A, 'outlinks');
    await using failing = await testCrawl(undefined, { store: new FailingStore(store, failAt) });
    await expect(jobs.updatedb(failing, { batch })).rejects.toThrow(PlannedFailure);
    isReleased = (await rowOf(crawl, B, 'marks')).marks?.updatedb === batch;
    await heal();
    await jobs.updatedb(crawl, { batch });
    expect((await rowOf(crawl, B, 'inlinks')).inlinks, `cut at write ${failAt}`).toMatchObject([{ url: A }]);
  }
});

describe('a redirect that a page of its batch names as a sitemap', () => {
  const INDEX = 'http://a.com/0.xml';
  const MOVED = 'http://a.com/moved';
  const TARGET = 'http://a.com/target';
  const index = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${MOVED}</loc></sitemap></sitemapindex>`;
  const settings = { 'fetcher.maxRedirects': 0 };

  /** A store with a batch of both, and the given number of pages between them. */
  async function fetched(pages: number): Promise<{ store: MemoryStore; batch: string }> {
    const between = Array.from({ length: pages }, (_, i) => `http://a.com/1${String(i).padStart(3, '0')}`);
    const web = fakeWeb({
      [INDEX]: { html: index, contentType: 'application/xml' },
      ...Object.fromEntries(between.map((url, i) => [url, links(`/other${i}`)])),
      [MOVED]: { location: TARGET },
    });
    const store = new MemoryStore();
    const crawl = await testCrawl(web, { store, settings });
    const batch = await start(crawl, INDEX, ...between, MOVED);
    await jobs.fetch(crawl, { batch, parse: true });
    return { store, batch };
  }

  /** A crawl with so little memory for links that they are added page by page. */
  async function sliced(store: Store): Promise<TestCrawl> {
    const crawl = await testCrawl(undefined, { store, settings });
    const { settings: given } = crawl;
    return { ...crawl, settings: { ...given, db: { ...given.db, updateMaxLinksInMemory: 1 } } };
  }

  it('passes on links as it did when it was fetched, however many pages are between the two', async () => {
    for (const pages of [1, 10, 25, 45]) {
      const { store, batch } = await fetched(pages);
      const crawl = await sliced(store);
      await jobs.updatedb(crawl, { batch });
      expect(await rowOf(crawl, TARGET, 'sitemap', 'inlinkCount'), `${pages} pages`).toEqual({ inlinkCount: 1 });
    }
  });

  it('does the same after a kill', async () => {
    const { store, batch } = await fetched(25);
    const whole = await sliced(await copyStore(store));
    await jobs.updatedb(whole, { batch });
    const expected = await allRows(whole);
    let cuts = 0;
    for (let failAt = 2; ; failAt += 4) {
      const copy = await copyStore(store);
      const isCut = await jobs.updatedb(await sliced(new FailingStore(copy, failAt)), { batch }).then(
        () => false,
        (error: unknown) => error instanceof PlannedFailure,
      );
      if (!isCut) break;
      cuts += 1;
      const crawl = await sliced(copy);
      await jobs.updatedb(crawl, { batch });
      expect(await allRows(crawl), `cut at write ${failAt}`).toEqual(expected);
    }
    expect(cuts).toBeGreaterThan(5);
  });
});
