// Measures one store from empty on, in the order of OPERATIONS.
import { mix } from '../lib/made-page.js';
import { openMeasured } from '../lib/measured-stores.js';
import type { StoreFigures, StoreJob } from '../lib/store-operations.js';
import { givenArgument, peakMemoryMb, reply } from '../lib/worker.js';

const WRITE = 1000;
const READ = 100;
const BODIES = 20;

const job = givenArgument<StoreJob>();
const store = await openMeasured(job);
const half = Math.floor(job.rows / 2);
// The even rows come in order, then the odd ones between them out of order.
const sorted = Array.from({ length: half }, (_, i) => 2 * i);
const random = shuffled(sorted.map((row) => row + 1));
const asked = shuffled([...sorted, ...random]).slice(0, Math.ceil(job.rows / 5));
const bodies = sorted.slice(0, Math.min(job.bodies, half));

const figures: StoreFigures = {
  writeSorted: await rate(sorted, WRITE, store.write),
  writeRandom: await rate(random, WRITE, store.write),
  read: await rate(asked, READ, store.read),
  scan: await scanRate(),
  writeBody: await rate(bodies, BODIES, store.writeBodies),
  readBody: await rate(bodies, BODIES, store.readBodies),
  peakMb: peakMemoryMb(),
};
await store.close();
reply(figures);

/** Thousands of rows per second. */
async function rate(rows: readonly number[], chunk: number, task: (rows: readonly number[]) => Promise<void>) {
  const start = performance.now();
  for (let i = 0; i < rows.length; i += chunk) await task(rows.slice(i, i + chunk));
  return rows.length / (performance.now() - start);
}

async function scanRate(): Promise<number> {
  const start = performance.now();
  const found = await store.scan();
  if (found !== 2 * half) throw new Error(`expected ${2 * half} rows, found ${found}`);
  return found / (performance.now() - start);
}

function shuffled(rows: number[]): number[] {
  for (let i = rows.length - 1; i > 0; i--) {
    const j = mix(i) % (i + 1);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  return rows;
}
