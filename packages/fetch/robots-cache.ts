import type { FetchOutcome, Protocol } from '../plugin-api/index.js';
import { parseUrl } from '../url/index.js';
import { createBoundedCache } from './bounded-cache.js';
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

/** What robots.txt says to one URL. */
export type RobotsVerdict =
  | { readonly kind: 'allowed'; /** Seconds. */ readonly crawlDelay?: number }
  | { readonly kind: 'denied'; readonly line?: RobotsLine }
  | {
      /** The file can not be had now, so nothing may be fetched yet. */
      readonly kind: 'unavailable';
      /** One line; untrusted. */
      readonly message: string;
      /** When it is tried again, in ms since the epoch; until then the answer stays the same. */
      readonly until: number;
      /** The host itself may not be connected to, so none of its pages can be fetched. */
      readonly refused?: true;
    };

export interface Robots {
  /**
   * Fetches the robots.txt of the URL's origin where it is not known or older than a day, and looks the URL up.
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
/** How long an answer "unavailable" stands when the server does not say. */
const RETRY_AFTER = 60_000;
/** A server may ask to be left alone for a day at the most; then we look again. */
const LONGEST_RETRY_AFTER = DAY;

type Entry =
  | { readonly kind: 'rules'; readonly fetchedAt: number; readonly rules: RobotsRules }
  | (Extract<RobotsVerdict, { kind: 'unavailable' }> & { readonly since: number });

type OnSitemaps = Parameters<Robots['check']>[1];

/**
 * The robots.txt of all origins by RFC 9309, 2.3: a 4xx allows everything, but for 429, which like a 5xx and a network
 * error means that the file is unavailable for now. One fetch at a time per origin: callers who come meanwhile share
 * it. Rules are held in memory up to a bound, and in the store for a day.
 */
export function createRobots(options: RobotsOptions): Robots {
  const { clock, store } = options;
  const cache = createBoundedCache<Entry>(options.memory ?? 67_108_864);
  const underWay = new Map<string, Promise<Entry>>();

  function isFresh(entry: Entry, now: number): boolean {
    if (entry.kind === 'unavailable') return now >= entry.since && now < entry.until;
    return now >= entry.fetchedAt && now < entry.fetchedAt + DAY;
  }

  function remember(origin: string, entry: Entry): Entry {
    cache.set(origin, entry, entry.kind === 'rules' ? entry.rules.size : 500);
    return entry;
  }

  async function load(origin: string, onSitemaps: OnSitemaps): Promise<Entry> {
    const stored = await store.get(origin);
    if (stored) {
      const entry = toEntry(stored, options.agents);
      if (isFresh(entry, clock())) return remember(origin, entry);
    }
    const outcome = await fetchRobots(options.protocol, origin, options.maxRedirects ?? 5);
    const now = clock();
    if ('wait' in outcome) {
      const { wait, ...why } = outcome;
      return remember(origin, { kind: 'unavailable', ...why, since: now, until: now + wait });
    }
    const fetched: StoredRobots = { fetchedAt: now, ...outcome };
    const entry = toEntry(fetched, options.agents);
    if (entry.rules.sitemaps.length > 0) await onSitemaps?.(entry.rules.sitemaps);
    await store.put(origin, fetched);
    return remember(origin, entry);
  }

  /** The entry of an origin; callers who come while it is loaded wait for the same one. */
  function entryOf(origin: string, onSitemaps: OnSitemaps): Entry | Promise<Entry> {
    const known = cache.get(origin);
    if (known && isFresh(known, clock())) return known;
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
      if (entry.kind === 'unavailable') {
        const { since: _, ...verdict } = entry;
        return verdict;
      }
      const { allowed, line } = entry.rules.allowed(url.pathname + url.search);
      if (!allowed) return { kind: 'denied', ...(line ? { line } : {}) };
      const { crawlDelay } = entry.rules;
      return { kind: 'allowed', ...(crawlDelay === undefined ? {} : { crawlDelay }) };
    },
  };
}

function toEntry(stored: StoredRobots, agents: readonly string[]): Extract<Entry, { kind: 'rules' }> {
  const rules = parseRobots(Buffer.from(stored.body ?? '', 'latin1')).rulesFor(agents);
  return { kind: 'rules', fetchedAt: stored.fetchedAt, rules };
}

/** A file, or none, or how many ms to wait before it is asked for again. */
type Fetched =
  Omit<StoredRobots, 'fetchedAt'> | { readonly message: string; readonly wait: number; readonly refused?: true };

async function fetchRobots(protocol: Protocol, origin: string, maxRedirects: number): Promise<Fetched> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; ; redirects++) {
    // One byte more than is read, so that the parser sees that the file was cut.
    const outcome = await protocol.fetch({ url, contentLimit: ROBOTS_LIMIT + 1 });
    if (outcome.code === 'private_address') {
      const message = outcome.message ?? 'not a public address';
      // It says nothing about robots.txt, so it must not be kept as an absent one.
      if (redirects === 0) return { message, wait: RETRY_AFTER, refused: true };
      return { message: `robots.txt: redirected to ${message}`, wait: RETRY_AFTER };
    }
    if (outcome.kind !== 'redirect') return fetchedFrom(outcome);
    if (outcome.target === null || redirects === maxRedirects) return { status: outcome.http ?? 0 };
    url = outcome.target;
  }
}

function fetchedFrom(outcome: Exclude<FetchOutcome, { kind: 'redirect' }>): Fetched {
  const status = outcome.http ?? 0;
  if (outcome.kind === 'content') {
    return {
      status,
      body: Buffer.from(outcome.body)
        .subarray(0, ROBOTS_LIMIT + 1)
        .toString('latin1'),
    };
  }
  if (outcome.kind === 'gone' || (status >= 400 && status < 500 && status !== 429)) return { status };
  const asked = outcome.kind === 'retry' && outcome.retryAfter !== undefined ? outcome.retryAfter * 1000 : RETRY_AFTER;
  const message = outcome.message ?? `HTTP ${status}`;
  return { message: `robots.txt: ${message}`, wait: Math.min(Math.max(asked, RETRY_AFTER), LONGEST_RETRY_AFTER) };
}
