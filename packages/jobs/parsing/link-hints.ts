import type { Outlink, PageChange, PageRow } from '../../../webtable/index.js';

/** What a sitemap or feed states about a page of the same host. It may be false. */
export type LinkHints = Pick<Outlink, 'changeInterval' | 'lastModified' | 'priority'>;

/** Minimum seconds between two fetches of a page, whatever interval a sitemap states. */
const SHORTEST_INTERVAL = 3_600;

/**
 * The score for the highest priority. It is far below any distributed score. Therefore it only orders pages with otherwise equal scores,
 * and does not move a host before another host.
 */
const PRIORITY_SCORE = 1e-9;

/** Returns the hints that are numbers. Returns undefined if there are no such hints, as for most links. */
export function hintsOf({ changeInterval, lastModified, priority }: LinkHints): LinkHints | undefined {
  if (changeInterval === undefined && lastModified === undefined && priority === undefined) return undefined;
  const said = Object.entries({ changeInterval, lastModified, priority }).filter(([, value]) => Number.isFinite(value));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** Combines the hints of several lists about one page: the shortest interval, the latest change and the highest priority. */
export function mergeHints(all: readonly (LinkHints | undefined)[]): LinkHints {
  let merged: LinkHints = {};
  for (const hints of all) {
    if (!hints) continue;
    merged = {
      changeInterval: Math.min(merged.changeInterval ?? Infinity, hints.changeInterval ?? Infinity),
      lastModified: Math.max(merged.lastModified ?? -Infinity, hints.lastModified ?? -Infinity),
      priority: Math.max(merged.priority ?? 0, hints.priority ?? 0),
    };
  }
  return merged;
}

/**
 * Returns the fields of a new row that depend on its hints. The interval is between an hour and `maxInterval` (seconds). The priority
 * raises the score very slightly.
 */
export function hintedFields(
  { changeInterval = Infinity, priority = 0 }: LinkHints,
  score: number,
  maxInterval: number,
): NonNullable<PageChange['set']> {
  return {
    ...(Number.isFinite(changeInterval) && {
      fetchInterval: Math.min(Math.max(changeInterval, SHORTEST_INTERVAL), maxInterval),
    }),
    score: score + PRIORITY_SCORE * Math.min(Math.max(priority, 0), 1),
  };
}

/**
 * Returns a new due time for a known page, if its hints say that it changed after its last fetch. The page is then due now, but at the
 * earliest an hour after that fetch. Returns undefined in these cases: the page is due earlier anyway; a batch holds the page, and plans
 * its next fetch; the last fetch failed; the change is in the future. Times are in ms since the epoch.
 */
export function soonerDue(
  row: PageRow<'dueAt' | 'fetchedAt' | 'retries' | 'marks'>,
  { lastModified = -Infinity }: LinkHints,
  now: number,
): number | undefined {
  const { dueAt, fetchedAt, retries = 0 } = row;
  if (dueAt === undefined || fetchedAt === undefined || retries > 0) return undefined;
  if (row.marks?.generate !== undefined || lastModified <= fetchedAt || lastModified > now) return undefined;
  const due = Math.max(now, fetchedAt + SHORTEST_INTERVAL * 1000);
  return due < dueAt ? due : undefined;
}
