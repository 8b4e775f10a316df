import { join } from 'node:path';
import { CrawlError } from '../errors/index.js';
import {
  LEASE_MS,
  createTracker,
  jobContext,
  type CrawlContext,
  type JobContext,
  type Watch,
  type JobOptions,
  type Report,
  type Tracker,
  type IndexTarget,
  type IndexWriter,
} from '../core/index.js';
import {
  CONSUMER,
  createRun,
  indexBatch,
  indexRowsOf,
  releaseBatch,
  updatedBatches,
  type IndexRun,
} from './indexer.js';
import { reconcile, type Lag } from './reconcile.js';
import { loadOpenSearch } from './opensearch/connection.js';
import { loadEngine } from './sqlite/database.js';
import { fileId } from './sqlite/file-id.js';
import { INDEX_FILE } from './sqlite/schema.js';
import { sweepCanonicals } from './sweep-canonicals.js';
import { openWriterThread, WRITER_THREAD_ENTRY } from './writing/writer-thread.js';

/** Options of {@link index}. */
export interface IndexOptions extends JobOptions {
  /** Index only this batch. Default: every batch that updatedb has processed and that is not in the index yet. */
  readonly batch?: string;
  /** Compare the whole table with the index, and correct the differences. The first run always does this. Default: false. */
  readonly all?: boolean;
}

/**
 * Updates the search index with the batches that updatedb has processed since the last run. New and changed pages are added. Pages are
 * removed if they are gone, are redirects, have `noindex`, are duplicates, name another page as canonical, or if an index filter refuses
 * them. The index is at `index.path`, or at the target of the last plugin with an `indexWriter`.
 *
 * The first run, and any run with `all`, walks table and index side by side in key order. This also updates ranks, anchors and duplicates
 * in the index. At most a thousand pages are in memory. The job may be killed at any moment and run again, with the same result: a page is
 * marked, and a batch is closed, only after the index has been written.
 *
 * It needs no slots, so it runs while workers crawl the table. Only one process at a time writes to the index.
 *
 * Counters: see `COUNTERS`.
 * @throws CrawlError UNKNOWN_BATCH; LEASE_HELD, LEASE_LOST; BAD_SETTING when the table has no folder and `index.path` names none; MISSING_PACKAGE; WRONG_INDEX for the index
 * of another table; STORE_FULL, STORE_FAILED
 */
export async function index(crawl: JobContext, options: IndexOptions = {}): Promise<Report> {
  const indexer = await openIndexer(crawl);
  try {
    return await indexer.run(options, crawl.watch);
  } finally {
    await indexer.close();
  }
}

/** An index that stays open for writing, for a caller that indexes many batches. */
export interface Indexer {
  /** Does the same as {@link index}. @param watch gets the progress. Absent: it is not shown. */
  run(options?: IndexOptions, watch?: Watch): Promise<Report>;
  /**
   * Whether the index file was deleted or replaced. If so, readers do not see later writes: close this indexer and open another one. Always
   * false for an index that is not a file on this machine.
   */
  readonly isLost: boolean;
  /** Closes the index. Pages that were written stay in it. */
  close(): Promise<void>;
}

/**
 * Opens the index for writing. From then on, a batch stays open until it is indexed.
 * @param signal the writer is ended two seconds after this signal aborts, unless the writer belongs to a plugin
 * @throws CrawlError as {@link index}
 */
export async function openIndexer(crawl: CrawlContext, signal?: AbortSignal): Promise<Indexer> {
  const { tables } = crawl;
  // Opening an index for writing may repair unfinished work, so no other run may be in progress.
  const writer = await tables.exclusive('index', () => openTarget(crawl, signal));
  const file = fileOf(crawl);
  const opened = file === undefined ? undefined : fileId(file);
  try {
    // The index is registered only after it was opened. Otherwise a failed opening would leave batches open for nothing.
    await tables.exclusive('updatedb', () => register(crawl));
  } catch (error) {
    await writer.close();
    throw error;
  }
  return {
    async run(options = {}, watch) {
      // `forgetIndex` may have run meanwhile, so the index is registered again.
      if (!(await tables.runs.consumers()).includes(CONSUMER))
        await tables.exclusive('updatedb', () => register(crawl));
      return asOnlyWriter(crawl, options, (signal) =>
        tables.exclusive('index', () => runOnce(jobContext(crawl, watch), writer, { ...options, signal })),
      );
    },
    get isLost() {
      return file !== undefined && fileId(file) !== opened;
    },
    close: () => writer.close(),
  };
}

/** Milliseconds to wait for another process that writes to the index. In this time, the lease of a dead process expires. */
const LEASE_WAIT_MS = LEASE_MS + 10_000;

/**
 * Runs a task while no other process writes to the index of the table.
 * @param task gets a signal that also aborts when another process may write to the index
 * @throws CrawlError LEASE_HELD, LEASE_LOST
 */
async function asOnlyWriter<T>(
  { tables, clock }: CrawlContext,
  { signal }: IndexOptions,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // If the signal is already aborted, the run does not wait. Its report says that it was interrupted.
  const waiting = signal?.aborted ? { wait: 0 } : { wait: LEASE_WAIT_MS, ...(signal && { signal }) };
  const lease = await tables.leases.take([CONSUMER], { job: CONSUMER, clock, ...waiting }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  try {
    return await task(signal ? AbortSignal.any([signal, lease.lost]) : lease.lost);
  } finally {
    // A lease that is not released expires soon.
    await lease.release().catch(() => undefined);
    lease.lost.throwIfAborted();
  }
}

/** The file of the index. Undefined: the index is not a file. */
function fileOf(crawl: CrawlContext): string | undefined {
  const { settings, indexFolder } = crawl;
  const isOurs = settings.index.writer === 'sqlite' && !targetOf(crawl);
  return isOurs && indexFolder !== undefined ? join(indexFolder, INDEX_FILE) : undefined;
}

/** Registers the index as a consumer of all batches that are updated from now on, and of a batch that is being updated. */
async function register({ tables: { runs, batches } }: CrawlContext): Promise<void> {
  const known = await runs.consumers();
  if (known.includes(CONSUMER)) return;
  for (const { batchId, state } of await batches.list()) {
    if (state !== 'updating') continue;
    await batches.change(batchId, (found) =>
      found?.state === 'updating' ? { ...found, consumers: [...(found.consumers ?? []), CONSUMER] } : undefined,
    );
  }
  await runs.changeConsumer(CONSUMER, true);
}

const targetOf = ({ plugins }: Pick<CrawlContext, 'plugins'>): IndexTarget | undefined =>
  plugins.findLast(({ indexWriter }) => indexWriter)?.indexWriter;

/** Loads the packages that the index needs. @throws CrawlError MISSING_PACKAGE */
export async function loadIndexPackages(crawl: Pick<CrawlContext, 'plugins' | 'settings'>): Promise<void> {
  if (targetOf(crawl)) return;
  await (crawl.settings.index.writer === 'opensearch' ? loadOpenSearch() : loadEngine());
}

async function openTarget(crawl: CrawlContext, signal?: AbortSignal): Promise<IndexWriter> {
  const target = targetOf(crawl);
  const table = await crawl.tables.id();
  if (target) return target.open(table);
  const { writer, url } = crawl.settings.index;
  const place = writer === 'opensearch' ? { writer, url } : { writer, folder: indexFolderOf(crawl) };
  return openWriterThread(place, table, WRITER_THREAD_ENTRY, signal);
}

/** @throws CrawlError BAD_SETTING when the table has no folder and `index.path` names none */
export function indexFolderOf({ indexFolder }: Pick<CrawlContext, 'indexFolder'>): string {
  if (indexFolder !== undefined) return indexFolder;
  throw new CrawlError('BAD_SETTING', 'expected a folder for the search index, found none: this table has no folder', {
    hint: 'name a folder in the setting index.path',
  });
}

/** Milliseconds between two polls for updated batches, while the whole table is compared. */
const POLL_MS = 1000;

async function runOnce(crawl: JobContext, writer: IndexWriter, options: IndexOptions): Promise<Report> {
  const { batches } = crawl.tables;
  const tracker = createTracker(crawl, 'index', options, options.batch === undefined ? {} : { batchId: options.batch });
  const named = options.batch === undefined ? undefined : await batches.get(options.batch);
  if (named && named.state !== 'updated' && named.state !== 'closed') tracker.count('batch_unfinished');
  await withRun(crawl, writer, tracker, async (run) => {
    if (options.all || !(await hasAll(crawl, writer))) await indexAll(run);
    for (const batchId of await updatedBatches(crawl)) {
      if (tracker.aborted) break;
      if (options.batch === undefined || options.batch === batchId) await indexBatch(run, batchId);
    }
  });
  return tracker.report();
}

/**
 * Whether the index has all pages, except those of batches that wait. This is so if the index was complete once, and later batches were
 * added to this index and to no other.
 */
async function hasAll({ tables: { runs } }: CrawlContext, { isWhole, id }: IndexWriter): Promise<boolean> {
  return isWhole && id !== undefined && (await runs.hasReadAllInto(CONSUMER)) === id;
}

/** Runs a task. When the returned promise settles, no write to the index is in progress, even after an error. */
async function withRun<T>(
  crawl: CrawlContext,
  writer: IndexWriter,
  tracker: Tracker,
  task: (run: IndexRun) => Promise<T>,
): Promise<T> {
  const run = createRun(crawl, writer, tracker);
  try {
    const result = await task(run);
    await run.buffer.settled();
    return result;
  } catch (error) {
    await run.buffer.settled().catch(() => undefined);
    throw error;
  }
}

async function indexAll(run: IndexRun): Promise<Lag | undefined> {
  const { crawl, writer } = run;
  const lag = await reconcile(run, await createLook(run));
  if (!lag) return undefined;
  await sweepCanonicals(crawl, () => run.tracker.aborted);
  await writer.markWhole();
  await crawl.tables.runs.putReadAllInto(CONSUMER, writer.id);
  return lag;
}

/**
 * Makes a function to call again and again during the comparison of the whole table. The made function indexes batches that updatedb has
 * processed meanwhile. These batches are indexed again after the comparison, which may use older rows.
 */
async function createLook(run: IndexRun): Promise<() => Promise<void>> {
  const seen = new Set(await updatedBatches(run.crawl));
  let polledAt = performance.now();
  return async () => {
    if (performance.now() - polledAt < POLL_MS) return;
    for (const batchId of await updatedBatches(run.crawl)) {
      if (seen.has(batchId)) continue;
      seen.add(batchId);
      await indexRowsOf(run, batchId, false);
    }
    polledAt = performance.now();
  };
}

/**
 * Compares the whole table with the index, and corrects the differences.
 * @returns counters of missing, superfluous and stale entries. Undefined: the table has no index
 */
export async function repairIndex(crawl: JobContext, options: JobOptions = {}): Promise<Report | undefined> {
  const isKnown = (await crawl.tables.runs.consumers()).includes(CONSUMER);
  if (!isKnown) return undefined;
  const tracker = createTracker(crawl, 'index', options);
  const { tables } = crawl;
  const writer = await tables.exclusive('index', () => openTarget(crawl));
  try {
    const lag = await tables.exclusive('index', () => withRun(crawl, writer, tracker, indexAll));
    const counters = lag && {
      ['missing_index']: lag.missing,
      ['superfluous_index']: lag.superfluous,
      ['stale_index']: lag.stale,
    };
    return { ...tracker.report(), counters: counters ?? {} };
  } finally {
    await writer.close();
  }
}

/**
 * Ends the updates of the search index. Batches no longer stay open for the index, and batches that wait for it are closed. The index
 * itself stays unchanged, and may be deleted. The next {@link index} compares the whole table with the index, and starts the updates again.
 *
 * Counters: batches. If the process is killed, run it again.
 */
export async function forgetIndex(crawl: JobContext, options: JobOptions = {}): Promise<Report> {
  const { tables } = crawl;
  const { runs, batches, canonicals } = tables;
  const tracker = createTracker(crawl, 'index', options);
  await tables.exclusive('index', async () => {
    await tables.exclusive('updatedb', async () => {
      // This is the first step. If the process is killed after it, the next run of `index` reads the whole table.
      await runs.putReadAllInto(CONSUMER, undefined);
      await runs.changeConsumer(CONSUMER, false);
      for (const { batchId, consumers = [] } of [...(await batches.list()), ...(await batches.listUpdated())]) {
        if (tracker.aborted) return;
        if (!consumers.includes(CONSUMER)) continue;
        await releaseBatch(crawl, batchId);
        tracker.count('batches');
      }
      await canonicals.clear();
    });
  });
  return tracker.report();
}
