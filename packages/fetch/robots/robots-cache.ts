import type { Protocol } from '../../plugin-api/index.js';
import { parseUrl } from '../../url/index.js';
import { createBoundedCache } from '../../util/index.js';
import { fetchRobots, type RobotsFile, type RobotsMoved, type RobotsUnavailable } from './robots-file.js';
import { parseRobots, type RobotsLine, type RobotsRules } from './robots.js';

/** The robots.txt of one origin, as it is stored. Plain data that JSON can hold. */
export interface StoredRobots extends RobotsFile {
  /** When the file was fetched, in ms since the epoch. */
  readonly fetchedAt: number;
  /**
   * Set if the sitemaps named in the file still have to be added. Two cases: the file was stored as the target of another origin's
   * robots.txt redirect; or its caller had no `onSitemaps`.
   */
  readonly sitemapsPending?: true;
}

/** Stores robots.txt files between runs. An origin is `scheme://host[:port]`. If the store fails, `check` rejects. */
export interface RobotsStore {
  get(origin: string): Promise<StoredRobots | undefined>;
  put(origin: string, robots: StoredRobots): Promise<void>;
}

interface RequestMade {
  /** Set if a request was sent for this result. */
  readonly asked?: true;
}

/** The verdict of robots.txt on one URL. */
type RobotsVerdict =
  | (RequestMade & { readonly kind: 'allowed'; /** Seconds. */ readonly crawlDelay?: number })
  | (RequestMade & { readonly kind: 'denied'; readonly line?: RobotsLine })
  | RobotsUnavailable;

export interface Robots {
  /**
   * Checks a URL by the robots.txt of its origin. The file is fetched if it is unknown or older than a day. If the file is unavailable,
   * this is not remembered, and the caller decides when to try again.
   * @throws CrawlError BAD_URL for a URL that is not http(s); what the store or one of the `hooks` throws
   */
  check(url: string, hooks?: RobotsHooks): Promise<RobotsVerdict>;
}

/** The result of following one redirect of a robots.txt. */
type RobotsHop = StoredRobots | RobotsMoved | RobotsUnavailable;

/** Callbacks of {@link Robots.check}. */
interface RobotsHooks {
  /**
   * Called with the sitemaps that the file names, if this check is the first with this callback that uses the file. The texts are as written
   * in the file. The file is stored after the callback has resolved. Therefore, after a kill, the file is requested again and its sitemaps
   * are added again.
   */
  readonly onSitemaps?: (sitemaps: readonly string[]) => Promise<void>;
  /** Called while redirects of the file are followed. The wait may be long, because the requests wait in the queues of other hosts. */
  readonly whileRedirected?: <T>(wait: Promise<T>) => Promise<T>;
}

/**
 * Runs `ask` in a turn of the queue of the URL's host. `ask` resolves to whether a request was sent, and to the Crawl-delay in seconds, if
 * there is one.
 * @returns false if `ask` was not called, because the run ended before
 */
export type InHostQueue = (
  url: string,
  ask: () => Promise<{ readonly asked: boolean; readonly crawlDelay?: number }>,
) => Promise<boolean>;

interface RobotsOptions {
  readonly protocol: Protocol;
  /** Agent names to look up. The preferred name is first. */
  readonly agents: readonly string[];
  /** Returns the milliseconds since the epoch. */
  readonly clock: () => number;
  readonly store: RobotsStore;
  /** Sends the requests that follow redirects in the queues of their hosts. Default: these requests are sent at once. */
  readonly inHostQueue?: InHostQueue;
  /**
   * Whether only another worker may send requests to the host of a redirect target. The file is unavailable (code `robots_on_other_worker`) until
   * that worker has stored it. Default: false.
   */
  readonly isForeign?: (url: string) => boolean;
  /** Maximum number of redirects to follow, also to other hosts. If there are more, the file counts as absent. */
  readonly maxRedirects?: number;
  /**
   * Returns how often other workers have changed the store. After a change, files in memory are read again. Absent: no other worker changes
   * the store.
   */
  readonly changes?: () => number;
  /** Maximum bytes of the rules in memory. */
  readonly memory?: number;
}

const DAY = 86_400_000;

interface Entry {
  readonly fetchedAt: number;
  readonly rules: RobotsRules;
  readonly sitemapsPending: boolean;
  /** The value of `changes` when the entry was loaded. */
  readonly changes: number;
}
/** The result of loading an entry. `asked`: a request was sent for it. */
type Resolved = (Entry & RequestMade) | RobotsUnavailable;
/** The result if the answer of the origin is a redirect. */
interface Redirected {
  /** The result at the target of the redirect. */
  readonly target: Promise<Resolved>;
}

/**
 * Makes a cache of the robots.txt files of all origins, according to RFC 9309, section 2.3. A 4xx allows everything. But a 429, a 5xx or a
 * network error means that the file is unavailable for now. If several callers need the file of an origin, they share one fetch. If the
 * robots.txt of one origin redirects to the file of another origin, the file applies to both. Rules are in memory up to a limit, and in the
 * store for a day.
 */
export function createRobots(options: RobotsOptions): Robots {
  const { clock, store, protocol, maxRedirects = 5, inHostQueue = immediately, changes = () => 0 } = options;
  const { isForeign = () => false } = options;
  const cache = createBoundedCache<Entry>(options.memory ?? 16_777_216);
  const underWay = new Map<string, Promise<Resolved | Redirected>>();

  async function freshOf(origin: string): Promise<StoredRobots | undefined> {
    const stored = await store.get(origin);
    return stored && isFreshRobots(stored, clock()) ? stored : undefined;
  }

  async function load(origin: string, hooks: RobotsHooks): Promise<Resolved | Redirected> {
    const seen = changes();
    const keepNew = async (robots: StoredRobots): Promise<Entry & RequestMade> => {
      return { ...(await keep(origin, robots, true, seen, hooks)), asked: true };
    };
    const stored = await freshOf(origin);
    if (stored) return keep(origin, stored, stored.sitemapsPending === true, seen, hooks);
    const found = await fetchRobots(protocol, `${origin}/robots.txt`, true);
    if (!('kind' in found)) return keepNew({ ...found, fetchedAt: clock() });
    if (found.kind === 'unavailable') return found;
    const target = follow(found)
      .then<Resolved>((led) => ('kind' in led ? led : keepNew(led)))
      .finally(() => underWay.delete(origin));
    return { target };
  }

  async function keep(
    origin: string,
    robots: StoredRobots,
    isNew: boolean,
    seen: number,
    { onSitemaps }: RobotsHooks,
  ): Promise<Entry> {
    const { fetchedAt, status, body } = robots;
    const rules = robotsRules(robots, options.agents);
    const sitemapsPending = isNew && rules.sitemaps.length > 0 && !onSitemaps;
    const entry = { fetchedAt, rules, sitemapsPending, changes: seen };
    if (isNew) {
      if (rules.sitemaps.length > 0) await onSitemaps?.(rules.sitemaps);
      const file = { fetchedAt, status, ...(body !== undefined && { body }) };
      await store.put(origin, { ...file, ...(sitemapsPending && { sitemapsPending: true }) });
    }
    cache.set(origin, entry, rules.size);
    return entry;
  }

  /** Follows redirects. Each request waits in the queue of the target host. */
  async function follow(start: RobotsMoved): Promise<StoredRobots | RobotsUnavailable> {
    let moved = start;
    for (let redirects = 0; ; redirects++) {
      const { target: url, status } = moved;
      // This result is stored for the first origin. It is not stored for the redirect targets, because it says nothing about their own
      // files.
      if (url === null || redirects === maxRedirects) return { status, fetchedAt: clock() };
      const origin = originOfRobots(url);
      const kept = origin === undefined ? undefined : await freshOf(origin);
      if (kept) return kept;
      if (isForeign(url)) {
        const message = 'robots.txt: redirected to a host of another worker';
        return { kind: 'unavailable', message, url, code: 'robots_on_other_worker' };
      }
      const found = await hop(url);
      if (!found) return { kind: 'unavailable', message: 'robots.txt: given up', url, code: 'aborted' };
      if (!('kind' in found) || found.kind === 'unavailable') return found;
      moved = found;
    }
  }

  /**
   * Fetches a redirect target in the queue of its host. If the URL is the robots.txt of an origin, the file is stored for this origin.
   * @returns undefined if no request was sent, because the run ended before
   */
  async function hop(url: string): Promise<RobotsHop | undefined> {
    const origin = originOfRobots(url);
    let found: Awaited<ReturnType<typeof fetchRobots>> | StoredRobots | undefined;
    await inHostQueue(url, async () => {
      // Another caller may have requested the same file while this request waited.
      found = origin === undefined ? undefined : await freshOf(origin);
      if (found) return { asked: false };
      found = await fetchRobots(protocol, url, false);
      if ('kind' in found || origin === undefined) return { asked: true };
      await store.put(origin, { ...found, fetchedAt: clock(), sitemapsPending: true });
      const { crawlDelay } = robotsRules(found, options.agents);
      return { asked: true, ...(crawlDelay !== undefined && { crawlDelay }) };
    });
    return found && !('kind' in found) ? { fetchedAt: clock(), ...found } : found;
  }

  /** Returns the entry of an origin. All callers wait for the same entry while it is being loaded. */
  function entryOf(origin: string, hooks: RobotsHooks): (Entry & RequestMade) | Promise<Resolved | Redirected> {
    const known = cache.get(origin);
    const hasSitemaps = known?.sitemapsPending === true && hooks.onSitemaps !== undefined;
    if (known && !hasSitemaps && isFreshRobots(known, clock()) && known.changes === changes()) return known;
    const loading = underWay.get(origin);
    if (loading) return loading;
    const started = load(origin, hooks).then(
      (entry) => {
        if (!('target' in entry)) underWay.delete(origin);
        return entry;
      },
      (error: unknown) => {
        underWay.delete(origin);
        throw error;
      },
    );
    underWay.set(origin, started);
    return started;
  }

  return {
    async check(text, hooks = {}) {
      const url = parseUrl(text);
      let entry = await entryOf(url.origin, hooks);
      if ('target' in entry) entry = await (hooks.whileRedirected ?? identity)(entry.target);
      if ('kind' in entry) return entry;
      const asked: RequestMade = entry.asked ? { asked: true } : {};
      const { allowed, line } = entry.rules.allowed(url.pathname + url.search);
      if (!allowed) return { kind: 'denied', ...(line && { line }), ...asked };
      const { crawlDelay } = entry.rules;
      return { kind: 'allowed', ...(crawlDelay !== undefined && { crawlDelay }), ...asked };
    },
  };
}

/** Whether a robots.txt is still valid. It is valid for a day after its fetch (RFC 9309, section 2.4). Times are in ms since the epoch. */
export function isFreshRobots({ fetchedAt }: Pick<StoredRobots, 'fetchedAt'>, now: number): boolean {
  return now >= fetchedAt && now < fetchedAt + DAY;
}

/**
 * Returns the rules of a robots.txt for a crawler.
 * @param agents the names of the crawler, the preferred name first
 */
export function robotsRules({ body = '' }: RobotsFile, agents: readonly string[]): RobotsRules {
  return parseRobots(Buffer.from(body, 'latin1')).rulesFor(agents);
}

const identity = <T>(value: T): T => value;

const immediately: InHostQueue = async (_url, ask) => {
  await ask();
  return true;
};

/** Returns the origin of a URL, if the URL is the robots.txt of this origin. Returns undefined for any other URL. */
function originOfRobots(text: string): string | undefined {
  try {
    const { origin, href } = parseUrl(text);
    return href === `${origin}/robots.txt` ? origin : undefined;
  } catch {
    return undefined;
  }
}
