import type { Settings } from '../../../config/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { BackoffRecord, HostKey } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** The largest random part of a wait, as a share of the wait. It spreads the next requests to hosts that failed at the same time. */
export const JITTER = 0.25;

const MAX_HOSTS = 20_000;

/** After this number of consecutive failures, pages do not wait again. The failure becomes their outcome. */
export const MAX_FAILURES = 3;

/**
 * What fetch does with a page whose host is in back-off. `ask`: fetch requests the page without a wait. `wait`: the page waits in the
 * queue. `set_aside`: the page stays due for a later batch. `failed`: the failure of the host is stored as the outcome of the page.
 */
type BackoffVerdict = 'ask' | 'wait' | 'set_aside' | 'failed';

/**
 * Decides what to do with pages of a host for the remaining milliseconds of its back-off. If the wait is at most `fetcher.maxBackoffWaitSeconds`,
 * the pages wait. If it is longer, the host is set aside. After three consecutive failures to connect, the pages fail instead. Two kinds of
 * unreachable hosts get no wait at all: names without an address, and hosts whose queue has other hosts too.
 */
export function backoffVerdict(
  { partition, fetcher }: Settings,
  { code, http, failures }: Pick<BackoffRecord, 'code' | 'http' | 'failures'>,
  millis: number,
): BackoffVerdict {
  if (millis <= 0) return 'ask';
  const isHopeless = !http && (code === 'dns_failed' || partition.urlMode !== 'host');
  if (!isHopeless && millis <= fetcher.maxBackoffWaitSeconds * (1 + JITTER) * 1000) return 'wait';
  if (http !== undefined) return 'set_aside';
  if (failures >= MAX_FAILURES) return 'failed';
  return isHopeless ? 'ask' : 'set_aside';
}

/**
 * Whether generate skips the pages of a host, because fetch would leave them due. A record may begin in the future, because a clock was
 * ahead. Then generate does not skip the pages, and fetch starts the wait again.
 */
export function isSetAside(settings: Settings, record: BackoffRecord | undefined, now: number): boolean {
  if (record === undefined || record.since > now) return false;
  return backoffVerdict(settings, record, record.until - now) === 'set_aside';
}

/** Returns a function like {@link isSetAside} for many hosts. It reads the record of each host once. */
export function createSetAside(
  { tables, settings }: Pick<CrawlContext, 'settings'> & { readonly tables: Pick<CrawlContext['tables'], 'hosts'> },
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
