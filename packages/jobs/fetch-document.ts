import { CrawlError, safeText } from '../errors/index.js';
import type { FetchOutcome } from '../plugin-api/index.js';
import { hostOf, parseUrl } from '../url/index.js';
import type { CheckContext } from './check-url.js';
import type { PageContent } from './parsing/parse-page.js';
import { request } from './requests/protocol-for.js';

const MAX_REDIRECTS = 5;

/** What {@link fetchDocument} takes. */
export interface FetchDocumentOptions {
  readonly signal?: AbortSignal;
  /** Bytes of the body kept, in place of `http.contentLimit`. */
  readonly contentLimit?: number;
}

/** A document that was fetched, or that there is none. */
export type FetchedDocument =
  | { readonly kind: 'content'; readonly page: PageContent & { readonly content: Uint8Array } }
  | { readonly kind: 'absent'; readonly url: string; readonly http: number };

/**
 * Fetches one document with the protocol of the crawl, over at most five redirects. It asks no robots.txt and keeps no
 * delay: it is for what a person asked for. `url` of the page is where the redirects led; absent is a 4xx other than 429.
 * @throws CrawlError BAD_URL where it is no URL, BAD_INPUT where it cannot be fetched
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
      // The person named this host, and none that it redirects to.
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
