import { mkdirSync, readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Journal, journalRounds, readJournal } from './journal.js';
import { hostnameOf, ownerOf, type FromWorker, type ToWorker, type WorkerTask } from './messages.js';
import { Rows } from './rows.js';
import {
  decodeRow,
  lastRound,
  openDatabase,
  putRows,
  sortByKey,
  writeRound,
  type RoundWork,
  type RowDatabase,
} from './table.js';

/** The crawl to run. */
export interface PrototypeTask extends Pick<WorkerTask, 'settings' | 'rules' | 'hosts' | 'delayMs' | 'folder'> {
  /** Normalised. */
  readonly seeds: readonly string[];
  readonly workers: number;
  /** Number of requests in flight of all workers together. */
  readonly concurrency: number;
  /** Number of pages after which a round is written. */
  readonly roundPages: number;
}

/** The results of a crawl. */
export interface PrototypeReport {
  /** Number of distinct pages of status 200. */
  readonly pages: number;
  readonly rows: number;
  readonly rounds: number;
  /** Number of groups from workers. Each is one message and one write to the journal. */
  readonly groups: number;
  readonly groupBytes: number;
  readonly work: RoundWork;
}

/** The table of a folder, perhaps after a kill. */
export interface OpenedTable {
  readonly database: RowDatabase;
  readonly rows: Rows;
  /** The round that begins. */
  readonly round: number;
  readonly work: RoundWork;
}

/** Opens the table of a folder: the rows of the database, and the additional changes of the journals, which are written first. */
export async function openTable(folder: string): Promise<OpenedTable> {
  mkdirSync(folder, { recursive: true });
  const database = await openDatabase(folder);
  const journals = journalRounds(folder);
  const work = { puts: 0, batches: 0, putBytes: 0, inlinks: 0, runBytes: 0 };
  const rows = new Rows(journals[0] ?? lastRound(folder) + 1);
  for await (const [, value] of database.iterator()) {
    const { url, fill } = decodeRow(value);
    rows.load(fill, url);
  }
  for (const round of journals) {
    for (const group of readJournal(folder, round)) rows.apply(group);
    await writeRound(database, folder, round, rows.endRound(), rows.all, work);
  }
  return { database, rows, round: Math.max(lastRound(folder), journals.at(-1) ?? -1) + 1, work };
}

/** Crawls to the end, and continues an earlier crawl into the same folder. */
export async function crawl(task: PrototypeTask): Promise<PrototypeReport> {
  const { folder, workers: count } = task;
  const { database, rows, round: first, work } = await openTable(folder);
  let groups = 0;
  let groupBytes = 0;
  let round = first;
  let journal = new Journal(folder, round);
  const pending: string[][] = Array.from({ length: count }, () => []);
  const fetched: string[][] = Array.from({ length: count }, () => []);
  const owner = (url: string): number => ownerOf(hostnameOf(url), count);
  await putRows(database, sortByKey(rows.addSeeds(task.seeds)), work);
  for (const row of rows.all) (row.fetchedAt === 0 ? pending : fetched)[owner(row.url)]!.push(row.url);

  const threads = startWorkers(task);
  /** For each worker: number of messages with URLs, and number after which it had nothing to do. */
  const sent = threads.map(() => 0);
  const idleAfter = threads.map(() => -1);
  const send = (worker: number, urls: readonly string[], isKnown: boolean): void => {
    sent[worker]!++;
    threads[worker]!.postMessage({ kind: 'urls', urls, isKnown } satisfies ToWorker);
  };

  let writing: Promise<void> | undefined;
  const endRound = (): void => {
    journal.close();
    const ended = round++;
    journal = new Journal(folder, round);
    writing = writeRound(database, folder, ended, rows.endRound(), rows.all, work).finally(() => (writing = undefined));
  };
  const take = (worker: number, bytes: Uint8Array): void => {
    groups++;
    groupBytes += bytes.length;
    journal.append(bytes);
    const elsewhere = new Map<number, string[]>();
    rows.apply(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), (url) => {
      const to = owner(url);
      if (to === worker) return;
      const urls = elsewhere.get(to);
      if (urls) urls.push(url);
      else elsewhere.set(to, [url]);
    });
    for (const [to, urls] of elsewhere) send(to, urls, false);
    if (rows.pagesInRound >= task.roundPages && !writing) endRound();
  };

  await new Promise<void>((resolve, reject) => {
    for (const [worker, thread] of threads.entries()) {
      thread.once('error', reject);
      thread.on('message', (message: FromWorker) => {
        try {
          if (message.kind === 'group') take(worker, message.bytes);
          else if (message.kind === 'idle') {
            idleAfter[worker] = message.received;
            if (idleAfter.every((received, i) => received === sent[i])) resolve();
          }
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      send(worker, fetched[worker]!, true);
      send(worker, pending[worker]!, false);
    }
  });
  await writing;
  endRound();
  await writing;
  journal.close();
  await Promise.all(threads.map(end));
  await database.close();
  return { pages: rows.fetched, rows: rows.all.length, rounds: round, groups, groupBytes, work };
}

function startWorkers({ workers, concurrency, seeds: _, roundPages: __, ...shared }: PrototypeTask): Worker[] {
  const used = readdirSync(shared.folder).flatMap((name) => /^segment-(\d+)$/.exec(name)?.[1] ?? []);
  // A segment of a killed process is not appended to.
  const firstSegment = used.reduce((next, number) => Math.max(next, Number(number) + 1), 0);
  return Array.from({ length: workers }, (_, worker) => {
    const share = Math.floor((concurrency + worker) / workers);
    const workerData: WorkerTask = {
      ...shared,
      worker,
      workers,
      concurrency: Math.max(1, share),
      firstSegment: firstSegment + worker,
    };
    return new Worker(new URL('./fetch-worker.js', import.meta.url), { workerData });
  });
}

function end(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    thread.once('exit', () => resolve());
    thread.postMessage({ kind: 'end' } satisfies ToWorker);
  });
}
