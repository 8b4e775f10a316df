import {
  makeBatchId,
  createTracker,
  injectInScope,
  writeScope,
  type CrawlContext,
  type CrawlOptions,
  type JobOptions,
  type Report,
  type Tracker,
} from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import { pause } from '../util/index.js';
import { waitBefore, type BackOff } from './back-off.js';
import { isStepDone, nextBatch } from './round-steps.js';
import { ROUND_STEPS, outcomeOf, type Pass, type RoundStep, type Runner, type WorkerExit } from './runner.js';
import { exhaustedError, workerError } from './worker-error.js';

/** Options of {@link rounds}. */
export interface RoundsOptions
  extends
    Pick<JobOptions, 'signal'>,
    Pick<CrawlOptions, 'rounds' | 'topN' | 'stay' | 'depth' | 'include' | 'exclude' | 'onRejected' | 'retryDenied'> {
  /** Number of shards of the table. It must not be larger than the number of slots. Each shard has its own worker. */
  readonly shards: number;
  /** The function that starts the workers. */
  readonly runner: Runner;
  /** Returns further arguments for the command of a worker: the location and the settings of the table. */
  readonly workerArgs: (step: RoundStep) => readonly string[];
  /** Seeds to inject first. If seeds are given, `stay`, `depth`, `include` and `exclude` are stored in the table, as in a crawl. */
  readonly seeds?: CrawlOptions['seeds'];
  /** Called with each event, in the order of the events. */
  readonly onEvent?: (event: RoundsEvent) => void;
  /** Limits on repeated runs of a step for workers that failed. */
  readonly backOff?: BackOff;
}

/** An event of the rounds. */
export type RoundsEvent =
  /** A round has begun. `isNew`: false if it continues an open batch. */
  | { readonly kind: 'round'; readonly round: number; readonly batchId: string; readonly isNew: boolean }
  /** A pass has begun: the workers of a step are started. */
  | { readonly kind: 'pass'; readonly round: number; readonly pass: Pass; readonly number: number }
  /** The worker of a shard has ended. If it will be restarted, `againIn` is the number of milliseconds until then. */
  | { readonly kind: 'exit'; readonly pass: Pass; readonly exit: WorkerExit; readonly againIn?: number };

const BACK_OFF: BackOff = { first: 5000, most: 60_000, limit: 4 };
/** Maximum number of passes of a step. After that, a fetch leaves the remaining pages due, and other steps fail. */
const MOST_PASSES = 100;

/**
 * Crawls in rounds. Workers in other processes run the steps of a round: generate, fetch with parse, updatedb, and index if there is a
 * search index. Each step runs over all shards, several times if necessary, until the table shows that the step is done. The crawl ends
 * when no row is due, after `rounds` rounds, or after a round in which the workers report that they fetched nothing.
 *
 * The whole state is in the table. So after a kill, the next call continues with the open batch. If the signal aborts, the workers are
 * asked to stop, and the function returns when they have stopped.
 *
 * Counters: `COUNTERS.rounds`, and those of inject.
 * @throws CrawlError USAGE; WORKER_FAILED if workers fail repeatedly; otherwise the error of a failed worker
 */
export async function rounds(crawl: CrawlContext, options: RoundsOptions): Promise<Report> {
  const { shards, signal = new AbortController().signal, seeds, rounds: mostRounds = Infinity } = options;
  const { tables } = crawl;
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > tables.slots.all.length) {
    throw new CrawlError('USAGE', `expected 1 to ${tables.slots.all.length} shards, found ${shards}`, {
      hint: 'each shard needs at least one slot, and the number of slots is fixed when the table is made: webcrawl table create --slots',
    });
  }
  if (!tables.isShared) {
    throw new CrawlError(
      'USAGE',
      'expected a table that several processes can share, found a table that only one process can write',
      {
        hint: 'rounds are for shared tables such as hbase://…; for this table, use webcrawl crawl',
      },
    );
  }
  const tracker = createTracker(crawl, 'rounds', { signal });
  if (seeds) await begin(crawl, { ...options, seeds }, tracker);
  for (let round = 1; round <= mostRounds && !signal.aborted; round++) {
    if (!(await runRound(crawl, { ...options, signal }, round, tracker))) break;
  }
  return tracker.report();
}

type Given = RoundsOptions & { readonly signal: AbortSignal };

/** Injects the seeds and stores the scope of the crawl. */
async function begin(
  crawl: CrawlContext,
  { runner: _, workerArgs: _args, ...options }: RoundsOptions & Required<Pick<RoundsOptions, 'seeds'>>,
  tracker: Tracker,
): Promise<void> {
  const { injected, scope } = await injectInScope(crawl, options);
  tracker.add(injected.counters);
  if (!injected.interrupted) await writeScope(crawl.tables, scope);
}

/**
 * Completes the open batch. If there is none, it creates a batch and completes it.
 * @returns whether more rows may be due
 */
async function runRound(crawl: CrawlContext, options: Given, round: number, tracker: Tracker): Promise<boolean> {
  const found = await nextBatch(crawl.tables);
  const batchId = found ?? makeBatchId(crawl.clock(), crawl.random());
  options.onEvent?.({ kind: 'round', round, batchId, isNew: found === undefined });
  let fetched: number | undefined;
  for (const step of ROUND_STEPS) {
    const exits = await runStep(crawl, options, { step, batchId }, round, tracker);
    if (exits === undefined) return false;
    if (step === 'generate' && (await crawl.tables.batches.find(batchId))?.size === 0) return false;
    if (step === 'fetch') fetched = fetchedIn(exits);
  }
  tracker.count('rounds');
  // If the round continued a batch, other workers may have fetched its pages.
  return found !== undefined || fetched !== 0;
}

/**
 * Returns the number of pages that the workers have fetched. Returns undefined if it is unknown: a worker did not report, or was restarted
 * and may have fetched pages before.
 */
function fetchedIn(exits: readonly WorkerExit[]): number | undefined {
  if (exits.length === 0) return undefined;
  return exits.reduce<number | undefined>(
    (sum, { counters, restarts = 0 }) =>
      sum === undefined || counters === undefined || restarts > 0 ? undefined : sum + (counters.fetched ?? 0),
    0,
  );
}

/**
 * Runs a step until the table shows that it is done.
 * @returns the exits of the workers; undefined after a stop
 */
async function runStep(
  crawl: CrawlContext,
  options: Given,
  { step, batchId }: Pick<Pass, 'step' | 'batchId'>,
  round: number,
  tracker: Tracker,
): Promise<readonly WorkerExit[] | undefined> {
  const exits: WorkerExit[] = [];
  for (let number = 1; !(await isStepDone(crawl, step, batchId)); number++) {
    if (number > MOST_PASSES) {
      if (step === 'fetch') break;
      throw new CrawlError(
        'WORKER_FAILED',
        `expected ${step} of batch ${batchId} to be done after ${number - 1} passes`,
        {
          hint: 'all workers succeed, but the step is not done; run the same command again, and report this if it happens again',
        },
      );
    }
    const pass = newPass(options, step, batchId);
    options.onEvent?.({ kind: 'pass', round, pass, number });
    tracker.count('passes');
    exits.push(...(await runPass(options, pass, tracker, () => isStepDone(crawl, step, batchId))));
    if (options.signal.aborted) return undefined;
  }
  return exits;
}

/** Runs the workers of a pass. Workers that fail are restarted until the step is done. */
async function runPass(
  { runner, signal, onEvent, backOff = BACK_OFF }: Given,
  pass: Pass,
  tracker: Tracker,
  isDone: () => Promise<boolean>,
): Promise<readonly WorkerExit[]> {
  const all: WorkerExit[] = [];
  for (let failures = 1, shards = pass.shards; ; failures++) {
    const part = { ...pass, shards };
    const exits = await runner(part, {
      signal,
      onExit: (exit, againIn) => {
        countExit(pass.step, exit, tracker);
        onEvent?.({ kind: 'exit', pass: part, exit, ...(againIn !== undefined && { againIn }) });
      },
    });
    all.push(...exits);
    tracker.count(
      'restarts',
      exits.reduce((sum, { restarts = 0 }) => sum + restarts, 0),
    );
    if (signal.aborted) return all;
    const wrong = exits.find((exit) => outcomeOf(exit) === 'failed');
    if (wrong) throw workerError(pass, wrong);
    const left = exits.filter((exit) => outcomeOf(exit) === 'again');
    if (left.length === 0) return all;
    const wait = waitBefore(backOff, failures);
    if (wait === undefined) throw exhaustedError(pass, left);
    tracker.count('restarts', left.length);
    shards = left.map(({ shard }) => shard);
    await pause(wait, signal);
    if (signal.aborted || (await isDone())) return all;
  }
}

/** The prefix of counters for each step. The counters of fetch workers have no prefix, as in a crawl. */
const PREFIXES: Record<RoundStep, string> = {
  generate: 'generate_',
  fetch: '',
  updatedb: 'updatedb_',
  index: 'index_',
};

function countExit(step: RoundStep, { counters = {} }: WorkerExit, tracker: Tracker): void {
  tracker.add(Object.fromEntries(Object.entries(counters).map(([name, count]) => [PREFIXES[step] + name, count])));
}

function newPass({ shards: count, topN, workerArgs }: Given, step: RoundStep, batchId: string): Pass {
  const job: Record<RoundStep, readonly string[]> = {
    generate: ['generate', '--batch', batchId, ...(topN === undefined ? [] : ['--top-n', String(topN)])],
    fetch: ['fetch', batchId, '--parse'],
    updatedb: ['updatedb', batchId],
    index: ['index', batchId],
  };
  const shards = Array.from({ length: count }, (_, shard) => shard);
  return { step, batchId, shards, count, args: [...job[step], ...workerArgs(step)] };
}
