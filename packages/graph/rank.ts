import { tmpdir } from 'node:os';
import { CrawlError, safeText } from '../errors/index.js';
import type { RankedLevel } from '../../webtable/index.js';
import { createTracker, type CrawlContext, type JobOptions, type Report, type ShardOptions } from '../jobs/index.js';
import { rankShard } from './ranking/rank-shard.js';
import { rankedRows, solveRanks, writeRanks } from './ranking/rank-steps.js';
import { withWorkFolder } from './sort/index.js';

/** What {@link rank} takes. */
export interface RankOptions extends JobOptions, ShardOptions {
  /** What to rank. Default: `both`. */
  readonly level?: 'page' | 'host' | 'both';
  /**
   * Where the graph is made, for as long as it is needed: 30 bytes for each link. Default: the folder of the system for such files.
   * Shards need one that all of them share, a new one for each run; the rows with their links are there meanwhile, too, compressed.
   */
  readonly folder?: string;
}

const RANK_LEVELS: readonly unknown[] = ['page', 'host', 'both'];
/**
 * Computes PageRank over the links between pages, over those between hosts, or both, and writes it to the rows, by the settings
 * `rank.*`. Redirects and canonicals are resolved: a link to one counts for its target. Of links between hosts only
 * those to another one count, each pair of hosts once.
 *
 * It begins at the last ranks where there are any, which takes fewer rounds to the same fixed point; where these are close
 * enough it changes nothing. It may be killed at any moment and run again; a run after one that was killed while it wrote ranks of a level
 * begins that level anew. So the ranks are those of a run that nothing disturbed: to the bit where that began anew too, else
 * within what `rank.tolerance` allows. Rows that change meanwhile keep their changes.
 *
 * In shards each reads a part of the rows and writes their ranks; one of them computes the ranks of all, when all are read. They are
 * those of one process, to the bit. A shard that cannot go on throws SHARDS_BEHIND or LEASE_HELD, and goes on when it is run again.
 *
 * Counters: see `COUNTERS`.
 * @throws CrawlError USAGE for a level that is none, a shard without a folder, or a folder of another run; SHARDS_BEHIND, LEASE_HELD, LEASE_LOST; STORE_FULL, BAD_OUTPUT where the graph finds no room
 */
export async function rank(crawl: CrawlContext, options: RankOptions = {}): Promise<Report> {
  const { level = 'both', folder = tmpdir(), signal, shard, leaseWait } = options;
  if (!RANK_LEVELS.includes(level)) {
    throw new CrawlError(
      'USAGE',
      `expected a level of ${RANK_LEVELS.join(', ')}, found ${safeText(String(level), 80)}`,
    );
  }
  if (shard && options.folder === undefined) {
    throw new CrawlError('USAGE', 'expected a folder that all shards share, found none', {
      hint: 'give --work <folder>, a new one for each run',
    });
  }
  const tracker = createTracker(crawl, 'rank', options);
  const levels: readonly RankedLevel[] = level === 'both' ? ['page', 'host'] : [level];
  try {
    if (shard) await rankShard(crawl, { shard, levels, folder, wait: leaseWait, signal }, tracker);
    else await crawl.tables.exclusive('rank', () => withWorkFolder(folder, (work) => rankAll(work)));
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error;
  }
  return tracker.report();

  async function rankAll(work: string): Promise<void> {
    const ranks = await solveRanks(crawl, levels, rankedRows(crawl, tracker), work, tracker, signal);
    await writeRanks(crawl, levels, ranks, tracker, signal);
    for (const each of levels) await crawl.tables.runs.putRankWriting(each, false);
  }
}
