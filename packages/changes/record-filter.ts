import { CHANGE_KINDS, hostKeyOfRow, hostOf, hostOfKey, hostRange, type ChangeKind } from '../core/index.js';
import type { ChangesOptions, LoggedRecord } from './read-changes.js';

/** Kinds of changes that are reported only after a second fetch if many pages of a host fail together. */
const HELD_KINDS: readonly ChangeKind[] = ['gone', 'status'];

/**
 * Returns a function that checks whether a record has one of the kinds and the host of these options.
 * @throws CrawlError BAD_URL for an invalid host
 */
export function recordFilter({
  kinds = CHANGE_KINDS,
  host,
}: Pick<ChangesOptions, 'kinds' | 'host'>): (record: LoggedRecord) => boolean {
  const wanted = new Set(kinds);
  const takesHosts = HELD_KINDS.some((kind) => wanted.has(kind));
  const wantedHost = host === undefined ? undefined : hostOfKey(hostKeyOfRow(hostRange(host).start));
  return (record) => {
    const isHost = record.type === 'host';
    if (wantedHost !== undefined && (isHost ? record.host : hostOf(record.url)) !== wantedHost) return false;
    return isHost ? takesHosts : record.kinds.some((kind) => wanted.has(kind));
  };
}
