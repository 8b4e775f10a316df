import {
  createBoundedCache,
  isFreshRobots,
  robotsAgents,
  robotsRules,
  type CrawlContext,
  type StoredRobots,
} from '../core/index.js';

type Rules = ReturnType<typeof robotsRules>;

export interface OriginRobots {
  readonly stored: StoredRobots;
  /** Whether the record is older than a day, so that the next fetch requests the file again. */
  readonly isExpired: boolean;
  readonly rules: Rules;
}

const MAX_RULE_BYTES = 16_777_216;
const BYTES_WITHOUT_FILE = 256;

/** Makes a reader of the stored robots.txt of origins. It returns undefined for an origin without a stored robots.txt. It makes no requests. */
export function createRobotsReader(crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock'>) {
  const agents = robotsAgents(crawl.settings);
  const known = createBoundedCache<{ readonly found: OriginRobots | undefined }>(MAX_RULE_BYTES);
  return async (origins: readonly string[]): Promise<(OriginRobots | undefined)[]> => {
    const missing = [...new Set(origins)].filter((origin) => !known.get(origin));
    const read = new Map<string, OriginRobots | undefined>();
    const stored = missing.length > 0 ? await crawl.tables.hosts.robots.get(missing) : [];
    for (const [i, origin] of missing.entries()) {
      const record = stored[i];
      const rules = record && robotsRules(record, agents);
      const found =
        record && rules ? { stored: record, isExpired: !isFreshRobots(record, crawl.clock()), rules } : undefined;
      read.set(origin, found);
      known.set(origin, { found }, BYTES_WITHOUT_FILE + (rules?.size ?? 0));
    }
    return origins.map((origin) => (read.has(origin) ? read.get(origin) : known.get(origin)?.found));
  };
}
