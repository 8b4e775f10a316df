import { expect, test } from 'vitest';
import { jobs, rowKeyOf, type Plugin } from '../../packages/webcrawl/internal.js';
import { memoryWriter } from '../support/index/memory-writer.js';
import { round } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';
import { fakeWeb, links } from '../support/web/fake-web.js';

const HOME = 'http://a.example/';
const PAGES = { [HOME]: `<title>Home</title>${links('/1', '/2')}`, [`${HOME}1`]: 'one', [`${HOME}2`]: 'two' };

test('pages that an index could not store are written by the next run', async () => {
  const writer = memoryWriter();
  const plugin: Plugin = { name: 'fails', indexWriter: { open: () => Promise.resolve(writer) } };
  await using crawl = await testCrawl(fakeWeb(PAGES), { plugins: [plugin] });
  await jobs.inject(crawl, { seeds: [HOME] });
  // Completes the index, so that later runs read only batches.
  await jobs.index(crawl);
  await round(crawl);
  await round(crawl);
  writer.failAfter(0);
  await expect(jobs.index(crawl)).rejects.toThrow('it fails');
  writer.failAfter(Infinity);
  await jobs.index(crawl);
  expect([...writer.documents.values()].map(({ url }) => url).sort()).toEqual(Object.keys(PAGES).sort());
});

test('a page is marked, and recorded as canonical, only after the index has it', async () => {
  const writer = memoryWriter();
  const plugin: Plugin = { name: 'waits', indexWriter: { open: () => Promise.resolve(writer) } };
  const pages = { ...PAGES, [`${HOME}1`]: { html: `<link rel="canonical" href="/2"><p>one</p>` } };
  await using crawl = await testCrawl(fakeWeb(pages), { plugins: [plugin] });
  await jobs.inject(crawl, { seeds: [HOME] });
  await jobs.index(crawl);
  await round(crawl);
  await round(crawl);
  const keys = Object.keys(PAGES).map(rowKeyOf);
  const known = async () => ({
    marks: (await crawl.tables.pages.getMany(keys, ['marks'])).map((row) => row?.marks?.index !== undefined),
    notes: await crawl.tables.canonicals.noted(keys),
  });
  const nothing = { marks: [false, false, false], notes: [undefined, undefined, undefined] };
  const { apply } = writer;
  let atApply: unknown;
  writer.apply = async (changes) => {
    const applied = await apply(changes);
    // The state that a kill would leave here.
    atApply ??= await known();
    return applied;
  };
  await jobs.index(crawl);
  expect(atApply).toEqual(nothing);
  expect(await known()).toEqual({ marks: [true, false, true], notes: [undefined, undefined, true] });
});
