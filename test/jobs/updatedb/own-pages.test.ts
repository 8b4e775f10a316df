import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { damage } from '../../support/stores/damage.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { round, rowOf, select, start } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';

import { DAY, MONTH, A, INTERVAL, firstRound } from '../../support/updatedb-batches.js';

describe('updatedb and the pages of its batch', () => {
  it('plans the next fetch, stores the digest and changes the marks', async () => {
    const { crawl, batch, updated } = await firstRound(fakeWeb({ [A]: 'hello' }), [A]);
    expect(updated).toEqual({ job: 'updatedb', batchId: batch, seconds: 0, counters: { fetched: 1 } });
    const [row] = await allRows(crawl);
    expect(row).toMatchObject({
      status: 'fetched',
      dueAt: START + MONTH,
      fetchedAt: START,
      fetchInterval: INTERVAL,
      retries: 0,
      modifiedAt: START,
      signature: hash('sha1', 'hello'),
      marks: { inject: 'y', updatedb: batch },
    });
    for (const field of ['newSignature', 'prevSignature']) expect(row).not.toHaveProperty(field);
    const keys: string[] = [];
    for await (const entries of crawl.tables.batches.entries(batch))
      for (const { rowKey: key } of entries) keys.push(key);
    expect(keys).toEqual([]);
    expect(await crawl.tables.batches.get(batch)).toEqual({ batchId: batch, state: 'closed', size: 1 });
  });

  it('counts each page once by its outcome', async () => {
    const web = fakeWeb({
      'http://a.com/ok': 'x',
      'http://a.com/moved': { location: '/ok' },
      'http://a.com/nowhere': { location: 'mailto:a' },
      'http://a.com/fails': { status: 500 },
      'http://a.com/image': { html: 'GIF89a', contentType: 'image/gif' },
    });
    const names = ['ok', 'moved', 'nowhere', 'fails', 'image', 'missing'];
    const { crawl, batch, updated } = await firstRound(
      web,
      names.map((name) => `http://a.com/${name}`),
    );
    expect(updated.counters).toEqual({ fetched: 2, redirected: 2, retry: 1, gone: 1, links: 1, linked: 1 });
    const due: Record<string, unknown> = {};
    for (const name of names) {
      const row = await rowOf(crawl, `http://a.com/${name}`, 'status', 'dueAt', 'retries', 'marks');
      due[name] = [row.status, (row.dueAt! - START) / DAY, row.retries];
      expect(row.marks).toEqual({ inject: 'y', updatedb: batch });
    }
    expect(due).toEqual({
      ok: ['fetched', 30, 0],
      moved: ['redir_perm', 30, 0],
      nowhere: ['redir_perm', 30, 0],
      fails: ['unfetched', 1, 1],
      image: ['fetched', 30, 0],
      missing: ['gone', 45, 0],
    });
  });

  it('releases pages that were not fetched: they stay due and keep all fields', async () => {
    const web = fakeWeb({ [A]: links('/1') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, A, 'http://a.com/2');
    const before = await allRows(crawl);
    crawl.setTime(START + 1000);
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ not_fetched: 2 });
    expect(await allRows(crawl)).toEqual(
      before.map(({ cashInFlight: _, ...row }) => ({ ...row, marks: { inject: 'y' }, dueAt: START })),
    );
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
  });

  it('does not treat an old fetch as one of this batch', async () => {
    const web = fakeWeb({ [A]: links('/1') });
    const { crawl } = await firstRound(web, [A]);
    const before = await rowOf(crawl, A, 'status', 'dueAt', 'fetchedAt', 'cash', 'score', 'marks');
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    const { counters } = await jobs.updatedb(crawl, { batch });
    expect(counters).toEqual({ not_fetched: 2 });
    expect(await rowOf(crawl, A, 'status', 'dueAt', 'fetchedAt', 'cash', 'score', 'marks')).toEqual(before);
  });

  it('gives up a page after the maximum number of failures in a row, and continues with it when it works again', async () => {
    const web = fakeWeb({ [A]: { status: 503 } });
    await using crawl = await testCrawl(web, { settings: { 'db.fetchRetryMax': 2 } });
    await jobs.inject(crawl, { seeds: [A] });
    const seen: unknown[] = [];
    let now = START;
    for (let i = 0; i < 4; i++) {
      crawl.setTime(now);
      if (i === 3) web.set(A, { html: 'x' });
      await round(crawl);
      const { status, retries, dueAt, fetchInterval } = await rowOf(
        crawl,
        A,
        'status',
        'retries',
        'dueAt',
        'fetchInterval',
      );
      seen.push([status, retries, (dueAt! - now) / DAY, fetchInterval! / 86_400]);
      now = dueAt!;
    }
    expect(seen).toEqual([
      ['unfetched', 1, 1, 30],
      ['gone', 2, 45, 45],
      ['gone', 3, 67.5, 67.5],
      ['fetched', 0, 67.5, 67.5],
    ]);
  });

  it('gives up at once if no failure is allowed', async () => {
    const { crawl, updated } = await firstRound(fakeWeb({ [A]: { status: 503 } }), [A], { 'db.fetchRetryMax': 0 });
    expect(updated.counters).toEqual({ gone: 1 });
    expect(await rowOf(crawl, A, 'status', 'retries')).toEqual({ status: 'gone', retries: 1 });
  });

  it('compares digests, and reports the result to the adaptive schedule', async () => {
    const web = fakeWeb({ [A]: '1' });
    const settings = { 'db.fetchSchedule': 'adaptive', 'db.fetchScheduleAdaptiveSyncDelta': false };
    const { crawl } = await firstRound(web, [`${A}\tfetchInterval=1000`], settings);
    const rows = [await rowOf(crawl, A, 'fetchInterval', 'signature', 'prevSignature', 'modifiedAt')];
    const bodies = ['1', '2', '2'];
    for (const [i, html] of bodies.entries()) {
      web.set(A, { html });
      crawl.setTime(START + (i + 1) * DAY);
      await round(crawl);
      rows.push(await rowOf(crawl, A, 'fetchInterval', 'signature', 'prevSignature', 'modifiedAt'));
    }
    const [one, two] = [hash('sha1', '1'), hash('sha1', '2')];
    expect(rows).toEqual([
      { fetchInterval: 1000, signature: one, modifiedAt: START },
      { fetchInterval: 1400, signature: one, prevSignature: one, modifiedAt: START },
      { fetchInterval: 1120, signature: two, prevSignature: one, modifiedAt: START + 2 * DAY },
      { fetchInterval: 1568, signature: two, prevSignature: two, modifiedAt: START + 2 * DAY },
    ]);
    expect(await rowOf(crawl, A, 'status')).toEqual({ status: 'fetched' });
  });

  it('does not count a page as changed whose signature is unknown', async () => {
    const { crawl } = await firstRound(fakeWeb({ [A]: '1' }), [A], { 'db.changesKeptDays': 0 });
    const before = await rowOf(crawl, A, 'changedAt', 'bytesChangedAt');
    // A migration leaves the row so if it does not find the body.
    await crawl.tables.pages.write([{ key: rowKeyOf(A), set: { prevSignature: 'ab' }, unset: ['signature'] }]);
    crawl.setTime(START + MONTH);
    await round(crawl);
    expect(await rowOf(crawl, A, 'changedAt', 'bytesChangedAt')).toEqual(before);
    expect(await rowOf(crawl, A, 'signature')).toEqual({ signature: hash('sha1', '1') });
  });

  it('counts a page as changed that has new bytes and is not parsed, after its signature was unknown', async () => {
    const { crawl } = await firstRound(fakeWeb({ [A]: '1' }), [A], { 'db.changesKeptDays': 0 });
    await crawl.tables.pages.write([{ key: rowKeyOf(A), set: { prevSignature: 'ab' }, unset: ['signature'] }]);
    crawl.setTime(START + MONTH);
    const { batchId: batch } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch: batch! });
    await jobs.updatedb(crawl, { batch: batch! });
    expect((await rowOf(crawl, A, 'changedAt')).changedAt).toBe(START + MONTH);
  });

  it.each([
    ['the change log', {}, ['bytes', 'bytes', 'change', 'held', 'change']],
    [
      'the bytes, if changes are not logged',
      { 'db.changesKeptDays': 0 },
      ['change', 'change', 'change', 'change', 'none'],
    ],
  ])('decides by %s when a page has changed, for its times and for the adaptive schedule', async (_, kept, found) => {
    const settings = { ...kept, 'db.fetchSchedule': 'adaptive', 'db.fetchScheduleAdaptiveSyncDelta': false };
    const text = 'The words of a page that has more than two hundred characters of text in its main part. '.repeat(3);
    const page = (token: string, words: string): FakePage => ({
      html: `<main><p>${words}</p></main><footer>build ${token}</footer>`,
    });
    const web = fakeWeb({ [A]: page('1', text) });
    const { crawl } = await firstRound(web, [`${A}\tfetchInterval=1000`], settings);
    let interval = 1000;
    let expected = { changedAt: START, bytesChangedAt: START };
    const answers = [page('2', text), page('3', text), page('3', `More. ${text}`), page('3', ''), page('3', '')];
    for (const [i, answer] of answers.entries()) {
      web.set(A, answer);
      const now = START + (i + 1) * DAY;
      crawl.setTime(now);
      await round(crawl);
      const is = found[i]!;
      if (is !== 'held') interval = Math.round(interval * (is === 'change' ? 0.8 : 1.4));
      expected = {
        changedAt: is === 'change' ? now : expected.changedAt,
        bytesChangedAt: is === 'none' ? expected.bytesChangedAt : now,
      };
      const row = await rowOf(crawl, A, 'changedAt', 'bytesChangedAt', 'fetchInterval');
      expect(row, `answer ${i}`).toEqual({ ...expected, fetchInterval: interval });
    }
  });

  it('sets the time of a change when a failure begins, and when it is retried no more', async () => {
    const web = fakeWeb({ [A]: 'x' });
    const { crawl } = await firstRound(web, [A], { 'db.fetchRetryMax': 3 });
    web.set(A, { status: 503 });
    const seen: unknown[] = [];
    for (let i = 1; i <= 3; i++) {
      crawl.setTime(START + MONTH + i * 10 * DAY);
      await round(crawl);
      const { changedAt = 0, ...row } = await rowOf(crawl, A, 'status', 'changedAt');
      seen.push([row.status, (changedAt - START) / DAY]);
    }
    // The log has the first failure only after a second one.
    expect(seen).toEqual([
      ['unfetched', 0],
      ['unfetched', 50],
      ['gone', 60],
    ]);
  });

  it('stores when the content of a URL last changed, and when its row was added', async () => {
    const etag = { etag: '"1"' };
    const noindex = '<meta name="robots" content="noindex">x';
    const web = fakeWeb({ [A]: { html: 'x', headers: etag } });
    const { crawl } = await firstRound(web, [A], { 'db.fetchRetryMax': 2 });
    expect(await rowOf(crawl, A, 'firstSeenAt', 'changedAt')).toEqual({ firstSeenAt: START, changedAt: START });
    const answers: [FakePage | undefined, 'new' | 'same', string?][] = [
      [{ html: 'x', headers: etag }, 'same'],
      [{ html: 'x' }, 'same'],
      [{ html: 'y' }, 'new'],
      [{ status: 503 }, 'same'],
      [{ html: 'y' }, 'same'],
      [undefined, 'new', 'gone'],
      // The second 404 after more than a day: the log has `status` for the first one, and `gone` for this one.
      [undefined, 'new', 'gone'],
      [undefined, 'same', 'gone'],
      [{ html: 'y' }, 'new'],
      [{ location: '/b' }, 'new', 'redirect 257ca2afe84123b0'],
      [{ location: '/b' }, 'same', 'redirect 257ca2afe84123b0'],
      [{ location: '/c' }, 'new', 'redirect c7fc0ecc8196d13d'],
      [{ html: 'y' }, 'new'],
      [{ html: noindex }, 'new', 'noindex'],
      [{ html: noindex }, 'same', 'noindex'],
      [{ html: 'GIF', contentType: 'image/gif' }, 'new'],
      [{ html: 'GIF', contentType: 'image/gif' }, 'new'],
    ];
    let changedAt = START;
    for (const [i, [page, change, foundAs]] of answers.entries()) {
      web.set(A, page);
      const now = START + (i + 1) * 100 * DAY;
      crawl.setTime(now);
      await round(crawl);
      if (change === 'new') changedAt = now;
      const row = await rowOf(crawl, A, 'changedAt', 'foundAs', 'firstSeenAt');
      expect(row, `answer ${i}`).toEqual({ firstSeenAt: START, changedAt, ...(foundAs !== undefined && { foundAs }) });
    }
  });

  it('sets the change time of an older row with an unchanged page to the time of its last fetch', async () => {
    const web = fakeWeb({ [A]: 'x', 'http://a.com/b': 'b' });
    const { crawl } = await firstRound(web, [A, 'http://a.com/b']);
    const keys = [A, 'http://a.com/b'].map((url) => rowKeyOf(url));
    await crawl.tables.pages.write(keys.map((key) => ({ key, unset: ['changedAt', 'firstSeenAt'] })));
    web.set('http://a.com/b', undefined);
    crawl.setTime(START + 100 * DAY);
    await round(crawl);
    expect(await rowOf(crawl, A, 'changedAt', 'firstSeenAt')).toEqual({ changedAt: START });
    expect(await rowOf(crawl, 'http://a.com/b', 'changedAt')).toEqual({ changedAt: START + 100 * DAY });
  });

  it('stores when each kind of row was added: of a seed, a link, a redirect and a sitemap', async () => {
    const web = fakeWeb({
      [A]: links('/link', '/moved'),
      'http://a.com/moved': { location: '/target' },
      'http://a.com/robots.txt': { html: 'Sitemap: /sitemap.xml', contentType: 'text/plain' },
      'http://a.com/sitemap.xml': {
        html: '<urlset><url><loc>http://a.com/listed</loc></url></urlset>',
        contentType: 'text/xml',
      },
    });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: [A] });
    for (let i = 1; i < 4; i++) {
      crawl.setTime(START + i * 1000);
      await round(crawl);
    }
    const seen: unknown = Object.fromEntries(
      (await allRows(crawl)).map(({ url, firstSeenAt }) => [url, Number(firstSeenAt) - START]),
    );
    expect(seen).toEqual({
      [A]: 0,
      'http://a.com/link': 1000,
      'http://a.com/moved': 1000,
      'http://a.com/sitemap.xml': 1000,
      'http://a.com/listed': 2000,
      'http://a.com/target': 2000,
    });
  });

  it('uses a Last-Modified that is not in the future', async () => {
    for (const [text, modified] of [
      ['Wed, 01 Jan 2020 00:00:00 GMT', Date.UTC(2020, 0, 1)],
      ['Wed, 01 Jan 2099 00:00:00 GMT', START],
      ['yesterday', START],
      ['Thu, 01 Jan 1970 00:00:00 GMT', START],
    ] as const) {
      const { crawl } = await firstRound(fakeWeb({ [A]: { html: 'x', headers: { 'last-modified': text } } }), [A]);
      expect(await rowOf(crawl, A, 'modifiedAt'), text).toEqual({ modifiedAt: modified });
    }
  });

  describe('takes as the time of a change', () => {
    const ld = (dates: object) => `<script type="application/ld+json">${JSON.stringify(dates)}</script>`;
    const stated = (dates: object, lastModified?: string): FakePage => ({
      html: `${ld(dates)}x`,
      headers: lastModified === undefined ? {} : { 'last-modified': lastModified },
    });
    const YEAR_2020 = 'Wed, 01 Jan 2020 00:00:00 GMT';
    const NOW = new Date(START).toUTCString();
    const [FIRST, SECOND] = [Date.UTC(2021, 2, 4), Date.UTC(2022, 4, 6)];
    const [published, modified] = ['2021-03-04', '2022-05-06'];

    it.each([
      ['the last change', stated({ datePublished: published, dateModified: modified }), SECOND],
      ['the last change before Last-Modified', stated({ dateModified: modified }, YEAR_2020), SECOND],
      ['the last change before a Last-Modified of the fetch', stated({ dateModified: modified }, NOW), SECOND],
      ['publishing where no more is known', stated({ datePublished: published }), FIRST],
      ['publishing before a Last-Modified of the fetch', stated({ datePublished: published }, NOW), FIRST],
      ['Last-Modified before publishing', stated({ datePublished: published }, YEAR_2020), Date.UTC(2020, 0, 1)],
      ['no time in the future', stated({ dateModified: '2099-01-01' }), START],
      ['a day that has begun elsewhere, as now', stated({ dateModified: '2023-11-15' }), START],
      ['no year before the web', stated({ dateModified: '1989-01-01' }, YEAR_2020), Date.UTC(2020, 0, 1)],
      ['no number that is no time', stated({ dateModified: '9999999999' }), START],
      ['metadata', { html: '<meta property="article:modified_time" content="2022-05-06T00:00:00Z">x' }, SECOND],
    ])('%s', async (_, page, time) => {
      const { crawl } = await firstRound(fakeWeb({ [A]: page }), [A]);
      expect(await rowOf(crawl, A, 'modifiedAt')).toEqual({ modifiedAt: time });
    });

    it('and the time at which the change is found', async () => {
      const web = fakeWeb({ [A]: stated({ datePublished: published }) });
      const { crawl } = await firstRound(web, [A]);
      const seen: unknown[] = [];
      const pages: FakePage[] = [
        { html: `${ld({ datePublished: published })}y` },
        { html: `${ld({ datePublished: published, dateModified: modified })}z` },
        { status: 304 },
      ];
      for (const [n, page] of pages.entries()) {
        web.set(A, page);
        crawl.setTime(START + (n + 1) * 40 * DAY);
        await round(crawl);
        seen.push(await rowOf(crawl, A, 'modifiedAt'));
      }
      expect(seen).toEqual([{ modifiedAt: START + 40 * DAY }, { modifiedAt: SECOND }, { modifiedAt: SECOND }]);
    });
  });

  it('does not change the digest if nothing was parsed', async () => {
    const web = fakeWeb({ [A]: 'x' });
    const { crawl } = await firstRound(web, [A]);
    const before = await rowOf(crawl, A, 'signature', 'prevSignature');
    const pages: FakePage[] = [
      { status: 404 },
      { status: 503 },
      { location: '/y' },
      { html: 'GIF', contentType: 'image/gif' },
    ];
    for (const [i, page] of pages.entries()) {
      web.set(A, page);
      crawl.setTime(START + (i + 1) * 100 * DAY);
      await round(crawl);
      expect(await rowOf(crawl, A, 'signature', 'prevSignature')).toEqual(before);
    }
  });

  it('does not change rows that another batch holds by now', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }), { settings: { 'generate.lockExpirySeconds': 10 } });
    const first = await start(crawl, A);
    await jobs.fetch(crawl, { batch: first });
    crawl.setTime(START + 10_000);
    const second = await select(crawl);
    const before = await allRows(crawl);
    expect((await jobs.updatedb(crawl, { batch: first })).counters).toEqual({});
    expect(await allRows(crawl)).toEqual(before);
    expect(before[0]!.marks).toEqual({ inject: 'y', generate: second, fetch: first });
    expect((await jobs.updatedb(crawl, { batch: second })).counters).toEqual({ not_fetched: 1 });
  });

  it('keeps its rows from generate while it runs, however old the batch is', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }), {
      store,
      settings: { 'generate.lockExpirySeconds': 10 },
    });
    const first = await start(crawl, A);
    await jobs.fetch(crawl, { batch: first });
    crawl.setTime(START + 10_000);
    // The batch is too old, but links of the page may have been added: if it were selected now, it would add them again.
    let second: string | undefined;
    const { entries } = crawl.tables.batches;
    let reads = 0;
    crawl.tables.batches.entries = async function* (batchId) {
      for await (const step of entries(batchId)) {
        if (batchId === first && ++reads === 1) second = (await jobs.generate(crawl)).batchId;
        yield step;
      }
    };
    await jobs.updatedb(crawl, { batch: first });
    expect([reads > 0, second]).toEqual([true, undefined]);
    expect(await rowOf(crawl, A, 'marks')).toEqual({ marks: { inject: 'y', updatedb: first } });
  });

  it('counts damaged rows, and leaves them until the batch is too old', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x', 'http://b.com/': 'x' }));
    const batch = await start(crawl, A, 'http://b.com/');
    await jobs.fetch(crawl, { batch, parse: true });
    await damage(crawl, A, 'dueAt');
    // Once when it looks for links, and once when it releases.
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({
      fetched: 1,
      damaged: expect.any(Number) as number,
    });
    expect((await rowOf(crawl, A, 'marks')).marks).toMatchObject({ generate: batch });
  });
});
