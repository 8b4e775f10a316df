import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Plugin } from '../../plugin-api/index.js';
import { createOneByOne } from '../../util/index.js';
import { CellBuffer } from '../../../webtable/index.js';
import { createCounts } from '../reporting/counters.js';
import {
  READY,
  type MakePagePlugins,
  type ParseReply,
  type ParseTask,
  type ParseTerms,
  type ParseThreadData,
  type ParseThreadModule,
} from './parse-messages.js';
import { parseHere, parseWithoutOnPage } from './parse-here.js';
import type { ParseContext } from './parse-page.js';
import { scopeRules } from '../scope/crawl-scope.js';

// The program of a parse thread, which `ParseThread` starts. It imports only the code for parsing, so that it starts quickly.
const { module, input } = workerData as ParseThreadData;
const { pagePlugins, urlPatterns, compileTableRules } = (await import(module)) as ParseThreadModule;
if (parentPort) serve(parentPort, await pagePlugins(input));

/** Parses the pages of the port's messages one after another. */
function serve(port: MessagePort, all: Awaited<ReturnType<MakePagePlugins>>): void {
  const crawls = new Map<number | undefined, { readonly terms: ParseTerms; readonly context: ParseContext }>();
  const oneByOne = createOneByOne();

  async function contextOf({ crawl, terms: next }: ParseTask): Promise<ParseContext> {
    const last = crawls.get(crawl);
    if (!next) return last!.context;
    const { settings, scope, rules, places } = next;
    const ruleSet = rules && (await compileTableRules(rules, settings.scoring.relevant));
    // Caches for URLs belong to a list of plugins. If the plugins have not changed, the same list is used again.
    const isSameList = last && !rules && !last.terms.rules && places.join() === last.terms.places.join();
    const list: readonly Plugin[] = ruleSet?.addTo(all) ?? all;
    const context = {
      settings,
      plugins: isSameList ? last.context.plugins : places.map((place) => list[place]!),
      scope: scopeRules(scope, urlPatterns),
    };
    crawls.set(crawl, { terms: next, context });
    return context;
  }

  async function answer(task: ParseTask): Promise<void> {
    const { page, crawl, memory } = task;
    if (!page) return void crawls.delete(crawl);
    const context = await contextOf(task);
    const { all: counters, count } = createCounts();
    const cells = new CellBuffer(memory);
    const { encoded, ...others } = crawls.get(crawl)!.terms.callsOnPage
      ? await parseHere(context, page, count, cells, performance.now() + context.settings.parser.timeout * 1000)
      : await parseWithoutOnPage(context, page, count, cells);
    const packed = encoded.pack();
    port.postMessage({ ...others, packed, counters } satisfies ParseReply, [packed.memory]);
  }

  port.on('message', (task: ParseTask) => {
    // The next page waits until this page is parsed. Therefore a page that takes too long is always the first in line.
    void oneByOne(() => answer(task));
  });
  port.postMessage(READY);
}
