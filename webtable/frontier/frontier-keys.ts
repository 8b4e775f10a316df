/**
 * FROZEN. The keys of the frontier table. After the slot of the host, a letter tells the kind of the entry:
 *
 *     <slot>t<time>|<row key>                 a row that is not due yet, at the time when it becomes due
 *     <slot>q<host>|<order>|<rest of key>     a row that is due, in the queue of its host, the best score first
 *     <slot>q<host>|~                         the note that names the head of the host, after its queue
 *     <slot>h<order>|<host>:                  the head of a host with due rows, at the order of its best row
 *     <slot>r<cause>|<row key>                a row that generate refused, with the cause of the refusal
 *
 * A host is a host key; neither a host nor a cause contains a `|`. `order` is a score, encoded so that the highest comes first. A head ends
 * with a colon, like the host in row keys. So heads with equal scores are in the order of their rows. The end key of a range exists while
 * the range has rows (see fences.ts).
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

    /** The rows of a slot that are not due yet, the next one first. */
    allTimed: (slot: string): KeyRange => ({ start: `${slot}t`, end: `${slot}t${FENCE}` }),
    /** The rows of a slot that become due until `now`. */
    timedUntil: (slot: string, now: number): KeyRange => ({ start: `${slot}t`, end: `${slot}t${timeHex(now + 1)}` }),
    /** The rows of a slot that become due after a time. */
    timedAfter: (slot: string, time: number): KeyRange => ({
      start: `${slot}t${timeHex(time + 1)}`,
      end: `${slot}t${FENCE}`,
    }),
    /**
     * The rows of a host that are due.
     * @param position the highest score that may be in the queue, or the key of the last entry that was read. The read begins there, so it does
     * not pass over removed rows. Many removed rows would make it slow.
     */
    dueRows(host: HostKey, position: number | string): KeyRange {
      const start = typeof position === 'string' ? after(position) : `${queue(host)}${orderOf(position)}|`;
      return { start, end: `${queue(host)}~` };
    },
    /** The queues of all hosts of a slot, with their notes. */
    queues: (slot: string): KeyRange => ({ start: `${slot}q`, end: `${slot}q${FENCE}` }),
    /** The heads of a slot, the best first. */
    heads: (slot: string): KeyRange => ({ start: `${slot}h`, end: `${slot}h${FENCE}` }),
    /** The rows of a slot that were refused for this cause, or for a cause after it in key order. */
    refusedFrom: (slot: string, cause: string): KeyRange => ({ start: `${slot}r${cause}`, end: `${slot}r${FENCE}` }),
    refusedBy: (slot: string, cause: string): KeyRange => ({
      start: `${slot}r${cause}|`,
      end: `${slot}r${cause}${FENCE}`,
    }),
    /** The fence keys: one at the end of each zone. */
    fences: (): string[] =>
      slots.all.flatMap((slot) => ['h', 'q', 'r', 't'].map((letter) => `${slot}${letter}${FENCE}`)),

    /** Whether a key is the key of a row in a queue. {@link parse} gives the same result, but is slower. */
    isDue(key: string): boolean {
      const bar = key.indexOf('|');
      return bar >= 0 && key[slots.all[0]!.length] === 'q' && !(bar === key.length - 2 && key.endsWith('~'));
    },

    parse(key: string): ParsedKey {
      const at = slots.all[0]!.length;
      const letter = key[at];
      const bar = key.indexOf('|');
      if (bar < 0) return { kind: 'fence' };
      const name = key.slice(at + 1, bar);
      const rest = key.slice(bar + 1);
      if (letter === 't') return { kind: 'timed', rowKey: rest, time: parseInt(name, 16) };
      if (letter === 'r') return { kind: 'refused', rowKey: rest, cause: name };
      if (letter === 'h') return { kind: 'head', host: rest.slice(0, -1) as HostKey };
      if (rest === '~') return { kind: 'note' };
      return { kind: 'due', rowKey: name + rest.slice(rest.indexOf('|') + 1) };
    },
  };
}

type ParsedKey =
  | { readonly kind: 'due'; readonly rowKey: string }
  | { readonly kind: 'timed'; readonly rowKey: string; /** In ms since the epoch. */ readonly time: number }
  | { readonly kind: 'refused'; readonly rowKey: string; readonly cause: string }
  | { readonly kind: 'head'; readonly host: HostKey }
  | { readonly kind: 'note' | 'fence' };

function timeHex(time: number): string {
  return Math.min(Math.max(Math.floor(time), 0), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, '0');
}

const scratch = new DataView(new ArrayBuffer(8));

/** Returns sixteen hex digits that sort scores from high to low; -0 counts as 0. */
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
