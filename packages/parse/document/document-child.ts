import { Worker } from 'node:worker_threads';
import {
  BUSY,
  failed,
  type DocumentJob,
  type DocumentMessage,
  type DocumentRequest,
  type DocumentWatch,
} from './document-content.js';
import { readOffice } from './office/read-office.js';
import { loadPdfjs } from './pdf/load-pdfjs.js';
import { readPdf } from './pdf/read-pdf.js';

// The entry of the process that `DocumentProcess` starts. The process reports that it is ready, then answers one job after another.

// A document may make the packages run code. Such code must not use the network, or a decompressor that works in another thread.
for (const name of ['DecompressionStream', 'fetch', 'WebSocket', 'EventSource'])
  Reflect.deleteProperty(globalThis, name);

// These signals are ignored, because the parent process decides when this process ends. A signal may be sent to both processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The thread that watches this process must not keep it running: only the channel to the parent does.
const state: DocumentWatch = new Int32Array(new SharedArrayBuffer(8));
new Worker(new URL('./document-watch.js', import.meta.url), { workerData: state }).unref();

const pdfjs = await loadPdfjs();

process.on('message', ({ parent, ...job }: DocumentRequest) => {
  Atomics.store(state, 1, parent);
  setState(BUSY);
  // A package may transfer the memory of its input, so it gets a copy.
  void read({ ...job, content: new Uint8Array(job.content) }).then((answer) => {
    setState(0);
    send({ answer, memory: process.memoryUsage.rss() });
  });
});
send('ready');

async function read(job: DocumentJob) {
  if (job.kind === 'office') return readOffice(job);
  return pdfjs
    ? readPdf(pdfjs, job)
    : failed('unsupported_type', 'a PDF; pdfjs-dist, which reads it, is not installed');
}

function setState(value: number): void {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}

function send(message: DocumentMessage): void {
  process.send?.(message);
}
