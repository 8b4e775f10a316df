import type { Settings } from './schema.js';

/** Two settings that contradict each other. */
interface Conflict {
  readonly key: string;
  readonly other: string;
  /** What the two settings must fulfil. */
  readonly text: string;
}

/** Pairs of settings. The first of a pair must not be above the second. */
const ORDERED = [
  ['db.fetchIntervalDefault', 'db.fetchIntervalMax'],
  ['db.fetchScheduleAdaptiveMinInterval', 'db.fetchScheduleAdaptiveMaxInterval'],
  ['fetcher.backoffMin', 'fetcher.backoffMax'],
  ['http.timeout', 'http.timeLimit'],
] as const;

/** Finds settings that are valid alone but contradict each other. */
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
