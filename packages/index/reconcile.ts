import { chunked, type IndexChange, type IndexEntry, type IndexWriter } from '../core/index.js';
import { INDEX_FIELDS, type Built, type IndexRow } from './documents/build-document.js';
import type { IndexRun } from './indexer.js';
import { ROWS, staysAway } from './judge.js';

const ENTRIES_PER_READ = 1000;

export interface Lag {
  /** Number of pages that were not in the index. */
  missing: number;
  /** Number of documents without a page. */
  superfluous: number;
  /** Number of documents that differ from their pages. */
  stale: number;
}

/**
 * Walks table and index side by side in key order, and corrects the differences.
 * @param onStep called and awaited after each step of a few rows. It may change the index
 * @returns undefined when the job was stopped before the end
 */
export async function reconcile(run: IndexRun, onStep = (): Promise<void> | void => {}): Promise<Lag | undefined> {
  const { crawl, writer, tracker, buffer, judge } = run;
  const lag: Lag = { missing: 0, superfluous: 0, stale: 0 };
  const entries = entriesOf(writer);
  let entry = await entries.next();
  /** Entries for which no row was found in the step. */
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

  /** Looks for the rows of these entries once more. A row may have been added and indexed after its step was read. */
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

  /** Reads entries up to the entry of a row, and returns that entry. Without a key, reads all remaining entries. */
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

  for await (const rows of chunked(crawl.tables.pages.scan({ fields: INDEX_FIELDS }), ROWS)) {
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
    const step = await writer.entries(after, ENTRIES_PER_READ);
    yield* step;
    if (step.length < ENTRIES_PER_READ) return undefined;
    after = step.at(-1)!.key;
  }
}
