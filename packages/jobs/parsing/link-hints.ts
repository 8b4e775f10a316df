import type { Outlink, PageChange, PageRow } from '../../../webtable/index.js';

/** What a sitemap or feed says of a page of its own host; it may be a lie. */
export type LinkHints = Pick<Outlink, 'changeInterval' | 'lastModified' | 'priority'>;

/** Seconds: no page is fetched more often because a sitemap says so. */
const SHORTEST_INTERVAL = 3_600;

/** Far below any score that links hand on: it orders pages that are otherwise equal, and lifts no host above another. */
const PRIORITY_SCORE = 1e-9;

/** Those hints that are numbers. Undefined where nothing is said, as of most links. */
export function hintsOf({ changeInterval, lastModified, priority }: LinkHints): LinkHints | undefined {
  if (changeInterval === undefined && lastModified === undefined && priority === undefined) return undefined;
  const said = Object.entries({ changeInterval, lastModified, priority }).filter(([, value]) => Number.isFinite(value));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** What several lists say of one page: the shortest interval, the latest change, the highest priority. */
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
 * The fields of a new row that its hints decide: its interval, between an hour and `maxInterval` (seconds), and a score that
 * its priority raises by next to nothing.
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
 * When a known page is due, if its hints make that sooner: now, once it is said to have changed after it was fetched,
 * but an hour after that fetch at the earliest. Undefined where they do not: also for a page that a batch holds, which
 * plans its next fetch; for one whose last fetch failed, which is waited for; and for changes of the future.
 * Times are ms since the epoch.
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
