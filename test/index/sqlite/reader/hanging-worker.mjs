// A thread that answers every question but one: that never, or when another one has come.
import { parentPort } from 'node:worker_threads';

let asked = 0;
parentPort.on('message', ({ name, args: [argument] }) => {
  if (name === 'similar' && argument === 'hangs') for (;;);
  if (name === 'similar') return void setImmediate(() => parentPort.postMessage({ value: [] }));
  asked += 1;
  parentPort.postMessage({ value: [asked] });
});
