/** Pages that updatedb takes at once: the more, the fewer changes of rows that many of them link to. */
const ENOUGH = 20_000;
/** Milliseconds after which it takes fewer: while all requests that may be in flight are. */
const BUSY = 60_000;
/** The same while some are not. */
const IDLE = 10_000;
/** The same when the fetcher is about to run dry. */
const DRY = 50;
/** Pages left for each request that may be in flight below which it is, if as many wait for updatedb. */
const PAGES_LEFT = 16;

/** What decides when updatedb takes the pages that are fetched. */
export interface FlushState {
  /** Pages that wait for it. */
  readonly size: number;
  /** Milliseconds for which the first of them has waited. */
  readonly age: number;
  /** Pages that are left to fetch. */
  readonly left: number;
  /** Requests that may be in flight. */
  readonly threads: number;
  /** Fewer are. */
  readonly isIdle: boolean;
}

/** Milliseconds until updatedb takes the pages that are fetched, 0 or less for now; Infinity where there are none. */
export function flushIn({ size, age, left, threads, isIdle }: FlushState): number {
  if (size === 0) return Infinity;
  if (size >= ENOUGH || left === 0) return 0;
  const isDry = left <= Math.min(size, PAGES_LEFT * threads);
  return (isDry ? DRY : isIdle ? IDLE : BUSY) - age;
}
