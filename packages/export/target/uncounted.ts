import type { Tracker } from '../../jobs/index.js';

/** A tracker that counts no failures, for an export that counts them over all of its runs by itself. */
export function uncounted(tracker: Tracker): Pick<Tracker, 'aborted' | 'fail'> {
  return {
    fail: () => undefined,
    get aborted() {
      return tracker.aborted;
    },
  };
}
