import { describe, expect, it } from 'vitest';
import { jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { rowOf } from '../support/job-steps.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';

interface SeedRow {
  readonly url: string;
  readonly fetchInterval: number;
  readonly score: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly markers: Readonly<Record<string, string>>;
}
interface Cases {
  readonly lines: readonly { readonly input: string; readonly expected: readonly SeedRow[] }[];
  readonly merge: readonly { readonly input: string; readonly expected: string }[];
  readonly test: readonly { readonly input: string; readonly expected: string }[];
}

const FOO: SeedRow = {
  url: 'http://foo.com/',
  fetchInterval: 2_592_000,
  score: 1,
  metadata: {},
  markers: { dist: '0', _injmrk_: 'y' },
};

/** Deliberate deviations from the reference: the number of the line in `lines`, our rows, and the reason. */
const DEVIATIONS: Readonly<Record<number, { readonly rows: readonly SeedRow[]; readonly reason: string }>> = {
  6: { rows: [], reason: 'a number that is none makes the line malformed; nothing is dropped in silence' },
  7: { rows: [{ ...FOO, score: -1 }], reason: 'no score means "none given" but its absence' },
  11: { rows: [], reason: 'a token that is not key=value makes the line malformed' },
  12: { rows: [{ ...FOO, score: 10 }], reason: 'white space around keys and values is cut, and the URL is normalised' },
  13: { rows: [], reason: 'a blank in place of the tab makes the line malformed; it would become a part of the URL' },
  15: { rows: [], reason: 'a key may not be empty' },
  17: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  18: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  19: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  20: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  21: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  22: { rows: [], reason: 'sitemaps are not supported yet; the token is no key=value' },
  23: {
    rows: [{ ...FOO, metadata: { x: 'sitemaps: a.xml' } }],
    reason: 'sitemaps are not supported yet; a key=value is metadata, whatever the value says',
  },
};

const cases = readReference<Cases>('inject.json');

async function rowsOf(crawl: OpenContext): Promise<SeedRow[]> {
  const rows: SeedRow[] = [];
  for await (const row of crawl.pages({
    fields: ['fetchInterval', 'score', 'metadata', 'marks', 'distance', 'cash', 'dueAt', 'status'],
  })) {
    // True for every row of the reference; our rows have a status from the start.
    expect([row.cash, row.dueAt, row.status]).toEqual([row.score, START, 'unfetched']);
    rows.push({
      url: row.url,
      fetchInterval: row.fetchInterval!,
      score: row.score!,
      metadata: row.metadata ?? {},
      markers: { dist: String(row.distance), _injmrk_: row.marks!.inject! },
    });
  }
  return rows;
}

describe.skipIf(!cases)(referenceTitle('inject cases'), () => {
  it('makes the rows of each line except for the deviations', async () => {
    expect(cases!.lines).toHaveLength(24);
    for (const [at, { input, expected }] of cases!.lines.entries()) {
      await using crawl = await testCrawl(undefined);
      const rejected: string[] = [];
      const report = await jobs.inject(crawl, { seeds: [input], onRejected: (_, text) => rejected.push(text) });
      const deviation = DEVIATIONS[at];
      expect(await rowsOf(crawl), `case ${at}`).toEqual(deviation?.rows ?? expected);
      const isMalformed = deviation?.rows.length === 0;
      expect(report.counters.malformed, `case ${at}`).toBe(isMalformed ? 1 : undefined);
      expect(rejected, `case ${at}`).toEqual(isMalformed ? [input] : []);
      if (deviation) expect(deviation.rows, `case ${at} is no deviation`).not.toEqual(expected);
    }
    expect(Object.keys(DEVIATIONS).every((at) => cases!.lines[Number(at)])).toBe(true);
  });

  it('treats existing rows like the later branch of the reference', async () => {
    expect(cases!.merge.map(({ input }) => input)).toEqual([
      'existing row (2.x)',
      'existing row (1.x)',
      'new row (2.x)',
    ]);
    const inject = async (settings: Record<string, unknown>): Promise<unknown> => {
      await using crawl = await testCrawl(undefined, { settings });
      await jobs.inject(crawl, { seeds: ['http://foo.com/\tscore=5\tfetchInterval=60\told=1'] });
      crawl.setTime(START + 1000);
      await jobs.inject(crawl, { seeds: ['http://foo.com/\tnew=1'] });
      return rowOf(crawl, 'http://foo.com/', 'score', 'fetchInterval', 'dueAt', 'metadata', 'status');
    };
    const kept = { score: 5, fetchInterval: 60, dueAt: START, metadata: { old: '1' }, status: 'unfetched' };
    // Deviation from the first branch: injecting again must not undo a crawl. From the third: a status is never empty.
    expect(await inject({})).toEqual(kept);
    expect(await inject({ 'db.injectorUpdate': true })).toEqual({ ...kept, metadata: { old: '1', new: '1' } });
    expect(await inject({ 'db.injectorOverwrite': true })).toEqual({
      score: 1,
      fetchInterval: 2_592_000,
      dueAt: START + 1000,
      metadata: { new: '1' },
      status: 'unfetched',
    });
  });

  it('does what the tests of the reference describe, without sitemaps', async () => {
    expect(cases!.test.map(({ expected }) => expected.split(' ', 2).join(' '))).toEqual([
      '100 rows',
      '200 rows',
      '12 rows,',
      '16 rows,',
    ]);
    const seeds = (host: string, count: number, more: (i: number) => string): string[] =>
      Array.from({ length: count }, (_, i) => `http://${host}.com/${i}.html${more(i)}`);
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: seeds('zzz', 100, (i) => `\tnutch.score=${i}\tcustom.attribute=${i}`) });
    for (const row of await allRows(crawl)) {
      const i = /(\d+)\.html/.exec(String(row.url))![1]!;
      expect([row.score, row.metadata]).toEqual([Number(i), { 'custom.attribute': i }]);
    }
    await jobs.inject(crawl, { seeds: seeds('xxx', 100, () => '') });
    const rows = await allRows(crawl);
    expect(rows).toHaveLength(200);
    for (const row of rows) if (String(row.url).includes('xxx')) expect(row.score).toBe(1);

    // Deviation: sitemaps are not supported here, and their lines are counted as malformed.
    for (const token of ['-sitemap', 'sitemaps: sitemap0.xml sitemap1.xml']) {
      await using other = await testCrawl(undefined);
      const lines = [...seeds('aaa', 10, () => ''), ...seeds('bbb', 2, () => `\t${token}`)];
      expect((await jobs.inject(other, { seeds: lines })).counters).toEqual({ injected: 10, malformed: 2 });
    }
  });
});
