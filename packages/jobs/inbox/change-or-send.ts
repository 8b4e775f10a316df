import {
  EncodedFields,
  encodeFields,
  FRONTIER_FIELDS,
  type Decide,
  type Field,
  type FrontierField,
  type NewInboxEntry,
  type PageChange,
  type PageRow,
  type PlainField,
} from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { inSlots } from '../shards/job-slots.js';

/** The change of a row, as an inbox stores it. */
export interface SentChange {
  readonly kind: 'change';
  /** The values of fields, as they are stored, in base64. */
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly PlainField[];
  readonly marks: NonNullable<PageChange['marks']>;
}

/**
 * Changes rows of any slots. A row in a slot of another worker is read, and its change is put into the inbox of the slot. So is the change of a
 * row for which earlier changes wait there, and `decide` gets the row with these changes. The frontier must not depend on the fields that are
 * changed. A slot that no worker holds is held for the time of this call.
 * @param job the name of the job, for other workers that wait for a slot
 */
export async function changeOrSend<F extends Field>(
  crawl: Pick<CrawlContext, 'tables' | 'clock'>,
  job: string,
  keys: readonly string[],
  fields: readonly F[],
  decide: Decide<F>,
): Promise<void> {
  if (keys.length === 0) return;
  const { pages, slots, inboxes, changeRows } = crawl.tables;
  const how = { slots: [...new Set(keys.map(slots.ofRow))], leaseWaitMs: 0, leaveTaken: true };
  await inSlots(crawl, { job }, how, async ({ slots: held }) => {
    // Before the rows are read: the owner of a slot may make the changes meanwhile.
    const waiting = await waitingChanges(crawl.tables, keys);
    const isOwn = (key: string): boolean => held.has(slots.ofRow(key)) && !waiting.has(key);
    await changeRows(keys.filter(isOwn), fields, crawl.clock(), decide);
    const others = keys.filter((key) => !isOwn(key));
    if (others.length === 0) return;
    const rows = await pages.getMany<F | FrontierField>(others, [...new Set([...fields, ...FRONTIER_FIELDS])]);
    const later = rows.map((row) => row && withChanges(row, waiting.get(row.key) ?? []));
    const changes = await decide(later, others, () => {});
    const run = inboxes.newRun(crawl.clock());
    await inboxes.put(changes.flatMap((change) => (change ? [entryOf(run, change)] : [])));
  });
}

/** Returns the changes of rows that wait in inboxes, in their order. */
async function waitingChanges(
  { inboxes }: CrawlContext['tables'],
  keys: readonly string[],
): Promise<ReadonlyMap<string, readonly SentChange[]>> {
  const found = new Map<string, SentChange[]>();
  const wanted = new Set(keys);
  for await (const entries of inboxes.entriesAround(keys)) {
    for (const { rowKey, value } of entries) {
      const sent = value as Partial<SentChange> | undefined;
      if (sent?.kind !== 'change' || !wanted.has(rowKey)) continue;
      found.set(rowKey, [...(found.get(rowKey) ?? []), sent as SentChange]);
    }
  }
  return found;
}

/** Returns a row as it is after some sent changes. */
function withChanges<R extends PageRow<never> & { readonly marks?: PageRow<'marks'>['marks'] }>(
  row: R,
  sent: readonly SentChange[],
): R {
  if (sent.length === 0) return row;
  const { encoded = [], unset = [], marks = {} } = sentChange(row.key, sent);
  const after = { ...row, ...decoded([...encoded]), marks: withoutNulls({ ...row.marks, ...marks }) };
  return Object.fromEntries(Object.entries(after).filter(([field]) => !unset.includes(field as PlainField))) as R;
}

function decoded(cells: readonly (readonly [PlainField, Uint8Array])[]): object {
  const fields = cells.map(([field]) => field);
  let end = 0;
  const ends = cells.map(([, cell]) => (end += cell.length));
  const memory = new Uint8Array(Buffer.concat(cells.map(([, cell]) => cell))).buffer;
  return EncodedFields.unpack({ fields, ends, memory }).decode(fields);
}

const withoutNulls = (marks: NonNullable<PageChange['marks']>): PageRow<'marks'>['marks'] =>
  Object.fromEntries(Object.entries(marks).filter(([, value]) => value !== null));

function entryOf(run: string, { key, set = {}, unset = [], marks = {} }: PageChange): NewInboxEntry {
  const cells = Array.from(
    encodeFields(set),
    ([field, cell]) => [field, Buffer.from(cell).toString('base64')] as const,
  );
  const value: SentChange = { kind: 'change', set: Object.fromEntries(cells), unset, marks };
  return { rowKey: key, source: { run, slot: '', part: '' }, value };
}

/** Returns the change of a row that makes some sent changes in their order. */
export function sentChange(key: string, sent: readonly SentChange[]): PageChange {
  const encoded = new Map<PlainField, Uint8Array>();
  const unset = new Set<PlainField>();
  for (const change of sent) {
    for (const field of change.unset) {
      encoded.delete(field);
      unset.add(field);
    }
    for (const [field, cell] of Object.entries(change.set)) {
      encoded.set(field as PlainField, Buffer.from(cell, 'base64'));
      unset.delete(field as PlainField);
    }
  }
  const marks = Object.fromEntries(sent.flatMap((change) => Object.entries(change.marks)));
  return { key, encoded, unset: [...unset], marks };
}
