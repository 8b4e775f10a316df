import {
  NOT_REQUESTED,
  applyUrlChain,
  borrowRequests,
  contentTypeOf,
  parseContent,
  parseUrl,
  rowKeyOf,
  type CrawlContext,
  type PageContent,
  type ParsedOutlink,
  type ParsedPage,
} from '../core/index.js';
import { safeText } from '../errors/index.js';
import { computedOf } from './pages/computed-fields.js';
import { readByStoredSite } from './site/stored-site.js';

const MAX_REDIRECTS = 5;

/** A page as Markdown, or the reason why there is none. Texts are untrusted. */
export type PageMarkdown =
  | {
      readonly kind: 'page';
      /** The URL after redirects. */
      readonly url: string;
      readonly title: string;
      readonly language?: string;
      /** Dates that the page states, in ms since the epoch. */
      readonly publishedAt?: number;
      readonly statedModifiedAt?: number;
      readonly links: readonly Pick<ParsedOutlink, 'url' | 'anchor'>[];
      /** The main content. For a type other than HTML, it is the text. */
      readonly markdown: string;
      /** The body is incomplete: it was longer than `http.contentLimit`, or ended early. */
      readonly truncated?: true;
    }
  | FailedMarkdown;

/** The reason why there is no Markdown of a page. The message is untrusted. */
export interface FailedMarkdown {
  readonly kind: 'failed';
  readonly url: string;
  /**
   * A protocol code or a parse code, such as `robots_denied`, `not_found` or `unsupported_type`. `needs_scripts`: the page is an empty shell
   * that scripts fill. `url_rejected`: it redirects to a URL that a filter rejects, or to none of http or https. `redirect_exceeded`: more
   * than five redirects. `not_requested`: its host gets no request now.
   */
  readonly code: string;
  readonly message: string;
  readonly http?: number;
  /** Whether a later attempt may succeed. */
  readonly isTemporary?: true;
}

/**
 * Fetches one page as a crawl does, and returns its main content as Markdown: robots.txt, the delay and the back-off of its host, the
 * address guard and the limits apply, also to each redirect. No page is stored. An expected failure is returned, and not thrown.
 * @throws CrawlError BAD_URL, MISSING_PACKAGE; the reason of the signal
 */
export async function pageMarkdown(
  crawl: CrawlContext,
  given: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<PageMarkdown> {
  let url = parseUrl(given).href;
  await using requests = borrowRequests(crawl, { job: 'check', ...(signal && { signal }) });
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const failed = (code: string, message: string, more: Partial<FailedMarkdown> = {}): FailedMarkdown => {
      return { kind: 'failed', url, code, message, ...more };
    };
    const result = await requests.request({ url });
    signal?.throwIfAborted();
    if (result.kind === 'left') return failed('not_requested', NOT_REQUESTED[result.reason], { isTemporary: true });
    const { outcome } = result;
    let target: string | null;
    if (outcome.kind === 'content') {
      const { body: content, contentType, headers = {}, truncated } = outcome;
      const page = { url, content, contentType, headers, truncated };
      const { outcome: parsed } = await parseContent(crawl, page);
      if (parsed.kind === 'failed') return failed(parsed.code, parsed.message ?? '');
      if (!parsed.refresh) {
        if (parsed.needsScripts)
          return failed('needs_scripts', 'scripts fill this page in a browser; it has no content');
        return { kind: 'page', url, ...(await contentOf(crawl, page, parsed)), ...(truncated && { truncated }) };
      }
      target = parsed.refresh.url;
    } else if (outcome.kind === 'redirect') target = outcome.target;
    else {
      const { code, http, message = '' } = outcome;
      return failed(code, code === 'robots_denied' ? `robots.txt disallows it (${message})` : message, {
        ...(http !== undefined && { http }),
        ...(outcome.kind === 'retry' && { isTemporary: true }),
      });
    }
    if (target === null) return failed('url_rejected', 'it redirects to no http or https URL');
    const verdict = applyUrlChain(crawl.plugins, target, 'redirect');
    if (!verdict.accepted) {
      return failed('url_rejected', `it redirects to ${safeText(verdict.url)}: ${safeText(verdict.rule)}`);
    }
    url = verdict.url;
  }
  return { kind: 'failed', url, code: 'redirect_exceeded', message: `more than ${MAX_REDIRECTS} redirects` };
}

async function contentOf(
  crawl: CrawlContext,
  page: PageContent & { readonly content: Uint8Array },
  parsed: ParsedPage,
) {
  const { title, language, charset, outlinks, text } = parsed;
  const parseStatus = { code: 'success', ...(charset !== undefined && { charset }) };
  const row = {
    key: rowKeyOf(page.url),
    content: page.content,
    contentType: contentTypeOf(page),
    parseStatus,
    fetchedAt: crawl.clock(),
  };
  await readByStoredSite(crawl, row);
  const { valuesOf } = await computedOf(crawl.settings, ['publishedAt', 'statedModifiedAt', 'markdown']);
  const { markdown = text, ...dates } = valuesOf(row);
  const links = outlinks.map(({ url, anchor }) => ({ url, anchor }));
  return { title, ...(language !== undefined && { language }), ...dates, links, markdown };
}
