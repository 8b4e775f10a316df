// Measures one store from empty on, in the order of OPERATIONS.
import { mix } from '../lib/made-page.js';
import { openMeasured } from '../lib/measured-stores.js';
import type { Operation, StoreFigures, StoreJob, StoreStep } from '../lib/store-operations.js';
import { givenArgument, peakMemoryMb, reply } from '../lib/worker.js';

const WRITE = 1000;
const READ = 100;
const BODIES = 20;

const job = givenArgument<StoreJob>();
const store = await openMeasured(job);
let cpuBefore = cpuSeconds();
say('open', 0, 0);
const half = Math.floor(job.rows / 2);
// The even rows come in order, then the odd ones between them out of order.
const sorted = Array.from({ length: half }, (_, i) => 2 * i);
const random = shuffled(sorted.map((row) => row + 1));
const asked = shuffled([...sorted, ...random]).slice(0, Math.ceil(job.rows / 5));
const bodies = sorted.slice(0, Math.min(job.bodies, half));

const figures: StoreFigures = {
  writeSorted: await rate('writeSorted', sorted, WRITE, store.write),
  writeRandom: await rate('writeRandom', random, WRITE, store.write),
  read: await rate('read', asked, READ, store.read),
  scan: await scanRate(),
  writeBody: await rate('writeBody', bodies, BODIES, store.writeBodies),
  readBody: await rate('readBody', bodies, BODIES, store.readBodies),
  peakMb: peakMemoryMb(),
};
await store.close();
reply(figures);

/** Thousands of rows per second. */
async function rate(
  operation: Operation,
  rows: readonly number[],
  chunk: number,
  task: (rows: readonly number[]) => Promise<void>,
) {
  const start = performance.now();
  for (let i = 0; i < rows.length; i += chunk) await task(rows.slice(i, i + chunk));
  return say(operation, rows.length, rows.length / (performance.now() - start));
}

async function scanRate(): Promise<number> {
  const start = performance.now();
  const found = await store.scan();
  if (found !== 2 * half) throw new Error(`expected ${2 * half} rows, found ${found}`);
  return say('scan', found, found / (performance.now() - start));
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function say(operation: StoreStep['operation'], rows: number, rate: number): number {
  const now = cpuSeconds();
  reply({ operation, rows, rate, cpuSeconds: now - cpuBefore } satisfies StoreStep);
  cpuBefore = now;
  return rate;
}

function shuffled(rows: number[]): number[] {
  for (let i = rows.length - 1; i > 0; i--) {
    const j = mix(i) % (i + 1);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  return rows;
}
