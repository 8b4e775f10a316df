// A thread that answers every question except one kind: never, or only after another one has arrived.
import { setImmediate } from 'node:timers';
import { parentPort } from 'node:worker_threads';

let asked = 0;
parentPort.on('message', ({ name, args: [argument] }) => {
  if (name === 'similar' && argument === 'hangs') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (name === 'similar') return void setImmediate(() => parentPort.postMessage({ value: [] }));
  asked += 1;
  parentPort.postMessage({ value: [asked] });
});
