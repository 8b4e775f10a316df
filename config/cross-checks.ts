import type { Settings } from './schema.js';

/** Two settings that do not go together. */
export interface Conflict {
  readonly key: string;
  readonly other: string;
  /** What was expected of the two. */
  readonly text: string;
}

/** Settings of which one must not be above the other. */
const ORDERED = [
  [
    'db.fetchIntervalDefault',
    'db.fetchIntervalMax',
    (s: Settings) => [s.db.fetchIntervalDefault, s.db.fetchIntervalMax],
  ],
  [
    'db.fetchScheduleAdaptiveMinInterval',
    'db.fetchScheduleAdaptiveMaxInterval',
    (s: Settings) => [s.db.fetchScheduleAdaptiveMinInterval, s.db.fetchScheduleAdaptiveMaxInterval],
  ],
  ['fetcher.backoffMin', 'fetcher.backoffMax', (s: Settings) => [s.fetcher.backoffMin, s.fetcher.backoffMax]],
  ['http.timeout', 'http.timeLimit', (s: Settings) => [s.http.timeout, s.http.timeLimit]],
] as const;

/** Every pair of settings, each right by itself, that contradict each other. */
export function crossChecks(settings: Settings): Conflict[] {
  return ORDERED.flatMap(([key, other, read]) => {
    const [low = 0, high = 0] = read(settings);
    return low > high ? [{ key, other, text: `${key} (${low}) not above ${other} (${high})` }] : [];
  });
}
