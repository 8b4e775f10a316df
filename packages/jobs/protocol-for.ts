import type { Protocol } from '../plugin-api/index.js';
import type { CrawlContext } from './context.js';

/** The last plugin's protocol that takes the scheme of a URL. */
export function protocolFor(crawl: Pick<CrawlContext, 'plugins'>, url: string): Protocol | undefined {
  const scheme = url.slice(0, url.indexOf(':'));
  return crawl.plugins.findLast((plugin) => plugin.protocol?.schemes.includes(scheme))?.protocol;
}

/** Fetches each robots.txt with the protocol that its URL calls for. */
export function robotsProtocol(crawl: Pick<CrawlContext, 'plugins'>): Protocol {
  return {
    schemes: ['http', 'https'],
    async fetch(request) {
      const protocol = protocolFor(crawl, request.url);
      return protocol ? protocol.fetch(request) : { kind: 'gone', code: 'no_protocol' };
    },
  };
}
