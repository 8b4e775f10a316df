import type { HeldLeases, LeaseHolderInfo, LeaseInfo } from '../../../webtable/index.js';
import { pause, pauseAfter } from '../../util/index.js';
import type { ScopedCrawl } from '../context.js';
import { slotsToFold } from '../inbox/fold-inboxes.js';
import { countSelectable } from '../selection/is-any-due.js';

export interface CrawledSlots {
  /** The slots that were crawled. Slots that another worker held are left out. */
  readonly slots: ReadonlySet<string>;
  /** Number of selected pages. */
  readonly pages: number;
  /** Whether the worker has to end, because a limit was reached. */
  readonly isOver: boolean;
}

/** The holder of a slot for which a worker waits. `name` is untrusted text. */
export interface AwaitedHolder {
  readonly slot: string;
  readonly name: string;
}

export interface WorkerOptions {
  /** The slots of the worker's shard. */
  readonly shard: readonly string[];
  /** Whether the worker stays when nothing is due in any slot. */
  readonly untilStopped: boolean;
  /** Ends the worker. */
  readonly ends: AbortSignal;
  /** Called once, if another worker holds a slot of the shard. */
  readonly onWait?: ((holder: AwaitedHolder) => void) | undefined;
  /** Called with the slots of the shard that the worker has taken, before it crawls them. */
  readonly onTaken: (slots: ReadonlySet<string>) => Promise<void>;
  /** Crawls slots until nothing is due there, or with `isOneRound` for one round. */
  readonly crawlSlots: (slots: readonly string[], isOneRound: boolean) => Promise<CrawledSlots>;
}

/** Milliseconds between two looks for work, while there is none. They double up to the maximum. */
const POLL = { first: 1000, most: 5000 };
/** Due rows of a slot are counted up to this number. */
const COUNT_LIMIT = 1000;
/** After this number of looks without work, slots are crawled again although their number of due rows has not changed. */
const RETRY_AFTER = 12;

/** The workers of a table at a time when all of them are idle. */
interface IdleWorkers {
  /** When each worker became idle, by the id of its leases. */
  readonly since: ReadonlyMap<string, number>;
  /** The sum of the epochs of all leases. It grows with each lease that is taken. */
  readonly epochs: number;
}

/**
 * Crawls a shard, beside the workers of other shards. The worker takes the leases of its slots as they become free, and holds them until it
 * ends. It continues the open batches in these slots, folds their inboxes, and crawls until nothing is due there. Then it is idle. An idle
 * worker takes over slots with open batches, inboxes or due rows that no living worker holds, for one round, and releases them.
 *
 * The worker ends when all workers are idle, no batch is open, all inboxes are empty, and nothing is due in any slot, twice in a row, and no
 * lease was taken between. If a worker ends although another one still finds work, the other worker takes over its slots.
 *
 * Rows that generate did not select, for example because a filter rejects them, do not count as due until their number changes. An idle
 * worker shows these numbers to the others.
 * @throws CrawlError LEASE_LOST; the errors of `crawlSlots`
 */
export async function runWorker(crawl: ScopedCrawl, options: WorkerOptions): Promise<void> {
  const { shard, untilStopped, ends, onTaken, crawlSlots } = options;
  const { batches, leases, slots: ofTable } = crawl.tables;
  const own = new Set<string>();
  const work = createWorkFinder(crawl);
  /** The first lease has no slot. It only shows other workers that this worker lives. */
  const held: HeldLeases[] = [await leases.take([], { job: 'crawl', wait: 0 })];
  let { onWait } = options;

  /**
   * Takes the slots of the shard that no other worker holds.
   * @returns whether it tried to take slots. From then on other workers do not see this one as idle.
   */
  async function takeOwn(ofOthers: ReadonlyMap<string, LeaseHolderInfo>): Promise<boolean> {
    const missing = shard.filter((slot) => !own.has(slot));
    const free = missing.filter((slot) => !ofOthers.has(slot));
    const awaited = missing.find((slot) => ofOthers.has(slot));
    if (awaited !== undefined) {
      onWait?.({ slot: awaited, name: ofOthers.get(awaited)!.name });
      onWait = undefined;
    }
    if (free.length === 0) return false;
    const taken = await leases.take(free, { job: 'crawl', wait: 0, leaveTaken: true });
    held.push(taken);
    await onTaken(taken.slots);
    for (const slot of taken.slots) own.add(slot);
    return true;
  }

  /** Returns undefined if a worker is not idle, a batch is open, an inbox is not empty, or a slot has due rows. */
  async function idleWorkers(
    all: readonly LeaseInfo[],
    ofOthers: ReadonlyMap<string, LeaseHolderInfo>,
  ): Promise<IdleWorkers | undefined> {
    const since = new Map<string, number>();
    for (const { id, idle } of await leases.livingHolders()) {
      if (!idle) return undefined;
      since.set(id, idle.since);
    }
    if ((await batches.list()).length > 0 || (await slotsToFold(crawl, ofTable.all)).size > 0) return undefined;
    // A worker that seems to live may be dead. Then its slots are free soon.
    for (const [slot, { idle }] of ofOthers) if (await work.isIn(slot, idle?.left[slot])) return undefined;
    return { since, epochs: all.reduce((sum, { epoch }) => sum + epoch, 0) };
  }

  /**
   * Crawls slots that have work: those of the worker, else those without a holder. As long as slots of the shard are missing, it crawls
   * round by round, so that it takes them soon after they are free. Returns undefined if there is no work.
   */
  async function crawlSome(ofOthers: ReadonlyMap<string, LeaseHolderInfo>): Promise<CrawledSlots | undefined> {
    if ((await work.slotsOf([...own])).length > 0) return crawlSlots([...own], own.size < shard.length);
    const free = ofTable.all.filter((slot) => !own.has(slot) && !ofOthers.has(slot));
    const orphans = await work.slotsOf(free);
    return orphans.length === 0 ? undefined : crawlSlots(orphans, true);
  }

  async function loop(): Promise<void> {
    let looks = 0;
    let isIdle = false;
    let before: IdleWorkers | undefined;
    while (!ends.aborted) {
      for (const { lost } of held) lost.throwIfAborted();
      const all = await leases.list();
      const ofOthers = holdersOf(all);
      const hasTried = await takeOwn(ofOthers);
      const crawled = await crawlSome(ofOthers);
      if (crawled) {
        if (crawled.isOver) return;
        await work.noteCrawled(crawled);
      }
      if (crawled || hasTried) {
        looks = 0;
        isIdle = false;
        before = undefined;
        continue;
      }
      if (!isIdle) await leases.noteIdle({ since: crawl.clock(), left: work.left() });
      isIdle = true;
      const now = untilStopped ? undefined : await idleWorkers(all, ofOthers);
      if (now && before && isContinued(before, now)) return;
      before = now;
      if (++looks % RETRY_AFTER === 0) work.retry();
      await pause(pauseAfter(looks, POLL), ends);
    }
  }

  let hasFailed = true;
  try {
    await loop();
    hasFailed = false;
  } finally {
    const released = Promise.all(held.reverse().map((lease) => lease.release()));
    // If the release fails, the leases expire soon.
    if (hasFailed) await released.catch(() => undefined);
    else await released;
  }
}

/** Finds slots with work: an open batch, an inbox to fold, or due rows that generate may select. */
function createWorkFinder(crawl: ScopedCrawl) {
  /** The number of due rows in a slot after it was last crawled. Infinity: a batch was open. */
  const left = new Map<string, number>();

  const count = (slot: string): Promise<number> => countSelectable(crawl, [slot], COUNT_LIMIT);

  async function countIn(slots: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { batches, slots: ofTable } = crawl.tables;
    const inBatch = new Set((await batches.list()).flatMap(({ slots: listed = ofTable.all }) => listed));
    const counts = new Map<string, number>();
    for (const slot of slots) counts.set(slot, inBatch.has(slot) ? Infinity : await count(slot));
    return counts;
  }

  return {
    async slotsOf(slots: readonly string[]): Promise<readonly string[]> {
      const toFold = await slotsToFold(crawl, slots);
      const counts = await countIn(slots);
      return slots.filter((slot) => toFold.has(slot) || (counts.get(slot)! > 0 && counts.get(slot) !== left.get(slot)));
    },
    /** Whether a slot has other due rows than those that its holder cannot select. */
    async isIn(slot: string, unselectable = 0): Promise<boolean> {
      const due = await count(slot);
      return due > 0 && due !== unselectable;
    },
    /** Remembers what is left in slots. If rows were selected there in a single round, more rows may be selected. */
    async noteCrawled({ slots, pages }: CrawledSlots): Promise<void> {
      for (const [slot, count] of await countIn([...slots])) {
        if (pages === 0) left.set(slot, count);
        else left.delete(slot);
      }
    },
    retry: (): void => left.clear(),
    /** The numbers of due rows that are left, by slot. */
    left: () => Object.fromEntries([...left].filter(([, count]) => count > 0 && count < Infinity)),
  };
}

/** The living workers that hold slots, without this one, by slot. */
function holdersOf(leases: readonly LeaseInfo[]): ReadonlyMap<string, LeaseHolderInfo> {
  return new Map(
    leases.flatMap(({ slot, holder }) =>
      holder && !holder.isOwn && !holder.isSilent ? [[slot, holder] as const] : [],
    ),
  );
}

/** Whether no worker has worked since an earlier look. Workers that have ended meanwhile do not matter. */
function isContinued(before: IdleWorkers, now: IdleWorkers): boolean {
  for (const [id, at] of now.since) if (before.since.get(id) !== at) return false;
  return before.epochs === now.epochs;
}
