import {
  encodeFields,
  type Decide,
  type Field,
  type NewInboxEntry,
  type PageChange,
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
 * Changes rows of any slots. A row in a slot of another worker is read, and its change is put into the inbox of the slot. The
 * frontier must not depend on the fields that are changed. A slot that no worker holds is held for the time of this call.
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
    const isOwn = (key: string): boolean => held.has(slots.ofRow(key));
    await changeRows(keys.filter(isOwn), fields, crawl.clock(), decide);
    const others = keys.filter((key) => !isOwn(key));
    if (others.length === 0) return;
    const rows = await pages.getMany<F | 'dueAt' | 'score' | 'marks' | 'refusedBy'>(others, [
      ...fields,
      'dueAt',
      'score',
      'marks',
      'refusedBy',
    ]);
    const changes = await decide(rows, others, () => {});
    const run = inboxes.newRun(crawl.clock());
    await inboxes.put(changes.flatMap((change) => (change ? [entryOf(run, change)] : [])));
  });
}

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
