import { Worker } from 'node:worker_threads';
import { BUSY, type PdfMessage, type PdfRequest, type PdfWatch } from './pdf-content.js';
import { readPdf } from './pdf-reader.js';

// The entry of the process that `PdfProcess` starts: it says that it is ready, and answers one job after another.

// What the document makes the package do has no network, and no decompressor that unpacks beside this thread.
for (const name of ['DecompressionStream', 'fetch', 'WebSocket', 'EventSource'])
  Reflect.deleteProperty(globalThis, name);

// Whoever started this process decides when it ends, also where a signal goes to both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// Nothing but the channel to it keeps this process running.
const state: PdfWatch = new Int32Array(new SharedArrayBuffer(8));
new Worker(new URL('./pdf-watch.js', import.meta.url), { workerData: state }).unref();

const { getDocumentProxy } = await import('unpdf');

process.on('message', ({ parent, ...job }: PdfRequest) => {
  Atomics.store(state, 1, parent);
  setState(BUSY);
  // A copy: the package takes the memory of what it is given for its own.
  void readPdf(getDocumentProxy, { ...job, content: new Uint8Array(job.content) }).then((answer) => {
    setState(0);
    send({ answer, memory: process.memoryUsage.rss() });
  });
});
send('ready');

function setState(value: number): void {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}

function send(message: PdfMessage): void {
  process.send?.(message);
}
