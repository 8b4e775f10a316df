/** The steps of a round in order. `index` runs only if there is a search index. */
export const ROUND_STEPS = ['generate', 'fetch', 'updatedb', 'index'] as const;

/** A step of a round. */
export type RoundStep = (typeof ROUND_STEPS)[number];

/** One run of a step over some of the shards of the table. */
export interface Pass {
  readonly step: RoundStep;
  readonly batchId: string;
  /** The numbers of the shards to work on, from 0 on. Each shard has its own worker. */
  readonly shards: readonly number[];
  /** Number of shards of the table. */
  readonly count: number;
  /** Arguments for the command of each worker, without the shard: `fetch <batch> --parse --table …`. */
  readonly args: readonly string[];
}

/** The end of a worker. */
export interface WorkerExit {
  readonly shard: number;
  /** The exit status of the command. null: the command was killed, or its status is unknown. */
  readonly exitCode: number | null;
  /** The end of the worker's standard error, if it is known. Untrusted text. */
  readonly message?: string;
  /** The counters of the worker's report, if they are known. */
  readonly counters?: Readonly<Record<string, number>>;
  /** How often the runner has restarted the worker. */
  readonly restarts?: number;
}

/** Options of a runner in addition to the pass. */
export interface RunnerOptions {
  /** If it aborts, the workers are asked to stop, and the runner waits until they have stopped. */
  readonly signal: AbortSignal;
  /** Called when a worker has ended. If it will be restarted, `againIn` is the number of milliseconds until then. */
  readonly onExit: (exit: WorkerExit, againIn?: number) => void;
}

/**
 * Starts a worker for each shard of a pass, and waits until all workers have ended. It may restart a worker that was killed, or that exits
 * with {@link TRY_AGAIN}, because a repeated run is safe. The result has one entry for each shard of the pass.
 */
export type Runner = (pass: Pass, options: RunnerOptions) => Promise<readonly WorkerExit[]>;

/** The exit status of a worker that should be restarted later: a lease is held, the store is unavailable, or the worker was stopped. */
export const TRY_AGAIN = 75;

/**
 * Exit statuses of failures that may be temporary. Apart from {@link TRY_AGAIN} they mean: the batch is already in a later step, something
 * is missing on one machine or is in use, the store refused a request, or a fault occurred. After too many retries, the rounds end with
 * this failure.
 */
export const MAY_PASS: ReadonlySet<number> = new Set([TRY_AGAIN, 68, 69, 70, 74]);

/** Shells report exit statuses from this number on if a signal killed the command. */
const KILLED = 128;

/** Returns whether a worker is done, is restarted, or has failed, by its exit status. */
export function outcomeOf({ exitCode }: Pick<WorkerExit, 'exitCode'>): 'done' | 'again' | 'failed' {
  if (exitCode === 0) return 'done';
  return exitCode === null || MAY_PASS.has(exitCode) || exitCode > KILLED ? 'again' : 'failed';
}
