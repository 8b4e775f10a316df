import { expect, test } from 'vitest';
import { START, testCrawl } from '../support/test-crawl.js';
import { round } from '../support/job-steps.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { jobs } from '../../packages/webcrawl/internal.js';
import { differences, faults, stateOf, type State } from './end-state.js';

/** The state after a crawl of two pages that began this many milliseconds after START. */
async function stateAfter(later: number, page = 'text'): Promise<State> {
  await using crawl = await testCrawl(fakeWeb({ 'http://a.test/': links('/b'), 'http://a.test/b': page }));
  crawl.setTime(START + later);
  await jobs.inject(crawl, { seeds: ['http://a.test/'] });
  await round(crawl);
  await round(crawl);
  return await stateOf(crawl, { begun: START + later - 60_000, made: '/none' });
}

test('runs that differ only in their times and batch ids have no differences', async () => {
  expect(differences(await stateAfter(0), await stateAfter(90_000_000))).toEqual([]);
});

test('every other difference is listed: rows, fields, files, documents and batches', async () => {
  const expected = await stateAfter(0);
  const changed = differences(expected, await stateAfter(0, 'another text'));
  expect(changed.map((line) => line.replace(/ is .*/, ''))).toEqual(
    expect.arrayContaining(['http://a.test/b: content', 'http://a.test/b: text', 'http://a.test/b: signature']),
  );
  const fewer = {
    rows: new Map([...expected.rows].slice(0, 1)),
    batches: ['open'],
    files: new Map([['/a', 'digest']]),
    documents: new Map([['a', 'en']]),
  };
  expect(differences(expected, fewer)).toEqual([
    'http://a.test/b: is missing',
    'file /a is digest, expected absent',
    'index a: should not be there',
    'open batches: open, expected ',
  ]);
  expect(differences(fewer, expected)).toEqual([
    'http://a.test/b: should not be there',
    'file /a is absent, expected digest',
    'index a: is missing',
    'open batches: , expected open',
  ]);
});

test('stale entries that repair counts are no faults, all other counts are', () => {
  expect(faults({ rows: 3, stale_frontier: 500, missing_frontier: 1 })).toEqual(['repair: missing_frontier 1']);
});
