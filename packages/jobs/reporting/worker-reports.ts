import { hostname } from 'node:os';
import type { WorkerRow } from '../../../webtable/index.js';
import { createOneByOne } from '../../util/index.js';
import type { CrawlContext } from '../context.js';
import type { FetchingStatus, Progress } from './job.js';
import type { RunningJobs } from './running-jobs.js';
import { plusDone, plusTotals, type Totals } from './totals.js';

/** A process that works on a shared table. Its name comes from another machine and is untrusted text. */
export interface WorkerStatus {
  readonly name: string;
  /** `silent`: the worker sends no reports. It ended without a last report, for example because it was killed, or it cannot reach the store. */
  readonly state: 'working' | 'silent' | 'ended';
  /** Seconds since the last report of the worker. The clocks of both machines are compared. */
  readonly heardOf: number;
  /** The jobs of the worker at the time of its last report. */
  readonly jobs: readonly { readonly job: string; readonly batchId?: string; readonly done: number }[];
}

/** The work of all workers together: their running jobs, and the totals of workers with a report within the last hour. */
interface WorkersStatus {
  readonly workers: readonly WorkerStatus[];
  readonly jobs: readonly Progress[];
  readonly totals: Totals;
}

interface Work {
  readonly jobs: readonly Progress[];
  readonly totals: Totals;
}

/** Milliseconds between two reports. */
const EVERY = 5_000;
/** Milliseconds without a report after which a worker is considered dead. */
const SILENT_AFTER = 30_000;
/** Milliseconds without a report after which the row of a worker is removed. */
const GONE_AFTER = 3_600_000;

/** Writes reports about this process into the table, from the start of its first job. It writes nothing if no other process can read them. */
export function startWorkerReports(
  { tables: { owner, workers }, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  running: RunningJobs,
  since: number,
): { end(): Promise<void> } {
  if (!workers) return { end: async () => {} };
  let hasBegun = false;
  const oneByOne = createOneByOne();
  async function report(hasEnded: boolean): Promise<void> {
    const totals = running.totals();
    if (!hasBegun && Object.keys(totals).length === 0) return;
    if (!hasBegun) await workers!.removeSome(owner, clock() - GONE_AFTER);
    hasBegun = true;
    const work: Work = { jobs: hasEnded ? [] : running.progress(), totals };
    const name = `${hostname()}, process ${process.pid}`;
    await workers!.put({ owner, name, since, at: clock(), work, ...(hasEnded && { hasEnded }) });
  }
  // A lost report is no problem, because another report follows. Therefore an error does not end any job.
  const serialised = (hasEnded: boolean): Promise<void> => oneByOne(() => report(hasEnded)).catch(() => undefined);
  const timer = setInterval(() => void serialised(false), EVERY);
  timer.unref();
  return {
    async end() {
      clearInterval(timer);
      await serialised(true);
    },
  };
}

/** Returns the sums of the reports of all workers and of this process. Returns undefined if there can be no other process. */
export async function readWorkers(
  { tables: { owner: self, workers }, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  own: Work,
): Promise<WorkersStatus | undefined> {
  if (!workers) return undefined;
  const now = clock();
  const rows = (await workers.list()).filter(({ owner, at }) => owner !== self && now - at < GONE_AFTER);
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
  const both = (name: 'total' | 'bytes' | 'rate' | 'byteRate'): { [N in typeof name]?: number } =>
    a[name] === undefined && b[name] === undefined ? {} : { [name]: (a[name] ?? 0) + (b[name] ?? 0) };
  // Each worker has rounds of its own.
  const { round: _round, ...first } = a;
  const fetching = a.fetching && b.fetching ? plusFetching(a.fetching, b.fetching) : (a.fetching ?? b.fetching);
  const { bytes: _, ...done } = plusDone(a, b);
  return {
    ...first,
    ...done,
    ...both('total'),
    ...both('bytes'),
    ...both('rate'),
    ...both('byteRate'),
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
