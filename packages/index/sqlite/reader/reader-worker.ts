import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../thread-client.js';
import { createCurrentIndex, type IndexPlace } from './index-core.js';

// The entry of the thread that reads an index: one question after another.
const index = createCurrentIndex(workerData as IndexPlace);
answerCalls(parentPort!, () => index.get());
