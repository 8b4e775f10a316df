import { jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { allRows } from '../support/test-crawl.js';

/** A row without what differs from crawl to crawl: times, batch ids, and when inlinks were folded. */
export type CrawledRow = Readonly<Record<string, unknown>> & { readonly url: string };

/** What two crawls of the same web must have in common, by URL. Ranks the table first. */
export async function crawledRows(crawl: OpenContext): Promise<ReadonlyMap<string, CrawledRow>> {
  await jobs.rank(crawl);
  const rows = await allRows(crawl);
  return new Map(rows.map((row) => [String(row.url), plain(row)]));
}

function plain(row: Record<string, unknown>): CrawledRow {
  const {
    dueAt: _dueAt,
    fetchedAt: _fetchedAt,
    modifiedAt: _modifiedAt,
    firstSeenAt: _firstSeenAt,
    changedAt: _changedAt,
    bytesChangedAt: _bytesChangedAt,
    duplicateAt: _duplicateAt,
    inlinksFolded: _inlinksFolded,
    marks,
    inlinks,
    headers: _,
    logged,
    ...rest
  } = row;
  return {
    ...rest,
    logged: withoutTimes(logged),
    url: String(row.url),
    marks: Object.keys(marks ?? {}).sort(),
    inlinks: [...((inlinks ?? []) as { url: string }[])].sort((a, b) => (a.url < b.url ? -1 : 1)),
  };
}

/**
 * Rows without what depends on the order in which workers select pages. A page passes on the score and the distance that it has when it is
 * selected, and workers do not wait for each other.
 */
export function withoutOrder(rows: ReadonlyMap<string, CrawledRow>): ReadonlyMap<string, CrawledRow> {
  return new Map(
    [...rows].map(([url, row]) => {
      const { score: _score, cash: _cash, cashInFlight: _inFlight, distance: _distance, inlinks, ...rest } = row;
      const links = (inlinks as readonly { url: string; anchor?: string }[]).map(({ url, anchor }) => ({
        url,
        anchor,
      }));
      return [url, { ...rest, url, inlinks: links }];
    }),
  );
}

/** The field `logged` of a row, without the times of requests. */
function withoutTimes(logged: unknown): unknown {
  if (logged === undefined) return undefined;
  const times = ['seenAt', 'bodyAt', 'since', 'missingSince'];
  return JSON.parse(JSON.stringify(logged, (key, value: unknown) => (times.includes(key) ? undefined : value)));
}

/** At most ten differences between two crawls, as lines. Numbers may differ by a billionth of their value. */
export function differences(
  expected: ReadonlyMap<string, CrawledRow>,
  found: ReadonlyMap<string, CrawledRow>,
): string[] {
  const lines: string[] = [];
  for (const url of new Set([...expected.keys(), ...found.keys()])) {
    const [a, b] = [expected.get(url), found.get(url)];
    if (!a || !b) lines.push(`${url}: ${a ? 'is missing' : 'is too much'}`);
    else {
      for (const field of new Set([...Object.keys(a), ...Object.keys(b)])) {
        if (!isSame(a[field], b[field])) {
          lines.push(`${url} ${field}: expected ${JSON.stringify(a[field])}, found ${JSON.stringify(b[field])}`);
        }
      }
    }
    if (lines.length >= 10) break;
  }
  return lines;
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
}
