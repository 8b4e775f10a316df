import { describe, expect, it } from 'vitest';
import {
  hosts,
  jobs,
  rowKeyOf,
  type HostFigures,
  type HostsOptions,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { hostKeyOf } from '../../webtable/index.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { round, select } from '../support/job-steps.js';
import { changeRows } from '../support/stores/put-rows.js';
import { START, testCrawl } from '../support/test-crawl.js';

async function figuresOf(crawl: OpenContext, options?: HostsOptions): Promise<HostFigures[]> {
  const found: HostFigures[] = [];
  for await (const each of hosts(crawl, options)) found.push(each);
  return found;
}

const namesOf = (found: readonly HostFigures[]): string[] => found.map(({ host }) => host);

describe('figures of hosts', () => {
  it('count pages by status, errors by reason, bytes and due pages, and show robots.txt and the delay', async () => {
    const body = links('/b', '/missing', '/broken', '/denied', 'http://www.other.org/');
    const web = fakeWeb({
      'http://example.com/robots.txt': {
        html: 'User-agent: *\nCrawl-delay: 0.1\nDisallow: /denied',
        contentType: 'text/plain',
      },
      'http://example.com/': body,
      'http://example.com/b': 'twelve bytes',
      'http://example.com/broken': { status: 500 },
    });
    await using crawl = await testCrawl(web, {
      settings: { 'fetcher.threadsPerQueue': 2, 'fetcher.serverMinDelay': 0 },
    });
    await round(crawl, 'http://example.com/');
    await jobs.generate(crawl, { topN: 4 });
    // One page of the batch is requested; the others must be shown as held.
    const [found, other, ...none] = await figuresOf(crawl);
    expect(none).toEqual([]);
    expect(found).toMatchObject({
      host: 'example.com',
      hosts: 1,
      pages: 5,
      statuses: { unfetched: 4, fetched: 1 },
      errors: {},
      inBatches: 4,
      due: 0,
      refused: 0,
      bytes: body.length,
      lastRequestAt: START,
      robots: { origin: 'http://example.com', verdict: 'allows', status: 200, fetchedAt: START, crawlDelay: 0.1 },
      delay: { seconds: 0.1, by: 'Crawl-delay' },
      inBackoff: 0,
    });
    expect(other).toMatchObject({
      host: 'www.other.org',
      pages: 1,
      due: 1,
      robots: { verdict: 'unknown' },
      delay: { seconds: 0, by: 'fetcher.serverMinDelay' },
    });
    expect(other).not.toHaveProperty('lastRequestAt');
  });

  it('count failures by their code, and how long responses take', async () => {
    await using crawl = await testCrawl(undefined);
    const urls = ['a', 'b', 'c', 'd', 'e'].map((path) => `http://example.com/${path}`);
    await jobs.inject(crawl, { seeds: urls });
    const codes = ['not_found', 'not_found', 'timeout', 'success', 'robots_denied'];
    await changeRows(
      crawl,
      urls.map((url, i) => ({
        key: rowKeyOf(url),
        set: {
          protocolStatus: { code: codes[i]! },
          fetchedAt: START + i,
          ...(i >= 2 && i <= 3 && { parseStatus: { code: 'timeout' } }),
          ...(i < 4 && { fetchMs: 100 * (i + 1) }),
          dueAt: START + 1000 * (i + 1),
        },
      })),
    );
    expect(await figuresOf(crawl)).toMatchObject([
      {
        errors: { not_found: 2, failed_timeout: 1, robots_denied: 1, timeout: 1 },
        responses: 4,
        meanMs: 250,
        slowestMs: 400,
        // The page that robots.txt denies was not requested.
        lastRequestAt: START + 3,
        due: 0,
        nextDueAt: START + 1000,
      },
    ]);
  });

  it('state that a host has a back-off, and until when', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://slow.example.com/', 'http://was.example.com/', 'http://example.com/'] });
    const record = { failures: 2, since: START - 1000, code: 'throttled', http: 429 };
    const { backoff } = crawl.tables.hosts;
    await backoff.put(new Map([[hostKeyOf('slow.example.com'), { ...record, until: START + 60_000 }]]));
    await backoff.put(new Map([[hostKeyOf('was.example.com'), { ...record, until: START }]]));
    const found = new Map((await figuresOf(crawl)).map((each) => [each.host, each]));
    expect(found.get('slow.example.com')).toMatchObject({ inBackoff: 1, backoff: { until: START + 60_000 } });
    expect(found.get('was.example.com')).toMatchObject({ inBackoff: 0, backoff: { failures: 2 } });
    expect(found.get('example.com')).not.toHaveProperty('backoff');
    const [domain] = await figuresOf(crawl, { by: 'domain' });
    expect(domain).toMatchObject({ host: 'example.com', hosts: 3, pages: 3, inBackoff: 1 });
    expect(domain).not.toHaveProperty('robots');
  });

  it('combine all hosts of a domain, also those that are apart in the table', async () => {
    await using crawl = await testCrawl(undefined);
    const seeds = [
      'http://a.example.com/',
      'http://example.com/',
      'http://example.com/2',
      'http://example.com:8080/',
      'http://www.deep.example.com/',
      'http://example-2.com/',
      'http://example2.com/',
      'http://www.example2.com/',
      'http://example.com2.com/',
      'http://10.0.0.1/',
      'http://10.0.0.10/',
      'http://[::1]:81/',
      'http://www.example.co.uk/',
      'http://example.co.uk/',
    ];
    await jobs.inject(crawl, { seeds });
    const found = await figuresOf(crawl, { by: 'domain' });
    expect(Object.fromEntries(found.map(({ host, hosts, pages }) => [host, [hosts, pages]]))).toEqual({
      'example.com': [3, 5],
      'example-2.com': [1, 1],
      'example2.com': [2, 2],
      'com2.com': [1, 1],
      '10.0.0.1': [1, 1],
      '10.0.0.10': [1, 1],
      '[::1]': [1, 1],
      'example.co.uk': [2, 2],
    });
    expect(found).toHaveLength(8);
    expect(await figuresOf(crawl, { by: 'domain', host: 'example.com' })).toMatchObject([{ hosts: 3, pages: 5 }]);
    expect(await figuresOf(crawl, { host: 'Example.com' })).toMatchObject([{ host: 'example.com', pages: 3 }]);
    expect(await figuresOf(crawl, { host: 'none.example' })).toEqual([]);
  });

  it('are sorted and cut, with the number of further ones', async () => {
    await using crawl = await testCrawl(undefined);
    const sizes = Array.from({ length: 450 }, (_, i) => (i * 7) % 450);
    const rows = sizes.map((bytes, i) => ({ url: `http://h${i}.example/`, bytes }));
    await jobs.inject(crawl, { seeds: [...rows.map(({ url }) => url), 'http://h3.example/2'] });
    await changeRows(
      crawl,
      rows.map(({ url, bytes }) => ({ key: rowKeyOf(url), set: { bodyBytes: bytes } })),
    );
    const more: number[] = [];
    const onMore = (n: number): void => void more.push(n);
    const largest = rows.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
    expect(namesOf(await figuresOf(crawl, { sort: 'bytes', top: 3, onMore }))).toEqual(
      largest.map(({ url }) => new URL(url).host),
    );
    expect(namesOf(await figuresOf(crawl, { top: 1, onMore }))).toEqual(['h3.example']);
    expect(await figuresOf(crawl, { sort: 'host', top: 4, onMore })).toHaveLength(4);
    expect(more).toEqual([447, 449, 446]);
    const all = namesOf(await figuresOf(crawl, { onMore }));
    const keys = all.map((host) => `${hostKeyOf(host)}:`);
    expect(keys).toEqual(keys.toSorted());
    expect(all).toHaveLength(450);
    expect(await figuresOf(crawl, { sort: 'bytes', onMore })).toHaveLength(450);
    expect(more).toHaveLength(3);
  });

  it('reject invalid options', async () => {
    await using crawl = await testCrawl(undefined);
    for (const options of [{ top: 0 }, { top: 10_001 }, { sort: 'name' }, { by: 'ip' }, { others: 1 }]) {
      await expect(figuresOf(crawl, options as HostsOptions)).rejects.toMatchObject({ code: 'USAGE' });
    }
    await expect(figuresOf(crawl, { host: 'http://example.com/' })).rejects.toMatchObject({ code: 'BAD_URL' });
  });

  it('end on an abort', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://example.com/'] });
    await expect(figuresOf(crawl, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    await select(crawl);
  });
});
