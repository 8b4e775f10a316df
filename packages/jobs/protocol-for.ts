import { messageOf } from '../errors/index.js';
import type { FetchOutcome, FetchRequest, Plugin, Protocol } from '../plugin-api/index.js';
import type { CrawlContext } from './context.js';
import type { SeedHosts } from './seed-hosts.js';

/** The last plugin whose protocol takes the scheme of a URL. */
export function protocolFor(crawl: Pick<CrawlContext, 'plugins'>, url: string): Plugin | undefined {
  const scheme = url.slice(0, url.indexOf(':'));
  return crawl.plugins.findLast((plugin) => plugin.protocol?.schemes.includes(scheme));
}

/** Fetches with the protocol that the URL calls for. One that throws counts as a fetch that failed and may work later. */
export async function request(crawl: Pick<CrawlContext, 'plugins'>, request: FetchRequest): Promise<FetchOutcome> {
  const plugin = protocolFor(crawl, request.url);
  if (!plugin?.protocol) return { kind: 'gone', code: 'no_protocol' };
  try {
    return await plugin.protocol.fetch(request);
  } catch (error) {
    return { kind: 'retry', code: `plugin_error_${plugin.name}`, message: messageOf(error) };
  }
}

/**
 * Fetches each robots.txt with the protocol that its URL calls for. A redirect of one may lead to another host, which
 * is then judged by itself.
 */
export function robotsProtocol(
  crawl: Pick<CrawlContext, 'plugins'>,
  seedHosts: SeedHosts,
  count: (reason: string) => void,
): Protocol {
  return {
    schemes: ['http', 'https'],
    async fetch(robots) {
      const allowPrivate = await seedHosts.has(robots.url);
      const outcome = await request(crawl, { ...robots, ...(allowPrivate && { allowPrivate }) });
      if (outcome.code.startsWith('plugin_error_')) count(outcome.code);
      return outcome;
    },
  };
}
