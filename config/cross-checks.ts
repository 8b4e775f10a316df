import type { Settings } from './schema.js';

interface Conflict {
  readonly key: string;
  readonly other: string;
  readonly text: string;
}

const ORDERED = [
  ['db.fetchIntervalDefault', 'db.fetchIntervalMax'],
  ['db.fetchScheduleAdaptiveMinInterval', 'db.fetchScheduleAdaptiveMaxInterval'],
  ['fetcher.minBackoffSeconds', 'fetcher.maxBackoffSeconds'],
  ['http.timeout', 'http.timeLimitMs'],
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
