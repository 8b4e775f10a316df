import { describe, expect, it } from 'vitest';
import { jobs, type ParseInput, type Plugin, type Protocol } from '../../../packages/webcrawl/internal.js';
import { turns } from '../../support/events.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { round, start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

const PAGE = 'http://a.com/';

/** A parser of HTML that records its input. */
function noting(more: Partial<NonNullable<Plugin['parser']>> = {}) {
  const seen: ParseInput[] = [];
  const plugin: Plugin = {
    name: 'noting',
    parser: {
      contentTypes: ['text/html'],
      parse: async (input) => {
        seen.push(input);
        await turns();
        const robots = { noindex: false, nofollow: false, noarchive: false };
        return { kind: 'success', title: '', text: 'x', outlinks: [], robots, metadata: {} };
      },
      ...more,
    },
  };
  return { seen, plugin };
}

/** Truncates the body of every answer. */
const cutting: Plugin = {
  name: 'cutting',
  protocol: {
    schemes: ['http'],
    fetch: async ({ url }) =>
      url.endsWith('robots.txt')
        ? { kind: 'gone', code: 'not_found', http: 404 }
        : { kind: 'content', code: 'success', body: Buffer.from('x'), contentType: 'text/html', truncated: true },
  } satisfies Protocol,
};

describe('a parser', () => {
  it.each([true, false])('knows that the body was truncated, with parse in fetch: %s', async (parse) => {
    const { seen, plugin } = noting();
    await using crawl = await testCrawl(undefined, { plugins: [cutting, plugin] });
    const batch = await start(crawl, PAGE);
    await jobs.fetch(crawl, { batch, parse });
    await jobs.parse(crawl, { batch });
    expect(seen.map(({ truncated }) => truncated)).toEqual([true]);
  });

  it('knows that the body is complete', async () => {
    const { seen, plugin } = noting();
    await using crawl = await testCrawl(fakeWeb({ [PAGE]: 'x' }), { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: [PAGE] });
    await round(crawl);
    expect(seen.map(({ truncated }) => truncated)).toEqual([false]);
  });

  it.each([
    ['no longer than parser.timeout', {}, { failed_timeout: 1 }],
    ['as long as it takes where it keeps the time', { ownTimeout: true as const }, { parsed: 1 }],
  ])('is waited for %s', async (_, more, expected) => {
    const { plugin } = noting(more);
    const { parse } = plugin.parser!;
    const slow: Plugin['parser'] = {
      ...plugin.parser!,
      async parse(...given) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return parse(...given);
      },
    };
    await using crawl = await testCrawl(fakeWeb({ [PAGE]: 'x' }), {
      settings: { 'parser.timeout': 0.001 },
      plugins: [{ ...plugin, parser: slow }],
    });
    await jobs.inject(crawl, { seeds: [PAGE] });
    expect((await round(crawl)).fetched.counters).toMatchObject(expected);
  });

  it('is closed with the crawl, whatever other plugins do', async () => {
    let closed = 0;
    const { plugin } = noting({ close: async () => void closed++ });
    const failing: Plugin = {
      name: 'failing',
      protocol: {
        schemes: ['https'],
        fetch: () => Promise.reject(new Error()),
        close: () => Promise.reject(new Error('no')),
      },
    };
    const crawl = await testCrawl(undefined, { plugins: [failing, plugin] });
    await expect(crawl.close()).rejects.toThrow('no');
    expect(closed).toBe(1);
  });
});
