import { CrawlError, safeText } from '../errors/index.js';
import { type FetchOutcome, hostOf, parseUrl, type CheckContext, type PageContent, request } from '../core/index.js';

const MAX_REDIRECTS = 5;

/** Options of {@link fetchDocument}. */
export interface FetchDocumentOptions {
  readonly signal?: AbortSignal;
  /** Maximum number of bytes of the body. Default: `http.contentLimit`. */
  readonly contentLimit?: number;
}

/** A fetched document, or the result that there is no document. */
export type FetchedDocument =
  | { readonly kind: 'content'; readonly page: PageContent & { readonly content: Uint8Array } }
  | { readonly kind: 'absent'; readonly url: string; readonly http: number };

/**
 * Fetches one document with the protocol of the crawl. At most five redirects are followed; `url` of the page is the last redirect target.
 * robots.txt and delays are ignored, because a person requested the document. An answer 4xx means that there is no document, except 429.
 * @throws CrawlError BAD_URL for a text that is not a URL, BAD_INPUT when the document cannot be fetched
 */
export async function fetchDocument(
  context: CheckContext,
  url: string,
  { signal, contentLimit }: FetchDocumentOptions = {},
): Promise<FetchedDocument> {
  let current = parseUrl(url).href;
  const named = hostOf(current);
  for (let redirects = 0; ; redirects++) {
    const outcome = await request(context, {
      url: current,
      // Only the host that the person named may be at a private address. Hosts of redirects may not.
      ...(hostOf(current) === named && { allowPrivate: true }),
      ...(signal && { signal }),
      ...(contentLimit !== undefined && { contentLimit }),
    });
    if (outcome.kind === 'content') {
      const { body, contentType, headers = {}, truncated } = outcome;
      return { kind: 'content', page: { url: current, content: body, contentType, headers, truncated } };
    }
    if (outcome.kind === 'redirect' && outcome.target !== null && redirects < MAX_REDIRECTS) {
      current = outcome.target;
      continue;
    }
    const { http = 0 } = outcome;
    if (outcome.kind === 'gone' && http >= 400 && http < 500) return { kind: 'absent', url: current, http };
    throw new CrawlError('BAD_INPUT', `expected a document at ${safeText(current)}, found ${reason(outcome)}`);
  }
}

function reason(outcome: FetchOutcome): string {
  if (outcome.kind === 'redirect' && outcome.target === null) return 'a redirect that leads nowhere';
  if (outcome.kind === 'redirect') return `more than ${MAX_REDIRECTS} redirects`;
  return safeText(outcome.message ?? outcome.code);
}
