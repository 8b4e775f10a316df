/**
 * FROZEN. The keys of the frontier table. Behind the slot of the host, a letter says what the entry is:
 *
 *     <slot>t<time>|<row key>                 a row that is not due yet, by the time at which it becomes due
 *     <slot>q<host>|<order>|<rest of key>     a row that is due, in the queue of its host, the best score first
 *     <slot>q<host>|~                         the note of where the head of the host is, behind its queue
 *     <slot>h<order>|<host>:                  the head of a host: it has rows that are due, at the order of the best of them
 *     <slot>r<cause>|<row key>                a row that generate refused, by what refused it
 *
 * A host is a host key and holds no `|`, nor does a cause. `order` is a score so that the highest comes first. A head ends
 * with a colon, as the host does in row keys, so that heads of one score are in the order of their rows. What ends a
 * range is there as long as anything is in the range (see fences.ts).
 */
import { hostKeyOfRow, type HostKey } from '../keys/host-key.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { after } from '../scan-steps.js';
import type { KeyRange } from '../store.js';

export type FrontierKeys = ReturnType<typeof createFrontierKeys>;

export function createFrontierKeys(slots: Slots) {
  const zone = (host: HostKey, letter: string): string => `${slots.of(host)}${letter}`;
  const queue = (host: HostKey): string => `${zone(host, 'q')}${host}|`;
  return {
    timed: (time: number, rowKey: string): string => `${zone(hostKeyOfRow(rowKey), 't')}${timeHex(time)}|${rowKey}`,
    due(score: number, rowKey: string): string {
      const host = hostKeyOfRow(rowKey);
      return `${queue(host)}${orderOf(score)}|${rowKey.slice(host.length)}`;
    },
    refused: (cause: string, rowKey: string): string => `${zone(hostKeyOfRow(rowKey), 'r')}${cause}|${rowKey}`,
    note: (host: HostKey): string => `${queue(host)}~`,
    head: (score: number, host: HostKey): string => `${zone(host, 'h')}${orderOf(score)}|${host}:`,

    /** The rows of a slot that become due until `now`. */
    timedUntil: (slot: string, now: number): KeyRange => ({ start: `${slot}t`, end: `${slot}t${timeHex(now + 1)}` }),
    /**
     * The rows of a host that are due.
     * @param from the best score that may be there, or the entry that was read last: where many have left the queue, it
     *   takes long to pass them
     */
    dueRows(host: HostKey, from: number | string): KeyRange {
      const start = typeof from === 'string' ? after(from) : `${queue(host)}${orderOf(from)}|`;
      return { start, end: `${queue(host)}~` };
    },
    /** All of a slot. */
    ofSlot: (slot: string): KeyRange => ({ start: slot, end: `${slot}${FENCE}` }),
    /** The queues of all hosts of a slot, with their notes. */
    queues: (slot: string): KeyRange => ({ start: `${slot}q`, end: `${slot}q${FENCE}` }),
    /** The heads of a slot, the best first. */
    heads: (slot: string): KeyRange => ({ start: `${slot}h`, end: `${slot}h${FENCE}` }),
    /** The rows of a slot that were refused, from a cause on, or by one. */
    refusedFrom: (slot: string, cause: string): KeyRange => ({ start: `${slot}r${cause}`, end: `${slot}r${FENCE}` }),
    refusedBy: (slot: string, cause: string): KeyRange => ({
      start: `${slot}r${cause}|`,
      end: `${slot}r${cause}${FENCE}`,
    }),
    /** Where the zones end. */
    fences: (): string[] =>
      slots.all.flatMap((slot) => ['h', 'q', 'r', 't'].map((letter) => `${slot}${letter}${FENCE}`)),

    /** Whether the key of an entry is that of a row in a queue, which {@link parse} says too. */
    isDue(key: string): boolean {
      const bar = key.indexOf('|');
      return bar >= 0 && key[slots.all[0]!.length] === 'q' && !(bar === key.length - 2 && key.endsWith('~'));
    },

    /** What the key of an entry means. */
    parse(key: string): ParsedKey {
      const at = slots.all[0]!.length;
      const letter = key[at];
      const bar = key.indexOf('|');
      if (bar < 0) return { kind: 'fence' };
      const name = key.slice(at + 1, bar);
      const rest = key.slice(bar + 1);
      if (letter === 't') return { kind: 'timed', rowKey: rest };
      if (letter === 'r') return { kind: 'refused', rowKey: rest, cause: name };
      if (letter === 'h') return { kind: 'head', host: rest.slice(0, -1) as HostKey };
      if (rest === '~') return { kind: 'note' };
      return { kind: 'due', rowKey: name + rest.slice(rest.indexOf('|') + 1) };
    },
  };
}

export type ParsedKey =
  | { readonly kind: 'due' | 'timed'; readonly rowKey: string }
  | { readonly kind: 'refused'; readonly rowKey: string; readonly cause: string }
  | { readonly kind: 'head'; readonly host: HostKey }
  | { readonly kind: 'note' | 'fence' };

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
