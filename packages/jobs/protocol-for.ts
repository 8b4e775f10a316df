import { messageOf } from '../errors/index.js';
import type { FetchOutcome, FetchRequest, Plugin, Protocol } from '../plugin-api/index.js';
import type { CrawlContext } from './context.js';
import type { SeedHosts } from './seed-hosts.js';

/** The last plugin whose protocol takes the scheme of a URL. */
export function protocolFor(crawl: Pick<CrawlContext, 'plugins'>, url: string): Plugin | undefined {
  const scheme = url.slice(0, url.indexOf(':'));
  return crawl.plugins.findLast((plugin) => plugin.protocol?.schemes.includes(scheme));
}

/** What {@link request} needs of the crawl. */
type Requesting = Pick<CrawlContext, 'plugins' | 'settings'>;

/** Protocols end a request at `http.timeLimit` themselves; one that has not by this many of them never will. */
const GRACE = 2;
const LONGEST_TIMER = 2_147_483_647;

/**
 * Fetches with the protocol that the URL calls for. One that throws counts as a fetch that failed and may work later,
 * as does one that does not answer within twice `http.timeLimit`, with code `too_slow`: it is told to abort, and what
 * becomes of it is of no interest any more.
 */
export async function request(crawl: Requesting, request: FetchRequest): Promise<FetchOutcome> {
  const plugin = protocolFor(crawl, request.url);
  if (!plugin?.protocol) return { kind: 'gone', code: 'no_protocol' };
  const limit = Math.min(GRACE * crawl.settings.http.timeLimit, LONGEST_TIMER);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (request.signal?.aborted) abort();
  request.signal?.addEventListener('abort', abort);
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<FetchOutcome>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: 'retry', code: 'too_slow', message: `${plugin.name}: no outcome after ${limit} ms` });
      abort();
    }, limit);
  });
  try {
    return await Promise.race([plugin.protocol.fetch({ ...request, signal: controller.signal }), tooSlow]);
  } catch (error) {
    return { kind: 'retry', code: `plugin_error_${plugin.name}`, message: messageOf(error) };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', abort);
  }
}

/**
 * Fetches each robots.txt with the protocol that its URL calls for. A redirect of one may lead to another host, which
 * is then judged by itself.
 */
export function robotsProtocol(crawl: Requesting, seedHosts: SeedHosts, count: (reason: string) => void): Protocol {
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
