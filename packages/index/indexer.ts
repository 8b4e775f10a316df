import type { BatchHeader } from '../../webtable/index.js';
import { noteDone, partOf, type Count, type CrawlContext, type Tracker } from '../jobs/index.js';
import type { IndexWriter } from '../plugin-api/index.js';
import { createChangeBuffer, type ChangeBuffer } from './change-buffer.js';
import { INDEX_FIELDS } from './documents/build-document.js';
import { addBuilt, createJudge, ROWS, type Judge } from './judge.js';

/** The name under which the index reads the batches that were updated. */
export const CONSUMER = 'index';

/** What one run of the job works with. */
export interface IndexRun {
  readonly crawl: CrawlContext;
  readonly writer: IndexWriter;
  readonly tracker: Tracker;
  readonly buffer: ChangeBuffer;
  readonly judge: Judge;
}

export function createRun(crawl: CrawlContext, writer: IndexWriter, tracker: Tracker): IndexRun {
  const buffer = createChangeBuffer(crawl, writer, tracker);
  return { crawl, writer, tracker, buffer, judge: createJudge(crawl, tracker, buffer) };
}

/** Those that wait to be indexed. */
export async function updatedBatches({ tables: { batches } }: CrawlContext): Promise<string[]> {
  const all = await batches.listUpdated();
  return all.filter(({ consumers = [] }) => consumers.includes(CONSUMER)).map(({ batchId }) => batchId);
}

/**
 * Brings the pages of a batch into the index that updatedb has closed, marks them, and takes the name of the index off the batch; where
 * nobody else is to read it the batch is closed. Killed anywhere it is read again.
 */
export async function indexBatch(run: IndexRun, batchId: string): Promise<void> {
  const part = partOf(run.crawl);
  const slots = part && (await slotsLeft(run.crawl, batchId, part));
  if (!(await indexRowsOf(run, batchId, true, slots))) return;
  run.tracker.count('batches');
  if (slots && !(await noteDone(run.crawl, batchId, slots, 'indexed'))) return;
  await releaseBatch(run.crawl, batchId);
}

async function slotsLeft({ tables: { batches } }: CrawlContext, batchId: string, own: ReadonlySet<string>) {
  const progress = await batches.progress(batchId, own);
  return [...own].filter((slot) => !progress.get(slot)?.indexed);
}

/**
 * The same, but that the batch goes on to name the index.
 * @param isCounted false: its pages are not counted, as they are read again. Default: true
 * @param slots of its pages; absent: all
 * @returns false when the job was to end before
 */
export async function indexRowsOf(
  run: IndexRun,
  batchId: string,
  isCounted = true,
  slots?: Iterable<string>,
): Promise<boolean> {
  const { crawl, tracker, buffer, judge } = run;
  const { pages, batches } = crawl.tables;
  const count: Count | undefined = isCounted ? undefined : () => undefined;
  for await (const entries of batches.updated(batchId, slots)) {
    for (let i = 0; i < entries.length; i += ROWS) {
      if (tracker.aborted) return false;
      const keys = entries.slice(i, i + ROWS).map(({ rowKey }) => rowKey);
      const rows = await pages.getMany(keys, INDEX_FIELDS);
      await judge.lookAtThoseThatName(keys, rows);
      for (const [at, row] of rows.entries()) if (!row) await buffer.remove(keys[at]!);
      const present = rows.filter((row) => row !== undefined);
      const built = await judge.judge(present, count);
      for (const [at, { key }] of present.entries()) await addBuilt(buffer, key, built[at]!);
      if (isCounted) tracker.done(keys.length);
    }
  }
  await buffer.flush();
  // Pages that name one of these as canonical may not all have been looked at.
  return !tracker.aborted;
}

/** Takes the name of the index off a batch, and closes it where no other consumer is to read it. */
export async function releaseBatch({ tables }: CrawlContext, batchId: string): Promise<void> {
  const { batches } = tables;
  const without = ({ consumers = [] }: BatchHeader): string[] => consumers.filter((name) => name !== CONSUMER);
  const header = await batches.find(batchId);
  if (!header) return;
  if (without(header).length === 0) await batches.clear(batchId, { updated: true });
  await batches.change(batchId, (found) => {
    if (!found || !found.consumers) return undefined;
    const consumers = without(found);
    // updatedb goes on with one that it has begun on.
    if (found.state === 'updating') return { ...found, consumers };
    if (found.state !== 'updated') return undefined;
    const { size } = found;
    return consumers.length > 0 ? { size, state: 'updated', consumers } : { size, state: 'closed' };
  });
  if ((await batches.find(batchId))?.state === 'closed') await batches.forget(batchId);
}
