import { CrawlError, safeText } from '../errors/index.js';
import {
  NOT_REQUESTED,
  borrowRequests,
  hostOf,
  parseUrl,
  type CrawlContext,
  type FetchOutcome,
  type PageContent,
} from '../core/index.js';

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
 * Fetches one document in the queue of its host, with the delay and the back-off of a crawl. At most five redirects are followed; `url` of
 * the page is the last redirect target. robots.txt is ignored, because a person requests the document. A response 4xx means that there is no
 * document, except 429.
 * @throws CrawlError BAD_URL for a text that is not a URL, BAD_INPUT when the document cannot be fetched
 */
export async function fetchDocument(
  crawl: CrawlContext,
  url: string,
  { signal, contentLimit }: FetchDocumentOptions = {},
): Promise<FetchedDocument> {
  let current = parseUrl(url).href;
  const named = hostOf(current);
  await using requests = borrowRequests(crawl, { job: 'check', ...(signal && { signal }) });
  for (let redirects = 0; ; redirects++) {
    const result = await requests.request({
      url: current,
      // Only the host that the person named may be at a private address. Hosts of redirects may not.
      forPerson: { allowPrivate: hostOf(current) === named },
      ...(contentLimit !== undefined && { contentLimit }),
    });
    signal?.throwIfAborted();
    const failed = `${safeText(current)} cannot be read`;
    if (result.kind === 'left') throw new CrawlError('BAD_INPUT', `${failed}: ${NOT_REQUESTED[result.reason]}`);
    const { outcome } = result;
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
    throw new CrawlError('BAD_INPUT', `${failed}: ${reason(outcome)}`);
  }
}

function reason(outcome: FetchOutcome): string {
  if (outcome.kind !== 'redirect') return safeText(outcome.message ?? outcome.code);
  return outcome.target === null ? 'a redirect that leads nowhere' : `more than ${MAX_REDIRECTS} redirects`;
}
