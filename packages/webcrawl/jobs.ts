import { SharedStore } from '../../webtable/index.js';
import { dedup } from '../duplicates/index.js';
import { propose } from '../focus/index.js';
import {
  compact,
  crawl,
  fetch,
  generate,
  inject,
  parse,
  remove,
  repair,
  updatedb,
  type Counts,
  type CrawlContext,
  type JobOptions,
  type RepairOptions,
  type Report,
} from '../jobs/index.js';
import { rank } from '../graph/index.js';
import { CrawlError, type ErrorCode } from '../errors/index.js';
import { createRetry } from './retry.js';
import { forgetIndex, index, repairIndex } from '../index/index.js';

/** Any of the jobs: each has options of its own. */
type Job = (crawl: CrawlContext, options: never) => Promise<Report>;
type AnyJob = (crawl: CrawlContext, options?: JobOptions) => Promise<Report>;

/** The job, which reports that it was interrupted where it was stopped before it could begin. */
function stoppable(name: string, job: AnyJob): AnyJob {
  return async (crawl, options) => {
    try {
      return await job(crawl, options);
    } catch (error) {
      const signal = options?.signal;
      if (!signal?.aborted || error !== signal.reason) throw error;
      return { job: name, seconds: 0, counters: {}, interrupted: true };
    }
  };
}

/** The job, with others able to see how far it has got. */
export function watched<J extends Job>(name: string, job: J): J {
  const run = stoppable(name, job as unknown as AnyJob);
  const watched: AnyJob = (crawl, options) => {
    const { running } = crawl;
    if (!running) return run(crawl, options);
    return running.run(name, options, (watch, options) => run({ ...crawl, watch }, options));
  };
  return watched as unknown as J;
}

/** Runs a task while the table is open in this process and yielded to no other. @throws CrawlError TABLE_LOCKED where another has it */
export function holdAlone<T>({ tables: { store } }: CrawlContext, task: () => Promise<T>): Promise<T> {
  return store instanceof SharedStore ? store.holdAlone(task) : task();
}

/** The same for a job that no other process may use the table beside; it throws TABLE_LOCKED where one does. */
function alone<J extends Job>(name: string, job: J): J {
  const run = watched(name, job) as unknown as AnyJob;
  const alone: AnyJob = (crawl, options) => holdAlone(crawl, () => run(crawl, options));
  return alone as unknown as J;
}

/** Proposes rules and adds them; where somebody has changed the rules meanwhile, it is left to the next time. */
async function proposeRules(crawl: CrawlContext, options: Pick<JobOptions, 'signal'>): Promise<Counts> {
  const { watch: _, ...unwatched } = crawl;
  const { directory } = crawl.tables;
  try {
    const found = await propose(unwatched, {
      ...options,
      apply: true,
      ...(directory !== undefined && { folder: directory }),
    });
    return found.counters;
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'STALE_PROPOSAL') return { stale: 1 };
    throw error;
  }
}

/** A crawl that goes on where proposing fails, such as for want of room; that is reported until it succeeds, or the crawl ends. */
const crawlAndPropose: typeof crawl = async (given, options) => {
  const retry = given.running && createRetry('rules propose', { running: given.running, clock: given.clock });
  const tryToPropose = async (how: Pick<JobOptions, 'signal'>): Promise<Counts> => {
    try {
      const counts = await proposeRules(given, how);
      retry?.succeeded();
      return counts;
    } catch (error) {
      if (!(error instanceof CrawlError)) throw error;
      retry?.failed(error);
      return { failed: 1 };
    }
  };
  try {
    return await crawl({ ...given, proposeRules: tryToPropose }, options);
  } finally {
    retry?.succeeded();
  }
};

/** What `repair` did. */
export interface RepairReport extends Report {
  /** Why the search index could not be repaired, and what to do. All else is done; webcrawl index makes the index anew. */
  readonly indexProblem?: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

/** Puts right the indexes of the table, and then the search index where there is one; of a shard only the former. */
async function repairAll(crawl: CrawlContext, options: RepairOptions = {}): Promise<RepairReport> {
  const report = await repair(crawl, options);
  if (options.shard) return report;
  let found: Report | undefined;
  try {
    found = report.interrupted ? undefined : await repairIndex(crawl, options);
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error;
    const { code, message, hint } = error;
    return { ...report, indexProblem: { code, message, ...(hint !== undefined && { hint }) } };
  }
  if (!found) return report;
  const differences = Object.fromEntries(Object.entries(found.counters).filter(([, count]) => count > 0));
  return {
    ...report,
    seconds: report.seconds + found.seconds,
    counters: { ...report.counters, ...differences },
    ...(found.interrupted && { interrupted: true }),
  };
}

/** The jobs, each `(crawl, options) => Promise<Report>`. */
export const jobs = {
  inject: watched('inject', inject),
  generate: alone('generate', generate),
  fetch: alone('fetch', fetch),
  parse: alone('parse', parse),
  updatedb: alone('updatedb', updatedb),
  crawl: alone('crawl', crawlAndPropose),
  index: alone('index', index),
  forgetIndex: alone('index', forgetIndex),
  repair: alone('repair', repairAll),
  compact: alone('compact', compact),
  remove: alone('remove', remove),
  rank: alone('rank', rank),
  dedup: alone('dedup', dedup),
} as const;
