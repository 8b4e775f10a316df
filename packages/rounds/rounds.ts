import { makeBatchId } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import {
  createTracker,
  injectInScope,
  writeScope,
  type CrawlContext,
  type CrawlOptions,
  type JobOptions,
  type Report,
  type Tracker,
} from '../jobs/index.js';
import { pause, waitBefore, type BackOff } from './back-off.js';
import { isStepDone, nextBatch } from './round-steps.js';
import { ROUND_STEPS, outcomeOf, type Pass, type RoundStep, type Runner, type WorkerExit } from './runner.js';
import { exhaustedError, workerError } from './worker-error.js';

/** What {@link rounds} takes. */
export interface RoundsOptions
  extends
    Pick<JobOptions, 'signal'>,
    Pick<CrawlOptions, 'rounds' | 'topN' | 'stay' | 'depth' | 'include' | 'exclude' | 'onRejected' | 'retryDenied'> {
  /** Into how many shards the table is divided, each with a worker of its own; at most as many as it has slots. */
  readonly shards: number;
  /** What starts the workers. */
  readonly runner: Runner;
  /** What the command of a worker gets besides its job: where the table is, and its settings. */
  readonly workerArgs: (step: RoundStep) => readonly string[];
  /** Seeds, which are injected first; with them `stay`, `depth`, `include` and `exclude` are noted as by a crawl. */
  readonly seeds?: CrawlOptions['seeds'];
  /** Called with what happens, in order. */
  readonly onEvent?: (event: RoundsEvent) => void;
  /** How a step is run again of which workers have not come to their end. */
  readonly backOff?: BackOff;
}

/** What happens in the rounds. */
export type RoundsEvent =
  /** A batch is begun, or gone on with. */
  | { readonly kind: 'round'; readonly round: number; readonly batchId: string; readonly isNew: boolean }
  /** Workers are started. */
  | { readonly kind: 'pass'; readonly round: number; readonly pass: Pass; readonly number: number }
  /** The work on a shard has ended, or is started again in so many milliseconds. */
  | { readonly kind: 'exit'; readonly pass: Pass; readonly exit: WorkerExit; readonly againIn?: number };

const BACK_OFF: BackOff = { first: 5000, most: 60_000, limit: 4 };
/** After so many passes of a fetch the rest of the batch stays due; other steps have no pages to leave behind. */
const MOST_PASSES = 100;

/**
 * Crawls in rounds, each step of which is done by workers that other processes are: generate, fetch with parse, updatedb, and
 * index where a search index reads what was updated. A step is run over all shards, and again, until the table says that it
 * is done. It ends when nothing is due, after so many rounds, or after one that fetched nothing, as far as the runner knows.
 *
 * All that it goes by is in the table: killed and called again it goes on with the batch under way. When the signal aborts, the
 * workers are asked to stop, and it ends when they have.
 *
 * Counters: `COUNTERS.rounds`; those of inject.
 * @throws CrawlError USAGE; WORKER_FAILED where workers end in vain again and again; else what a worker has ended with
 */
export async function rounds(crawl: CrawlContext, options: RoundsOptions): Promise<Report> {
  const { shards, signal = new AbortController().signal, seeds, rounds: mostRounds = Infinity } = options;
  const { tables } = crawl;
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > tables.slots.all.length) {
    throw new CrawlError('USAGE', `expected 1 to ${tables.slots.all.length} shards, found ${shards}`, {
      hint: 'a table has so many slots as it was made with, and a shard takes one at least: webcrawl table create --slots',
    });
  }
  if (!tables.isShared) {
    throw new CrawlError('USAGE', 'expected a table that processes share, found one that only one can write', {
      hint: 'rounds are for tables such as hbase://…; webcrawl crawl does them in this process',
    });
  }
  const tracker = createTracker(crawl, 'rounds', { signal });
  if (seeds) await begin(crawl, { ...options, seeds }, tracker);
  for (let round = 1; round <= mostRounds && !signal.aborted; round++) {
    if (!(await runRound(crawl, { ...options, signal }, round, tracker))) break;
  }
  return tracker.report();
}

type Given = RoundsOptions & { readonly signal: AbortSignal };

/** Injects the seeds and notes the scope. */
async function begin(
  crawl: CrawlContext,
  { runner: _, workerArgs: _args, ...options }: RoundsOptions & Required<Pick<RoundsOptions, 'seeds'>>,
  tracker: Tracker,
): Promise<void> {
  const { injected, scope } = await injectInScope(crawl, options);
  tracker.add(injected.counters);
  if (!injected.interrupted) await writeScope(crawl.tables, scope);
}

/** Takes the batch under way, or a new one, to its end. @returns whether there may be more to do */
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
  // Of a batch that was gone on with, others may have fetched all.
  return found !== undefined || fetched !== 0;
}

/** Pages that these workers have fetched; undefined where not all have told: one that was started again may have before. */
function fetchedIn(exits: readonly WorkerExit[]): number | undefined {
  if (exits.length === 0) return undefined;
  return exits.reduce<number | undefined>(
    (sum, { counters, restarts = 0 }) =>
      sum === undefined || counters === undefined || restarts > 0 ? undefined : sum + (counters.fetched ?? 0),
    0,
  );
}

/** Runs a step until the table says that it is done. @returns how its workers ended; undefined where it is to stop */
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
          hint: 'the workers end well, and yet something is left; run the same again, and report this if it stays so',
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

/** Runs the workers of a pass, and again those that have not come to their end, while something is left to do. */
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

/** What workers of fetch count keeps its name, as it does in a crawl. */
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
