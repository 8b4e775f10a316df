import { expect, it } from 'vitest';
import { jobs } from '../../../packages/webcrawl/internal.js';
import { round } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';

/** The first slot of a key, then the kind of the entry: `q` in the queue of its host, `t` at the due time of its row. */
const KIND = /^[0-9a-f]{2}([qt])(?!})/;

it('adds new rows that are due at once to the queue of their host, even while the clock moves', async () => {
  const web = fakeWeb({
    'http://a.com/robots.txt': 'Sitemap: http://a.com/sitemap.xml',
    'http://a.com/': links('/1', 'http://b.com/'),
    'http://a.com/sitemap.xml': 'x',
  });
  let now = Date.UTC(2025, 0, 1);
  const crawl = await testCrawl(web, { clock: () => now++ });
  const entries = async (): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for await (const some of crawl.tables.frontier.entries()) {
      for (const { entryKey, rowKey } of some) found[rowKey] = KIND.exec(entryKey)![1]!;
    }
    return found;
  };
  await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://c.com/'] });
  expect(await entries()).toEqual({ 'com.a:http/': 'q', 'com.c:http/': 'q' });

  await round(crawl);
  expect(await entries()).toEqual({
    'com.a:http/': 't',
    'com.a:http/1': 'q',
    'com.a:http/sitemap.xml': 'q',
    'com.b:http/': 'q',
    'com.c:http/': 't',
  });
});
