import { describe, expect, it } from 'vitest';
import { explain, httpProtocol, jobs } from '../../../packages/webcrawl/internal.js';
import { settingsSchema } from '../../../config/schema.js';
import { createRobots } from '../../../packages/fetch/index.js';
import { rowKeyOf } from '../../../webtable/index.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { round, rowOf } from '../../support/job-steps.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { START, testCrawl } from '../../support/test-crawl.js';

const A = 'http://a.example/';
const BAD = 'http://a.example:6667/';

/** The real protocol, with a lookup and a connection that fail the test. */
const http = () =>
  httpProtocol(settingsSchema.shape.http.parse({}), { lookup: () => Promise.reject(new Error('looked up')) });

describe('a port that browsers refuse', () => {
  it('is rejected as seed, link, redirect and sitemap, counted, and explained', async () => {
    const web = fakeWeb({
      [A]: links(BAD, '/to'),
      'http://a.example/to': { location: 'http://b.example:22/' },
      'http://a.example/robots.txt': { html: `Sitemap: http://a.example:25/s.xml`, contentType: 'text/plain' },
    });
    await using crawl = await testCrawl(web);
    const reasons: string[] = [];
    const { counters } = await jobs.inject(crawl, {
      seeds: [A, BAD],
      onRejected: (...[, , reason]) => void reasons.push(reason),
    });
    expect(counters).toEqual({ injected: 1, 'rejected_urlfilter-port': 1 });
    expect(reasons).toEqual(['port 6667 is blocked by browsers']);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({
      'links_rejected_urlfilter-port': 1,
      'sitemaps_rejected_urlfilter-port': 1,
    });
    expect((await round(crawl)).fetched.counters).toMatchObject({ 'redirect_rejected_urlfilter-port': 1 });
    expect(web.requests).toEqual([A, 'http://a.example/to']);
    expect((await explain(crawl, BAD)).next.text).toContain('urlfilter-port (port 6667 is blocked by browsers)');
  });

  it('is not selected if an older table has it', async () => {
    await using crawl = await testCrawl(fakeWeb({}));
    await jobs.inject(crawl, { seeds: [A] });
    const key = rowKeyOf('http://10.0.0.1:25/');
    const set = { status: 'unfetched', dueAt: START, score: 1, cash: 1 } as const;
    await changeRows(crawl, [{ key, set }]);
    expect((await jobs.generate(crawl, {})).counters).toEqual({ generated: 1, 'rejected_urlfilter-port': 1 });
  });

  it('is gone if it is in a batch, and nothing is requested, not even robots.txt', async () => {
    const unfiltered = { name: 'protocol-http', protocol: http() };
    await using crawl = await testCrawl(undefined, { plugins: [unfiltered] });
    const free = { ...crawl, plugins: crawl.plugins.filter(({ name }) => name !== 'urlfilter-port') };
    await jobs.inject(free, { seeds: [BAD] });
    expect((await round(free)).fetched.counters).toEqual({ fetched: 1, bad_port: 1 });
    const { status, protocolStatus } = await rowOf(crawl, BAD, 'status', 'protocolStatus');
    expect(status).toBe('gone');
    expect(protocolStatus).toEqual({ code: 'bad_port', message: 'port 6667 is blocked by browsers' });
    // No robots.txt is stored for it, because none was requested.
    expect((await explain(crawl, BAD)).robots?.source).toBe('none');
  });

  it('makes a robots.txt that redirects to it unavailable, not absent', async () => {
    const real = http();
    const robots = createRobots({
      protocol: {
        schemes: ['http'],
        fetch: (request) =>
          request.url === `${A}robots.txt`
            ? Promise.resolve({ kind: 'redirect', code: 'moved', http: 302, permanent: false, target: BAD })
            : real.fetch(request),
      },
      agents: ['x'],
      clock: () => START,
      store: { get: () => Promise.resolve(undefined), put: () => Promise.resolve() },
    });
    expect(await robots.check(A)).toMatchObject({
      kind: 'unavailable',
      code: 'bad_port',
      message: 'robots.txt: redirected to port 6667 is blocked by browsers',
    });
    await real.close();
  });
});
