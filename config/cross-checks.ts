import type { Settings } from './schema.js';

/** Two settings that do not go together. */
export interface Conflict {
  readonly key: string;
  readonly other: string;
  /** What was expected of the two. */
  readonly text: string;
}

/** Settings of which the first must not be above the second. */
const ORDERED = [
  ['db.fetchIntervalDefault', 'db.fetchIntervalMax'],
  ['db.fetchScheduleAdaptiveMinInterval', 'db.fetchScheduleAdaptiveMaxInterval'],
  ['fetcher.backoffMin', 'fetcher.backoffMax'],
  ['http.timeout', 'http.timeLimit'],
] as const;

/** Every pair of settings, each right by itself, that contradict each other. */
export function crossChecks(settings: Settings): Conflict[] {
  const sections: Readonly<Record<string, unknown>> = settings;
  const valueOf = (key: string): number => {
    const [section = '', name = ''] = key.split('.');
    return (sections[section] as Readonly<Record<string, number>>)[name]!;
  };
  return ORDERED.flatMap(([key, other]) => {
    const [low, high] = [valueOf(key), valueOf(other)];
    return low > high ? [{ key, other, text: `${key} (${low}) not above ${other} (${high})` }] : [];
  });
}
