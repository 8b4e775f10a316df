import { setTimeout as sleep } from 'node:timers/promises';
import type { RankedLevel, Shard } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { USUAL_WAIT, type CrawlContext, type Tracker } from '../../jobs/index.js';
import { joinRun, type RankRun, type RunStep } from './rank-run.js';
import { rankedRows, solveRanks, writeRanks, type RankedRow, type RowRanks } from './rank-steps.js';
import { withWorkFolder } from '../sort/index.js';

/** How a shard takes part in a run. */
export interface RankShardOptions {
  readonly shard: Shard;
  readonly levels: readonly RankedLevel[];
  /** What all shards of the run share. */
  readonly folder: string;
  /** Milliseconds to wait for other shards. */
  readonly wait?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds between two looks at what others have done. */
const LOOK = 500;

/**
 * Does what there is to do for one shard: reads its rows into the folder of the run; when all are read, one shard computes the ranks from
 * them, in the order of the keys, so they are those that one process finds, to the bit; then each shard writes those of its rows. What is
 * done is not done again, whoever was killed.
 * @throws CrawlError SHARDS_BEHIND where others have not come as far; LEASE_HELD where one computes; LEASE_LOST; USAGE; BAD_OUTPUT, STORE_FULL
 */
export async function rankShard(
  crawl: CrawlContext,
  { shard, levels, folder, wait = USUAL_WAIT, signal }: RankShardOptions,
  tracker: Tracker,
): Promise<void> {
  const { tables } = crawl;
  const { index, count } = shard;
  const identity = { table: await tables.id(), levels: [...levels], count };
  const run = await joinRun(folder, identity, () => tables.splits.keys(count));
  if (await run.isDone()) return tracker.count('ranks_written');
  if (!(await run.has('rows', index)))
    await run.write('rows', index, linesOf(readRows(crawl, run, shard, tracker, signal)));
  if ((await run.missing('ranks')).length > 0) {
    await untilAllHave(run, 'rows', wait, signal);
    await solveOnce(crawl, run, { levels, folder, count, wait, signal }, tracker);
  }
  if (!(await run.has('written', index))) {
    await writeRanks(crawl, levels, parsed<RowRanks>(run.read('ranks', index)), tracker, signal);
    await run.write('written', index, []);
  }
  // Another shard may have come to the same end.
  if (await run.isDone()) return;
  if ((await run.missing('written')).length > 0) return;
  for (const level of levels) await tables.runs.putRankWriting(level, false);
  await run.end();
}

async function* readRows(
  crawl: CrawlContext,
  { keys }: RankRun,
  { index }: Shard,
  tracker: Tracker,
  signal: AbortSignal | undefined,
): AsyncGenerator<RankedRow> {
  const [start, end] = [keys[index - 1] ?? '', keys[index]];
  if (end !== undefined && end <= start) return;
  for await (const row of rankedRows(crawl, tracker, [{ start, ...(end !== undefined && { end }) }])) {
    signal?.throwIfAborted();
    tracker.count('rows_read');
    tracker.done();
    yield row;
  }
}

/** @throws CrawlError SHARDS_BEHIND */
async function untilAllHave(run: RankRun, step: RunStep, wait: number, signal: AbortSignal | undefined): Promise<void> {
  const until = performance.now() + wait;
  for (;;) {
    signal?.throwIfAborted();
    const missing = await run.missing(step);
    if (missing.length === 0) return;
    const left = until - performance.now();
    if (left <= 0) {
      const names = missing.slice(0, 10).join(', ');
      throw new CrawlError(
        'SHARDS_BEHIND',
        `expected all shards to have read their rows, found ${missing.length} that have not: ${names}${missing.length > 10 ? ', …' : ''}`,
        { hint: 'run the same command again when they have; what this one has read is kept' },
      );
    }
    await sleep(Math.min(LOOK, left), undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

/** Computes the ranks of all rows, unless another shard has, in the folder of the run. */
async function solveOnce(
  crawl: CrawlContext,
  run: RankRun,
  { levels, folder, count, wait, signal }: Omit<RankShardOptions, 'shard' | 'wait'> & { count: number; wait: number },
  tracker: Tracker,
): Promise<void> {
  const { leases } = crawl.tables;
  const lease = await leases.take([RANKS], { job: 'rank', wait, ...(signal && { signal }) });
  try {
    await crawl.tables.exclusive('rank', async () => {
      if ((await run.missing('ranks')).length === 0 || (await run.isDone())) return;
      const ends = signal ? AbortSignal.any([signal, lease.lost]) : lease.lost;
      await withWorkFolder(folder, async (work) => {
        const ranks = await solveRanks(crawl, levels, rowsOfAll(run, count), work, tracker, ends);
        await dealOut(run, ranks, count, ends);
      });
      lease.lost.throwIfAborted();
    });
  } finally {
    await lease.release();
  }
}

/** The lease of who computes; not that of a slot. */
const RANKS = 'ranks';

async function* rowsOfAll(run: RankRun, count: number): AsyncGenerator<RankedRow> {
  for (let shard = 0; shard < count; shard++) yield* parsed<RankedRow>(run.read('rows', shard));
}

/** Writes the ranks of each shard's rows, in the order of the shards. */
async function dealOut(
  run: RankRun,
  ranks: AsyncGenerator<RowRanks>,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  let next = await ranks.next();
  async function* before(end: string | undefined): AsyncGenerator<RowRanks> {
    for (; !next.done && (end === undefined || next.value.key < end); next = await ranks.next()) {
      signal.throwIfAborted();
      yield next.value;
    }
  }
  for (let shard = 0; shard < count; shard++) await run.write('ranks', shard, linesOf(before(run.keys[shard])));
}

async function* linesOf(values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield JSON.stringify(value);
}

async function* parsed<T>(lines: AsyncIterable<string>): AsyncGenerator<T> {
  for await (const line of lines) yield JSON.parse(line) as T;
}
