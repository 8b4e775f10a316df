import {
  inScope,
  judgeDue,
  pagesUnderWay,
  rulesNow,
  type CrawlContext,
  type WaitingPage,
  isBefore,
} from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';
import { createAsking } from './ask-pages.js';
import type { CrawlPlan, PlannedRound } from './planned.js';
import { createQueueLoads, type PlannedPage } from './queue-loads.js';

/** Options of {@link plan}. */
export interface PlanOptions {
  /** Number of rounds, up to 1,000. Default: 1. */
  readonly rounds?: number;
  /** Maximum number of pages of a round. Absent: a round selects all due pages. */
  readonly topN?: number;
  /** Maximum number of queues in the list, up to 10,000. Default: 20. */
  readonly top?: number;
  readonly signal?: AbortSignal;
}

type Page = PlannedPage & Candidate;

const MAX_ROUNDS = 1000;
const MAX_QUEUES = 10_000;

/**
 * Computes what the next rounds would select and request, and how long this takes. It decides like generate and fetch, on the present
 * table, and writes nothing. It reads the due part of the frontier with its rows, the refused entries, and the open batches. It needs
 * memory for some numbers of each queue. If `topN` or `generate.maxCount` limits the rounds, it also needs memory for twice the pages of
 * the rounds.
 *
 * The plan does not include pages that the rounds will find, as links or targets of redirects. It does not include retries of pages that
 * fail. If a robots.txt must be requested first, the plan assumes that it allows all pages.
 * @throws CrawlError USAGE for rounds, topN or top out of their range; the reason of `options.signal`
 */
export async function plan(given: CrawlContext, options: PlanOptions = {}): Promise<CrawlPlan> {
  const { top = 20, signal } = options;
  const bounds = boundsOf(given, options);
  const crawl = await inScope(given);
  const rules = await rulesNow(crawl);
  const now = crawl.clock();
  const asking = createAsking(crawl);
  const sums = createSums();
  const toPages = async (rows: readonly (WaitingPage & { readonly score?: number })[]): Promise<Page[]> => {
    const asked = await asking.ask(rows.map(({ key }) => key));
    const pages: Page[] = [];
    for (const [i, { key, score = 0, fetchMs }] of rows.entries()) {
      const { from } = await asking.hostNow(key);
      pages.push({ rowKey: key, score, fetchMs, from, ...asked[i]! });
    }
    return pages;
  };

  for await (const rows of pagesUnderWay(crawl)) {
    signal?.throwIfAborted();
    for (const page of await toPages(rows)) sums.add(0, page);
  }
  const isBounded = bounds.topN < Infinity || bounds.maxCount < Infinity;
  const candidates = createCandidates<Page>(bounds);
  for await (const step of judgeDue(crawl, rules)) {
    signal?.throwIfAborted();
    if ('refused' in step) {
      sums.exclude(step.reason, step.refused);
      continue;
    }
    const free: (typeof step.rows)[number][] = [];
    for (const row of step.rows) {
      if (row.reason !== undefined) sums.exclude(row.reason);
      else if ((await asking.hostNow(row.key)).isSetAside) sums.exclude('host_backoff');
      else free.push(row);
    }
    for (const page of await toPages(free)) {
      sums.selectable += 1;
      if (isBounded) candidates.add(page);
      else sums.add(1, page);
    }
  }
  if (isBounded) {
    for (const [i, pages] of candidates.rounds().entries()) for (const page of pages) sums.add(i + 1, page);
  }
  const nextDueAt = await crawl.tables.frontier.nextDueAt();
  return {
    now,
    ...sums.end(now, crawl, top),
    ...(nextDueAt !== undefined && nextDueAt > now && { nextDueAt }),
  };
}

function boundsOf({ settings }: CrawlContext, { rounds = 1, topN = Infinity, top = 20 }: PlanOptions): RoundBounds {
  const isWhole = (value: number, most: number): boolean => Number.isSafeInteger(value) && value >= 1 && value <= most;
  if (!isWhole(rounds, MAX_ROUNDS)) {
    throw new CrawlError('USAGE', `expected rounds from 1 to ${MAX_ROUNDS}, found ${String(rounds)}`);
  }
  if (topN !== Infinity && !isWhole(topN, Number.MAX_SAFE_INTEGER)) {
    throw new CrawlError('USAGE', `expected topN of at least 1, found ${String(topN)}`);
  }
  if (!isWhole(top, MAX_QUEUES)) {
    throw new CrawlError('USAGE', `expected top from 1 to ${MAX_QUEUES}, found ${String(top)}`);
  }
  const { maxCount } = settings.generate;
  return { rounds, topN, maxCount: maxCount < 0 ? Infinity : maxCount };
}

interface RoundSums {
  pages: number;
  robots: number;
  readonly notRequested: Record<string, number>;
}

function createSums() {
  const loads = createQueueLoads();
  const rounds: RoundSums[] = [];
  const excluded: Record<string, number> = {};
  return {
    selectable: 0,
    exclude: (reason: string, n = 1): void => void (excluded[reason] = (excluded[reason] ?? 0) + n),
    add(round: number, page: PlannedPage): void {
      const sums = (rounds[round] ??= { pages: 0, robots: 0, notRequested: {} });
      sums.pages += 1;
      const { outcome } = page;
      if (outcome !== undefined) sums.notRequested[outcome] = (sums.notRequested[outcome] ?? 0) + 1;
      else if (loads.add(round, page).isRobotsAsked) sums.robots += 1;
    },
    end(now: number, { settings }: Pick<CrawlContext, 'settings'>, top: number) {
      const numbers = [...rounds.keys()].filter((round) => rounds[round] !== undefined);
      const times = loads.times(numbers, now, settings.fetcher);
      const queues = times.queues.sort((a, b) => b.seconds - a.seconds || (a.queue < b.queue ? -1 : 1));
      const taken = rounds.reduce((sum, each, round) => sum + (round > 0 ? each.pages : 0), 0);
      return {
        rounds: numbers.map((round, i): PlannedRound => ({ round, ...rounds[round]!, ...times.rounds[i]! })),
        seconds: times.seconds,
        queues: queues.slice(0, top),
        queueCount: queues.length,
        excluded,
        left: this.selectable - taken,
      };
    },
  };
}

export interface Candidate {
  readonly rowKey: string;
  readonly score: number;
  readonly queue: string;
}

interface RoundBounds {
  readonly rounds: number;
  readonly topN: number;
  /** Maximum number of pages of a queue in a round. */
  readonly maxCount: number;
}

const SLACK = 10_000;

/**
 * Selects the pages of the rounds from all added candidates. It stores about twice as many candidates as the rounds can select, and drops
 * the rest from time to time. A dropped candidate cannot be selected later, because better candidates have filled the rounds.
 * @param slack number of additional candidates to store
 */
export function createCandidates<C extends Candidate>(bounds: RoundBounds, slack = SLACK) {
  let kept: C[] = [];
  let next = slack;
  return {
    add(candidate: C): void {
      if (kept.push(candidate) < next) return;
      kept = roundsOf(kept, bounds).flat();
      next = 2 * kept.length + slack;
    },
    rounds: (): C[][] => roundsOf(kept, bounds),
  };
}

function roundsOf<C extends Candidate>(candidates: readonly C[], { rounds, topN, maxCount }: RoundBounds): C[][] {
  const found: C[][] = [];
  let rest = candidates.toSorted(order);
  while (found.length < rounds && rest.length > 0) {
    const ofQueue = new Map<string, number>();
    const taken: C[] = [];
    const left: C[] = [];
    for (const candidate of rest) {
      const n = ofQueue.get(candidate.queue) ?? 0;
      const isTaken = taken.length < topN && n < maxCount;
      if (isTaken) ofQueue.set(candidate.queue, n + 1);
      (isTaken ? taken : left).push(candidate);
    }
    found.push(taken);
    rest = left;
  }
  return found;
}

const order = (a: Candidate, b: Candidate): number => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0);
