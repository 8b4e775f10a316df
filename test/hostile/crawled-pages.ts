import { expect } from 'vitest';
import { GOOD, type Behaviour } from './behaviour.js';
import type { Crawled } from './run-crawl.js';
import { behaviourOf } from './server.js';

export type Row = Crawled['rows'][number];

/** Rows by behaviour, then by page in the notation of behaviours. */
export type CrawledPages = ReadonlyMap<string, ReadonlyMap<string, Row>>;

/** A page on a host that no behaviour owns belongs to the behaviour that lists it. */
export function byBehaviour(rows: readonly Row[], behaviours: readonly Behaviour[]): CrawledPages {
  const listed = new Map(behaviours.flatMap(({ name, ends }) => Object.keys(ends).map((page) => [page, name])));
  const found = new Map<string, Map<string, Row>>();
  for (const row of rows) {
    const { hostname, pathname, search } = new URL(row.url);
    const path = pathname + search;
    const name = hostname.endsWith('.test') ? behaviourOf(hostname) : (listed.get(hostname + path) ?? hostname);
    const page = hostname === `${name}.test` ? path : hostname + path;
    found.set(name, (found.get(name) ?? new Map<string, Row>()).set(page, row));
  }
  return found;
}

/** Checks the pages of a behaviour: the list is complete, each ended as listed, and there were not too many requests. */
export function expectEnds(behaviour: Behaviour, pages: CrawledPages, requests: readonly string[]): void {
  const { name, ends, good = GOOD, holds = {} } = behaviour;
  const found = pages.get(name) ?? new Map<string, Row>();
  const expected: Behaviour['ends'] = { ...ends, ...(good !== null && { '/good': good }) };
  const ended = Object.fromEntries([...found].map(([page, row]) => [page, endOf(row)]));
  const wanted = Object.entries(expected).map(([page, end]) => {
    const actual = ended[page] ?? '';
    return [page, typeof end === 'string' ? end : end.includes(actual) ? actual : end.join(' or ')];
  });
  expect(ended).toEqual(Object.fromEntries(wanted));
  for (const [page, part] of Object.entries(holds)) expect(found.get(page)).toMatchObject(asMatch(part));
  const seen = requests.filter((request) => behaviourOf(request.split('/', 1)[0] ?? '') === name);
  expect(seen.length).toBeLessThanOrEqual(behaviour.requests ?? 3 * (Object.keys(expected).length + 1));
}

function endOf({ status, protocolStatus, parseStatus }: Row): string {
  const code = protocolStatus && `${protocolStatus.code}${protocolStatus.truncated ? '(cut)' : ''}`;
  return [status, code, parseStatus?.code].filter((word) => word !== undefined).join(' ');
}

/** Replaces each regular expression by a matcher of texts. */
function asMatch(part: object): object {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => {
      if (value instanceof RegExp) return [name, expect.stringMatching(value) as unknown];
      return [name, typeof value === 'object' && value !== null && !Array.isArray(value) ? asMatch(value) : value];
    }),
  );
}

/** The expected counters of a crawl that fetched no page twice: the sum over the rows, and what each behaviour adds. */
export function expectedCounters(rows: readonly Row[], behaviours: readonly Behaviour[]): Record<string, number> {
  const sums: Record<string, number> = {};
  const count = (name: string, n = 1): void => void (sums[name] = (sums[name] ?? 0) + n);
  for (const { protocolStatus, parseStatus, outlinks } of rows) {
    if (protocolStatus) {
      count('fetched');
      count(protocolStatus.code);
      // Each behaviour begins at a seed, and no page further down is denied.
      if (['unauthorized', 'forbidden'].includes(protocolStatus.code)) count('seeds_denied');
    }
    if (parseStatus) count(parseStatus.code === 'success' ? 'parsed' : `failed_${parseStatus.code}`);
    if (outlinks) count('links', outlinks.length);
  }
  for (const { counters = {} } of behaviours) for (const [name, n] of Object.entries(counters)) count(name, n);
  return sums;
}
