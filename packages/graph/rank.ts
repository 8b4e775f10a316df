import { tmpdir } from 'node:os';
import { type RankedLevel, createTracker, type JobContext, type JobOptions, type Report } from '../core/index.js';
import { rankedRows, solveRanks, writeRanks } from './ranking/rank-steps.js';
import { withWorkFolder } from '../scan/index.js';

/** Options of {@link rank}. */
export interface RankOptions extends JobOptions {
  /** The kind of ranks to compute. Default: `both`. */
  readonly level?: 'page' | 'host' | 'both';
  /**
   * Folder for the files of the graph, which take 30 bytes for each link and are removed at the end. Default: the system's folder for
   * temporary files.
   */
  readonly folder?: string;
}

/**
 * Computes PageRank over the links between pages, over the links between hosts, or both, by the settings `rank.*`. It writes the ranks to
 * the rows. Redirects and canonicals are resolved: a link to such a page counts as a link to its target. For hosts, only links to other
 * hosts count, and each pair of hosts counts once.
 *
 * The job begins with the last ranks if there are any, because it then needs fewer iterations to reach the same result. If the last ranks are
 * close enough to this result, nothing is changed. The job may be killed at any moment and run again. If it is killed while it writes the
 * ranks of a level, the next run computes that level without earlier ranks. The ranks then equal exactly those of a run without earlier
 * ranks, and differ from those of any other run by at most `rank.tolerance`. If a row changes while the job runs, the row keeps this change.
 *
 * Counters: see `COUNTERS`.
 * @throws CrawlError USAGE for an unknown level; STORE_FULL, BAD_OUTPUT when there is no disk space for the graph
 */
export async function rank(crawl: JobContext, options: RankOptions = {}): Promise<Report> {
  const { level = 'both', folder = tmpdir(), signal } = options;
  const tracker = createTracker(crawl, 'rank', options);
  const levels: readonly RankedLevel[] = level === 'both' ? ['page', 'host'] : [level];
  try {
    await crawl.tables.exclusive('rank', () => withWorkFolder(folder, (work) => rankAll(work)));
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
