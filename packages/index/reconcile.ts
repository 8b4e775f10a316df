import type { IndexChange, IndexEntry, IndexWriter } from '../plugin-api/index.js';
import { INDEX_FIELDS, type Built, type IndexRow } from './documents/build-document.js';
import type { IndexRun } from './indexer.js';
import { ROWS, staysAway } from './judge.js';

/** Entries of the index read at a time. */
const ENTRIES = 1000;

/** What was found to differ between table and index. */
export interface Lag {
  /** Pages that were not in the index. */
  missing: number;
  /** Documents that no page bears out. */
  superfluous: number;
  /** Documents that are not as their page is. */
  stale: number;
}

/**
 * Walks table and index side by side in key order, and puts right what differs.
 * @param onStep awaited after every few rows; it may change the index
 * @returns undefined when the job was to end before
 */
export async function reconcile(run: IndexRun, onStep = (): Promise<void> | void => {}): Promise<Lag | undefined> {
  const { crawl, writer, tracker, buffer, judge } = run;
  const lag: Lag = { missing: 0, superfluous: 0, stale: 0 };
  const entries = entriesOf(writer);
  let entry = await entries.next();
  /** Entries without a row in the step that was read. */
  let lonely: IndexEntry[] = [];

  async function compare(rows: readonly IndexRow[], entryOf: (key: string) => IndexEntry | undefined): Promise<void> {
    const built = await judge.judge(rows);
    for (const [i, { key, marks }] of rows.entries()) {
      const each = built[i]!;
      const found = entryOf(key);
      if ('document' in each) {
        const change = changeOf(each.document, found);
        if (!change) tracker.count('unchanged');
        else if (change.type === 'put') lag[found ? 'stale' : 'missing'] += 1;
        if (change || marks?.index !== (marks?.updatedb ?? 'y')) await buffer.add(key, change, true);
      } else if (staysAway(each.leftOut) && (found || marks?.index !== undefined)) {
        if (found) lag.superfluous += 1;
        await buffer.add(key, found && { type: 'remove', key }, false);
      }
    }
  }

  /** A row may have come since its step was read, and be in the index by its batch. */
  async function compareLonely(): Promise<void> {
    const some = new Map(lonely.map((each) => [each.key, each]));
    lonely = [];
    const rows = await crawl.tables.pages.getMany([...some.keys()], INDEX_FIELDS);
    const present = rows.filter((row) => row !== undefined);
    await compare(present, (key) => some.get(key));
    for (const { key } of present) some.delete(key);
    lag.superfluous += some.size;
    for (const key of some.keys()) await buffer.remove(key);
  }

  /** Goes on to the entry of a row, or behind all. */
  async function pass(key: string | undefined): Promise<IndexEntry | undefined> {
    while (!entry.done && (key === undefined || entry.value.key < key)) {
      lonely.push(entry.value);
      if (lonely.length >= ROWS) await compareLonely();
      entry = await entries.next();
    }
    if (entry.done || entry.value.key !== key) return undefined;
    const found = entry.value;
    entry = await entries.next();
    return found;
  }

  for await (const rows of inSteps(crawl.tables.pages.scan({ fields: INDEX_FIELDS }))) {
    if (tracker.aborted) return undefined;
    const found = new Map<string, IndexEntry | undefined>();
    for (const { key } of rows) found.set(key, await pass(key));
    await compare(rows, (key) => found.get(key));
    tracker.done(rows.length);
    await onStep();
  }
  await pass(undefined);
  await compareLonely();
  await buffer.flush();
  return tracker.aborted ? undefined : lag;
}

function changeOf(
  document: Extract<Built, { document: unknown }>['document'],
  found: IndexEntry | undefined,
): Exclude<IndexChange, { type: 'remove' }> | undefined {
  const { key, rank, fetchedAt, fingerprint } = document;
  if (found?.fingerprint !== fingerprint) return { type: 'put', document };
  return found.rank === rank && found.fetchedAt === fetchedAt ? undefined : { type: 'touch', key, rank, fetchedAt };
}

async function* entriesOf(writer: IndexWriter): AsyncGenerator<IndexEntry, undefined> {
  for (let after: string | undefined; ;) {
    const step = await writer.entries(after, ENTRIES);
    yield* step;
    if (step.length < ENTRIES) return undefined;
    after = step.at(-1)!.key;
  }
}

async function* inSteps(rows: AsyncIterable<IndexRow>): AsyncGenerator<IndexRow[]> {
  let step: IndexRow[] = [];
  for await (const row of rows) {
    step.push(row);
    if (step.length < ROWS) continue;
    yield step;
    step = [];
  }
  if (step.length > 0) yield step;
}
