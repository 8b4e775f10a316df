import { borrowRequests, hostOf, parseUrl, type CrawlContext } from '../core/index.js';
import { CrawlError, safeText } from '../errors/index.js';
import { pause } from '../util/index.js';

/** What a TLS client reports if the server speaks HTTP without TLS. */
const PLAIN_HTTP = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/;

/** What the resolver reports if no name server responds, as without a network. */
const NO_NAME_SERVER = /EAI_AGAIN|ESERVFAIL/;

/**
 * Returns the URL of a site that a person names without a scheme, such as `example.com`: https, or http if nothing responds by https. A
 * server whose certificate is refused does respond. It sends one HEAD request, and then waits for the delay of the host.
 * @throws CrawlError BAD_URL; BAD_INPUT if the name of the host leads nowhere; the reason of the signal
 */
export async function urlOfSite(crawl: CrawlContext, named: string, signal?: AbortSignal): Promise<string> {
  const { href } = parseUrl(`https://${named}`);
  await using requests = borrowRequests(crawl, { job: 'check', ...(signal && { signal }) });
  const result = await requests.request({ url: href, headOnly: true, forPerson: { allowPrivate: true } });
  signal?.throwIfAborted();
  if (result.kind === 'outcome' && result.outcome.http === undefined) {
    const { code, message = '' } = result.outcome;
    if (code === 'dns_failed') {
      const host = safeText(hostOf(href));
      const isOffline = NO_NAME_SERVER.test(message);
      throw new CrawlError(
        'BAD_INPUT',
        isOffline ? `no name server responded for ${host}` : `no host named ${host} was found`,
      );
    }
    return code !== 'tls_failed' || PLAIN_HTTP.test(message) ? href.replace('https:', 'http:') : href;
  }
  await pause(crawl.settings.fetcher.serverDelay * 1000, signal);
  return href;
}
