/** The headers of the batches. A header has the data of the whole batch. */
import { CrawlError, safeText } from '../../packages/errors/index.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { isRecord, json, text } from '../pages/codec.js';
import type { PageRow } from '../pages/page.js';
import { removals, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { changeShared } from '../change-shared.js';

/**
 * `generating`: rows are being selected. If the job is killed, the next generate releases the batch. `open`: may be fetched and parsed.
 * `updating`: updatedb adds the links of the batch and releases its rows. These rows may not be fetched or parsed, because the index of the
 * batch still names released rows. `updated`: all rows are released, but consumers still need to find them, or inboxes may still have
 * links of the batch. `closed`: only the header is left, for good.
 */
export type BatchState = 'generating' | 'open' | 'updating' | 'updated' | 'closed';

/** The maximum size of a chunk. */
export interface ChunkSize {
  readonly pages: number;
  readonly links: number;
}

/** The data of a whole batch. */
export interface BatchHeader {
  readonly batchId: string;
  readonly state: BatchState;
  /**
   * Number of rows that generate selected, or of fetched pages that moved into the batch. Redirect targets that join the batch are not
   * counted.
   */
  readonly size: number;
  /** The version of the rules when generate selected the rows, or when the first rows moved into the batch. Absent if there were no rules. */
  readonly rules?: string;
  /** The slots whose rows are not released yet. Absent: all slots of the table. */
  readonly slots?: readonly string[];
  /**
   * Updatedb cuts the pages of a slot into chunks. A chunk ends with the page at which it has this number of pages or links, so every run of
   * updatedb cuts at the same pages. Set when the batch gets the state `updating`.
   */
  readonly chunk?: ChunkSize;
  /** The slots whose links are all added to rows or put into inboxes. Updatedb does not add them again. */
  readonly linked?: readonly string[];
  /** The slots whose inboxes may have links of the batch. Their owners remove them when they have folded the updated batch. */
  readonly inboxes?: readonly string[];
  /** The consumers that have not read the batch yet. Set when the batch gets the state `updating`. */
  readonly consumers?: readonly string[];
}

type MarkedRow = Pick<PageRow<'marks'>, 'key' | 'marks'>;

/** A header without the name of its batch, as it is stored. */
type StoredHeader = Omit<BatchHeader, 'batchId'>;

export const headerCodec = json<StoredHeader>(
  (value) => isRecord(value) && typeof value.state === 'string' && typeof value.size === 'number',
);
const HEADER = INDEX_COLUMNS.batchHeader;
const ENTRY = INDEX_COLUMNS.batchEntry;
const NOTHING = new Map([[ENTRY, text.encode('')] as const]);
const STEP = 1000;

/** The key of a header. A header is never deleted: otherwise a late call that has created it would create it again. */
export const headerKey = (batchId: string): string => `d|${batchId}`;

/**
 * Zones with an entry for each header that is not closed: `h` for batches that hold pages, `w` for updated batches. A list reads the headers
 * of one zone only. An entry is written before the header enters the zone, or after the header is created, but before its first row. It is
 * removed after the header has left the zone. So an entry may be stale, but is never missing.
 */
type Zone = 'h' | 'w';
const zoneOf = (state: BatchState): Zone | undefined =>
  state === 'updated' ? 'w' : state === 'closed' ? undefined : 'h';
/** Whether the headers of an entry's zone have no more use for the entry. */
const hasLeft = (zone: Zone, state: BatchState): boolean => state === 'closed' || (zone === 'h' && state === 'updated');

/** @throws CrawlError UNKNOWN_BATCH */
export function unknownBatch(batchId: string): never {
  throw new CrawlError('UNKNOWN_BATCH', `no batch has the id "${safeText(batchId, 80)}"`, {
    hint: 'generate prints the id of each batch; `webcrawl readdb --stats` lists the open batches',
  });
}

export function createBatchHeaders(store: Store, slots: Slots, exclusive: Exclusive) {
  /** The header of a batch, open or closed; undefined if there is no such batch. */
  async function find(batchId: string): Promise<BatchHeader | undefined> {
    // A key must be printable ASCII. All batch ids match this pattern.
    if (!/^[\w-]{1,64}$/.test(batchId)) return undefined;
    return (await findAll([batchId]))[0];
  }

  async function findAll(batchIds: readonly string[]): Promise<(BatchHeader | undefined)[]> {
    const rows = await store.get('batch', batchIds.map(headerKey), [HEADER]);
    return rows.map((row, i) => headerIn(batchIds[i]!, row));
  }

  /**
   * Changes or creates the header of a batch. If another writer changes it meanwhile, `decide` is called again.
   * @param decide gets the current header, and returns the new one; undefined leaves the header unchanged
   * @returns the new header
   */
  async function change(
    batchId: string,
    decide: (header: BatchHeader | undefined) => StoredHeader | undefined,
  ): Promise<BatchHeader | undefined> {
    let before: BatchHeader | undefined;
    let after: BatchHeader | undefined;
    const row = { table: 'batch', keys: [headerKey(batchId)], column: HEADER } as const;
    const decided = async (_: string, found: StoredRow | undefined) => {
      before = headerIn(batchId, found);
      const header = decide(before);
      after = header ? { ...header, batchId } : before;
      if (!header) return undefined;
      if (before && zoneOf(header.state) !== zoneOf(before.state)) await enter(zoneOf(header.state), batchId);
      const { batchId: __, ...stored } = after!;
      return { put: new Map([[HEADER, headerCodec.encode(stored)]]) };
    };
    await changeShared(store, exclusive, row, decided, `header ${batchId}`);
    if (!before && after) await enter(zoneOf(after.state), batchId);
    const old = before && zoneOf(before.state);
    if (old && after && hasLeft(old, after.state)) await store.write('batch', removals([`${old}|${batchId}`]));
    return after;
  }

  async function enter(zone: Zone | undefined, batchId: string): Promise<void> {
    if (zone) await store.write('batch', [{ key: `${zone}|${batchId}`, clear: true, put: NOTHING }]);
  }

  /** Yields the entries of a zone with their headers, in steps, oldest batch first. */
  async function* entriesOf(zone: Zone): AsyncGenerator<{ readonly key: string; readonly header: BatchHeader }[]> {
    const range = { start: `${zone}|`, end: `${zone}${FENCE}` };
    for await (const rows of scanSteps(store, 'batch', [ENTRY], [range], STEP)) {
      const headers = await findAll(rows.map(({ key }) => key.slice(2)));
      yield rows.flatMap(({ key }, i) => (headers[i] ? [{ key, header: headers[i] }] : []));
    }
  }

  async function headersIn(zone: Zone): Promise<BatchHeader[]> {
    const found: BatchHeader[] = [];
    for await (const entries of entriesOf(zone)) {
      for (const { header } of entries) if (zoneOf(header.state) === zone) found.push(header);
    }
    return found;
  }

  return {
    find,
    /** Like `find`, for several batches. */
    findAll,
    change,

    /** @throws CrawlError UNKNOWN_BATCH */
    async get(batchId: string): Promise<BatchHeader> {
      return (await find(batchId)) ?? unknownBatch(batchId);
    },

    /**
     * Moves a batch to another state, if the batch is in one of the states `from`.
     * @throws CrawlError BATCH_CLOSING if another job has changed the state meanwhile; UNKNOWN_BATCH if there is no such batch
     */
    async advance(
      batchId: string,
      from: readonly BatchState[],
      to: (header: BatchHeader) => StoredHeader,
    ): Promise<void> {
      await change(batchId, (header) => {
        if (!header) return unknownBatch(batchId);
        if (from.includes(header.state)) return to(header);
        throw new CrawlError('BATCH_CLOSING', `batch ${batchId} is ${header.state}, not ${from.join(' or ')}`, {
          hint: 'another job has changed the state of the batch meanwhile; its pages stay due until updatedb has closed the batch',
        });
      });
    },

    /**
     * Removes slots from a batch. Call it after their rows are released. The last slots move the batch on.
     * @param ofSlots absent: all slots
     * @param last returns the new header of a batch without slots. Default: {@link updatedHeader}
     * @returns whether the batch has no slots any more
     */
    async removeSlots(
      batchId: string,
      ofSlots: ReadonlySet<string> | undefined,
      last: (header: BatchHeader) => StoredHeader = updatedHeader,
    ): Promise<boolean> {
      let hasMovedOn = true;
      await change(batchId, (header) => {
        hasMovedOn = true;
        if (!header || header.state === 'updated' || header.state === 'closed') return undefined;
        const left = ofSlots ? (header.slots ?? slots.all).filter((slot) => !ofSlots.has(slot)) : [];
        hasMovedOn = left.length === 0;
        return hasMovedOn ? last(header) : { ...header, slots: left };
      });
      return hasMovedOn;
    },

    /**
     * Returns the keys of the rows whose mark is void: the header of their batch does not list their slot any more. Only a late change of a
     * former owner sets such a mark.
     */
    async voidMarks(rows: readonly (MarkedRow | undefined)[]): Promise<ReadonlySet<string>> {
      const held = rows.flatMap((row) =>
        row?.marks?.generate === undefined ? [] : [[row.key, row.marks.generate] as const],
      );
      const ids = [...new Set(held.map(([, batchId]) => batchId))];
      const headers = new Map((await findAll(ids)).map((header, i) => [ids[i], header]));
      const isVoid = (key: string, header: BatchHeader | undefined): boolean =>
        header !== undefined && (zoneOf(header.state) !== 'h' || header.slots?.includes(slots.ofRow(key)) === false);
      return new Set(held.flatMap(([key, batchId]) => (isVoid(key, headers.get(batchId)) ? [key] : [])));
    },

    /** Creates the header of a batch whose rows are held, if there is none; and a missing entry of a header. */
    async restore(batchId: string, size: number): Promise<void> {
      const header = await change(batchId, (found) => (found ? undefined : { state: 'open', size }));
      await enter(zoneOf(header!.state), batchId);
    },

    /** Lists the batches that hold pages, oldest first. Updated and closed batches are left out. */
    list: (): Promise<BatchHeader[]> => headersIn('h'),

    /** Removes slots from the inboxes of an updated batch. Call it after these inboxes were folded. */
    async removeInboxes(batchId: string, ofSlots: ReadonlySet<string>): Promise<void> {
      await change(batchId, (header) => {
        if (header?.state !== 'updated' || !header.inboxes?.some((slot) => ofSlots.has(slot))) return undefined;
        return updatedHeader({ ...header, inboxes: header.inboxes.filter((slot) => !ofSlots.has(slot)) });
      });
    },

    /** Lists the updated batches that wait for a consumer or for owners of inboxes, oldest first. */
    listUpdated: (): Promise<BatchHeader[]> => headersIn('w'),

    /**
     * Removes entries of batches that have moved on, which a kill has left.
     * @returns the number of removed entries
     */
    async removeStaleEntries(): Promise<number> {
      let removed = 0;
      for (const zone of ['h', 'w'] as const) {
        for await (const entries of entriesOf(zone)) {
          const stale = entries.filter(({ header }) => hasLeft(zone, header.state));
          removed += stale.length;
          await store.write('batch', removals(stale.map(({ key }) => key)));
        }
      }
      return removed;
    },
  };
}

function headerIn(batchId: string, row: StoredRow | undefined): BatchHeader | undefined {
  const cell = row?.cells.get(HEADER);
  return cell && { batchId, ...headerCodec.decode(cell) };
}

/** Returns the header of a batch whose rows are all released: `closed` if nothing waits for the batch, else `updated`. */
export function updatedHeader({ size, consumers = [], inboxes = [] }: BatchHeader): StoredHeader {
  if (consumers.length === 0 && inboxes.length === 0) return { size, state: 'closed' };
  return {
    size,
    state: 'updated',
    ...(consumers.length > 0 && { consumers }),
    ...(inboxes.length > 0 && { inboxes }),
  };
}
