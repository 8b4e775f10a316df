import {
  batchEntry,
  batchRowKeys,
  chunked,
  clearBatchIndex,
  deleteBatch,
  listBatches,
  promote,
  putBatch,
  queueEntry,
  refile,
  removeEntries,
  selectableAt,
  urlOf,
  writeBatchIndex,
  writeIndexed,
  type PageRow,
  type RowChange,
  type StaleEntry,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { filterUrl } from '../plugin-api/index.js';
import { hostOf } from '../url/index.js';
import { createSetAside } from './backoff-record.js';
import { frontierClock, type CrawlContext } from './context.js';
import type { CounterName } from './counters.js';
import { FETCH_FIELDS } from './fetch-item.js';
import type { JobOptions, Report } from './job.js';
import { createDueRows, type DueRow, type DueRows } from './due-rows.js';
import { newBatchId } from './new-batch-id.js';
import { createQueueNames } from './queue-name.js';
import { createTracker, type Tracker } from './tracker.js';

/** What {@link generate} takes. */
export interface GenerateOptions extends JobOptions {
  /** Pages in the batch at the most. Absent: all that are due. */
  readonly topN?: number;
  /** Select what is due at this time, in ms since the epoch. Absent: now. */
  readonly now?: number;
  /** Pages of one host, domain or IP at the most; the lower of this and `generate.maxCount` holds. */
  readonly maxPerQueue?: number;
  /** Hosts, domains or IPs of which nothing is selected. */
  readonly isBusy?: (queue: string) => boolean;
}

// What fetch reads is read too: a row that it can not read must not get into a batch.
const FIELDS = ['fetchTime', 'score', 'status', 'cash', ...FETCH_FIELDS] as const;
type Candidate = PageRow<(typeof FIELDS)[number]>;
const CHUNK = 500;

/**
 * Selects a batch: rows that are due and held by no other batch, best score first and then by row key, at most
 * `generate.maxCount` of a host, domain or IP (`partition.urlMode`) and `topN` in all. It reads the due part of the
 * frontier and the rows it selects, never the table. The report has a batch id when anything was selected.
 *
 * Order of writes: the batch's index, then each row with its mark, then the row's old frontier entry. A batch that a
 * killed or aborted generate left unfinished is taken back first, so its rows are selected anew.
 *
 * Counters: generated; capped (hosts, domains or IPs with more rows than generate.maxCount); host_backoff (hosts that are
 * to be left alone for longer than a fetch would wait); and of rows that were due: distance, status, low_score,
 * rejected_<plugin>, damaged; stale (frontier entries that were put right).
 * @throws CrawlError USAGE for a topN below 1
 */
export async function generate(crawl: CrawlContext, options: GenerateOptions = {}): Promise<Report> {
  const { topN = 1 } = options;
  if (!(topN >= 1)) throw new CrawlError('USAGE', `expected topN of at least 1, found ${topN}`);
  return crawl.table.exclusive('generate', () => selectBatch(crawl, options));
}

async function selectBatch(crawl: CrawlContext, options: GenerateOptions): Promise<Report> {
  const { table } = crawl;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  for (const batch of await listBatches(table.store)) {
    if (batch.state === 'generating') await takeBack(crawl, batch.batchId);
  }

  const now = options.now ?? crawl.clock();
  const batchId = await newBatchId(crawl);
  await putBatch(table.store, { batchId, state: 'generating', size: 0 });
  await promote(table, now);

  const size = await select(crawl, batchId, now, options, tracker);
  if (tracker.aborted || size === 0) {
    await takeBack(crawl, batchId);
    return tracker.report();
  }
  await putBatch(table.store, { batchId, state: 'open', size });
  return tracker.report(batchId);
}

async function select(
  crawl: CrawlContext,
  batchId: string,
  now: number,
  { topN = Infinity, maxPerQueue = Infinity, isBusy = () => false }: GenerateOptions,
  tracker: Tracker,
): Promise<number> {
  const { maxCount, minScore } = crawl.settings.generate;
  const queues = createQueueNames(crawl);
  const isSetAside = createSetAside(crawl, now);
  const due = createDueRows({
    store: crawl.table.store,
    maxPerQueue: Math.min(maxPerQueue, maxCount < 0 ? Infinity : maxCount),
    queueOf: async (reversed) => {
      const host = hostOf(urlOf(`${reversed}:http/`));
      const queue = await queues.nameOf(host);
      if (isBusy(queue)) return undefined;
      if (!(await isSetAside(host))) return queue;
      tracker.count('host_backoff');
      return undefined;
    },
  });
  const namedHosts = new Set<string>();
  let size = 0;

  try {
    while (!tracker.aborted && size < topN) {
      const rows = await due.read(Math.min(CHUNK, topN - size));
      // Rows come best first, so none after this one can pass.
      if (rows.length === 0 || rows[0]!.score < minScore) break;
      // Nobody else may take a row, or add to its score, between reading and marking it.
      const selected = await crawl.table.exclusive('rows', () =>
        take(crawl, batchId, now, due, rows, namedHosts, tracker),
      );
      size += selected;
      tracker.count('generated', selected);
      tracker.done(selected);
    }
  } finally {
    await due.close();
  }
  tracker.count('capped', due.fullQueues);
  return size;
}

/** Takes those of the rows that pass into the batch. @returns how many */
async function take(
  crawl: CrawlContext,
  batchId: string,
  now: number,
  due: DueRows,
  found: readonly DueRow[],
  namedHosts: Set<string>,
  tracker: Tracker,
): Promise<number> {
  const rows = await crawl.table.getMany(
    found.map((entry) => entry.rowKey),
    FIELDS,
  );
  const clock = { ...frontierClock(crawl), promotedTo: now };
  const index: RowChange[] = [];
  const stale: StaleEntry[] = [];
  // By key: until a stale entry is put right, a row may have two.
  const selected = new Map<string, Candidate>();
  for (const [i, entry] of found.entries()) {
    const row = rows[i];
    const isDue = row !== undefined && (row.damaged || selectableAt(row, clock.lockExpiry) <= now);
    if (!isDue || (!row.damaged && (row.score ?? 0) !== entry.score)) stale.push({ entry, row });
    const refusal = !isDue || selected.has(row.key) ? 'stale' : refuse(crawl, row);
    if (refusal !== undefined || !row) {
      tracker.count(refusal ?? 'stale');
      if (!due.refuse(entry)) continue;
      due.giveBack(found.slice(i + 1));
      break;
    }
    if (!namedHosts.has(entry.host)) {
      namedHosts.add(entry.host);
      index.push(queueEntry(batchId, entry.queue, hostOf(urlOf(row.key))));
    }
    index.push(batchEntry(batchId, entry.rowKey));
    selected.set(row.key, row);
  }
  await refile(crawl.table, stale, clock);
  await writeBatchIndex(crawl.table.store, index);
  await writeIndexed(
    crawl.table,
    [...selected.values()].map((row) => ({
      before: row,
      change: { key: row.key, set: { share: row.cash ?? 0 }, marks: { generate: batchId } },
    })),
    clock,
  );
  return selected.size;
}

/** Why a row that is due is not selected, as a counter; undefined when it is. */
function refuse(crawl: CrawlContext, row: Candidate): CounterName | undefined {
  if (row.damaged) return 'damaged';
  const { restrictStatus, maxDistance, minScore } = crawl.settings.generate;
  const statuses: readonly string[] = restrictStatus;
  if (statuses.length > 0 && !statuses.includes(row.status ?? '')) return 'status';
  if (maxDistance >= 0 && (row.distance ?? 0) > maxDistance) return 'distance';
  if ((row.score ?? 0) < minScore) return 'low_score';
  // Rules may have become stricter since the row was made.
  const verdict = filterUrl(crawl.plugins, urlOf(row.key), 'generate');
  return verdict.accepted ? undefined : `rejected_${verdict.rejectedBy}`;
}

/** Lets go of the rows of a batch that was not finished, then forgets it. */
async function takeBack(crawl: CrawlContext, batchId: string): Promise<void> {
  const { table } = crawl;
  for await (const keys of chunked(batchRowKeys(table.store, batchId), CHUNK)) {
    await table.exclusive('rows', async () => {
      const rows = await table.getMany(keys, ['fetchTime', 'score', 'marks']);
      const held = rows.filter((row) => row?.marks?.generate === batchId) as Candidate[];
      await writeIndexed(
        table,
        held.map((row) => ({
          before: row,
          change: { key: row.key, unset: ['share' as const], marks: { generate: null } },
        })),
        frontierClock(crawl),
      );
    });
    await removeEntries(table.store, batchId, keys);
  }
  await clearBatchIndex(table.store, batchId);
  await deleteBatch(table.store, batchId);
}
