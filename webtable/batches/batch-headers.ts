/** The headers of the batches. A header has the data of the whole batch. */
import { CrawlError, safeText } from '../../packages/errors/index.js';
import { FENCE, type Slots } from '../keys/partition.js';
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';

/**
 * `generating`: rows are being selected. If the job is killed, the next generate releases the batch. `open`: may be fetched and parsed.
 * `updating`: updatedb adds the links of the batch and releases its rows. These rows may not be fetched or parsed, because the index of the
 * batch still names released rows. `updated`: all rows are released, but consumers still need to find them, or inboxes may still have
 * links of the batch. `closed`: only the header is left.
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

/** A header without the name of its batch, as it is stored. */
type StoredHeader = Omit<BatchHeader, 'batchId'>;

const codec = json<StoredHeader>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'state' in value &&
    typeof value.state === 'string' &&
    'size' in value &&
    typeof value.size === 'number',
);
const COLUMNS = [INDEX_COLUMNS.batchHeader];
const STEP = 1000;

/**
 * Zones of the headers. A list reads only one zone, so headers in other zones do not slow the list down. If a header is in two zones, the
 * header in the first of them is right.
 */
const ZONES = ['h', 'w', 'd'] as const;
type Zone = (typeof ZONES)[number];
const keyOf = (zone: Zone, batchId: string): string => `${zone}|${batchId}`;
const zoneOf = (state: BatchState): Zone => (state === 'updated' ? 'w' : state === 'closed' ? 'd' : 'h');

/** @throws CrawlError UNKNOWN_BATCH */
export function unknownBatch(batchId: string): never {
  throw new CrawlError('UNKNOWN_BATCH', `no batch has the id "${safeText(batchId, 80)}"`, {
    hint: 'generate prints the id of each batch; `webcrawl readdb --stats` lists the open batches',
  });
}

export function createBatchHeaders(store: Store, slots: Slots, exclusive: Exclusive) {
  /**
   * Reads the header of a batch. Also returns the index of the zone of the header, and the version of the batch's row in each zone. If
   * there is no header, the index is beyond the last zone.
   */
  async function read(batchId: string) {
    const none = { header: undefined, zone: ZONES.length, versions: [] };
    // A key must be printable ASCII. All batch ids match this pattern.
    if (!/^[\w-]{1,64}$/.test(batchId)) return none;
    const keys = ZONES.map((zone) => keyOf(zone, batchId));
    const rows = await store.get('batch', keys, COLUMNS);
    const zone = rows.findIndex((row) => row !== undefined);
    const versions = rows.map((row) => row?.version);
    const cell = rows[zone]?.cells.get(INDEX_COLUMNS.batchHeader);
    return cell ? { header: { batchId, ...codec.decode(cell) }, zone, versions } : { ...none, versions };
  }

  /** The header of a batch, open or closed; undefined if there is no such batch. */
  const find = async (batchId: string): Promise<BatchHeader | undefined> => (await read(batchId)).header;

  /**
   * Changes, creates or (with null) removes the header of a batch. If another writer changes it meanwhile, `decide` is called again.
   * @param decide gets the current header, and returns the new one; undefined leaves the header unchanged
   * @returns the new header
   */
  function change(
    batchId: string,
    decide: (header: BatchHeader | undefined) => StoredHeader | null | undefined,
  ): Promise<BatchHeader | undefined> {
    const attempt = async () => {
      const { header: before, zone: from, versions } = await read(batchId);
      const decided = decide(before);
      if (decided === undefined) return { done: before };
      const header: BatchHeader | undefined = decided ? { ...decided, batchId } : undefined;
      const { batchId: _, ...stored } = header ?? {};
      const put = header && new Map([[INDEX_COLUMNS.batchHeader, codec.encode(stored as BatchHeader)] as const]);
      const to = header ? ZONES.indexOf(zoneOf(header.state)) : ZONES.length;
      const keyIn = (zone: number): string => keyOf(ZONES[zone] ?? 'h', batchId);
      // The new zone comes after the current one, so readers ignore the new header until the old header is removed.
      if (put && to > from) await store.write('batch', [{ key: keyIn(to), clear: true, put }]);
      const at = Math.min(from, to);
      const change: RowChange = { key: keyIn(at), clear: true, ...(put && to <= from && { put }) };
      const lost = await writeUnchanged(store, 'batch', [{ change, version: versions[at] }]);
      return lost.size > 0 ? 'lost' : { done: header };
    };
    return untilUnchanged(store, exclusive, attempt, `header ${batchId}`);
  }

  async function headersIn(zone: Zone): Promise<BatchHeader[]> {
    const batches: BatchHeader[] = [];
    const range = { start: keyOf(zone, ''), end: `${zone}${FENCE}` };
    for await (const rows of scanSteps(store, 'batch', COLUMNS, [range], STEP)) {
      for (const { key, cells } of rows) {
        const cell = cells.get(INDEX_COLUMNS.batchHeader);
        if (cell) batches.push({ batchId: key.slice(2), ...codec.decode(cell) });
      }
    }
    return batches;
  }

  return {
    find,
    change,

    /** @throws CrawlError UNKNOWN_BATCH */
    async get(batchId: string): Promise<BatchHeader> {
      return (await find(batchId)) ?? unknownBatch(batchId);
    },

    /**
     * Moves a batch to another state, if the batch is in one of the states `from`.
     * @throws CrawlError BATCH_CLOSING if another job has changed the state meanwhile; UNKNOWN_BATCH if the batch was removed
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
     * @param last returns the new header of a batch without slots; null removes the batch. Default: {@link updatedHeader}
     * @returns whether the batch has no slots any more
     */
    async removeSlots(
      batchId: string,
      ofSlots: ReadonlySet<string> | undefined,
      last: (header: BatchHeader) => StoredHeader | null = updatedHeader,
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
    async listUpdated(): Promise<BatchHeader[]> {
      const updated = await headersIn('w');
      // While a batch moves to the state `updated`, it is in both zones for a moment. It is then still in its old state.
      const open = new Set(updated.length === 0 ? [] : (await headersIn('h')).map(({ batchId }) => batchId));
      return updated.filter(({ batchId }) => !open.has(batchId));
    },
  };
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
