import type { FetchOutcome, Protocol } from '../plugin-api/index.js';
import { parseUrl } from '../url/index.js';
import { createBoundedCache } from './bounded-cache.js';
import { robotsHealth } from './host-health.js';
import { parseRobots, ROBOTS_LIMIT, type RobotsLine, type RobotsRules } from './robots.js';

/** The robots.txt of one origin as it is kept. Plain data, fit for JSON. */
export interface StoredRobots {
  /** When it was fetched, in ms since the epoch. */
  readonly fetchedAt: number;
  /** The HTTP status that the redirects, if any, led to. */
  readonly status: number;
  /** The file, one character (U+0000 to U+00FF) per byte; absent when there is none, and then all is allowed. */
  readonly body?: string;
}

/** Where robots.txt are kept between runs. An origin is `scheme://host[:port]`. A store that fails makes `check` reject. */
export interface RobotsStore {
  get(origin: string): Promise<StoredRobots | undefined>;
  put(origin: string, robots: StoredRobots): Promise<void>;
}

interface Asked {
  /** The file was fetched just now, so a server was asked. */
  readonly asked?: true;
}

/** What robots.txt says to one URL. */
export type RobotsVerdict =
  | (Asked & { readonly kind: 'allowed'; /** Seconds. */ readonly crawlDelay?: number })
  | (Asked & { readonly kind: 'denied'; readonly line?: RobotsLine })
  | {
      /** The file can not be had now, so nothing may be fetched yet. */
      readonly kind: 'unavailable';
      /** One line; untrusted. */
      readonly message: string;
      /** Where it could not be had: at the origin, or where redirects led to. */
      readonly url: string;
      /** The outcome there. */
      readonly code: string;
      readonly http?: number;
      /** The server asked to wait so long, in seconds. */
      readonly retryAfter?: number;
      /** The host itself may not be connected to, so none of its pages can be fetched. */
      readonly refused?: true;
    };

export interface Robots {
  /**
   * Fetches the robots.txt of the URL's origin where it is not known or older than a day, and looks the URL up. That the
   * file is unavailable is not remembered: when to ask again is for the caller to say.
   * @param onSitemaps told the sitemaps that the file names, as they stand there, where this call fetched it; the file is
   *   stored when it is done, so that a killed run asks and tells again
   * @throws CrawlError BAD_URL for a URL that is not http(s); what the store or `onSitemaps` throws
   */
  check(url: string, onSitemaps?: (sitemaps: readonly string[]) => Promise<void>): Promise<RobotsVerdict>;
}

export interface RobotsOptions {
  readonly protocol: Protocol;
  /** Names looked up, the preferred first. */
  readonly agents: readonly string[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly store: RobotsStore;
  /** Redirects followed, across hosts too; beyond them the file counts as absent. */
  readonly maxRedirects?: number;
  /** Bytes of rules held in memory. */
  readonly memory?: number;
}

const DAY = 86_400_000;

interface Entry {
  readonly fetchedAt: number;
  readonly rules: RobotsRules;
}
type Unavailable = Extract<RobotsVerdict, { kind: 'unavailable' }>;
/** What came of looking for an entry; `asked` when that took a request. */
type Loaded = Entry & Asked;

type OnSitemaps = Parameters<Robots['check']>[1];

/**
 * The robots.txt of all origins by RFC 9309, 2.3: a 4xx allows everything, but for 429, which like a 5xx and a network
 * error means that the file is unavailable for now. One fetch at a time per origin: callers who come meanwhile share
 * it. Rules are held in memory up to a bound, and in the store for a day.
 */
export function createRobots(options: RobotsOptions): Robots {
  const { clock, store } = options;
  const cache = createBoundedCache<Entry>(options.memory ?? 67_108_864);
  const underWay = new Map<string, Promise<Loaded | Unavailable>>();

  function isFresh({ fetchedAt }: { readonly fetchedAt: number }): boolean {
    const now = clock();
    return now >= fetchedAt && now < fetchedAt + DAY;
  }

  function read({ body = '', fetchedAt }: StoredRobots): Entry {
    return { fetchedAt, rules: parseRobots(Buffer.from(body, 'latin1')).rulesFor(options.agents) };
  }

  function remember(origin: string, entry: Entry): Entry {
    cache.set(origin, entry, entry.rules.size);
    return entry;
  }

  async function load(origin: string, onSitemaps: OnSitemaps): Promise<Loaded | Unavailable> {
    const stored = await store.get(origin);
    if (stored && isFresh(stored)) return remember(origin, read(stored));
    const answer = await fetchRobots(options.protocol, origin, options.maxRedirects ?? 5);
    if ('kind' in answer) return answer;
    const fetched = { fetchedAt: clock(), ...answer };
    const entry = read(fetched);
    if (entry.rules.sitemaps.length > 0) await onSitemaps?.(entry.rules.sitemaps);
    await store.put(origin, fetched);
    return { ...remember(origin, entry), asked: true };
  }

  /** The entry of an origin; callers who come while it is loaded wait for the same one. */
  function entryOf(origin: string, onSitemaps: OnSitemaps): Loaded | Promise<Loaded | Unavailable> {
    const known = cache.get(origin);
    if (known && isFresh(known)) return known;
    const loading = underWay.get(origin);
    if (loading) return loading;
    const started = load(origin, onSitemaps).finally(() => underWay.delete(origin));
    underWay.set(origin, started);
    return started;
  }

  return {
    async check(text, onSitemaps) {
      const url = parseUrl(text);
      const entry = await entryOf(url.origin, onSitemaps);
      if ('kind' in entry) return entry;
      const asked: Asked = entry.asked ? { asked: true } : {};
      const { allowed, line } = entry.rules.allowed(url.pathname + url.search);
      if (!allowed) return { kind: 'denied', ...(line && { line }), ...asked };
      const { crawlDelay } = entry.rules;
      return { kind: 'allowed', ...(crawlDelay !== undefined && { crawlDelay }), ...asked };
    },
  };
}

/** Fetches a file, or finds that there is none, which is a status without a body. */
async function fetchRobots(
  protocol: Protocol,
  origin: string,
  maxRedirects: number,
): Promise<Omit<StoredRobots, 'fetchedAt'> | Unavailable> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; ; redirects++) {
    // One byte more than is read, so that the parser sees that the file was cut.
    const outcome = await protocol.fetch({ url, contentLimit: ROBOTS_LIMIT + 1 });
    if (outcome.code === 'private_address') {
      const message = outcome.message ?? 'not a public address';
      // It says nothing about robots.txt, so it must not be kept as an absent one.
      if (redirects === 0) return { kind: 'unavailable', message, url, code: outcome.code, refused: true };
      return { kind: 'unavailable', message: `robots.txt: redirected to ${message}`, url, code: outcome.code };
    }
    if (outcome.kind !== 'redirect') return answerOf(outcome, url);
    if (outcome.target === null || redirects === maxRedirects) return { status: outcome.http ?? 0 };
    url = outcome.target;
  }
}

function answerOf(
  outcome: Exclude<FetchOutcome, { kind: 'redirect' }>,
  url: string,
): Omit<StoredRobots, 'fetchedAt'> | Unavailable {
  const { code, http } = outcome;
  const status = http ?? 0;
  if (outcome.kind === 'content') {
    return {
      status,
      body: Buffer.from(outcome.body)
        .subarray(0, ROBOTS_LIMIT + 1)
        .toString('latin1'),
    };
  }
  const isRetry = outcome.kind === 'retry';
  if (outcome.kind === 'gone' || (isRetry && robotsHealth(outcome) === 'well')) return { status };
  const { message = `HTTP ${status}` } = outcome;
  const retryAfter = isRetry ? outcome.retryAfter : undefined;
  return {
    kind: 'unavailable',
    message: `robots.txt: ${message}`,
    url,
    code,
    ...(http !== undefined && { http }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}
