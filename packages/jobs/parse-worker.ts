import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Count, CounterName } from './counters.js';
import {
  packResult,
  READY,
  type MakePagePlugins,
  type ParseTask,
  type ParseThreadData,
  type ParseThreadModule,
} from './parse-messages.js';
import { parseHere, type ParseContext } from './parse-page.js';
import { scopeRules } from './scope/crawl-scope.js';

// The entry of a thread, which `ParseThread` starts. It imports no more than parsing takes, so that it starts quickly.
const { module, input } = workerData as ParseThreadData;
const { pagePlugins, urlPatterns } = (await import(module)) as ParseThreadModule;
if (parentPort) serve(parentPort, await pagePlugins(input));

/** Parses one page after another. */
function serve(port: MessagePort, plugins: Awaited<ReturnType<MakePagePlugins>>): void {
  let context: ParseContext;
  let last = Promise.resolve();
  const answer = async (task: ParseTask): Promise<void> => {
    if (task.terms) {
      const { settings, scope } = task.terms;
      context = { settings, plugins, ...(scope && { scope: scopeRules(scope, urlPatterns) }) };
    }
    const counters = new Map<CounterName, number>();
    const count: Count = (reason, n = 1) => void counters.set(reason, (counters.get(reason) ?? 0) + n);
    const result = await parseHere(context, task.page, count);
    const reply = packResult({ result, counters: [...counters] });
    port.postMessage(reply, [reply.bytes.buffer]);
  };
  port.on('message', (task: ParseTask) => {
    // The next page waits, so that the one that takes too long is always the first in line.
    last = last.then(() => answer(task));
  });
  port.postMessage(READY);
}
