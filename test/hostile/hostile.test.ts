import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOD, REFUSED, type Behaviour } from './behaviour.js';
import { bodies } from './web/bodies.js';
import { byBehaviour, expectEnds, expectedCounters, type CrawledPages } from './crawled-pages.js';
import { network } from './network.js';
import { overDays } from './over-days.js';
import { pages } from './web/pages.js';
import { redirects } from './web/redirects.js';
import { robotsFiles } from './web/robots-files.js';
import { runCrawl, seedsOf, type Crawled } from './run-crawl.js';
import { GOOD_TITLE, serveHostileWeb, type HostileWeb } from './server.js';
import { statuses } from './web/statuses.js';
import { traps } from './web/traps.js';
import { xmlFiles } from './web/xml-files.js';

const BEHAVIOURS: readonly Behaviour[] = [
  ...redirects,
  ...network,
  ...bodies,
  ...statuses,
  ...robotsFiles,
  ...pages,
  ...xmlFiles,
  ...traps,
];

/** Each thread has its own heap, and may parse hostile pages at the same time as the others. */
const PARSE_THREADS = 2;
/** Memory limits of the crawl's process: in total, and for its heap. */
const MEGABYTES = 400 + 150 * PARSE_THREADS;
const HEAP_MEGABYTES = 224;

/** Sizes are the defaults. Times are short, so that a host that wastes time wastes little. */
const SETTINGS = {
  'parser.threads': PARSE_THREADS,
  'http.timeout': 2_500,
  'http.timeLimitMs': 8_000,
  'fetcher.serverDelay': 0,
  'fetcher.minBackoffSeconds': 0.4,
  'fetcher.maxBackoffWaitSeconds': 0.4,
  'db.maxOutlinksPerPage': 20,
  'db.maxOutlinksPerSitemap': 20,
  'urlfilter.trapMaxParameters': 3,
};
const DEPTH = 6;

describe('a crawl of the hostile web', () => {
  let web: HostileWeb;
  let crawled: Crawled;
  let found: CrawledPages;
  beforeAll(async () => {
    web = await serveHostileWeb(BEHAVIOURS);
    crawled = await runCrawl(web, BEHAVIOURS, {
      settings: SETTINGS,
      options: { depth: DEPTH, stay: 'any' },
      heapMegabytes: HEAP_MEGABYTES,
    });
    found = byBehaviour(crawled.rows, BEHAVIOURS);
  });
  afterAll(() => web.close());

  it('has at least 60 behaviours, each with its own name', () => {
    const names = new Set([...BEHAVIOURS, ...overDays].map(({ name }) => name));
    expect(names.size).toBe(BEHAVIOURS.length + overDays.length);
    expect(names.size).toBeGreaterThanOrEqual(60);
  });

  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('survives %s', (_, behaviour) => {
    expectEnds(behaviour, found, web.requests);
  });

  it('gets every good page that its host allows', () => {
    const missing = BEHAVIOURS.filter(
      ({ name, good = GOOD }) => good === GOOD && found.get(name)?.get('/good')?.title !== GOOD_TITLE,
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('sends no request to an address that is not public', () => {
    const refused = BEHAVIOURS.flatMap(({ ends }) => Object.entries(ends)).filter(([, end]) => end === REFUSED);
    const hosts = new Set(refused.map(([page]) => page.split('/', 1)[0] ?? ''));
    expect(hosts.size).toBeGreaterThan(20);
    const asked = web.requests.map((request) => request.split('/', 1)[0] ?? '');
    expect(asked.filter((host) => hosts.has(host) || !host.endsWith('.test'))).toEqual([]);
  });

  it('has only listed pages in its table, and leaves the table without faults', () => {
    expect([...found.keys()].filter((name) => !BEHAVIOURS.some((behaviour) => behaviour.name === name))).toEqual([]);
    expect(crawled.repaired).toEqual({ rows: crawled.rows.length });
  });

  it('counts every page and nothing else', () => {
    const [{ rounds, added, injected, ...all } = {}] = crawled.counters;
    const { tried_again, backed_off, host_backoff, generate_host_backoff, lenient, origins_failed, ...counters } = all;
    expect(counters).toEqual(expectedCounters(crawled.rows, BEHAVIOURS));
    expect(rounds).toBe(DEPTH + 1);
    expect(injected).toBe(BEHAVIOURS.flatMap((behaviour) => seedsOf(behaviour, web)).length);
    expect(added).toBeGreaterThan(0);
    // A page without a request has a host with a back-off, or is too far.
    const unseen = crawled.rows.filter(({ protocolStatus }) => !protocolStatus).length;
    expect(host_backoff).toBe(unseen - (counters.refused ?? 0));
    expect(backed_off).toBeGreaterThanOrEqual(host_backoff ?? 0);
    expect(generate_host_backoff).toBeGreaterThan(0);
    expect(tried_again).toBe(6);
    expect(origins_failed).toBeGreaterThanOrEqual(15);
    expect(lenient).toBeGreaterThanOrEqual(30);
  });

  it(`holds less than ${MEGABYTES} MB, and ends by itself with no work left`, () => {
    expect(crawled.megabytes).toBeLessThan(MEGABYTES);
    expect(crawled.unhandled).toEqual([]);
    expect(crawled.polluted).toEqual([]);
    expect(crawled.exit).toBe('0');
  });
});

describe('crawls over days', () => {
  let web: HostileWeb;
  let crawled: Crawled;
  beforeAll(async () => {
    web = await serveHostileWeb(overDays);
    crawled = await runCrawl(web, overDays, {
      settings: { ...SETTINGS, 'http.privateAddresses': 'allow' },
      options: { depth: 3, stay: 'any' },
      heapMegabytes: HEAP_MEGABYTES,
      days: [0, 2, 4],
    });
  });
  afterAll(() => web.close());

  it.each(overDays.map((behaviour) => [behaviour.name, behaviour] as const))('survive %s', (_, behaviour) => {
    expectEnds(behaviour, byBehaviour(crawled.rows, overDays), web.requests);
  });

  it('count the failures of each day', () => {
    expect(crawled.counters).toMatchObject([
      { http_error: 1, unavailable: 1, host_backoff: 2, refused: 16 },
      { unavailable: 1, host_backoff: 2 },
      { unavailable: 1, host_backoff: 2 },
    ]);
    expect(crawled).toMatchObject({ unhandled: [], exit: '0', repaired: { rows: crawled.rows.length } });
  });
});
