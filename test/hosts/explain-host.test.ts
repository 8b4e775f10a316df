import { describe, expect, it } from 'vitest';
import { explainHost, jobs, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { hostKeyOf } from '../../webtable/index.js';
import { changeRows } from '../support/stores/put-rows.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';

const URLS = Array.from({ length: 10 }, (_, i) => `http://www.example.com/${i}`);

/** A table with ten due pages, whose responses take a second, and a robots.txt. */
async function tableWith(
  robots: string | undefined,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<TestCrawl> {
  const crawl = await testCrawl(undefined, { settings: { 'fetcher.delayFactor': 0, ...settings } });
  await jobs.inject(crawl, { seeds: [...URLS, 'http://example.com/'] });
  await changeRows(
    crawl,
    URLS.map((url) => ({ key: rowKeyOf(url), set: { fetchMs: 1000 } })),
  );
  if (robots !== undefined) {
    const record = { fetchedAt: START, status: 200, body: robots };
    await crawl.tables.hosts.robots.put(new Map([['http://www.example.com', record]]));
  }
  return crawl;
}

describe('the speed of a host', () => {
  it('is limited by the Crawl-delay of its robots.txt', async () => {
    await using crawl = await tableWith('User-agent: *\nCrawl-delay: 10');
    const found = await explainHost(crawl, 'WWW.example.com');
    expect(found).toMatchObject({
      host: 'www.example.com',
      queue: { mode: 'host', name: 'www.example.com', threads: 1 },
      secondsPerPage: 11,
      secondsForDue: 10 * 1 + 9 * 10,
      figures: { delay: { seconds: 10, by: 'Crawl-delay' } },
    });
    expect(found.text).toEqual([
      '11 s a page: Crawl-delay 10, one queue.',
      'A response takes 1.0 s, the slowest took 1.0 s (10 pages).',
      '10 pages are due: 1 min 40 s.',
    ]);
  });

  it('is limited by a setting, if its robots.txt asks for less', async () => {
    await using crawl = await tableWith('User-agent: *\nCrawl-delay: 1', { 'fetcher.serverDelay': 3 });
    expect((await explainHost(crawl, 'www.example.com')).text[0]).toBe('4 s a page: fetcher.serverDelay 3, one queue.');
  });

  it('is limited by its response times, times fetcher.delayFactor', async () => {
    await using crawl = await tableWith(undefined, { 'fetcher.delayFactor': 4 });
    const { text } = await explainHost(crawl, 'www.example.com');
    expect(text[0]).toBe(
      '5 s a page: 4 s of delay, computed from its response times (fetcher.delayFactor), one queue.',
    );
    expect(text).toContain('Its robots.txt is not stored, so it may have a Crawl-delay.');
  });

  it('counts simultaneous requests', async () => {
    await using crawl = await tableWith(undefined, { 'fetcher.threadsPerQueue': 4 });
    const found = await explainHost(crawl, 'www.example.com');
    expect(found).toMatchObject({ secondsPerPage: 0.25, secondsForDue: 2.5 });
    expect(found.text[0]).toBe('0.3 s a page: fetcher.serverMinDelay 0, one queue, up to 4 requests at a time.');
  });

  it('includes a back-off, and states its end', async () => {
    await using crawl = await tableWith('');
    const record = { failures: 2, since: START, until: START + 90_000, code: 'throttled', http: 429 };
    await crawl.tables.hosts.backoff.put(new Map([[hostKeyOf('www.example.com'), record]]));
    const found = await explainHost(crawl, 'www.example.com');
    expect(found.secondsForDue).toBe(100);
    expect(found.text).toContain(
      'It gets no requests for 1 min 30 s, until 2023-11-14T22:14:50.000Z: throttled (HTTP 429), 2 failures in a row.',
    );
    crawl.setTime(START + 90_000);
    const after = await explainHost(crawl, 'www.example.com');
    expect(after.secondsForDue).toBe(10);
    expect(after.text.join('\n')).toContain('It may get requests again now.');
  });

  it('is that of all hosts of its domain, if these share a queue', async () => {
    await using crawl = await tableWith(undefined, { 'partition.urlMode': 'domain' });
    const found = await explainHost(crawl, 'www.example.com');
    expect(found).toMatchObject({ queue: { mode: 'domain', name: 'example.com' }, figures: { hosts: 2, due: 11 } });
    expect(found.text[0]).toContain('one queue for all hosts of example.com');
  });

  it('is zero if its Crawl-delay is beyond the limit, or robots.txt denies it', async () => {
    await using crawl = await tableWith('User-agent: *\nCrawl-delay: 500\nDisallow: /');
    const { text } = await explainHost(crawl, 'www.example.com');
    expect(text[1]).toContain('is beyond fetcher.maxCrawlDelay (30), so its pages are not fetched.');
    expect(text).toContain('The robots.txt of http://www.example.com denies the front page.');
  });

  it('is unknown if the table has none of its pages; text that is no host is an error', async () => {
    await using crawl = await tableWith(undefined);
    const found = await explainHost(crawl, 'none.example');
    expect(found.text).toEqual(['The table has no page of none.example.']);
    expect(found).not.toHaveProperty('figures');
    await expect(explainHost(crawl, 'http://example.com/')).rejects.toMatchObject({ code: 'BAD_URL' });
  });
});
