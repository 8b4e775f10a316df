import { describe, expect, it } from 'vitest';
import { jobs, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { round, rowOf, select, start } from '../../support/job-steps.js';
import { content } from '../../support/web/outcomes.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { DAY, MONTH, protocol } from '../../support/web/stub-protocol.js';

describe('fetching a page again', () => {
  it.each([
    ['ended early', 9, undefined],
    ['was cut at our limit', 10, '"1"'],
  ])(
    'sends a tag only for a copy that was cut at our limit, here for one that %s: %i bytes of 10',
    async (_, length, tag) => {
      const headers = { etag: '"1"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' };
      const { plugin, requests } = protocol(() => content('x'.repeat(length), { headers, truncated: true }));
      await using crawl = await testCrawl(undefined, { plugins: [plugin], settings: { 'http.contentLimit': 10 } });
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
      for (let month = 0; month < 2; month++) {
        crawl.setTime(START + month * MONTH);
        await round(crawl);
      }
      expect(requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, tag]);
      expect(requests.map(({ ifModifiedSince }) => ifModifiedSince !== undefined)).toEqual([false, tag !== undefined]);
    },
  );

  it('sends the date and tag of the copy that was parsed, and keeps both after a 304 without them', async () => {
    const first = { etag: '"1"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' };
    const { plugin, requests } = protocol((request) =>
      request.ifNoneMatch === '"1"'
        ? { kind: 'notmodified', code: 'notmodified', http: 304 }
        : content('x', { headers: first }),
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (let month = 0; month < 3; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    const url = 'http://a.com/';
    const always = { url, allowPrivate: true, signal: expect.any(AbortSignal) as AbortSignal };
    const asked = { ...always, ifModifiedSince: Date.UTC(2020, 0, 1), ifNoneMatch: '"1"' };
    expect(requests).toEqual([always, asked, asked]);
    expect(await rowOf(crawl, url, 'status', 'protocolStatus', 'text', 'headers', 'retries')).toEqual({
      status: 'notmodified',
      protocolStatus: { code: 'notmodified', http: 304, lastModified: Date.UTC(2020, 0, 1), etag: '"1"' },
      text: 'x',
      headers: first,
      retries: 0,
    });
  });

  it('keeps the refresh and the cash of a page that has not changed', async () => {
    const [url, to] = ['http://a.com/', 'http://a.com/b'];
    const html = '<meta http-equiv=refresh content="0; url=/b">';
    const web = fakeWeb({ [url]: { html, headers: { etag: '"1"' } }, [to]: links('/') });
    await using crawl = await testCrawl(web);
    await round(crawl, url);
    await round(crawl);
    web.set(to, { status: 503 });
    crawl.setTime(START + MONTH);
    await round(crawl);
    expect(await rowOf(crawl, url, 'status', 'redirectTarget', 'cash')).toEqual({
      status: 'notmodified',
      redirectTarget: to,
      cash: 1,
    });
  });

  it('stores a tag that a 304 brings', async () => {
    const { plugin, requests } = protocol((request) =>
      request.ifNoneMatch === undefined
        ? content('x', { headers: { etag: '"1"' } })
        : { kind: 'notmodified', code: 'notmodified', http: 304, headers: { etag: '"2"' } },
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (let month = 0; month < 3; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    expect(requests.map((request) => request.ifNoneMatch)).toEqual([undefined, '"1"', '"2"']);
  });

  it('does not send the date and tag of an answer that is no page', async () => {
    const headers = { etag: '"error"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' };
    const { plugin, requests } = protocol(({ url }) => {
      if (requests.filter((request) => request.url === url).length === 1) return content('x');
      const kind = url.endsWith('gone') ? 'gone' : 'retry';
      return { kind, code: 'http_error', http: kind === 'gone' ? 404 : 500, headers };
    });
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const urls = ['http://a.com/failing', 'http://b.com/gone'];
    await jobs.inject(crawl, { seeds: urls });
    for (let month = 0; month < 3; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    expect(requests.filter(({ ifNoneMatch, ifModifiedSince }) => ifNoneMatch ?? ifModifiedSince)).toEqual([]);
    expect(requests.filter(({ url }) => url === urls[0])).toHaveLength(3);
    const found = await Promise.all(urls.map((url) => rowOf(crawl, url, 'protocolStatus')));
    expect(found.map(({ protocolStatus }) => protocolStatus)).toEqual([
      { code: 'http_error', http: 500 },
      { code: 'http_error', http: 404 },
    ]);
  });

  it('requests a full copy while the stored one was never parsed', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: links('/1'), headers: { etag: '"1"' } } });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    // The second copy is fetched but not parsed.
    web.set('http://a.com/', { html: links('/2'), headers: { etag: '"2"' } });
    web.set('http://a.com/1', { html: '' });
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch });
    await jobs.updatedb(crawl, { batch });
    crawl.setTime(START + 2 * MONTH);
    const { fetched } = await round(crawl);
    expect(fetched.counters).not.toHaveProperty('notmodified');
    expect(await rowOf(crawl, 'http://a.com/2', 'status')).toEqual({ status: 'unfetched' });
  });

  it('requests a full copy if the body is lost', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: 'x', headers: { etag: '"1"' } } });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    crawl.setTime(START + MONTH);
    web.set('http://a.com/', { html: 'new', headers: { etag: '"2"' } });
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch });
    await crawl.tables.pages.write([{ key: rowKeyOf('http://a.com/'), unset: ['contentLocation'] }]);
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ failed_missing_content: 1 });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ retry: 1 });
    crawl.setTime(START + MONTH + DAY);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toEqual({ fetched: 1, success: 1, parsed: 1 });
    expect(await rowOf(crawl, 'http://a.com/', 'text', 'retries')).toEqual({ text: 'new', retries: 0 });
  });

  it('clears the fields of the previous fetch, for every pair of outcomes', async () => {
    const outcomes: Record<string, FakePage> = {
      content: { html: `<html lang="de">${links('/x')}` },
      refresh: { html: '<meta http-equiv="refresh" content="0; url=/target">' },
      redirect: { location: '/target' },
      gone: { status: 404 },
      retry: { status: 503 },
      image: { html: 'GIF89a', contentType: 'image/gif' },
    };
    const fields = [
      'status',
      'redirectTarget',
      'newSignature',
      'parseStatus',
      'protocolStatus',
      'marks',
      'cashInFlight',
    ] as const;
    for (const first of Object.keys(outcomes)) {
      for (const second of Object.keys(outcomes)) {
        const after = async (...pages: FakePage[]) => {
          const web = fakeWeb({ 'http://a.com/target': 'x' });
          await using crawl = await testCrawl(web);
          const batch = await start(crawl, 'http://a.com/');
          for (const page of pages) {
            web.set('http://a.com/', page);
            // Make the previous fetch look like that of an earlier batch.
            await crawl.tables.pages.write([{ key: rowKeyOf('http://a.com/'), marks: { fetch: null, parse: null } }]);
            await jobs.fetch(crawl, { batch, parse: true });
          }
          return rowOf(crawl, 'http://a.com/', ...fields);
        };
        const title = `${second} after ${first}`;
        const found = await after(outcomes[first]!, outcomes[second]!);
        const alone = await after(outcomes[second]!);
        // A page that temporarily cannot be fetched keeps its parse.
        const { parseStatus } = second === 'retry' ? await after(outcomes[first]!) : alone;
        expect(found, title).toEqual({ ...alone, ...(parseStatus && { parseStatus }) });
      }
    }
  });

  it('removes the language if a page no longer states one, in both ways of parsing', async () => {
    for (const parse of [true, false]) {
      const web = fakeWeb({ 'http://a.com/': '<html lang="de">eins' });
      await using crawl = await testCrawl(web);
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
      await round(crawl);
      expect(await rowOf(crawl, 'http://a.com/', 'language')).toEqual({ language: 'de' });
      web.set('http://a.com/', { html: '<html>two' });
      crawl.setTime(START + MONTH);
      const batch = await select(crawl);
      await jobs.fetch(crawl, { batch, parse });
      await jobs.parse(crawl, { batch });
      expect(await rowOf(crawl, 'http://a.com/', 'language', 'text'), `parse: ${parse}`).toEqual({ text: 'two' });
    }
  });
});
