import { describe, expect, it } from 'vitest';
import { jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { MARK_COLUMNS } from '../../webtable/index.js';
import { fakeWeb } from '../support/web/fake-web.js';
import { rowOf, select } from '../support/job-steps.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';
import { testCrawl } from '../support/test-crawl.js';

interface Case {
  readonly input: string;
  readonly expected: { readonly writtenBy: string; readonly checkedBy: string; readonly removedBy: string };
}

/** Our equivalent of each mark of the reference, and the reason for each difference. */
const OURS: Readonly<Record<string, { readonly mark?: string; readonly field?: string; readonly reason?: string }>> = {
  _injmrk_: { mark: 'inject', reason: 'always y: sitemaps are not supported yet' },
  _gnmrk_: {
    mark: 'generate',
    reason: 'holds a row until generate.lockExpirySeconds at the most; removed on rows of the batch only',
  },
  _ftcmrk_: { mark: 'fetch' },
  __prsmrk__: { mark: 'parse', reason: 'also on a page with a meta refresh, which is parsed like any other' },
  _updmrk_: { mark: 'updatedb', reason: 'on every page that was fetched, so that an index can take out what is gone' },
  _idxmrk_: { mark: 'index' },
  _stmmrk_: { reason: 'dead there' },
  dist: { field: 'distance', reason: 'a field, as it is no mark' },
  '___rdrdsc__ (metadata)': { field: 'redirectTarget', reason: 'names the target, and stands until the next fetch' },
};

const cases = readReference<readonly Case[]>('marks.json');

const PAGES = {
  'http://a.com/ok': '<a href="/linked">x</a>',
  'http://a.com/refresh': '<meta http-equiv="refresh" content="0; url=/linked">',
  'http://a.com/moved': { location: '/linked' },
  'http://a.com/fails': { status: 503 },
  'http://a.com/image': { html: 'GIF', contentType: 'image/gif' },
  'http://a.com/denied': 'x',
  'http://a.com/robots.txt': 'User-agent: *\nDisallow: /denied',
};
const NAMES = ['ok', 'refresh', 'moved', 'fails', 'image', 'denied', 'gone'];

async function marksOf(crawl: OpenContext): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of [...NAMES, 'linked']) {
    const { marks } = await rowOf(crawl, `http://a.com/${name}`, 'marks');
    if (marks)
      found[name] = Object.keys(marks)
        .filter((mark) => mark !== 'inject')
        .sort();
  }
  return found;
}

const all = (...marks: string[]): Record<string, string[]> => Object.fromEntries(NAMES.map((name) => [name, marks]));

describe.skipIf(!cases)(referenceTitle('marks'), () => {
  it('each have an equivalent, or a reason why not', () => {
    expect(cases!.map(({ input }) => input).sort()).toEqual(Object.keys(OURS).sort());
    const named = Object.values(OURS).flatMap(({ mark }) => mark ?? []);
    expect(named.sort()).toEqual(Object.keys(MARK_COLUMNS).sort());
    for (const { input, expected } of cases!) {
      const { mark, field, reason } = OURS[input]!;
      if (mark === undefined && field === undefined)
        expect([reason, expected.writtenBy]).toEqual(['dead there', 'nobody (declared only)']);
    }
  });

  it('are written, checked and removed by the same jobs except for the deviations', async () => {
    const settings = { 'fetcher.maxRedirects': 0 };
    await using crawl = await testCrawl(fakeWeb(PAGES), { settings });
    await jobs.inject(crawl, { seeds: NAMES.map((name) => `http://a.com/${name}`) });
    expect(await marksOf(crawl)).toEqual(all());
    expect(await rowOf(crawl, 'http://a.com/ok', 'marks', 'distance')).toEqual({ marks: { inject: 'y' }, distance: 0 });

    const batch = await select(crawl);
    expect(await marksOf(crawl)).toEqual(all('generate'));
    expect((await jobs.generate(crawl)).batchId).toBeUndefined();

    // Every outcome gets the mark, also denied and failed fetches.
    await jobs.fetch(crawl, { batch });
    expect(await marksOf(crawl)).toEqual(all('fetch', 'generate'));
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ already_fetched: NAMES.length });
    expect(await rowOf(crawl, 'http://a.com/moved', 'redirectTarget')).toEqual({
      redirectTarget: 'http://a.com/linked',
    });

    await jobs.parse(crawl, { batch });
    const parsed = ['fetch', 'generate', 'parse'];
    expect(await marksOf(crawl)).toEqual({ ...all('fetch', 'generate'), ok: parsed, refresh: parsed });
    expect((await jobs.parse(crawl, { batch })).counters).toMatchObject({ already_parsed: 2 });

    await jobs.updatedb(crawl, { batch });
    expect(await marksOf(crawl)).toEqual(all('updatedb'));
    for (const name of NAMES) {
      const { marks } = await rowOf(crawl, `http://a.com/${name}`, 'marks');
      expect(marks).toEqual({ inject: 'y', updatedb: batch });
    }
    expect(await rowOf(crawl, 'http://a.com/linked', 'marks', 'distance')).toEqual({ distance: 0 });
    expect(await rowOf(crawl, 'http://a.com/moved', 'redirectTarget')).toEqual({
      redirectTarget: 'http://a.com/linked',
    });
  });

  it('of linked rows do not change', async () => {
    await using crawl = await testCrawl(fakeWeb(PAGES), { settings: { 'fetcher.maxRedirects': 0 } });
    await jobs.inject(crawl, { seeds: ['http://a.com/linked\tscore=2', 'http://a.com/ok\tscore=1'] });
    const other = await select(crawl, 1);
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    expect(await rowOf(crawl, 'http://a.com/linked', 'marks', 'inlinkCount')).toEqual({
      marks: { inject: 'y', generate: other },
      inlinkCount: 1,
    });
  });

  it('are not given to pages that were not fetched', async () => {
    await using crawl = await testCrawl(fakeWeb(PAGES));
    await jobs.inject(crawl, { seeds: ['http://a.com/ok'] });
    const batch = await select(crawl);
    await jobs.updatedb(crawl, { batch });
    expect(await rowOf(crawl, 'http://a.com/ok', 'marks')).toEqual({ marks: { inject: 'y' } });
  });
});
