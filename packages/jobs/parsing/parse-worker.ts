import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors/index.js';
import { urlSteps, type Plugin } from '../../plugin-api/index.js';
import { compileRules } from '../../rules/index.js';
import { createCounts } from '../reporting/counters.js';
import {
  packResult,
  READY,
  type MakePagePlugins,
  type ParseReply,
  type ParseTask,
  type ParseTerms,
  type ParseThreadData,
  type ParseThreadModule,
  type ThreadDraft,
} from './parse-messages.js';
import { failure, parseHere, type ParseContext } from './parse-page.js';
import { draftPage } from './draft.js';
import type { ThreadShare } from './thread-share.js';
import { scopeRules } from '../scope/crawl-scope.js';

// The entry of a thread, which `ParseThread` starts. It imports no more than parsing takes, so that it starts quickly.
const { module, input } = workerData as ParseThreadData;
const { pagePlugins, urlPatterns } = (await import(module)) as ParseThreadModule;
if (parentPort) serve(parentPort, await pagePlugins(input));

/** Parses one page after another. */
function serve(port: MessagePort, plugins: Awaited<ReturnType<MakePagePlugins>>): void {
  let context: ParseContext;
  let sent: ParseTerms | undefined;
  let listsOf = createPluginLists(plugins);
  let last = Promise.resolve();
  const work = async ({ page, share }: ParseTask): Promise<ParseReply | ThreadDraft> => {
    const { all: counters, count } = createCounts();
    const lists = listsOf(share);
    const crawl = { ...context, plugins: lists.plugins };
    if (share.finishes) {
      const result = await parseHere(crawl, page, count, performance.now() + crawl.settings.parser.timeout * 1000);
      return packResult({ result, counters });
    }
    const draft = await draftPage(crawl, page, { steps: lists.steps, signs: share.signs }, count);
    if (draft.kind === 'draft') return { draft, counters };
    return packResult({ result: failure(draft, count), counters });
  };
  const answer = async (task: ParseTask): Promise<void> => {
    if (task.terms) {
      const { settings, scope, rules } = task.terms;
      const ruleSet = rules && compileRules(rules, settings.scoring.fit);
      context = {
        settings,
        plugins,
        ...(scope && { scope: scopeRules(scope, urlPatterns) }),
        ...(ruleSet && { ruleSet }),
      };
      if (rules || sent?.rules) listsOf = createPluginLists(ruleSet?.addTo(plugins) ?? plugins);
      sent = task.terms;
    }
    const reply = await work(task);
    if ('bytes' in reply) return port.postMessage(reply, [reply.bytes.buffer]);
    try {
      port.postMessage(reply);
    } catch (error) {
      // What a parser of JavaScript returns need not be plain data.
      const why = { kind: 'failed', code: `plugin_error_${reply.draft.by}`, message: messageOf(error) } as const;
      const { all: counters, count } = createCounts();
      const failed = packResult({ result: failure(why, count), counters });
      port.postMessage(failed, [failed.bytes.buffer]);
    }
  };
  port.on('message', (task: ParseTask) => {
    // The next page waits, so that the one that takes too long is always the first in line.
    last = last.then(() => answer(task));
  });
  port.postMessage(READY);
}

/** The plugins and steps of a share, the same lists for equal shares: what is remembered of URLs is by list. */
function createPluginLists(
  all: readonly Plugin[],
): (share: ThreadShare) => { readonly plugins: readonly Plugin[]; readonly steps: readonly Plugin[] } {
  const known = new Map<string, ReturnType<typeof make>>();
  const make = ({ plugins: places, steps }: ThreadShare) => {
    const plugins = places.map((place) => all[place]!);
    return { plugins, steps: urlSteps(plugins).slice(0, steps) };
  };
  return (share) => {
    const key = `${share.plugins.join()}/${share.steps}`;
    let lists = known.get(key);
    if (!lists) known.set(key, (lists = make(share)));
    return lists;
  };
}
