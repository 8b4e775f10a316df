import { chooseParser } from '../../parse/index.js';
import { urlSteps } from '../../plugin-api/index.js';
import { encodeFields, type EncodedFields, type PageChange } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { draftPage, sign, type PageDraft, type PageFailure } from './draft.js';
import { finishPage, type FinishWork } from './finish.js';
import { contentTypeOf } from './parse-content.js';
import { threadShare } from './thread-share.js';

/** What parsing one page needs of it. */
export interface PageContent {
  readonly url: string;
  readonly content: Uint8Array | undefined;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body was cut at the limit of its size. */
  readonly truncated: boolean;
  /** It was named as a sitemap, so its content alone says what it is. */
  readonly sitemap?: boolean | undefined;
}

/** The fields that parse owns, encoded as they are to be written. */
export interface ParseResult {
  readonly parsed: boolean;
  readonly encoded: EncodedFields;
  readonly unset: NonNullable<PageChange['unset']>;
}

/** What parsing needs of a crawl. */
export type ParseContext = Pick<CrawlContext, 'settings' | 'plugins' | 'parseThreads' | 'scope' | 'ruleSet'>;

/**
 * Parses a page, in a thread where the crawl has some, and makes what is to be written of it. A failure of the page or of
 * a plugin is a result, not a throw. What plugins do that were handed in as objects is done here, with what the thread
 * made of the page.
 * Counters: `COUNTERS.parse`.
 */
export async function parsePage(crawl: ParseContext, page: PageContent, count: Count): Promise<ParseResult> {
  const { parseThreads, settings, scope, ruleSet } = crawl;
  if (!parseThreads || !isForThread(crawl, parseThreads, page, count)) return parseHere(crawl, page, count);
  const share = threadShare(crawl, ruleSet?.plugin ? [...parseThreads.plugins, ruleSet.plugin] : parseThreads.plugins);
  const answer = await parseThreads.parse({ settings, scope: scope?.scope, rules: ruleSet?.stored }, page, share);
  if (answer === undefined) return parseHere(crawl, page, count);
  if ('code' in answer) {
    if (answer.code !== 'no_thread') return failure({ kind: 'failed', ...answer }, count);
    count('parse_thread_failed');
    return parseHere(crawl, page, count);
  }
  const take = (): void => Object.entries(answer.counters).forEach(([name, n]) => count(name, n));
  if ('result' in answer) {
    take();
    return answer.result;
  }
  // Nothing is counted of the links of a page that has no digest.
  const signed = signedDraft(crawl, page, answer.draft);
  if (signed.kind === 'failed') return failure(signed, count);
  take();
  const steps = urlSteps(crawl.plugins).slice(share.steps);
  return finish(crawl, page, signed, { steps, seconds: settings.parser.timeout }, count);
}

/** A parser that keeps the time has a thread of its own, or waits; one that was handed in is in this thread only. */
function isForThread(
  { plugins }: ParseContext,
  threads: NonNullable<ParseContext['parseThreads']>,
  page: PageContent,
  count: Count,
): boolean {
  if (!page.content) return false;
  const plugin = chooseParser(plugins, contentTypeOf(page));
  if (plugin?.parser.ownTimeout) return false;
  const isShared = !plugin || threads.plugins.includes(plugin);
  if (!isShared) count('parsed_in_main_thread');
  return isShared;
}

/**
 * Parses a page in this thread; see {@link parsePage}.
 * @param deadline when all of it is to be done, by `performance.now()`; absent: `onPage` has `parser.timeout` for itself
 */
export async function parseHere(
  crawl: ParseContext,
  page: PageContent,
  count: Count,
  deadline?: number,
): Promise<ParseResult> {
  const draft = await draftPage(crawl, page, { steps: crawl.plugins, signs: true }, count);
  const signed = draft.kind === 'draft' ? signedDraft(crawl, page, draft) : draft;
  if (signed.kind === 'failed') return failure(signed, count);
  const { timeout } = crawl.settings.parser;
  const seconds = deadline === undefined ? timeout : (deadline - performance.now()) / 1000;
  return finish(crawl, page, signed, { steps: [], seconds }, count);
}

type SignedDraft = PageDraft & { readonly newSignature: string };

function signedDraft(crawl: ParseContext, page: PageContent, draft: PageDraft): SignedDraft | PageFailure {
  const newSignature = draft.newSignature ?? sign(crawl, page, draft.page.text);
  return typeof newSignature === 'string' ? { ...draft, newSignature } : newSignature;
}

async function finish(
  crawl: ParseContext,
  page: PageContent,
  draft: SignedDraft,
  work: FinishWork,
  count: Count,
): Promise<ParseResult> {
  const result = await finishPage(crawl, page, draft, work, count);
  return 'encoded' in result ? result : failure(result, count);
}

/** What is written of a page that has no result. */
export function failure({ code, message }: PageFailure, count: Count): ParseResult {
  count(`failed_${code}`);
  const parseStatus = { code, ...(message !== undefined && { message: message.slice(0, 500) }) };
  return { parsed: false, encoded: encodeFields({ parseStatus }), unset: ['newSignature', 'redirectTarget'] };
}
