/**
 * The batches: a header per batch, and an index of the rows that each holds, so that a job reads its batch and nothing
 * else. Like every index it may be stale and never misses a row (law 4): a row is in a batch when its generate mark
 * says so.
 *
 * A queue is what politeness counts by: a host, a domain or an IP address. The index is keyed by slot of the queue, queue
 * and row, so whoever holds a slot has all of each queue in it.
 */
import { CrawlError, safeText } from '../../packages/errors/index.js';
import { hostKeyOfRow, rowsOfHost, type HostKey } from '../keys/host-key.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { json, text } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { KeyRange, RowChange, Store, StoredRow } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { writeUnchanged } from '../write-unchanged.js';
import { createBatchProgress, type BatchStep } from './batch-progress.js';
import { createRobotsRequests } from './robots-requests.js';

/**
 * `generating`: rows are being selected; a batch left so by a killed job is released by the next generate.
 * `open`: may be fetched and parsed. `updating`: updatedb adds its links and releases its rows, so that nothing may be
 * fetched or parsed any more; its index names also what is released already. `updated`: no row is held, and jobs that
 * read what was updated still need to find its rows. `closed`: nothing is left of it but its name.
 */
export type BatchState = 'generating' | 'open' | 'updating' | 'updated' | 'closed';

/** What is known of a batch as a whole. */
export interface BatchHeader {
  readonly batchId: string;
  readonly state: BatchState;
  /** Rows selected by generate, or fetched pages that moved on to it; targets of redirects join without being counted. */
  readonly size: number;
  /** A fetch of it has begun and not come to its end, so that the next one goes on where it stopped. */
  readonly fetching?: boolean;
  /** The version of the rules by which its rows were selected, or the first of them; absent where there was none. */
  readonly rules?: string;
  /** In the state `updating`: nobody fetches or parses it any more, so that the other shards need not look. */
  readonly isLeft?: boolean;
  /** Of a batch whose header was lost: how many rows each shard of a repair has found that it holds. */
  readonly found?: Readonly<Record<string, number>>;
  /** From the state `updating` on: the consumers that have not read it. */
  readonly consumers?: readonly string[];
}

/** A row in the index of a batch. */
export interface BatchEntry {
  readonly rowKey: string;
  readonly queue: string;
  /** Its slot. */
  readonly slot: string;
  /** Its place among those of the slot: they come in the order of this text. */
  readonly place: string;
  /** Differs whenever it was entered again; only on a store that others change too. */
  readonly version?: string | undefined;
}

/** A queue of a batch. */
export interface BatchQueue {
  readonly queue: string;
  /** Its slot. */
  readonly slot: string;
  /** Its hosts, in order. */
  readonly hosts: readonly HostKey[];
}

interface ClearOptions {
  readonly updated?: boolean;
  readonly of?: Iterable<string> | undefined;
}

/** The batches of a table, and which rows each holds. */
export type Batches = ReturnType<typeof createBatches>;

const headerCodec = json<Omit<BatchHeader, 'batchId'>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'state' in value &&
    typeof value.state === 'string' &&
    'size' in value &&
    typeof value.size === 'number',
);
const HEADER = [INDEX_COLUMNS.batchHeader];
const ENTRY = [INDEX_COLUMNS.batchEntry];
const NOTHING = new Map([[INDEX_COLUMNS.batchEntry, text.encode('')] as const]);
const STEP = 1000;
/** Rows that are read of a host before the rest of it is passed over, where only its name is asked for. */
const HOST_STEP = 64;

function unknown(batchId: string): never {
  throw new CrawlError('UNKNOWN_BATCH', `expected the id of a batch, found "${safeText(batchId, 80)}"`, {
    hint: 'generate prints the id of each batch; `webcrawl readdb --stats` lists those that are open',
  });
}

/** Zones of the headers, so that listing those of one never slows down by the others. Of a header in two the first one holds. */
const HEADER_ZONES = ['h', 'w', 'd'] as const;
const headerKey = (zone: (typeof HEADER_ZONES)[number], batchId: string): string => `${zone}|${batchId}`;

function zoneOf(state: BatchState): (typeof HEADER_ZONES)[number] {
  return state === 'updated' ? 'w' : state === 'closed' ? 'd' : 'h';
}

/** The states through which a batch goes, and that in which each step has work. */
const order: readonly BatchState[] = ['generating', 'open', 'updating', 'updated', 'closed'];
const stateOf = (step: BatchStep): BatchState =>
  ({ generate: 'generating', fetch: 'open', parse: 'open', updatedb: 'updating', index: 'updated' } as const)[step];

export function createBatches(store: Store, slots: Slots, exclusive: Exclusive) {
  const entryKey = (batchId: string, queue: string, rowKey: string): string =>
    `e${slots.ofQueue(queue)}|${batchId}|${queue}|${rowKey}`;
  const placeKey = (batchId: string, { slot, place }: Pick<BatchEntry, 'slot' | 'place'>): string =>
    `e${slot}|${batchId}|${place}`;
  /** Those that have been updated and wait for their consumers are in a zone of their own. */
  const rangesOf = (batchId: string, zone: 'e' | 'u', of: Iterable<string> = slots.all): KeyRange[] =>
    Array.from(of, (slot) => ({ start: `${zone}${slot}|${batchId}|`, end: `${zone}${slot}|${batchId}${FENCE}` }));
  const progress = createBatchProgress(store, slots, exclusive);

  function toEntry({ key, version }: Pick<StoredRow, 'key' | 'version'>): BatchEntry & { readonly batchId: string } {
    const [head = '', batchId = '', queue = ''] = key.split('|', 3);
    const place = key.slice(head.length + batchId.length + 2);
    return { batchId, rowKey: place.slice(queue.length + 1), queue, slot: head.slice(1), place, version };
  }

  async function write(changes: readonly RowChange[]): Promise<void> {
    if (changes.length > 0) await store.write('batch', changes);
  }

  /** A header, and what row it is in. */
  interface FoundHeader {
    readonly header?: BatchHeader;
    /** Its place in {@link HEADER_ZONES}; behind all where there is none. */
    readonly zone: number;
    /** Of the rows of all zones. */
    readonly versions: readonly (string | undefined)[];
  }

  async function read(batchId: string): Promise<FoundHeader> {
    const none = { zone: HEADER_ZONES.length, versions: [] };
    // A key must be printable ASCII, and no id that we made is anything else.
    if (!/^[\w-]{1,64}$/.test(batchId)) return none;
    const keys = HEADER_ZONES.map((zone) => headerKey(zone, batchId));
    const rows = await store.get('batch', keys, HEADER);
    const zone = rows.findIndex((row) => row !== undefined);
    const versions = rows.map((row) => row?.version);
    const cell = rows[zone]?.cells.get(INDEX_COLUMNS.batchHeader);
    return cell ? { header: { batchId, ...headerCodec.decode(cell) }, zone, versions } : { ...none, versions };
  }

  /** The header of a batch, open or closed; undefined where none is known. */
  const find = async (batchId: string): Promise<BatchHeader | undefined> => (await read(batchId)).header;

  /**
   * Changes the header of a batch, or makes one, or with null removes it, while nobody else changes it: where somebody else has
   * in between, it is decided on anew.
   * @param decide by the header as it is; undefined leaves it so
   * @returns the header that is there then
   */
  async function change(
    batchId: string,
    decide: (header: BatchHeader | undefined) => Omit<BatchHeader, 'batchId'> | null | undefined,
  ): Promise<BatchHeader | undefined> {
    const attempt = async (): Promise<{ header?: BatchHeader | undefined } | 'lost'> => {
      const { header: before, zone: from, versions } = await read(batchId);
      const decided = decide(before);
      if (decided === undefined) return { header: before };
      const header: BatchHeader | undefined = decided ? { ...decided, batchId } : undefined;
      const { batchId: _, ...stored } = header ?? {};
      const put = header && new Map([[INDEX_COLUMNS.batchHeader, headerCodec.encode(stored as BatchHeader)] as const]);
      const to = header ? HEADER_ZONES.indexOf(zoneOf(header.state)) : HEADER_ZONES.length;
      const keyOf = (zone: number): string => headerKey(HEADER_ZONES[zone] ?? 'h', batchId);
      // In the zone that comes after the one that holds: nobody reads it there before that one is gone.
      if (put && to > from) await write([{ key: keyOf(to), clear: true, put }]);
      const at = Math.min(from, to);
      const change: RowChange = { key: keyOf(at), clear: true, ...(put && to <= from && { put }) };
      const lost = await writeUnchanged(store, 'batch', [{ change, version: versions[at] }]);
      return lost.size > 0 ? 'lost' : { header };
    };
    for (;;) {
      const done = await (store.writeUnchanged ? attempt() : exclusive(`header ${batchId}`, attempt));
      if (done !== 'lost') return done.header;
    }
  }

  async function headersIn(zone: (typeof HEADER_ZONES)[number]): Promise<BatchHeader[]> {
    const batches: BatchHeader[] = [];
    const range = { start: headerKey(zone, ''), end: `${zone}${FENCE}` };
    for await (const rows of scanSteps(store, 'batch', HEADER, [range], STEP)) {
      for (const { key, cells } of rows) {
        const cell = cells.get(INDEX_COLUMNS.batchHeader);
        if (cell) batches.push({ batchId: key.slice(2), ...headerCodec.decode(cell) });
      }
    }
    return batches;
  }

  async function* entriesIn(ranges: readonly KeyRange[]): AsyncGenerator<BatchEntry[]> {
    for await (const rows of scanSteps(store, 'batch', ENTRY, ranges, STEP)) yield rows.map(toEntry);
  }

  const robotsRequests = createRobotsRequests(store, slots);

  async function clear(batchId: string, zone: 'e' | 'u', of?: Iterable<string>): Promise<void> {
    if (zone === 'e') await robotsRequests.clear(batchId, of);
    for (const range of rangesOf(batchId, zone, of)) {
      for await (const rows of scanSteps(store, 'batch', ENTRY, [range], STEP)) {
        await write(rows.map(({ key }) => ({ key, clear: true })));
      }
    }
  }

  return {
    find,

    change,

    /** @throws CrawlError UNKNOWN_BATCH */
    async get(batchId: string): Promise<BatchHeader> {
      return (await find(batchId)) ?? unknown(batchId);
    },

    /**
     * Moves a batch on that is in one of these states.
     * @throws CrawlError BATCH_CLOSING where another job has moved it on meanwhile; UNKNOWN_BATCH where it was removed
     */
    async advance(
      batchId: string,
      from: readonly BatchState[],
      to: (header: BatchHeader) => Omit<BatchHeader, 'batchId'>,
    ): Promise<void> {
      await change(batchId, (header) => {
        if (!header) return unknown(batchId);
        if (from.includes(header.state)) return to(header);
        throw new CrawlError(
          'BATCH_CLOSING',
          `expected batch ${batchId} to be ${from.join(' or ')}, found it ${header.state}`,
          {
            hint: 'another job has moved it on meanwhile; its pages stay due until updatedb has closed it',
          },
        );
      });
    },

    /** Removes a batch that holds no row, with what is left in its index. */
    async delete(batchId: string): Promise<void> {
      await clear(batchId, 'e');
      await change(batchId, () => null);
      await progress.clear(batchId);
    },

    /** How far slots of a batch are. @param of absent: all */
    progress: progress.of,
    /** Whether something is so of how far all slots of a batch are. */
    everyProgress: progress.every,
    /** Changes how far slots of a batch are, each while nobody else changes it. */
    changeProgress: progress.change,
    /** Requests for robots.txt that redirects of others lead to, from one slot to another. */
    robotsRequests,
    /** Removes what was noted of how far the slots of a batch are. */
    forget: progress.clear,
    /** The batches of which something is noted, be they closed or gone. */
    noted: progress.batches,

    /**
     * Whether a step has nothing left to do on a batch, in any slot. It is asked of work in shards: between passes over all of them.
     * @throws CrawlError UNKNOWN_BATCH, but for generate, which makes it
     */
    async isDone(batchId: string, step: BatchStep): Promise<boolean> {
      const header = await find(batchId);
      if (!header) return step === 'generate' ? false : unknown(batchId);
      const isPast = order.indexOf(header.state) > order.indexOf(stateOf(step));
      if (header.state === 'closed' || isPast) return true;
      if (header.state === 'generating' || step === 'generate' || step === 'updatedb') return false;
      if (step === 'index' && header.state !== 'updated') return false;
      return progress.isThrough(batchId, step);
    },

    /** The batches that hold pages: those that are neither updated nor closed, oldest first. */
    list: (): Promise<BatchHeader[]> => headersIn('h'),

    /** The batches that are updated and wait for a consumer, oldest first. */
    async listUpdated(): Promise<BatchHeader[]> {
      const updated = await headersIn('w');
      // One that is about to be updated is in both zones.
      const open = new Set(updated.length === 0 ? [] : (await headersIn('h')).map(({ batchId }) => batchId));
      return updated.filter(({ batchId }) => !open.has(batchId));
    },

    /** Enters rows into the index of a batch. Call it before they get their mark. */
    enter: (batchId: string, rows: readonly { readonly rowKey: string; readonly queue: string }[]): Promise<void> =>
      write(rows.map(({ rowKey, queue }) => ({ key: entryKey(batchId, queue, rowKey), clear: true, put: NOTHING }))),

    /** Removes entries from the index of a batch, but those that were entered again. Call it after their rows have lost their mark. */
    async remove(batchId: string, entries: readonly Pick<BatchEntry, 'slot' | 'place' | 'version'>[]): Promise<void> {
      const removed = entries.map(({ version, ...entry }) => ({
        change: { key: placeKey(batchId, entry), clear: true },
        version,
      }));
      await writeUnchanged(store, 'batch', removed);
    },

    /** Enters rows among those that were updated, which consumers can still find. Call it before they lose their mark. */
    keepUpdated: (batchId: string, rows: readonly BatchEntry[]): Promise<void> =>
      write(rows.map(({ slot, place }) => ({ key: `u${slot}|${batchId}|${place}`, clear: true, put: NOTHING }))),

    /**
     * Removes what is left in the index of a batch: of the rows that it holds, with the requests between its slots, or of those that
     * were updated. @param of the slots; absent: all
     */
    clear: (batchId: string, { updated = false, of }: ClearOptions = {}): Promise<void> =>
      clear(batchId, updated ? 'u' : 'e', of),

    /** Every row of a batch, in steps: slot by slot, in the order of their places. @param of the slots; absent: all */
    entries: (batchId: string, of?: Iterable<string>): AsyncGenerator<BatchEntry[]> =>
      entriesIn(rangesOf(batchId, 'e', of)),
    /** Every row of a batch that was updated, in steps. @param of the slots; absent: all */
    updated: (batchId: string, of?: Iterable<string>): AsyncGenerator<BatchEntry[]> =>
      entriesIn(rangesOf(batchId, 'u', of)),

    /** The queues of a batch, each with its hosts; slot by slot, in order of name. @param of the slots; absent: all */
    async *queues(batchId: string, of?: Iterable<string>): AsyncGenerator<BatchQueue> {
      let current: { queue: string; slot: string; hosts: HostKey[] } | undefined;
      for (const { start: first, end } of rangesOf(batchId, 'e', of)) {
        for (let start: string | undefined = first; start !== undefined;) {
          const range: KeyRange = { start, ...(end !== undefined && { end }) };
          const rows = await readRange(store, 'batch', ENTRY, range, HOST_STEP);
          for (const { queue, slot, rowKey } of rows.map(toEntry)) {
            const host = hostKeyOfRow(rowKey);
            const isSame = current?.queue === queue && current.slot === slot;
            if (current && !isSame) yield current;
            if (!current || !isSame) current = { queue, slot, hosts: [host] };
            else if (current.hosts.at(-1) !== host) current.hosts.push(host);
          }
          const last = rows.at(-1);
          const host = last && hostKeyOfRow(toEntry(last).rowKey);
          const isOfOneHost = host !== undefined && host === hostKeyOfRow(toEntry(rows[0]!).rowKey);
          start = rows.length < HOST_STEP ? undefined : after(last!.key);
          if (start !== undefined && isOfOneHost) {
            const { slot, queue } = toEntry(last!);
            start = placeKey(batchId, { slot, place: `${queue}|${rowsOfHost(host).end}` });
          }
        }
      }
      if (current) yield current;
    },

    /** The row keys of a queue, in order, from after `last` on, at most `limit`. */
    async rowKeys(
      batchId: string,
      { queue, slot }: Pick<BatchQueue, 'queue' | 'slot'>,
      last: string | undefined,
      limit: number,
    ): Promise<string[]> {
      const start = placeKey(batchId, { slot, place: `${queue}|` });
      const range = {
        start: last === undefined ? start : after(`${start}${last}`),
        end: `${start.slice(0, -1)}${FENCE}`,
      };
      return (await readRange(store, 'batch', ENTRY, range, limit)).map((row) => toEntry(row).rowKey);
    },

    /** Of each row, whether the index of the batch has it. */
    async has(rows: readonly { readonly batchId: string; readonly rowKey: string; readonly queue: string }[]) {
      // Entries of before slots were those of the frontier are in the slot of the bare name.
      const keys = rows.flatMap(({ batchId, rowKey, queue }) => [
        entryKey(batchId, queue, rowKey),
        `e${slots.of(queue as HostKey)}|${batchId}|${queue}|${rowKey}`,
      ]);
      const found = await store.get('batch', keys, ENTRY);
      return rows.map((_, i) => found[2 * i] !== undefined || found[2 * i + 1] !== undefined);
    },

    /** What the indexes of all batches name, in steps. @param of the slots that are read; absent: all */
    async *allEntries(of?: Iterable<string>): AsyncGenerator<(BatchEntry & { readonly batchId: string })[]> {
      const ranges = of
        ? Array.from(of, (slot) => ({ start: `e${slot}|`, end: `e${slot}${FENCE}` }))
        : [{ start: 'e', end: 'f' }];
      for await (const rows of scanSteps(store, 'batch', ENTRY, ranges, STEP)) {
        yield rows.filter(({ key }) => key.includes('|')).map(toEntry);
      }
    },

    /** Where the zones end. */
    fences: (): string[] =>
      ['h', 'w', 'p', ...slots.all.flatMap((slot) => [`e${slot}`, `r${slot}`, `u${slot}`])].map(
        (zone) => `${zone}${FENCE}`,
      ),
  };
}
