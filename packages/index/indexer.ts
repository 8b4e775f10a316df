import {
  updatedHeader,
  type BatchHeader,
  type Count,
  type CrawlContext,
  type Tracker,
  type IndexWriter,
} from '../core/index.js';
import { createChangeBuffer, type ChangeBuffer } from './change-buffer.js';
import { INDEX_FIELDS } from './documents/build-document.js';
import { addBuilt, createJudge, ROWS, type Judge } from './judge.js';

export const CONSUMER = 'index';

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

export async function updatedBatches({ tables: { batches } }: CrawlContext): Promise<string[]> {
  const all = await batches.listUpdated();
  return all.filter(({ consumers = [] }) => consumers.includes(CONSUMER)).map(({ batchId }) => batchId);
}

/**
 * Indexes the pages of a batch that updatedb has processed, and marks their rows. Then removes the index from the consumers of the batch.
 * If the batch has no other consumer, it is closed. After a kill the whole batch is read again.
 */
export async function indexBatch(run: IndexRun, batchId: string): Promise<void> {
  if (!(await indexRowsOf(run, batchId))) return;
  run.tracker.count('batches');
  await releaseBatch(run.crawl, batchId);
}

/**
 * Does the same as {@link indexBatch}, but the index stays a consumer of the batch.
 * @param isCounted false: the pages are not counted, because they will be read again. Default: true
 * @returns false when the job was stopped before the end
 */
export async function indexRowsOf(run: IndexRun, batchId: string, isCounted = true): Promise<boolean> {
  const { crawl, tracker, buffer, judge } = run;
  const { pages, batches } = crawl.tables;
  const count: Count | undefined = isCounted ? undefined : () => undefined;
  for await (const entries of batches.updated(batchId)) {
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
  // After a stop, the work may be incomplete: some pages that name a page of this batch as canonical may not have been judged.
  return !tracker.aborted;
}

/** Removes the index from the consumers of a batch, and closes the batch if it has no other consumer. */
export async function releaseBatch({ tables }: CrawlContext, batchId: string): Promise<void> {
  const { batches } = tables;
  const without = ({ consumers = [] }: BatchHeader): string[] => consumers.filter((name) => name !== CONSUMER);
  const header = await batches.find(batchId);
  if (!header) return;
  if (without(header).length === 0) await batches.clear(batchId, { updated: true });
  await batches.change(batchId, (found) => {
    if (!found || !found.consumers) return undefined;
    const consumers = without(found);
    // updatedb has begun with this batch and will continue, so the batch is not closed.
    if (found.state === 'updating') return { ...found, consumers };
    if (found.state !== 'updated') return undefined;
    return updatedHeader({ ...found, consumers });
  });
}
