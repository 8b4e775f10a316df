import { expect, test } from 'vitest';
import { jobs, type Plugin } from '../../packages/webcrawl/index.js';
import { memoryWriter } from '../support/index/memory-writer.js';
import { round } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';
import { fakeWeb, links } from '../support/web/fake-web.js';

const HOME = 'http://a.example/';
const PAGES = { [HOME]: `<title>Home</title>${links('/1', '/2')}`, [`${HOME}1`]: 'one', [`${HOME}2`]: 'two' };

test('what an index could not take is brought to it by the next run', async () => {
  const writer = memoryWriter();
  const plugin: Plugin = { name: 'fails', indexWriter: { open: () => Promise.resolve(writer) } };
  await using crawl = await testCrawl(fakeWeb(PAGES), { plugins: [plugin] });
  await jobs.inject(crawl, { seeds: [HOME] });
  // Makes the index whole, so that later runs go by batches.
  await jobs.index(crawl);
  await round(crawl);
  await round(crawl);
  writer.failAfter(0);
  await expect(jobs.index(crawl)).rejects.toThrow('it fails');
  writer.failAfter(Infinity);
  await jobs.index(crawl);
  expect([...writer.documents.values()].map(({ url }) => url).sort()).toEqual(Object.keys(PAGES).sort());
});
