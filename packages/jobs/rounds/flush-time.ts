/**
 * Updatedb runs when this number of fetched pages waits for it. If many of these pages link to the same row, the row is changed only once.
 * So a larger number saves changes.
 */
const FULL_BATCH = 20_000;
/**
 * While the maximum number of requests is running, updatedb runs after this number of milliseconds, even if fewer than {@link FULL_BATCH} pages
 * wait.
 */
const BUSY_MS = 60_000;
/** While fewer requests are running, updatedb runs after this number of milliseconds, even if fewer than {@link FULL_BATCH} pages wait. */
const IDLE_MS = 10_000;
/** When few pages are left to fetch, updatedb runs after this number of milliseconds, even if fewer than {@link FULL_BATCH} pages wait. */
const LAST_PAGES_MS = 50;
/** Few pages are left to fetch if there are at most this number for each allowed request. There must also be no more than wait for updatedb. */
const PAGES_LEFT = 16;

/** The state that decides when updatedb runs on the fetched pages. */
interface FlushState {
  /** Number of pages that wait for updatedb. */
  readonly size: number;
  /** Milliseconds since the first of the waiting pages was fetched. */
  readonly age: number;
  /** Number of pages left to fetch. */
  readonly left: number;
  /** Maximum number of requests in flight. */
  readonly threads: number;
  /** Whether fewer requests than `threads` are in flight. */
  readonly isIdle: boolean;
}

/** Returns the milliseconds until updatedb runs on the fetched pages. 0 or less: now. Infinity: there are no such pages. */
export function flushIn({ size, age, left, threads, isIdle }: FlushState): number {
  if (size === 0) return Infinity;
  if (size >= FULL_BATCH || left === 0) return 0;
  const isDry = left <= Math.min(size, PAGES_LEFT * threads);
  return (isDry ? LAST_PAGES_MS : isIdle ? IDLE_MS : BUSY_MS) - age;
}
