import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PolicyServer } from './policy-server.js';

const WORKER = fileURLToPath(new URL('crawl-worker.mjs', import.meta.url));

/** Ends the crawling process when the server has had this number of requests in all. */
export interface Interruption {
  readonly after: number;
  readonly signal: 'SIGKILL' | 'SIGTERM';
}

/** The arguments of each crawler process. */
export interface CrawlJob {
  readonly directory: string;
  readonly seeds: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The result of an interrupted crawl. */
export interface InterruptedCrawl {
  /** When a process was killed, by the clock of the server. */
  readonly kills: readonly number[];
  /** The number of processes that were stopped with a signal and ended by themselves. */
  readonly stops: number;
  /** The counters of each process that ended by itself, in order. */
  readonly runs: readonly Readonly<Record<string, number>>[];
}

interface Ended {
  readonly signal: Interruption['signal'] | undefined;
  readonly counters: Readonly<Record<string, number>>;
  readonly due: number;
}

const MAX_RUNS = 60;

/**
 * Starts crawler processes, one after another, until one ends by itself and no page is due: hosts with a long back-off wait for
 * the next run. The next process is started before the current one is killed, so that it sends its first request as early as
 * possible.
 * @throws Error if a process fails, or if too many processes were needed
 */
export async function interruptedCrawl(
  server: PolicyServer,
  job: CrawlJob,
  interruptions: readonly Interruption[],
): Promise<InterruptedCrawl> {
  const kills: number[] = [];
  let stops = 0;
  const runs: Ended['counters'][] = [];
  const left = [...interruptions];
  let spare = startWorker();
  try {
    for (let started = 0; started < MAX_RUNS; started++) {
      const worker = spare;
      spare = startWorker();
      const { signal, counters, due } = await oneRun(server, worker, job, left, () => kills.push(server.now()));
      if (signal === 'SIGKILL') continue;
      if (signal === 'SIGTERM') stops++;
      else runs.push(counters);
      if (signal === undefined && due === 0) return { kills, stops, runs };
      await sleep(signal === undefined ? 250 : 0);
    }
  } finally {
    spare.kill('SIGKILL');
  }
  throw new Error(`the crawl did not end within ${MAX_RUNS} runs`);
}

type Worker = ChildProcessByStdio<Writable, Readable, Readable>;

function startWorker(): Worker {
  const worker = spawn(process.execPath, [WORKER], { stdio: ['pipe', 'pipe', 'pipe'] });
  // If a worker is gone, this is reported when its end is awaited.
  worker.stdin.on('error', () => {});
  return worker;
}

async function oneRun(
  server: PolicyServer,
  worker: Worker,
  job: CrawlJob,
  left: Interruption[],
  onKill: () => void,
): Promise<Ended> {
  let sent: Interruption['signal'] | undefined;
  server.onRequest = (count) => {
    const next = left[0];
    if (sent !== undefined || !next || count < next.after) return;
    left.shift();
    sent = next.signal;
    worker.kill(sent);
    if (sent === 'SIGKILL') onKill();
  };
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    worker.once('error', reject).once('close', (code, signal) => resolve([code, signal]));
  });
  worker.stdin.end(JSON.stringify(job));
  try {
    const [[code, signal], out, errors] = await Promise.all([ended, text(worker.stdout), text(worker.stderr)]);
    if (signal === 'SIGKILL' && sent === 'SIGKILL') return { signal: sent, counters: {}, due: 0 };
    if (code !== 0) throw new Error(`the crawler ended with ${code ?? signal}: ${errors}`);
    const { counters, due } = JSON.parse(out) as Pick<Ended, 'counters' | 'due'>;
    return { signal: sent, counters, due };
  } finally {
    server.onRequest = () => {};
    worker.kill('SIGKILL');
  }
}
