import { isFetched, type SlotProgress, type Tables } from '../../../webtable/index.js';
import { isProxyFailure, type Robots, type RobotsHop } from '../../fetch/index.js';
import { hostIfAny } from '../../url/index.js';
import { inParallel } from '../../util/index.js';
import type { CrawlContext } from '../context.js';
import type { QueueNames } from '../hosts/queue-name.js';
import { checkLeases, isOfJob } from '../shards/job-slots.js';

/** Number of robots.txt requests of other workers that are processed at the same time. */
const ANSWERED_AT_ONCE = 16;

/** Tells the worker that owns a slot that a row of this slot has joined a batch. Call it after the row is stored. */
export function storeJoined({ batches }: Pick<Tables, 'batches'>, batchId: string, slot: string): Promise<void> {
  return batches.changeProgress(batchId, [slot], (progress) => {
    // The owner reached its time limit and will not read the slot again in this run. A later run of fetch finds the row.
    if (progress?.timeUp) return undefined;
    const { parsed: _, waiting = 0, ...rest } = progress ?? {};
    return { ...rest, waiting: waiting + 1 };
  });
}

/**
 * Makes the function that leaves the robots.txt of a host to the worker that owns the slot of this host. It returns the answer of that
 * worker, if there is one; undefined if the host is in a slot of this job.
 */
export function createRobotsOfOtherShard(crawl: CrawlContext, batchId: string) {
  const { tables } = crawl;
  const { robotsRequests } = tables.batches;
  return async (url: string, queueNames: QueueNames): Promise<RobotsHop | 'asked' | undefined> => {
    const host = hostIfAny(url);
    const slot = host === undefined ? undefined : tables.slots.ofQueue(await queueNames.nameOf(host));
    if (slot === undefined || isOfJob(crawl, slot)) return undefined;
    const request = await robotsRequests.get(batchId, slot, url);
    if (request?.answer) return request.answer as unknown as RobotsHop;
    if (!request) await robotsRequests.make(batchId, slot, url);
    await storeJoined(tables, batchId, slot);
    return 'asked';
  };
}

/** Records that all pages are parsed. It does so for the slots of the job that are completely fetched. */
export async function storeParsed(crawl: CrawlContext, batchId: string): Promise<void> {
  const { tables, jobSlots } = crawl;
  await checkLeases(crawl);
  await tables.batches.changeProgress(batchId, jobSlots?.slots ?? tables.slots.all, (progress) => {
    return isFetched(progress) && !progress?.parsed ? { ...progress, parsed: true } : undefined;
  });
}

/**
 * Records that the time limit was reached before the fetch began. It does so for the slots of the job that are not completely fetched.
 * @param parse whether the fetched pages are parsed
 */
export async function storeTimeUp(crawl: CrawlContext, batchId: string, parse: boolean): Promise<void> {
  const { tables, jobSlots } = crawl;
  await checkLeases(crawl);
  await tables.batches.changeProgress(batchId, jobSlots?.slots ?? tables.slots.all, (progress) =>
    isFetched(progress) ? undefined : { ...atTimeUp(progress), ...(parse && { parsed: true }) },
  );
}

function atTimeUp({ fetched: _, ...rest }: SlotProgress = {}): SlotProgress {
  return { ...rest, timeUp: true };
}

/** Tracks which slots of the job are completely fetched, according to the stored progress. */
export async function createSlotsThrough(crawl: CrawlContext, batchId: string) {
  const { tables, jobSlots } = crawl;
  const { batches } = tables;
  const slots = jobSlots?.slots ?? new Set(tables.slots.all);
  const noted = await batches.progress(batchId, slots);
  const isThrough = (slot: string): boolean => {
    const { fetched, waiting } = noted.get(slot) ?? {};
    return fetched === true && waiting === undefined;
  };
  let left: ReadonlySet<string> = new Set([...slots].filter((slot) => !isThrough(slot)));
  /** The progress that was stored before the slots were read. Other workers may have changed it. */
  let seen = noted;
  return {
    /** Whether some slots are completely fetched but not completely parsed. */
    hasUnparsed: [...slots].some((slot) => isThrough(slot) && !noted.get(slot)?.parsed),
    /** The slots that are not completely fetched. */
    get left() {
      return left;
    },
    /** Reads the progress of the slots that are left. Call it before the slots are read. */
    async look(): Promise<void> {
      seen = await batches.progress(batchId, left);
    },
    /**
     * Records that the slots were read and all their pages are done.
     * @param waiting slots with pages that wait for other workers
     * @param isTimedOut whether the time limit was reached, so that any slot may have unfetched pages
     * @returns the slots to which other workers have added something after the last `look`
     */
    async note(waiting: ReadonlySet<string>, isTimedOut: boolean): Promise<ReadonlySet<string>> {
      const news = new Set<string>();
      await checkLeases(crawl);
      await batches.changeProgress(batchId, left, (progress, slot) => {
        const { waiting: now, fetched: _, timeUp: __, ...rest } = progress ?? {};
        news.delete(slot);
        if (isTimedOut) return atTimeUp(progress);
        if (now !== seen.get(slot)?.waiting) {
          news.add(slot);
          return undefined;
        }
        return waiting.has(slot) ? rest : { ...rest, fetched: true };
      });
      return (left = news);
    },
  };
}

/**
 * Answers the requests of other workers for robots.txt files. A worker makes such a request if the robots.txt of a page's host redirects to
 * a host in the given slots.
 */
export async function answerRobotsRequests(
  { tables }: CrawlContext,
  robots: Robots,
  batchId: string,
  slots: Iterable<string>,
): Promise<void> {
  const { robotsRequests } = tables.batches;
  await inParallel(robotsRequests.open(batchId, slots), ANSWERED_AT_ONCE, async ({ slot, url }) => {
    const found = await robots.hop(url);
    // An answer that says nothing about the host is not stored. The request stays open.
    const isNone = !found || ('code' in found && (found.code === 'aborted' || isProxyFailure(found)));
    if (!isNone) await robotsRequests.answer(batchId, slot, url, { ...found });
  });
}
