import { CHANGE_KINDS, hostKeyOfRow, hostOf, hostOfKey, hostRange, type ChangeKind } from '../core/index.js';
import type { ChangesOptions, LoggedRecord } from './read-changes.js';

/** Kinds of changes that are reported only after a second fetch if many pages of a host fail together. */
const HELD_KINDS: readonly ChangeKind[] = ['gone', 'status'];

/** The kinds that are read by default. A page with other bytes only has not changed for its readers. */
const USUAL_KINDS = CHANGE_KINDS.filter((kind) => kind !== 'bytes');

/**
 * Returns a function that checks whether a record has one of the kinds and the host of these options. For a record that lacks only the kind,
 * because its page has other bytes only and no kinds are given, the result is `bytes`.
 * @throws CrawlError BAD_URL for an invalid host
 */
export function recordFilter({
  kinds,
  host,
}: Pick<ChangesOptions, 'kinds' | 'host'>): (record: LoggedRecord) => boolean | 'bytes' {
  const wanted = new Set(kinds ?? USUAL_KINDS);
  const takesHosts = HELD_KINDS.some((kind) => wanted.has(kind));
  const wantedHost = host === undefined ? undefined : hostOfKey(hostKeyOfRow(hostRange(host).start));
  return (record) => {
    const isHost = record.type === 'host';
    if (wantedHost !== undefined && (isHost ? record.host : hostOf(record.url)) !== wantedHost) return false;
    if (isHost) return takesHosts;
    return record.kinds.some((kind) => wanted.has(kind)) || (kinds === undefined && 'bytes');
  };
}
