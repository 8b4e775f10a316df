import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../threads/thread-client.js';
import { createCurrentIndex, type IndexLocation } from './index-core.js';

// The entry of the thread that reads an index. It answers one question after another.
const index = createCurrentIndex(workerData as IndexLocation);
answerCalls(parentPort!, () => index.get());
