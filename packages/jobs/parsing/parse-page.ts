import { chooseParser } from '../../parse/index.js';
import type { Plugin } from '../../plugin-api/index.js';
import type { EncodedFields, PageChange } from '../../../webtable/index.js';
import type { Count, CounterName } from '../reporting/counters.js';
import { signatureOf, type ScopedCrawl } from '../context.js';
import { withOnPage } from './call-on-page.js';
import { contentTypeOf } from './parse-content.js';
import { failure, parseHere } from './parse-here.js';
import type { ParseTerms, ThreadResult } from './parse-messages.js';
import type { RulesInForce } from '../rules/rules-now.js';
import type { ThreadFailure } from './parse-thread.js';
import type { ParseThreads } from './parse-threads.js';

/** A fetched page, as the parser reads it. */
export interface PageContent {
  readonly url: string;
  readonly content: Uint8Array | undefined;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body was cut at its size limit. */
  readonly truncated: boolean;
  /** Whether the page was named as a sitemap. If so, only the content decides whether the page is a sitemap. */
  readonly sitemap?: boolean | undefined;
  /** Whether the page is a seed, or the target of a seed's redirect. If so, its meta refresh may lead to another site. */
  readonly isSeed?: boolean | undefined;
}

/** The fields that parse sets in a row, encoded for the store. */
export interface ParseResult {
  readonly parsed: boolean;
  /** Whether a limit on elements or links was reached, so that some links of the page are unknown; for a type other than HTML, any limit. */
  readonly inPart?: true;
  readonly encoded: EncodedFields;
  readonly unset: NonNullable<PageChange['unset']>;
  /** The target of a meta refresh, if the crawl may fetch it. */
  readonly refresh?: string | undefined;
  /** The SHA-1 hash of the content, as lower-case hex. Absent if the page could not be parsed. */
  readonly sha1?: string;
}

/** What this thread needs to parse a page. */
export type ParseContext = Pick<ScopedCrawl, 'settings' | 'plugins' | 'scope'>;

/**
 * Parses a page, and returns the fields to store. A parse thread parses the page if the crawl has threads, and if the thread has every
 * plugin that is needed. Otherwise this thread parses it. If the thread lacks only a plugin with `onPage`, this thread calls `onPage` of
 * all plugins on the result. If the page or a plugin fails, it does not throw, but returns a result with the failure. If a thread does not
 * survive a page with `onPage`, it parses the page again without `onPage`, so that a plugin costs a page its fields and not its text.
 * Counters: `COUNTERS.parse`.
 */
export async function parsePage(
  { parseThreads, settings, scope }: Pick<ScopedCrawl, 'parseThreads' | 'settings' | 'scope'>,
  rules: RulesInForce,
  page: PageContent,
  count: Count,
): Promise<ParseResult> {
  const { plugins, ruleSet } = rules;
  const crawl: ParseContext = { settings, plugins, scope };
  const share = parseThreads && threadPlugins(rules, parseThreads, page, count);
  if (!share) return parseHere(crawl, page, count);
  const terms = { settings, scope: scope.shared, rules: ruleSet.plugin && ruleSet.stored, ...share };
  let answer = await parseThreads.parse(terms, page);
  if (isFatal(answer) && share.callsOnPage && plugins.some(({ onPage }) => onPage)) {
    answer = await parseThreads.parse({ ...terms, callsOnPage: false }, page);
    if (!isFatal(answer)) count('on_page_failed');
  }
  if (answer === undefined) return parseHere(crawl, page, count);
  if ('code' in answer) {
    if (answer.code !== 'no_thread') return failure(answer.code, answer.message, count);
    count('parse_thread_failed');
    return parseHere(crawl, page, count);
  }
  for (const [name, n] of Object.entries(answer.counters)) count(name as CounterName, n);
  return share.callsOnPage ? answer.result : withOnPage(crawl, page, answer.result, settings.parser.timeout, count);
}

/** Whether a thread ended because of the page. */
function isFatal(answer: ThreadResult | ThreadFailure | undefined): boolean {
  return answer !== undefined && 'code' in answer && answer.code !== 'no_thread';
}

type ThreadPlugins = Pick<ParseTerms, 'places' | 'callsOnPage'>;

/** The plugins that threads use, by the crawl's list of plugins. undefined if threads lack a plugin that every page needs. */
const known = new WeakMap<readonly Plugin[], ThreadPlugins | undefined>();

/** Returns the plugins that a thread uses for a page. Returns undefined if this thread must parse the page. */
function threadPlugins(
  { plugins, ruleSet }: RulesInForce,
  threads: ParseThreads,
  page: PageContent,
  count: Count,
): ThreadPlugins | undefined {
  if (!page.content) return undefined;
  const parser = chooseParser(plugins, contentTypeOf(page));
  // A parser with its own time limit has its own thread, or waits for something. It is not run in a parse thread.
  if (parser?.parser.ownTimeout) return undefined;
  if (!known.has(plugins)) {
    known.set(plugins, pluginsIn(plugins, ruleSet.plugin ? [...threads.plugins, ruleSet.plugin] : threads.plugins));
  }
  const found = !parser || threads.plugins.includes(parser) ? known.get(plugins) : undefined;
  if (!found) count('parsed_in_main_thread');
  return found;
}

/** @param shared the plugins that threads also have, in the order of the threads */
function pluginsIn(plugins: readonly Plugin[], shared: readonly Plugin[]): ThreadPlugins | undefined {
  const others = plugins.filter((plugin) => !shared.includes(plugin));
  if (others.some(({ normalizeUrl, filterUrl }) => normalizeUrl ?? filterUrl)) return undefined;
  if (!shared.includes(signatureOf({ plugins }))) return undefined;
  const places = plugins.filter((plugin) => shared.includes(plugin)).map((plugin) => shared.indexOf(plugin));
  return { places, callsOnPage: !others.some(({ onPage }) => onPage) };
}
