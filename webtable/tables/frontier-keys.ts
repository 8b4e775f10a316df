/**
 * The keys of the frontier. Each begins with the slot of its host, so that a partition is a few ranges:
 *
 *     <slot>t<time>|<row key>         a row by when it may be selected
 *     <slot>q<host>|<order>|<rest>    a row that is due, in the queue of its host; `rest` is its row key after the host
 *     <slot>q<host>|~                 the score at which the host's head stands, after the host's last row
 *     <slot>h<order>|<host>:          the head of a host that has rows due, at the order of the best of them
 *
 * A host is reversed, as in row keys, and holds no `|`. `order` is a score so that the highest comes first. A head ends
 * with a colon, as the host does in row keys, so that heads of one score are in the order of their rows. What ends a
 * range is there as long as anything is in the range (see fences.ts).
 */
import { FENCE, slotOf } from '../keys/partition.js';
import { reversedHostOf } from '../keys/row-key.js';
import type { KeyRange } from '../store.js';

export function timedKey(time: number, rowKey: string): string {
  return `${slotOf(rowKey)}t${timeHex(time)}|${rowKey}`;
}

/** The entries of a slot that are due at `now`. */
export function timedRange(slot: string, now: number): KeyRange {
  return { start: `${slot}t`, end: `${slot}t${timeHex(now + 1)}` };
}

export function dueKey(score: number, rowKey: string): string {
  const host = reversedHostOf(rowKey);
  return `${slotOf(rowKey)}q${host}|${orderOf(score)}|${rowKey.slice(host.length)}`;
}

export function isDueKey(key: string): boolean {
  return key[2] === 'q';
}

/**
 * The rows of a host that are due.
 * @param from the best score that may stand there, or the entry that was read last: where many have left the queue, it
 *   takes long to pass them
 */
export function dueRange(host: string, from: number | string): KeyRange {
  const end = noteKey(host);
  const start = typeof from === 'string' ? `${from}\u0001` : `${end.slice(0, -1)}${orderOf(from)}|`;
  return { start, end };
}

/** The queues of all hosts of a slot, with their notes. */
export function queueRange(slot: string): KeyRange {
  return { start: `${slot}q`, end: `${slot}q${FENCE}` };
}

/** The note of where the head of a host stands. */
export function noteKey(host: string): string {
  return `${slotOf(`${host}:`)}q${host}|~`;
}

export function headKey(score: number, host: string): string {
  return `${slotOf(`${host}:`)}h${orderOf(score)}|${host}:`;
}

/** The heads of a slot, the best first. */
export function headRange(slot: string): KeyRange {
  return { start: `${slot}h`, end: `${slot}h${FENCE}` };
}

/** Where the ranges above end, but those that end within their zone. */
export function frontierFences(slot: string): string[] {
  return ['h', 'q', 't'].map((zone) => `${slot}${zone}${FENCE}`);
}

/** What the key of an entry speaks of. */
export type ParsedKey =
  | { readonly kind: 'row'; readonly rowKey: string }
  | { readonly kind: 'head'; readonly host: string }
  | { readonly kind: 'note'; readonly host: string }
  | { readonly kind: 'fence' };

export function parseKey(key: string): ParsedKey {
  const zone = key[2];
  const bar = key.indexOf('|');
  if (bar < 0) return { kind: 'fence' };
  if (zone === 't') return { kind: 'row', rowKey: key.slice(bar + 1) };
  if (zone === 'h') return { kind: 'head', host: key.slice(bar + 1, -1) };
  const host = key.slice(3, bar);
  if (key[bar + 1] === '~') return { kind: 'note', host };
  return { kind: 'row', rowKey: host + key.slice(key.indexOf('|', bar + 1) + 1) };
}

function timeHex(time: number): string {
  return Math.min(Math.max(Math.floor(time), 0), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, '0');
}

const scratch = new DataView(new ArrayBuffer(8));

/** Sixteen hex digits that sort scores from high to low; -0 counts as 0. */
function orderOf(score: number): string {
  scratch.setFloat64(0, score === 0 ? 0 : score);
  let high = scratch.getUint32(0);
  let low = scratch.getUint32(4);
  if (high < 0x8000_0000) {
    high = ~high & 0x7fff_ffff;
    low = ~low;
  }
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}
