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
  type FrontierClock,
  type PageRow,
  type RowChange,
  type StaleEntry,
} from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { hostOf } from '../url/index.js';
import { createSetAside } from './hosts/backoff-record.js';
import { frontierClock, type CrawlContext } from './context.js';
import type { CounterName } from './reporting/counters.js';
import { FETCH_FIELDS } from './fetching/fetch-item.js';
import type { JobOptions, Report } from './reporting/job.js';
import { createDueRows, type DueRow, type DueRows } from './selection/due-rows.js';
import { inScope } from './scope/in-scope.js';
import { refusalOf } from './selection/refusal.js';
import { newBatchId } from './rows/new-batch-id.js';
import { createQueueNames } from './hosts/queue-name.js';
import { createTracker, type Tracker } from './reporting/tracker.js';

/** What {@link generate} takes. */
export interface GenerateOptions extends JobOptions {
  /** Pages in the batch at the most. Absent: all that are due. */
  readonly topN?: number;
  /** Select what is due at this time, in ms since the epoch. Absent: now. */
  readonly now?: number;
  /** Days added to that time, so that what becomes due within them is selected now. Default: 0. */
  readonly addDays?: number;
  /** Pages of one host, domain or IP at the most, in place of `generate.maxCount`; below 0 is no limit. */
  readonly maxCount?: number;
  /** The same; the lower of this and `maxCount` holds. */
  readonly maxPerQueue?: number;
  /** false: URL filters, and the patterns of the crawl's scope, are not asked, which is faster. Default: true. */
  readonly filter?: boolean;
  /** Hosts, domains or IPs of which nothing is selected. */
  readonly isBusy?: (queue: string) => boolean;
}

// What fetch reads is read too: a row that it cannot read must not get into a batch.
const FIELDS = ['dueAt', 'score', 'status', 'cash', ...FETCH_FIELDS] as const;
type Candidate = PageRow<(typeof FIELDS)[number]>;
const CHUNK = 500;
/** Milliseconds. */
const DAY = 86_400_000;

/**
 * Selects a batch: rows that are due and held by no other batch, best score first and then by row key, at most
 * `generate.maxCount` of a host, domain or IP (`partition.urlMode`) and `topN` in all. It reads the due part of the
 * frontier and the rows it selects, never the table. The report has a batch id when anything was selected.
 *
 * Order of writes: the batch's index, then each row with its mark, then the row's old frontier entry. A batch that a
 * killed or aborted generate left unfinished is taken back first, so its rows are selected anew.
 *
 * Counters: generated (pages of the batch, once it is open); taken_back (pages that were selected and released again, since
 * this generate was aborted or one before was killed); capped (hosts, domains or IPs with more rows than generate.maxCount); host_backoff (hosts that are
 * to be left alone for longer than a fetch would wait); and of rows that were due: distance, status, low_score,
 * excluded (by the scope of the last crawl), rejected_<plugin>, damaged; stale (frontier entries that were put right).
 * @throws CrawlError USAGE for a topN below 1, or days below 0
 */
export async function generate(crawl: CrawlContext, options: GenerateOptions = {}): Promise<Report> {
  const { topN = 1, addDays = 0 } = options;
  if (!(topN >= 1)) throw new CrawlError('USAGE', `expected topN of at least 1, found ${topN}`);
  if (!(addDays >= 0)) throw new CrawlError('USAGE', `expected addDays of at least 0, found ${addDays}`);
  return crawl.table.exclusive('generate', async () => selectBatch(await inScope(crawl), options));
}

async function selectBatch(crawl: CrawlContext, options: GenerateOptions): Promise<Report> {
  const { table } = crawl;
  const tracker = createTracker(crawl, 'generate', options, {
    ...(options.topN !== undefined && { total: options.topN }),
  });
  for (const batch of await listBatches(table.store)) {
    if (batch.state === 'generating') tracker.count('taken_back', await takeBack(crawl, batch.batchId));
  }

  const now = (options.now ?? crawl.clock()) + (options.addDays ?? 0) * DAY;
  const batchId = await newBatchId(crawl);
  await putBatch(table.store, { batchId, state: 'generating', size: 0 });
  await promote(table, now);

  const size = await select(crawl, batchId, now, options, tracker);
  if (tracker.aborted || size === 0) {
    tracker.count('taken_back', await takeBack(crawl, batchId));
    return tracker.report();
  }
  await putBatch(table.store, { batchId, state: 'open', size });
  tracker.count('generated', size);
  return tracker.report(batchId);
}

async function select(
  crawl: CrawlContext,
  batchId: string,
  now: number,
  options: GenerateOptions,
  tracker: Tracker,
): Promise<number> {
  const { minScore } = crawl.settings.generate;
  const { topN = Infinity, maxPerQueue = Infinity, isBusy = () => false, filter = true } = options;
  const { maxCount = crawl.settings.generate.maxCount } = options;
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
        take(crawl, batchId, now, due, rows, namedHosts, filter, tracker),
      );
      size += selected;
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
  filter: boolean,
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
    const isDue = row !== undefined && (row.damaged || isSelectable(row, now, clock));
    if (!isDue || (!row.damaged && (row.score ?? 0) !== entry.score)) stale.push({ entry, row });
    const refusal = !isDue || selected.has(row.key) ? 'stale' : reasonAgainst(crawl, row, filter);
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
      change: { key: row.key, set: { cashInFlight: row.cash ?? 0 }, marks: { generate: batchId } },
    })),
    clock,
  );
  return selected.size;
}

/** Due at the time that is asked about, while no batch holds it at the time that it is. */
function isSelectable(row: Candidate, due: number, { now, lockExpiry }: FrontierClock): boolean {
  return selectableAt({ ...row, dueAt: 0 }, lockExpiry) <= now && (row.dueAt ?? 0) <= due;
}

function reasonAgainst(crawl: CrawlContext, row: Candidate, filter: boolean): CounterName | undefined {
  return row.damaged ? 'damaged' : refusalOf(crawl, row, filter)?.reason;
}

/**
 * Releases the rows of a batch that was not finished, then forgets it.
 * @returns how many rows it held
 */
async function takeBack(crawl: CrawlContext, batchId: string): Promise<number> {
  const { table } = crawl;
  let released = 0;
  for await (const keys of chunked(batchRowKeys(table.store, batchId), CHUNK)) {
    await table.exclusive('rows', async () => {
      const rows = await table.getMany(keys, ['dueAt', 'score', 'marks']);
      const held = rows.filter((row) => row?.marks?.generate === batchId) as Candidate[];
      released += held.length;
      await writeIndexed(
        table,
        held.map((row) => ({
          before: row,
          change: { key: row.key, unset: ['cashInFlight' as const], marks: { generate: null } },
        })),
        frontierClock(crawl),
      );
    });
    await removeEntries(table.store, batchId, keys);
  }
  await clearBatchIndex(table.store, batchId);
  await deleteBatch(table.store, batchId);
  return released;
}
