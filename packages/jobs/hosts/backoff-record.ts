import type { Settings } from '../../../config/index.js';
import { createBoundedCache } from '../../util/index.js';
import { INDEX_COLUMNS, reversedHostOf, rowKeyOf, type Store } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/**
 * Why and until when a host is left alone. It stands until the host answers again, so that failures in a row are
 * counted over runs. Plain data, fit for JSON; times are ms since the epoch.
 */
export interface BackoffRecord {
  /** Failures in a row. */
  readonly failures: number;
  /** When the last one happened. */
  readonly since: number;
  /** Nothing is asked of the host before this. */
  readonly until: number;
  /** The code of the last failure: `throttled`, `connect`, … */
  readonly code: string;
  /** Its HTTP status; absent where the host could not be reached. */
  readonly http?: number;
  /** One line; untrusted. */
  readonly message?: string;
}

/** So much of a wait may come on top of it by chance, so that hosts which failed together are not asked together. */
export const JITTER = 0.25;

const MAX_HOSTS = 20_000;
const COLUMN = INDEX_COLUMNS.hostBackoff;

/**
 * The record of a host in the `host` table, where all its schemes and ports share one; a record that cannot be read
 * counts as none. Only fetch writes it.
 */
export async function getBackoff(store: Store, host: string): Promise<BackoffRecord | undefined> {
  const [row] = await store.get('host', [keyOf(host)], [COLUMN]);
  const cell = row?.cells.get(COLUMN);
  return cell && read(cell);
}

/** Writes the record of a host; undefined removes it. */
export async function putBackoff(store: Store, host: string, record: BackoffRecord | undefined): Promise<void> {
  const key = keyOf(host);
  if (!record) return store.write('host', [{ key, delete: [COLUMN] }]);
  await store.write('host', [{ key, put: new Map([[COLUMN, Buffer.from(JSON.stringify(record), 'utf8')]]) }]);
}

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
  { table, settings }: Pick<CrawlContext, 'table' | 'settings'>,
  now: number,
): (host: string) => Promise<boolean> {
  const known = createBoundedCache<Promise<boolean>>(MAX_HOSTS);
  return (host) => {
    let answer = known.get(host);
    if (!answer) {
      answer = getBackoff(table.store, host).then((record) => isSetAside(settings, record, now));
      known.set(host, answer, 1);
    }
    return answer;
  };
}

function keyOf(host: string): string {
  return reversedHostOf(rowKeyOf(`http://${host}/`));
}

function read(cell: Uint8Array): BackoffRecord | undefined {
  try {
    const { failures, since, until, code, http, message } = JSON.parse(Buffer.from(cell).toString('utf8')) as Record<
      string,
      unknown
    >;
    if (typeof failures !== 'number' || typeof since !== 'number' || typeof until !== 'number') return undefined;
    return {
      failures,
      since,
      until: Math.max(since, until),
      code: String(code),
      ...(typeof http === 'number' && { http }),
      ...(typeof message === 'string' && { message }),
    };
  } catch {
    return undefined;
  }
}
