import { parentPort, workerData } from 'node:worker_threads';
import { answer, type ReaderRequest } from './reader-messages.js';
import { createCurrentIndex, type IndexPlace } from './index-core.js';

// The entry of the thread that reads an index: one question after another.
const index = createCurrentIndex(workerData as IndexPlace);
parentPort?.on('message', (request: ReaderRequest) => {
  void answer(index, request).then((reply) => parentPort?.postMessage(reply));
});
