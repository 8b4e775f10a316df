import { isFetched, type SlotProgress, type Tables } from '../../../webtable/index.js';
import { isProxyFailure, type Robots } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';
import { hold } from '../shards/own-slots.js';

/** Requests for robots.txt of others that wait for their turn together. */
const ANSWERED_AT_ONCE = 16;

/** Says to whoever has a slot that there is something new in it for a batch. Call it when that is there. */
export function noteJoined({ batches }: Pick<Tables, 'batches'>, batchId: string, slot: string): Promise<void> {
  return batches.changeProgress(batchId, [slot], (progress) => {
    // Nothing more is fetched there; it is found where a fetch is run again.
    if (progress?.timeUp) return undefined;
    const { parsed: _, waiting = 0, ...rest } = progress ?? {};
    return { ...rest, waiting: waiting + 1 };
  });
}

/** Notes that all is parsed of the own slots that are fetched to their end. */
export async function noteParsed(crawl: CrawlContext, batchId: string): Promise<void> {
  const { tables, own } = crawl;
  await hold(crawl);
  await tables.batches.changeProgress(batchId, own?.slots ?? tables.slots.all, (progress) => {
    return isFetched(progress) && !progress?.parsed ? { ...progress, parsed: true } : undefined;
  });
}

/**
 * Notes that the time of a fetch was over before it began on the own slots that are not fetched to their end.
 * @param parse what was fetched is parsed
 */
export async function noteTimeUp(crawl: CrawlContext, batchId: string, parse: boolean): Promise<void> {
  const { tables, own } = crawl;
  await hold(crawl);
  await tables.batches.changeProgress(batchId, own?.slots ?? tables.slots.all, (progress) =>
    isFetched(progress) ? undefined : { ...atTimeUp(progress), ...(parse && { parsed: true }) },
  );
}

function atTimeUp({ fetched: _, ...rest }: SlotProgress = {}): SlotProgress {
  return { ...rest, timeUp: true };
}

/**
 * Which of the own slots of a batch are fetched to their end, as it is noted for all.
 * @param resume what is fetched is not fetched again
 */
export async function createSlotsThrough(crawl: CrawlContext, batchId: string, resume: boolean) {
  const { tables, own } = crawl;
  const { batches } = tables;
  const slots = own?.slots ?? new Set(tables.slots.all);
  const noted = await batches.progress(batchId, slots);
  const isThrough = (slot: string): boolean => {
    const { fetched, waiting } = noted.get(slot) ?? {};
    return resume && fetched === true && waiting === undefined;
  };
  let left: ReadonlySet<string> = new Set([...slots].filter((slot) => !isThrough(slot)));
  if (!resume) {
    await batches.changeProgress(batchId, left, (progress) => {
      const { fetched: _, parsed: __, timeUp: ___, ...rest } = progress ?? {};
      return rest;
    });
  }
  /** What had come from others before the slots were read. */
  let seen = noted;
  return {
    /** Some are through whose pages are not all parsed. */
    hasUnparsed: [...slots].some((slot) => isThrough(slot) && !noted.get(slot)?.parsed),
    /** Those that are not through. */
    get left() {
      return left;
    },
    /** Call it before they are read. */
    async look(): Promise<void> {
      seen = await batches.progress(batchId, left);
    },
    /**
     * Notes that they were read, and that all of their pages are through.
     * @param waiting those with pages that wait for others
     * @param isTimedOut there may be pages left in all of them, as the time is over
     * @returns those in which something has come from others since they were read
     */
    async note(waiting: ReadonlySet<string>, isTimedOut: boolean): Promise<ReadonlySet<string>> {
      const news = new Set<string>();
      await hold(crawl);
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

/** Asks, for other workers, for what robots.txt of their hosts redirect to, and leaves the answers to them. */
export async function answerRobotsRequests(
  { tables }: CrawlContext,
  robots: Robots,
  batchId: string,
  slots: Iterable<string>,
): Promise<void> {
  const { robotsRequests } = tables.batches;
  let some: Promise<void>[] = [];
  for await (const { slot, url } of robotsRequests.open(batchId, slots)) {
    const answer = async (): Promise<void> => {
      const found = await robots.hop(url);
      // What says nothing of the host there is asked for again.
      const isNone = !found || ('code' in found && (found.code === 'aborted' || isProxyFailure(found)));
      if (!isNone) await robotsRequests.answer(batchId, slot, url, { ...found });
    };
    some.push(answer());
    if (some.length < ANSWERED_AT_ONCE) continue;
    await Promise.all(some);
    some = [];
  }
  await Promise.all(some);
}
