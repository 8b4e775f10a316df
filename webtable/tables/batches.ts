/**
 * The batches: a header per batch, and an index of the rows that each holds, so that a job reads its batch and nothing
 * else. Like every index it may be stale and never misses a row (law 4): a row is in a batch when its generate mark
 * says so.
 *
 * A queue is what politeness counts by: a host, a domain or an IP address. The index is keyed by row, so that the rows
 * of a host are one range; a directory names the hosts of each queue.
 */
import { CrawlError, safeText } from '../../packages/errors/index.js';
import { json, text } from '../pages/codec.js';
import { chunked } from '../pages/chunked.js';
import { hostRange } from '../keys/row-key.js';
import { INDEX_COLUMNS } from '../schema.js';
import { ALL_SLOTS, FENCE, slotOf } from '../keys/partition.js';
import type { KeyRange, RowChange, Store } from '../store.js';

/**
 * `generating`: rows are being selected; a batch left so by a killed job is taken back by the next generate.
 * `open`: may be fetched and parsed. `linking`: updatedb is adding its links, so that nothing may be fetched or parsed
 * any more. `closing`: all links are added, and its rows are being released. `closed`: no row is held.
 */
export type BatchState = 'generating' | 'open' | 'linking' | 'closing' | 'closed';

/** What is known of a batch as a whole. */
export interface BatchHeader {
  readonly batchId: string;
  readonly state: BatchState;
  /** Rows selected by generate, or fetched pages that moved on to it; targets of redirects join without being counted. */
  readonly size: number;
  /** A fetch of it has begun and not come to its end, so that the next one goes on where it stopped. */
  readonly fetching?: boolean;
}

const headerCodec = json<{ state: BatchState; size: number; fetching?: boolean }>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'state' in value &&
    typeof value.state === 'string' &&
    'size' in value &&
    typeof value.size === 'number',
);

/** Stores the header of a batch. Closed ones are kept apart, so that listing the others never slows down. */
export async function putBatch(store: Store, { batchId, ...header }: BatchHeader): Promise<void> {
  const put = new Map([[INDEX_COLUMNS.batchHeader, headerCodec.encode(header)] as const]);
  const changes: RowChange[] =
    header.state === 'closed'
      ? [
          { key: closedKey(batchId), put },
          { key: openKey(batchId), clear: true },
        ]
      : [{ key: openKey(batchId), put }];
  await store.write('batch', changes);
}

/** Forgets a batch that holds no row. */
export async function deleteBatch(store: Store, batchId: string): Promise<void> {
  await store.write('batch', [{ key: openKey(batchId), clear: true }]);
}

/** The header of a batch, open or closed; undefined where none is known. */
export async function findBatch(store: Store, batchId: string): Promise<BatchHeader | undefined> {
  // A key must be printable ASCII, and no id that we made is anything else.
  if (!/^[\w-]{1,64}$/.test(batchId)) return undefined;
  const rows = await store.get('batch', [openKey(batchId), closedKey(batchId)], [INDEX_COLUMNS.batchHeader]);
  const cell = rows.find((row) => row !== undefined)?.cells.get(INDEX_COLUMNS.batchHeader);
  return cell && { batchId, ...headerCodec.decode(cell) };
}

/** @throws CrawlError UNKNOWN_BATCH */
export async function getBatch(store: Store, batchId: string): Promise<BatchHeader> {
  const batch = await findBatch(store, batchId);
  if (!batch) {
    throw new CrawlError('UNKNOWN_BATCH', `expected the id of a batch, found "${safeText(batchId, 80)}"`, {
      hint: 'generate prints the id of each batch; `webcrawl readdb --stats` lists those that are open',
    });
  }
  return batch;
}

/** The batches that are not closed, oldest first. */
export async function listBatches(store: Store): Promise<BatchHeader[]> {
  const batches: BatchHeader[] = [];
  for await (const row of store.scan('batch', {
    ranges: [{ start: 'h|', end: `h${FENCE}` }],
    columns: [INDEX_COLUMNS.batchHeader],
  })) {
    const cell = row.cells.get(INDEX_COLUMNS.batchHeader);
    if (cell) batches.push({ batchId: row.key.slice(2), ...headerCodec.decode(cell) });
  }
  return batches;
}

/** Enters rows into the index of a batch, all of one host; call it before the rows get their mark. */
export function batchEntry(batchId: string, rowKey: string): RowChange {
  return {
    key: entryKey(slotOf(rowKey), batchId, rowKey),
    clear: true,
    put: new Map([[INDEX_COLUMNS.batchEntry, text.encode('')]]),
  };
}

/** Names a host of a queue; call it before the first row of the host is entered. */
export function queueEntry(batchId: string, queue: string, host: string): RowChange {
  return {
    key: `q|${batchId}|${queue}|${host}`,
    clear: true,
    put: new Map([[INDEX_COLUMNS.batchEntry, text.encode('')]]),
  };
}

export async function writeBatchIndex(store: Store, changes: readonly RowChange[]): Promise<void> {
  if (changes.length > 0) await store.write('batch', changes);
}

/** Removes rows from the index of a batch; call it after the rows have lost their mark. */
export async function removeEntries(store: Store, batchId: string, rowKeys: readonly string[]): Promise<void> {
  await writeBatchIndex(
    store,
    rowKeys.map((rowKey) => ({ key: entryKey(slotOf(rowKey), batchId, rowKey), clear: true })),
  );
}

/** Removes what is left in the index of a batch. */
export async function clearBatchIndex(store: Store, batchId: string): Promise<void> {
  for await (const keys of chunked(batchRowKeys(store, batchId), 1000)) await removeEntries(store, batchId, keys);
  const ranges = [queueRange(batchId)];
  for (;;) {
    const changes: RowChange[] = [];
    for await (const row of store.scan('batch', { ranges, columns: [INDEX_COLUMNS.batchEntry], limit: 1000 })) {
      changes.push({ key: row.key, clear: true });
    }
    if (changes.length === 0) return;
    await store.write('batch', changes);
  }
}

/** The queues of a batch, each with its hosts, in order of name. */
export async function* batchQueues(
  store: Store,
  batchId: string,
): AsyncGenerator<{ readonly queue: string; readonly hosts: readonly string[] }> {
  const range = queueRange(batchId);
  let current: { queue: string; hosts: string[] } | undefined;
  for await (const row of store.scan('batch', { ranges: [range], columns: [INDEX_COLUMNS.batchEntry] })) {
    const [queue, host] = row.key.slice(range.start.length).split('|') as [string, string];
    if (current && current.queue !== queue) yield current;
    if (current?.queue === queue) current.hosts.push(host);
    else current = { queue, hosts: [host] };
  }
  if (current) yield current;
}

/** The row keys that the index names for one host, in order, from after `after` on, at most `limit`. */
export async function hostRowKeys(
  store: Store,
  batchId: string,
  host: string,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { start, end } = hostRange(host);
  const slot = slotOf(start);
  const from = after === undefined ? start : `${after}\u0001`;
  const ranges = [{ start: entryKey(slot, batchId, from), end: entryKey(slot, batchId, end) }];
  const keys: string[] = [];
  for await (const row of store.scan('batch', { ranges, columns: [INDEX_COLUMNS.batchEntry], limit }))
    keys.push(rowKeyOfEntry(row.key));
  return keys;
}

/** Hosts of a batch up to which it pays to look where their rows are. */
const FEW_HOSTS = 64;

/** The slots in which a batch may have rows. */
async function slotsOf(store: Store, batchId: string): Promise<readonly string[]> {
  const ranges = [queueRange(batchId)];
  const slots = new Set<string>();
  let hosts = 0;
  for await (const { key } of store.scan('batch', {
    ranges,
    columns: [INDEX_COLUMNS.batchEntry],
    limit: FEW_HOSTS + 1,
  })) {
    hosts += 1;
    slots.add(slotOf(hostRange(key.slice(key.lastIndexOf('|') + 1)).start));
  }
  return hosts > FEW_HOSTS ? ALL_SLOTS : [...slots].sort();
}

/** Every row key that the index names for a batch. */
export async function* batchRowKeys(store: Store, batchId: string): AsyncGenerator<string> {
  const ranges = (await slotsOf(store, batchId)).map((slot) => ({
    start: `e${slot}|${batchId}|`,
    end: `e${slot}|${batchId}}`,
  }));
  for await (const row of store.scan('batch', { ranges, columns: [INDEX_COLUMNS.batchEntry] }))
    yield rowKeyOfEntry(row.key);
}

/** Of each row, whether the index of the batch names it. */
export async function hasBatchEntries(
  store: Store,
  rows: readonly { readonly batchId: string; readonly rowKey: string }[],
): Promise<boolean[]> {
  const keys = rows.map(({ batchId, rowKey }) => entryKey(slotOf(rowKey), batchId, rowKey));
  return (await store.get('batch', keys, [INDEX_COLUMNS.batchEntry])).map((row) => row !== undefined);
}

/** What the indexes of all batches name. */
export async function* allBatchEntries(
  store: Store,
): AsyncGenerator<{ readonly batchId: string; readonly rowKey: string }> {
  const options = { ranges: [{ start: 'e', end: 'f' }], columns: [INDEX_COLUMNS.batchEntry] };
  for await (const { key } of store.scan('batch', options)) {
    const start = key.indexOf('|') + 1;
    if (start === 0) continue;
    yield { batchId: key.slice(start, key.indexOf('|', start)), rowKey: rowKeyOfEntry(key) };
  }
}

/** Where the zones of the batches end. */
export function batchFences(): string[] {
  return ['h', 'q', ...ALL_SLOTS.map((slot) => `e${slot}`)].map((zone) => `${zone}${FENCE}`);
}

function openKey(batchId: string): string {
  return `h|${batchId}`;
}

function closedKey(batchId: string): string {
  return `d|${batchId}`;
}

/** Where the queues of a batch are named. */
function queueRange(batchId: string): KeyRange {
  return { start: `q|${batchId}|`, end: `q|${batchId}${FENCE}` };
}

function entryKey(slot: string, batchId: string, rowKey: string): string {
  return `e${slot}|${batchId}|${rowKey}`;
}

function rowKeyOfEntry(key: string): string {
  return key.slice(key.indexOf('|', key.indexOf('|') + 1) + 1);
}
