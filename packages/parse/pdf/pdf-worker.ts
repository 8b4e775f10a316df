import { parentPort } from 'node:worker_threads';
import { boundThread } from './pdf-bounds.js';
import type { PdfAnswer, PdfJob } from './pdf-content.js';
import { readPdf } from './pdf-reader.js';

// The entry of a thread, which `PdfThread` starts: it answers one job after another, each with a `PdfAnswer`.
const budget = boundThread();
// Imported now, so that it finds the globals as they are meant to be.
const opened = import('unpdf');

parentPort?.on('message', (job: PdfJob) => {
  void answer(job).then((message) => parentPort?.postMessage(message));
});

async function answer(job: PdfJob): Promise<PdfAnswer> {
  const { getDocumentProxy } = await opened;
  budget.reset(job.content.length);
  const found = await readPdf(getDocumentProxy, job);
  if (!budget.exhausted) return found;
  if ('failure' in found) return { failure: { code: 'out_of_memory', message: found.failure.message } };
  return { content: { ...found.content, truncated: true } };
}
