// A thread that accepts calls and never answers.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', () => {});
