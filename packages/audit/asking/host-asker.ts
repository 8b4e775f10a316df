import {
  createRobots,
  createRobotsStore,
  createSeedHosts,
  hostOf,
  isTooLong,
  request,
  robotsAgents,
  robotsProtocol,
  type CrawlContext,
  type FetchOutcome,
} from '../../core/index.js';
import { pause } from '../../util/index.js';

/** The answer for a URL after its redirects. */
export interface Answer {
  readonly code: string;
  readonly http?: number;
  /** The last redirect target. */
  readonly to?: string;
  readonly outcome?: FetchOutcome;
}

/** Makes requests for the audit: one at a time for each host, with the delays and the robots.txt of a crawl. */
export interface Asker {
  /** @param headFirst try HEAD first, and trust the answer if it finds the page */
  ask(url: string, headFirst: boolean): Promise<Answer>;
}

const MOST_REDIRECTS = 10;
/** Maximum number of seconds to wait when a server asks for a pause. */
const LONGEST_WAIT = 60;
/** Maximum number of bytes of a page to read. */
const BYTES = 262_144;
/** Codes after which no more URLs of the host are requested. */
const HOST_IS_AWAY: ReadonlySet<string> = new Set(['dns', 'connect', 'tls', 'timeout', 'too_slow']);

interface HostState {
  /** When the next request may be made, by `performance.now()`. */
  next: number;
  /** Seconds between two requests. */
  delay: number;
  /** The failure after which the host gets no more requests. */
  away: Answer | undefined;
  /** The running request. */
  turn: Promise<unknown>;
}

export function createAsker(crawl: CrawlContext, signal?: AbortSignal): Asker {
  const seedHosts = createSeedHosts(crawl);
  const { fetcher } = crawl.settings;
  const robots = createRobots({
    protocol: robotsProtocol(crawl, seedHosts, () => undefined),
    agents: robotsAgents(crawl.settings),
    clock: crawl.clock,
    store: createRobotsStore(crawl.tables),
  });
  const hosts = new Map<string, HostState>();

  /** Runs a request when no other request to the host is running. */
  async function inTurn<T>(url: string, task: (host: HostState) => Promise<T>): Promise<T> {
    const name = hostOf(url);
    let host = hosts.get(name);
    if (!host)
      hosts.set(name, (host = { next: 0, delay: fetcher.serverDelay, away: undefined, turn: Promise.resolve() }));
    const state = host;
    const mine = state.turn.then(async () => {
      const wait = state.next - performance.now();
      if (wait > 0 && !state.away) await pause(wait, signal);
      signal?.throwIfAborted();
      return task(state);
    });
    state.turn = mine.catch(() => undefined);
    return mine;
  }

  /** Makes one request, without following redirects. */
  function once(url: string, headOnly: boolean): Promise<Answer> {
    return inTurn(url, async (host) => {
      if (host.away) return host.away;
      const rules = await robots.check(url);
      if (rules.kind === 'denied') return { code: 'robots_denied' };
      if (rules.kind === 'unavailable')
        return noted(host, { code: rules.code, ...(rules.http !== undefined && { http: rules.http }) });
      if (isTooLong(fetcher, rules.crawlDelay)) return { code: 'crawl_delay_too_long' };
      host.delay = Math.max(host.delay, rules.crawlDelay ?? 0);
      if (rules.asked) await pause(host.delay * 1000, signal);
      const outcome = await send(url, headOnly);
      host.next = performance.now() + 1000 * waitAfter(outcome, host.delay);
      const { code, http } = outcome;
      return noted(host, { code, ...(http !== undefined && { http }), outcome });
    });
  }

  async function send(url: string, headOnly: boolean): Promise<FetchOutcome> {
    const allowPrivate = await seedHosts.mayBePrivate(url, signal);
    return request(crawl, {
      url,
      contentLimit: BYTES,
      ...(headOnly && { headOnly }),
      ...(allowPrivate && { allowPrivate }),
      ...(signal && { signal }),
    });
  }

  /** Makes requests with one method, and follows the redirects. */
  async function follow(first: string, headOnly: boolean): Promise<Answer> {
    let url = first;
    for (let hops = 0; ; hops++) {
      const answer = await once(url, headOnly);
      const to = hops > 0 ? { to: url } : {};
      const { outcome } = answer;
      if (outcome?.kind !== 'redirect' || outcome.target === null) return { ...answer, ...to };
      if (hops === MOST_REDIRECTS) return { ...answer, code: 'redirect_exceeded', ...to };
      url = outcome.target.split('#', 1)[0]!;
    }
  }

  return {
    async ask(url, headFirst) {
      const head = headFirst ? await follow(url, true) : undefined;
      const isThere = head?.http !== undefined && head.http >= 200 && head.http < 300;
      // Many servers answer HEAD wrongly, so a failure of HEAD is checked by GET.
      return isThere ? head : follow(url, false);
    },
  };
}

/** Marks a host that does not answer, so that it gets no more requests. */
function noted(host: HostState, answer: Answer): Answer {
  if (answer.http === undefined && HOST_IS_AWAY.has(answer.code)) host.away = { code: answer.code };
  return answer;
}

/** Seconds until the next request to the host. */
function waitAfter(outcome: FetchOutcome, delay: number): number {
  const asked = outcome.kind === 'retry' ? (outcome.retryAfter ?? 0) : 0;
  return Math.max(delay, Math.min(asked, LONGEST_WAIT));
}
