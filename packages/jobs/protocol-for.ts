import { messageOf } from '../errors/index.js';
import type { FetchOutcome, FetchRequest, Protocol } from '../plugin-api/index.js';
import type { CrawlContext } from './context.js';

/** The last plugin's protocol that takes the scheme of a URL. */
export function protocolFor(crawl: Pick<CrawlContext, 'plugins'>, url: string): Protocol | undefined {
  const scheme = url.slice(0, url.indexOf(':'));
  return crawl.plugins.findLast((plugin) => plugin.protocol?.schemes.includes(scheme))?.protocol;
}

/** Fetches with the protocol that the URL calls for. One that throws counts as a fetch that failed and may work later. */
export async function request(crawl: Pick<CrawlContext, 'plugins'>, request: FetchRequest): Promise<FetchOutcome> {
  const protocol = protocolFor(crawl, request.url);
  if (!protocol) return { kind: 'gone', code: 'no_protocol' };
  try {
    return await protocol.fetch(request);
  } catch (error) {
    return { kind: 'retry', code: 'plugin_error', message: messageOf(error) };
  }
}

/** Fetches each robots.txt with the protocol that its URL calls for. */
export function robotsProtocol(crawl: Pick<CrawlContext, 'plugins'>): Protocol {
  return { schemes: ['http', 'https'], fetch: (robots) => request(crawl, robots) };
}
