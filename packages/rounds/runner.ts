/** What a round consists of, in order; `index` only where a search index reads what was updated. */
export const ROUND_STEPS = ['generate', 'fetch', 'updatedb', 'index'] as const;

/** One of them. */
export type RoundStep = (typeof ROUND_STEPS)[number];

/** One run of a step over some of the shards of the table. */
export interface Pass {
  readonly step: RoundStep;
  readonly batchId: string;
  /** The shards that are to be worked on, each by a worker of its own; from 0 on. */
  readonly shards: readonly number[];
  /** How many shards there are. */
  readonly count: number;
  /** What the command of each worker gets, but for its shard: `fetch <batch> --parse --table …`. */
  readonly args: readonly string[];
}

/** How the work on one shard came to its end. */
export interface WorkerExit {
  readonly shard: number;
  /** The exit status of the command; null where it was killed, or nobody knows. */
  readonly exitCode: number | null;
  /** The last that it wrote on standard error, where that is known. Untrusted text. */
  readonly message?: string;
  /** The counters of its report, where they are known. */
  readonly counters?: Readonly<Record<string, number>>;
  /** How often it was started again by the runner. */
  readonly restarts?: number;
}

/** What a runner takes besides a pass. */
export interface RunnerOptions {
  /** When it aborts, the workers are asked to stop, and the runner waits until they have. */
  readonly signal: AbortSignal;
  /** Called when the work on a shard has ended, or with `againIn`, in milliseconds, when it is going to be started again. */
  readonly onExit: (exit: WorkerExit, againIn?: number) => void;
}

/**
 * Starts a worker for each shard of a pass, and waits until all have ended. It may start one again that was killed or exits
 * with {@link TRY_AGAIN}: whatever runs twice does no harm. What it returns has an entry for each shard of the pass.
 */
export type Runner = (pass: Pass, options: RunnerOptions) => Promise<readonly WorkerExit[]>;

/** The exit status of a worker whose work is to be started again later: a lease is held, the store is away, it was stopped. */
export const TRY_AGAIN = 75;

/**
 * Statuses of what may pass: besides {@link TRY_AGAIN} that the batch has moved on, that something is missing on one machine or is in
 * use, that the store refused, and a fault. Tried again so often, they end the rounds like any other.
 */
export const MAY_PASS: ReadonlySet<number> = new Set([TRY_AGAIN, 68, 69, 70, 74]);

/** From this status on a shell means a signal that killed the command. */
const KILLED = 128;

/** What is to become of a shard whose worker has ended so. */
export function outcomeOf({ exitCode }: Pick<WorkerExit, 'exitCode'>): 'done' | 'again' | 'failed' {
  if (exitCode === 0) return 'done';
  return exitCode === null || MAY_PASS.has(exitCode) || exitCode > KILLED ? 'again' : 'failed';
}
