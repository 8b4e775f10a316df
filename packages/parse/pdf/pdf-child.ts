import { Worker } from 'node:worker_threads';
import type { PdfJob, PdfMessage } from './pdf-content.js';
import { readPdf } from './pdf-reader.js';
import { BUSY, type PdfWatch } from './pdf-watch.js';

// The entry of the process that `PdfProcess` starts: it says that it is ready, and answers one job after another.

// What the document makes the package do has no network, and no decompressor that unpacks beside this thread.
for (const name of ['DecompressionStream', 'fetch', 'WebSocket', 'EventSource'])
  Reflect.deleteProperty(globalThis, name);

// Whoever started this process decides when it ends, also where a signal goes to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const state = new Int32Array(new SharedArrayBuffer(4));
const [limit = 0, parent = 0] = process.argv.slice(2).map(Number);
const workerData: PdfWatch = { state, limit, parent };
new Worker(new URL('./pdf-watch.js', import.meta.url), { workerData }).unref();

const { getDocumentProxy } = await import('unpdf');

process.on('message', (job: PdfJob) => {
  setState(BUSY);
  // A copy: the package takes the memory of what it is given for its own.
  void readPdf(getDocumentProxy, { ...job, content: new Uint8Array(job.content) }).then((answer) => {
    setState(0);
    tell({ answer, memory: process.memoryUsage.rss() });
  });
});
tell('ready');

function setState(value: number): void {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}

function tell(message: PdfMessage): void {
  process.send?.(message);
}
