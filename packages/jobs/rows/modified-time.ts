import type { PageRow } from '../../../webtable/index.js';

type Row = PageRow<'modifiedAt' | 'parseStatus' | 'protocolStatus'>;

/** A time before 1990 is wrong, because no web page is older. */
const FIRST = Date.UTC(1990, 0, 1);
const DAY = 86_400_000;
/**
 * If `Last-Modified` is less than this number of milliseconds before the fetch, it is ignored. Servers that generate a page for each
 * request send the time of the request.
 */
const JUST_MADE = 60_000;

/**
 * Returns when a page last changed, as the page states it. Returns undefined if the page states no time, or a time before 1990 or in the
 * future. A time up to a day in the future counts as now, because in the time zone of the page that day may have begun.
 * @param fetchedAt in ms since the epoch, like all times
 */
export function statedModified({ parseStatus }: Row, fetchedAt: number): number | undefined {
  return plausible(parseStatus?.statedModifiedAt, fetchedAt);
}

/**
 * Returns when a page last changed, without a comparison with its earlier content. The time that the page states comes first, then
 * `Last-Modified`. If the page states when it was published, a `Last-Modified` just before the fetch is ignored. Returns 0 if no time is
 * known.
 */
export function knownModified(row: Row, fetchedAt: number): number {
  const { modifiedAt, parseStatus, protocolStatus } = row;
  const stated = statedModified(row, fetchedAt);
  if (stated !== undefined) return stated;
  const published = plausible(parseStatus?.publishedAt, fetchedAt);
  const lastModified = protocolStatus?.lastModified;
  if (published === undefined) return lastModified ?? modifiedAt ?? 0;
  if (lastModified !== undefined && lastModified < fetchedAt - JUST_MADE) return lastModified;
  return modifiedAt ?? published;
}

function plausible(time: number | undefined, fetchedAt: number): number | undefined {
  if (time === undefined || !(time >= FIRST && time <= fetchedAt + DAY)) return undefined;
  return Math.min(time, fetchedAt);
}
