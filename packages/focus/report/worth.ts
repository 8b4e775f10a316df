import type { PageRow } from '../../../webtable/index.js';

/** Rows, and what the pages are worth. Each row is useful or not by the rules of now, whatever was marked. */
export interface Worth {
  readonly rows: number;
  /** Pages of which the last fetch brought a body, or found it as it was. */
  readonly fetched: number;
  /** Rows that a `useful` rule matches; those below are of these, each in one. */
  readonly useful: number;
  readonly usefulFetched: number;
  /** Not fetched, and a rule refuses them. */
  readonly usefulCut: number;
  /** Not fetched yet. */
  readonly usefulWaiting: number;
}

/** Counts rows for a {@link Worth}. */
export type WorthTally = { -readonly [K in keyof Worth]: Worth[K] };

export const noWorth = (): WorthTally => ({
  rows: 0,
  fetched: 0,
  useful: 0,
  usefulFetched: 0,
  usefulCut: 0,
  usefulWaiting: 0,
});

/** A row, judged. */
export interface Judged {
  readonly isFetched: boolean;
  readonly isUseful: boolean;
  readonly isCut: boolean;
  readonly status: PageRow<'status'>['status'];
}

export function isFetchedPage(status: Judged['status']): boolean {
  return status === 'fetched' || status === 'notmodified';
}

export function addWorth(to: WorthTally, { isFetched, isUseful, isCut, status }: Judged): void {
  to.rows += 1;
  if (isFetched) to.fetched += 1;
  if (!isUseful) return;
  to.useful += 1;
  if (isFetched) to.usefulFetched += 1;
  else if (isCut) to.usefulCut += 1;
  else if (status === 'unfetched' || status === 'retry') to.usefulWaiting += 1;
}

export function mergeWorth(to: WorthTally, from: Worth): void {
  for (const name of Object.keys(to) as (keyof Worth)[]) to[name] += from[name];
}
