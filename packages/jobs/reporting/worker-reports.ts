import { hostname } from 'node:os';
import type { WorkerRow } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { addCounters } from './counters.js';
import type { FetchingStatus, Progress } from './job.js';
import type { RunningJobs } from './running-jobs.js';
import type { JobTotals, Totals } from './totals.js';

/** A process that works on a table which processes share. Its name is text of another machine. */
export interface WorkerStatus {
  readonly name: string;
  /** `silent`: it ended without saying so, such as by a kill, or cannot reach the store. */
  readonly state: 'working' | 'silent' | 'ended';
  /** Seconds since it was heard of, by the clocks of both machines. */
  readonly heardOf: number;
  /** What it was at then. */
  readonly jobs: readonly { readonly job: string; readonly batchId?: string; readonly done: number }[];
}

/** Of all workers together: what they do, and what they have done that were heard of within the hour. */
export interface WorkersStatus {
  readonly workers: readonly WorkerStatus[];
  readonly jobs: readonly Progress[];
  readonly totals: Totals;
}

interface Work {
  readonly jobs: readonly Progress[];
  readonly totals: Totals;
}

/** Milliseconds between two reports, after which one is taken for dead, and after which its row goes. */
const EVERY = 5_000;
const SILENT_AFTER = 30_000;
const GONE_AFTER = 3_600_000;

/** Has the table say what this process does with it, from its first job on. Nothing where no other process can look. */
export function startWorkerReports(
  { tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  running: RunningJobs,
  since: number,
): { end(): Promise<void> } {
  if (!tables.isShared) return { end: async () => {} };
  let hasBegun = false;
  let writing = Promise.resolve();
  async function report(hasEnded: boolean): Promise<void> {
    const totals = running.totals();
    if (!hasBegun && Object.keys(totals).length === 0) return;
    const { owner } = tables;
    if (!hasBegun) await tables.workers.removeSome(owner, clock() - GONE_AFTER);
    hasBegun = true;
    const work: Work = { jobs: hasEnded ? [] : running.progress(), totals };
    const name = `${hostname()}, process ${process.pid}`;
    await tables.workers.put({ owner, name, since, at: clock(), work, ...(hasEnded && { hasEnded }) });
  }
  // One that is lost is followed by another, and no job fails for it.
  const inTurn = (hasEnded: boolean): Promise<void> =>
    (writing = writing.then(() => report(hasEnded)).catch(() => undefined));
  const timer = setInterval(() => void inTurn(false), EVERY);
  timer.unref();
  return {
    async end() {
      clearInterval(timer);
      await inTurn(true);
    },
  };
}

/** Adds up what all workers say of themselves, this process as it is now. undefined where no other process can be. */
export async function readWorkers(
  { tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  own: Work,
): Promise<WorkersStatus | undefined> {
  if (!tables.isShared) return undefined;
  const now = clock();
  const rows = (await tables.workers.list()).filter(({ owner, at }) => owner !== tables.owner && now - at < GONE_AFTER);
  const stateOf = ({ hasEnded, at }: WorkerRow): WorkerStatus['state'] =>
    hasEnded ? 'ended' : now - at > SILENT_AFTER ? 'silent' : 'working';
  const works = rows.map((row) => ({ row, state: stateOf(row), work: row.work as Work }));
  const under = works.flatMap(({ state, work }) => (state === 'working' ? work.jobs : []));
  return {
    workers: works.map(({ row, state, work }) => ({
      name: row.name,
      state,
      heardOf: Math.max(0, now - row.at) / 1000,
      jobs: work.jobs.map(({ job, batchId, done }) => ({ job, ...(batchId !== undefined && { batchId }), done })),
    })),
    jobs: sumByJob([...own.jobs, ...under]),
    totals: works.map(({ work }) => work.totals).reduce(plusTotals, own.totals),
  };
}

/** One for each job and batch. */
function sumByJob(all: readonly Progress[]): Progress[] {
  const sums = new Map<string, Progress>();
  for (const each of all) {
    const what = `${each.job} ${each.batchId ?? ''}`;
    const sum = sums.get(what);
    sums.set(what, sum ? plus(sum, each) : each);
  }
  return [...sums.values()];
}

function plus(a: Progress, b: Progress): Progress {
  const both = (name: 'bytes' | 'rate' | 'byteRate'): { [N in typeof name]?: number } =>
    a[name] === undefined && b[name] === undefined ? {} : { [name]: (a[name] ?? 0) + (b[name] ?? 0) };
  const fetching = a.fetching && b.fetching ? plusFetching(a.fetching, b.fetching) : (a.fetching ?? b.fetching);
  // Each knows of the whole batch how many pages there are.
  const total = Math.max(a.total ?? -1, b.total ?? -1);
  return {
    ...a,
    done: a.done + b.done,
    counters: addCounters(a.counters, b.counters),
    errors: addCounters(a.errors, b.errors),
    ...both('bytes'),
    ...both('rate'),
    ...both('byteRate'),
    ...(total >= 0 && { total }),
    ...(b.seconds !== undefined && { seconds: Math.max(a.seconds ?? 0, b.seconds) }),
    ...(fetching && { fetching }),
  };
}

const SHOWN = 10;

function plusFetching(a: FetchingStatus, b: FetchingStatus): FetchingStatus {
  return {
    inFlight: a.inFlight + b.inFlight,
    threads: a.threads + b.threads,
    waiting: a.waiting + b.waiting,
    setAside: a.setAside + b.setAside,
    pages: [...a.pages, ...b.pages].sort((x, y) => y.seconds - x.seconds).slice(0, SHOWN),
    hosts: [...a.hosts, ...b.hosts].slice(0, SHOWN),
  };
}

function plusTotals(a: Totals, b: Totals): Totals {
  const sums: Record<string, JobTotals> = { ...a };
  for (const [job, more] of Object.entries(b)) {
    const sum = sums[job];
    sums[job] = {
      done: (sum?.done ?? 0) + more.done,
      bytes: (sum?.bytes ?? 0) + more.bytes,
      counters: addCounters(sum?.counters ?? {}, more.counters),
      errors: addCounters(sum?.errors ?? {}, more.errors),
    };
  }
  return sums;
}
