import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOD, type Behaviour } from './behaviour.js';
import { bodies, oneByteChunks } from './bodies.js';
import { network } from './network.js';
import { pages, xmlFiles } from './pages.js';
import { redirects } from './redirects.js';
import { robotsFiles } from './robots-files.js';
import { runCrawl, type Crawled } from './run-crawl.js';
import { GOOD_TITLE, behaviourOf, serveHostileWeb, type HostileWeb } from './server.js';
import { statuses } from './statuses.js';
import { traps } from './traps.js';

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

/** What the process of the crawl may hold at the most, with a heap of half of it. */
const MEGABYTES = 400;

/** Sizes are the defaults. Times are short, so that whoever wants to waste some wastes little. */
const SETTINGS = {
  'http.timeout': 400,
  'http.timeLimit': 4_000,
  'fetcher.serverDelay': 0,
  'fetcher.threadsFetch': 50,
  'db.maxOutlinksPerPage': 20,
  'db.maxOutlinksPerSitemap': 20,
  'urlfilter.trapMaxParameters': 3,
};
const OPTIONS = { depth: 6, stay: 'any' } as const;

type Row = Crawled['rows'][number];

let web: HostileWeb;
let crawled: Crawled;
/** Behaviour, then page as behaviours write it. */
let rows: ReadonlyMap<string, ReadonlyMap<string, Row>>;

beforeAll(async () => {
  web = await serveHostileWeb(BEHAVIOURS);
  crawled = await runCrawl(web, BEHAVIOURS, SETTINGS, OPTIONS, MEGABYTES / 2);
  rows = byBehaviour(crawled.rows);
}, 120_000);
afterAll(() => web.close());

/** Pages at hosts that are addresses belong to the behaviour that lists them. */
function byBehaviour(all: readonly Row[]): Map<string, Map<string, Row>> {
  const listed = new Map(BEHAVIOURS.flatMap(({ name, ends }) => Object.keys(ends).map((page) => [page, name])));
  const found = new Map<string, Map<string, Row>>();
  for (const row of all) {
    const { hostname, pathname, search } = new URL(row.url);
    const path = pathname + search;
    const name = hostname.endsWith('.test') ? behaviourOf(hostname) : (listed.get(hostname + path) ?? hostname);
    const page = hostname === `${name}.test` ? path : hostname + path;
    found.set(name, (found.get(name) ?? new Map<string, Row>()).set(page, row));
  }
  return found;
}

function endOf({ status, protocolStatus, parseStatus }: Row): string {
  const code = protocolStatus && `${protocolStatus.code}${protocolStatus.truncated ? '(cut)' : ''}`;
  return [status, code, parseStatus?.code].filter((word) => word !== undefined).join(' ');
}

function expectedEnds({ ends, good = GOOD }: Behaviour): Behaviour['ends'] {
  return { ...ends, ...(good !== null && { '/good': good }) };
}

describe('a crawl of the hostile web', () => {
  it('names its behaviours apart', () => {
    expect(new Set(BEHAVIOURS.map(({ name }) => name)).size).toBe(BEHAVIOURS.length);
    expect(BEHAVIOURS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))('survives %s', (name, behaviour) => {
    const found = rows.get(name) ?? new Map<string, Row>();
    const expected = expectedEnds(behaviour);
    const ended = Object.fromEntries([...found].map(([page, row]) => [page, endOf(row)]));
    const wanted = Object.fromEntries(
      Object.entries(expected).map(([page, end]) => {
        const actual = ended[page] ?? '';
        return [page, typeof end === 'string' ? end : end.includes(actual) ? actual : end.join(' or ')];
      }),
    );
    expect(ended).toEqual(wanted);
    for (const [page, part] of Object.entries(behaviour.holds ?? {}))
      expect(found.get(page)).toMatchObject(asMatch(part));
    const seen = web.requests.filter((request) => behaviourOf(request.split('/', 1)[0] ?? '') === name);
    expect(seen.length).toBeLessThanOrEqual(behaviour.requests ?? 3 * (Object.keys(expected).length + 1));
  });

  it('finds every good page that a host lets it have', () => {
    const missing = BEHAVIOURS.filter(
      ({ name, good = GOOD }) => good === GOOD && rows.get(name)?.get('/good')?.title !== GOOD_TITLE,
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('knows no page that is not listed, and leaves a table without faults', () => {
    expect([...rows.keys()].filter((name) => !BEHAVIOURS.some((behaviour) => behaviour.name === name))).toEqual([]);
    expect(crawled.repaired).toEqual({ rows: crawled.rows.length });
  });

  it('counts all of it, and nothing else', () => {
    const { rounds, added, injected, ...counters } = crawled.counters;
    expect(counters).toEqual(expectedCounters());
    expect(rounds).toBe(OPTIONS.depth + 1);
    expect(injected).toBe(
      BEHAVIOURS.reduce((sum, { seeds = ['/'], good }) => sum + seeds.length + Number(good !== null), 0),
    );
    expect(added).toBeGreaterThan(0);
  });

  it(`holds less than ${MEGABYTES} MB, and ends by itself with nothing left undone`, () => {
    console.log(`${crawled.rows.length} pages in ${crawled.seconds} s, ${crawled.megabytes} MB`);
    expect(crawled.megabytes).toBeLessThan(MEGABYTES);
    expect(crawled.unhandled).toEqual([]);
    expect(crawled.polluted).toEqual([]);
    expect(crawled.exit).toBe('0');
  });
});

// To be listed with the others once exchange() no longer keeps a body as a list of its pieces.
it.fails('a crawl of one-byte-chunks-without-end holds less than 250 MB', async () => {
  await using own = await serveHostileWeb([oneByteChunks]);
  const { megabytes } = await runCrawl(own, [oneByteChunks], SETTINGS, OPTIONS, MEGABYTES / 2);
  expect(megabytes).toBeLessThan(250);
});

/** Regular expressions stand for texts that they match. */
function asMatch(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => {
      if (value instanceof RegExp) return [name, expect.stringMatching(value) as unknown];
      return [name, typeof value === 'object' && value !== null && !Array.isArray(value) ? asMatch(value) : value];
    }),
  );
}

/** What rows say, added up, and what each behaviour adds to it. */
function expectedCounters(): Record<string, number> {
  const sums: Record<string, number> = {};
  const count = (name: string, n = 1): void => void (sums[name] = (sums[name] ?? 0) + n);
  for (const { protocolStatus, parseStatus, outlinks } of crawled.rows) {
    if (protocolStatus) {
      count('fetched');
      count(protocolStatus.code);
    }
    if (parseStatus) count(parseStatus.code === 'success' ? 'parsed' : `failed_${parseStatus.code}`);
    if (outlinks) count('links', outlinks.length);
  }
  for (const { counters = {} } of BEHAVIOURS) for (const [name, n] of Object.entries(counters)) count(name, n);
  return sums;
}
