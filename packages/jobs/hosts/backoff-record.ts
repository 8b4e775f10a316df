import type { Settings } from '../../../config/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { BackoffRecord, HostKey } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** So much of a wait may come on top of it by chance, so that hosts which failed together are not asked together. */
export const JITTER = 0.25;

const MAX_HOSTS = 20_000;

/**
 * The longest wait, in ms, that a fetch spends on such a host; a host that needs longer is left to a later run. None is
 * spent on a name without an address, nor, in a queue of many hosts, on one that cannot be reached.
 */
export function longestWait({ partition, fetcher }: Settings, { code, http }: BackoffRecord): number {
  const isHopeless = http === undefined && (code === 'dns' || partition.urlMode !== 'host');
  return isHopeless ? 0 : fetcher.maxBackoffWait * (1 + JITTER) * 1000;
}

/**
 * Whether generate passes over the pages of a host: a fetch would not wait for it. A record from the future is left to
 * fetch, which begins its wait anew.
 */
export function isSetAside(settings: Settings, record: BackoffRecord | undefined, now: number): boolean {
  return record !== undefined && record.since <= now && record.until - now > longestWait(settings, record);
}

/** {@link isSetAside} for many hosts at one time; the record of each is read once. */
export function createSetAside(
  { tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>,
  now: number,
): (host: HostKey) => Promise<boolean> {
  const known = createBoundedCache<Promise<boolean>>(MAX_HOSTS);
  return (host) => {
    let answer = known.get(host);
    if (!answer) {
      answer = tables.hosts.backoff.get([host]).then(([record]) => isSetAside(settings, record, now));
      known.set(host, answer, 1);
    }
    return answer;
  };
}
