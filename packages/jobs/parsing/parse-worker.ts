import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors/index.js';
import { urlSteps } from '../../plugin-api/index.js';
import type { Count, CounterName } from '../reporting/counters.js';
import {
  packResult,
  READY,
  type MakePagePlugins,
  type ParseReply,
  type ParseTask,
  type ParseThreadData,
  type ParseThreadModule,
  type ThreadDraft,
} from './parse-messages.js';
import { failure, parseHere, type ParseContext } from './parse-page.js';
import { draftPage } from './draft.js';
import { scopeRules } from '../scope/crawl-scope.js';

// The entry of a thread, which `ParseThread` starts. It imports no more than parsing takes, so that it starts quickly.
const { module, input } = workerData as ParseThreadData;
const { pagePlugins, urlPatterns } = (await import(module)) as ParseThreadModule;
if (parentPort) serve(parentPort, await pagePlugins(input));

/** Parses one page after another. */
function serve(port: MessagePort, plugins: Awaited<ReturnType<MakePagePlugins>>): void {
  let context: ParseContext;
  let last = Promise.resolve();
  const work = async ({ page, share }: ParseTask): Promise<ParseReply | ThreadDraft> => {
    const counted = new Map<CounterName, number>();
    const count: Count = (reason, n = 1) => void counted.set(reason, (counted.get(reason) ?? 0) + n);
    const crawl = { ...context, plugins: share.plugins.map((place) => plugins[place]!) };
    if (share.finishes) {
      const result = await parseHere(crawl, page, count, performance.now() + crawl.settings.parser.timeout * 1000);
      return packResult({ result, counters: [...counted] });
    }
    const steps = urlSteps(crawl.plugins).slice(0, share.steps);
    const draft = await draftPage(crawl, page, { steps, signs: share.signs }, count);
    if (draft.kind === 'draft') return { draft, counters: [...counted] };
    const result = failure(draft, count);
    return packResult({ result, counters: [...counted] });
  };
  const answer = async (task: ParseTask): Promise<void> => {
    if (task.terms) {
      const { settings, scope } = task.terms;
      context = { settings, plugins, ...(scope && { scope: scopeRules(scope, urlPatterns) }) };
    }
    const reply = await work(task);
    if ('bytes' in reply) return port.postMessage(reply, [reply.bytes.buffer]);
    try {
      port.postMessage(reply);
    } catch (error) {
      // What a parser of JavaScript returns need not be plain data.
      const why = { kind: 'failed', code: `plugin_error_${reply.draft.by}`, message: messageOf(error) } as const;
      const counted: [CounterName, number][] = [];
      const result = failure(why, (reason, n = 1) => counted.push([reason, n]));
      const failed = packResult({ result, counters: counted });
      port.postMessage(failed, [failed.bytes.buffer]);
    }
  };
  port.on('message', (task: ParseTask) => {
    // The next page waits, so that the one that takes too long is always the first in line.
    last = last.then(() => answer(task));
  });
  port.postMessage(READY);
}
