import type { CounterName, Tracker } from '../../jobs/index.js';
import type { Target } from '../target/target.js';

interface Kept {
  readonly counters: Readonly<Record<string, number>>;
  /** Those of failures. */
  readonly failed: readonly string[];
}

/**
 * A target that notes at each checkpoint what was counted, and counts first what an earlier run had noted, so that a run that goes on
 * reports all. For an export that at a checkpoint has counted the rows before it, and no other ones.
 */
export function withCounters(target: Target, tracker: Tracker): Target {
  const { counters = {}, failed = [] } = (target.resumed?.state ?? {}) as Partial<Kept>;
  for (const [name, n] of Object.entries(counters) as [CounterName, number][]) {
    if (failed.includes(name)) tracker.fail(name, n);
    else tracker.count(name, n);
  }
  return {
    ...target,
    checkpoint(at) {
      const { counters, errors } = tracker.progress();
      return target.checkpoint({ ...at, state: { counters: { ...counters }, failed: Object.keys(errors) } });
    },
  };
}
