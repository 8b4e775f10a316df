import { CrawlError } from '../errors/index.js';
import {
  createTracker,
  inSlots,
  partOf,
  type CrawlContext,
  type JobOptions,
  type Report,
  type ShardOptions,
  type Tracker,
} from '../jobs/index.js';
import type { IndexTarget, IndexWriter } from '../plugin-api/index.js';
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
import { sweepCanonicals } from './sweep-canonicals.js';
import { openWriterThread, WRITER_THREAD_ENTRY } from './writing/writer-thread.js';

/** What {@link index} takes. */
export interface IndexOptions extends JobOptions, ShardOptions {
  /** Only this batch. Default: every batch that updatedb has closed and that is not in the index yet. */
  readonly batch?: string;
  /** Compare the whole table with the index, and put right what differs. The first run does so by itself. Default: false. */
  readonly all?: boolean;
}

/**
 * Brings what updatedb has closed since the last run into the search index: pages that are new or have changed, and out of it those
 * that are gone, redirect, are noindex, duplicates, name another page as canonical, or are refused by an index filter. The index is
 * where `index.path` says, or where the last plugin with an `indexWriter` writes.
 *
 * The first run, and with `all` any, walks table and index side by side in key order: this is also what takes new ranks, anchors
 * and duplicates into the index. It holds a thousand pages at most. Killed at any moment and run again it ends in the same index: rows get
 * their mark, and batches are released, once the index has them.
 *
 * In shards each brings in the pages of its own slots of the updated batches, and who comes last releases a batch. The index must be one that
 * several may write to, such as OpenSearch, and have all pages once before.
 *
 * Counters: see `COUNTERS`.
 * @throws CrawlError USAGE for a shard where index.writer is not opensearch; UNKNOWN_BATCH, NO_INDEX for a shard before the first run, LEASE_HELD, LEASE_LOST, BAD_SETTING where the table has no folder and `index.path` names none, MISSING_PACKAGE,
 *   WRONG_INDEX where the index is that of another table, STORE_FULL, STORE_FAILED
 */
export async function index(crawl: CrawlContext, options: IndexOptions = {}): Promise<Report> {
  mustTakeManyWriters(crawl, options);
  const indexer = await openIndexer(crawl);
  try {
    return await indexer.run(options);
  } finally {
    await indexer.close();
  }
}

/** @throws CrawlError USAGE for a shard where the index takes one writer at a time */
function mustTakeManyWriters({ plugins, settings }: CrawlContext, { shard }: IndexOptions): void {
  const { writer } = settings.index;
  if (!shard || shard.count === 1 || writer === 'opensearch' || plugins.some(({ indexWriter }) => indexWriter)) return;
  throw new CrawlError('USAGE', `expected an index that several shards may write to, found index.writer ${writer}`, {
    hint: 'set index.writer to opensearch, with index.url, or run webcrawl index without --shard',
  });
}

/** An index that stays open for writing, for whoever brings one batch after the other into it. */
export interface Indexer {
  /** The same as {@link index}. */
  run(options?: IndexOptions): Promise<Report>;
  /** Ends the writing; what was brought in stays. */
  close(): Promise<void>;
}

/**
 * Opens the index for writing. From then on batches are kept until they are in it.
 * @param signal two seconds after it aborts the writer is ended, where it is not one of a plugin
 * @throws CrawlError as {@link index}
 */
export async function openIndexer(crawl: CrawlContext, signal?: AbortSignal): Promise<Indexer> {
  const { tables } = crawl;
  // Opening an index for writing may put right what a run leaves half done while it is under way.
  const writer = await tables.exclusive('index', () => openTarget(crawl, signal));
  try {
    // Not before: where the index cannot be opened, nobody would read what is kept for it.
    await tables.exclusive('updatedb', () => register(crawl));
  } catch (error) {
    await writer.close();
    throw error;
  }
  return {
    async run(options = {}) {
      // It may have been forgotten since.
      if (!(await tables.runs.consumers()).includes(CONSUMER))
        await tables.exclusive('updatedb', () => register(crawl));
      const { batch } = options;
      return inSlots(crawl, { job: 'index', ...(batch !== undefined && { batchId: batch }) }, options, (own, signal) =>
        tables.exclusive('index', () => runOnce(own, writer, { ...options, ...(signal && { signal }) })),
      );
    },
    close: () => writer.close(),
  };
}

/** Batches that are updated from now on name the index; that which was being updated does too, as if it had from the start. */
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

/** Where the plugins say, or the settings. */
async function openTarget(crawl: CrawlContext, signal?: AbortSignal): Promise<IndexWriter> {
  const target: IndexTarget | undefined = crawl.plugins.findLast(({ indexWriter }) => indexWriter)?.indexWriter;
  const table = await crawl.tables.id();
  if (target) return target.open(table);
  const { writer, url } = crawl.settings.index;
  const place = writer === 'opensearch' ? { writer, url } : { writer, folder: indexFolderOf(crawl) };
  return openWriterThread(place, table, WRITER_THREAD_ENTRY, signal);
}

/**
 * The folder of the search index.
 * @throws CrawlError BAD_SETTING where there is none
 */
export function indexFolderOf({ indexFolder }: Pick<CrawlContext, 'indexFolder'>): string {
  if (indexFolder !== undefined) return indexFolder;
  throw new CrawlError(
    'BAD_SETTING',
    'expected a folder for the search index, found none: this table is in no folder',
    {
      hint: 'name one as the setting index.path',
    },
  );
}

/** Milliseconds between two looks, while the whole table is compared, whether a batch was updated meanwhile. */
const LOOK_AGAIN = 1000;

async function runOnce(crawl: CrawlContext, writer: IndexWriter, options: IndexOptions): Promise<Report> {
  const { batches } = crawl.tables;
  if (partOf(crawl) && (options.all || !(await hasAll(crawl, writer)))) {
    throw new CrawlError(
      'NO_INDEX',
      'expected an index that has all pages once, as shards bring in only what is updated since',
      {
        hint: 'run `webcrawl index --all` without --shard first',
      },
    );
  }
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

/** Whether the index has all pages but those of the batches that wait: it was whole once, and no other index got batches since. */
async function hasAll({ tables: { runs } }: CrawlContext, { isWhole, id }: IndexWriter): Promise<boolean> {
  return isWhole && id !== undefined && (await runs.hasReadAllInto(CONSUMER)) === id;
}

/** Whatever the task comes to: nothing is under way in the index when this resolves or rejects. */
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
 * Brings batches into the index that are updated while the whole table is compared, which may take minutes. They are read again
 * afterwards: the comparison may hold rows as they were before.
 */
async function createLook(run: IndexRun): Promise<() => Promise<void>> {
  const seen = new Set(await updatedBatches(run.crawl));
  let lookedAt = performance.now();
  return async () => {
    if (performance.now() - lookedAt < LOOK_AGAIN) return;
    for (const batchId of await updatedBatches(run.crawl)) {
      if (seen.has(batchId)) continue;
      seen.add(batchId);
      await indexRowsOf(run, batchId, false);
    }
    lookedAt = performance.now();
  };
}

/**
 * Compares the whole table with the index, and puts right what differs.
 * @returns counters of what was missing, superfluous and stale; undefined where the table has no index
 */
export async function repairIndex(crawl: CrawlContext, options: JobOptions = {}): Promise<Report | undefined> {
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
 * Ends what the table does for its index: batches are not kept any more until it has read them, and those that are kept are released. The
 * index itself stays as it is, and may be removed. The next {@link index} compares the whole table with it, and goes on from there.
 *
 * Counters: batches. Killed at any moment it is simply run again.
 */
export async function forgetIndex(crawl: CrawlContext, options: JobOptions = {}): Promise<Report> {
  const { tables } = crawl;
  const { runs, batches, canonicals } = tables;
  const tracker = createTracker(crawl, 'index', options);
  await tables.exclusive('index', async () => {
    await tables.exclusive('updatedb', async () => {
      // First, so that whoever enters it again reads all.
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
