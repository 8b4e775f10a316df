import { expect, it } from 'vitest';
import { createLinkSlice } from '../../../packages/jobs/linking/link-slice.js';
import { createLinker } from '../../../packages/jobs/linking/linker.js';
import { createTracker } from '../../../packages/jobs/reporting/tracker.js';
import { testCrawl } from '../../support/test-crawl.js';

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
