import type { PageRow } from '../../core/index.js';

/** Counts that show the value of rows. Whether a row is relevant depends on the present rules, not on the mark of the row. */
export interface Worth {
  readonly rows: number;
  /** Number of pages whose last fetch returned a body, or a 304. */
  readonly fetched: number;
  /**
   * Number of rows that a `relevant` rule matches. Each relevant row is in at most one of the three figures below: a page that is gone is
   * not counted there.
   */
  readonly relevant: number;
  readonly relevantFetched: number;
  /** Number of relevant rows that were not fetched because a rule refuses them. */
  readonly relevantRejected: number;
  /** Number of relevant rows that were not fetched yet. */
  readonly relevantWaiting: number;
}

export type WorthTally = { -readonly [K in keyof Worth]: Worth[K] };

export const noWorth = (): WorthTally => ({
  rows: 0,
  fetched: 0,
  relevant: 0,
  relevantFetched: 0,
  relevantRejected: 0,
  relevantWaiting: 0,
});

export interface Judged {
  readonly isFetched: boolean;
  readonly isRelevant: boolean;
  readonly isRejected: boolean;
  readonly status: PageRow<'status'>['status'];
}

export function isFetchedPage(status: Judged['status']): boolean {
  return status === 'fetched' || status === 'notmodified';
}

export function addWorth(to: WorthTally, { isFetched, isRelevant, isRejected, status }: Judged): void {
  to.rows += 1;
  if (isFetched) to.fetched += 1;
  if (!isRelevant) return;
  to.relevant += 1;
  if (isFetched) to.relevantFetched += 1;
  else if (isRejected) to.relevantRejected += 1;
  else if (status === 'unfetched' || status === 'retry') to.relevantWaiting += 1;
}

export function mergeWorth(to: WorthTally, from: Worth): void {
  for (const name of Object.keys(to) as (keyof Worth)[]) to[name] += from[name];
}
