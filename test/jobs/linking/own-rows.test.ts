import { expect, it } from 'vitest';
import { MemoryStore, jobs } from '../../../packages/webcrawl/index.js';
import { createLinkSlice } from '../../../packages/jobs/linking/link-slice.js';
import { createLinker } from '../../../packages/jobs/linking/linker.js';
import { createTracker } from '../../../packages/jobs/reporting/tracker.js';
import { rowOf, start } from '../../support/job-steps.js';
import { damage } from '../../support/stores/damage.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

const A = 'http://a.com/';
const B = 'http://b.com/';

it('leaves the links to rows that are known to be its own to their release, without a look at these', async () => {
  await using crawl = await testCrawl(undefined);
  const slice = createLinkSlice('1-1');
  const from = { source: 'com.a:http/', note: '1-1/00', place: 'a.com|com.a:http/', distance: 1, redirectDepth: 0 };
  slice.add('com.a:http/own', from, { anchor: 'own', score: 1 });
  slice.add('com.a:http/other', from, { anchor: 'other', score: 1 });
  const linker = createLinker(crawl, '1-1', new Set(['1-1']), createTracker(crawl, 'updatedb', {}));
  const left = await linker.addLinks(slice, new Set(['com.a:http/own']));
  // Had it been looked at, it would be one that is new.
  expect(await crawl.page('http://a.com/own', ['linkedUpTo'])).toBeUndefined();
  expect(await crawl.page('http://a.com/other', ['linkedUpTo'])).toMatchObject({
    linkedUpTo: { '1-1/00': from.place },
  });
  expect(left.linksOf('com.a:http/own')).toMatchObject([{ anchor: 'own' }]);
  expect(left.linksOf('com.a:http/other')).toEqual([]);
});

it('counts a row of its own that is damaged and linked once', async () => {
  await using crawl = await testCrawl(fakeWeb({ [A]: links(B), [B]: links(A) }));
  const batch = await start(crawl, A, B);
  await jobs.fetch(crawl, { batch, parse: true });
  await damage(crawl, B, 'retries');
  expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, linked: 1, links: 1, damaged: 1 });
});

it('adds links to a row that it released before it was killed, of a source that can be read again', async () => {
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
