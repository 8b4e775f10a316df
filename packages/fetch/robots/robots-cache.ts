import type { Protocol } from '../../plugin-api/index.js';
import { parseUrl } from '../../url/index.js';
import { createBoundedCache } from '../../util/index.js';
import { fetchRobots, type RobotsFile, type RobotsMoved, type RobotsUnavailable } from './robots-file.js';
import { parseRobots, type RobotsLine, type RobotsRules } from './robots.js';

/** The robots.txt of one origin as it is kept. Plain data, fit for JSON. */
export interface StoredRobots extends RobotsFile {
  /** When it was fetched, in ms since the epoch. */
  readonly fetchedAt: number;
  /** It was fetched because another origin's redirects to it, and the sitemaps that it names are still to be added. */
  readonly sitemapsPending?: true;
}

/** Where robots.txt are kept between runs. An origin is `scheme://host[:port]`. A store that fails makes `check` reject. */
export interface RobotsStore {
  get(origin: string): Promise<StoredRobots | undefined>;
  put(origin: string, robots: StoredRobots): Promise<void>;
}

interface RequestMade {
  /** The file was fetched just now, so a server was asked. */
  readonly asked?: true;
}

/** What robots.txt says to one URL. */
export type RobotsVerdict =
  | (RequestMade & { readonly kind: 'allowed'; /** Seconds. */ readonly crawlDelay?: number })
  | (RequestMade & { readonly kind: 'denied'; readonly line?: RobotsLine })
  | RobotsUnavailable;

export interface Robots {
  /**
   * Fetches the robots.txt of the URL's origin where it is not known or older than a day, and looks the URL up. That the
   * file is unavailable is not remembered: when to ask again is for the caller to say.
   * @throws CrawlError BAD_URL for a URL that is not http(s); what the store or one of the `hooks` throws
   */
  check(url: string, hooks?: RobotsHooks): Promise<RobotsVerdict>;
  /**
   * Asks for what the robots.txt of another origin redirects to, in the turn of the host there; a robots.txt of its own origin is stored.
   * @returns undefined when it was not asked, because the run ended before
   */
  hop(url: string): Promise<RobotsHop | undefined>;
}

/** What one redirect of a robots.txt leads to. Plain data, fit for JSON. */
export type RobotsHop = StoredRobots | RobotsMoved | RobotsUnavailable;

/** The code of a robots.txt that somebody else has to ask for, see {@link RobotsOptions.elsewhere}. */
export const ROBOTS_ELSEWHERE = 'elsewhere';

/** What a caller of {@link Robots.check} wants to know of. */
export interface RobotsHooks {
  /**
   * Called with the sitemaps that the file names, as written there, where this call is the first to use it; the file is stored
   * when it is done, so that a killed run asks and adds them again.
   */
  readonly onSitemaps?: (sitemaps: readonly string[]) => Promise<void>;
  /** The file is elsewhere. Waits for that, which may take many turns of other hosts. */
  readonly whileElsewhere?: <T>(wait: Promise<T>) => Promise<T>;
}

/**
 * Makes a request of another host than the one that is being asked, or of the same once more, when its time has come.
 * It resolves to whether a request was made, and the Crawl-delay (seconds) found, if any.
 * @returns false when it was not made, because the run ended before
 */
export type HostTurn = (
  url: string,
  ask: () => Promise<{ readonly asked: boolean; readonly crawlDelay?: number }>,
) => Promise<boolean>;

export interface RobotsOptions {
  readonly protocol: Protocol;
  /** Names looked up, the preferred first. */
  readonly agents: readonly string[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly store: RobotsStore;
  /** How the requests that redirects lead to are made. Default: at once. */
  readonly inTurn?: HostTurn;
  /**
   * Has somebody else make a request that a redirect leads to, where only they may ask the host there: the answer, if there is one by now,
   * or `asked`, and then the file is unavailable with the code {@link ROBOTS_ELSEWHERE}. undefined: it may be asked from here.
   */
  readonly elsewhere?: (url: string) => Promise<RobotsHop | 'asked' | undefined>;
  /** Redirects followed, across hosts too; beyond them the file counts as absent. */
  readonly maxRedirects?: number;
  /** How often others have changed the store: what is in memory is then read anew. Absent: never. */
  readonly changes?: () => number;
  /** Bytes of rules held in memory. */
  readonly memory?: number;
}

const DAY = 86_400_000;

interface Entry {
  readonly fetchedAt: number;
  readonly rules: RobotsRules;
  /** The changes of the store when it was loaded. */
  readonly changes: number;
}
/** What came of looking for an entry; `asked` when that took a request. */
type Resolved = (Entry & RequestMade) | RobotsUnavailable;
/** The origin was asked, and pointed elsewhere. */
interface Redirected {
  /** What is there. */
  readonly target: Promise<Resolved>;
}

/**
 * The robots.txt of all origins by RFC 9309, 2.3: a 4xx allows everything, but for 429, which like a 5xx and a network
 * error means that the file is unavailable for now. One fetch at a time per origin: callers who come meanwhile share
 * it. A file that another origin's redirects to is used for both. Rules are held in memory up to a bound, and in the store
 * for a day.
 */
export function createRobots(options: RobotsOptions): Robots {
  const { clock, store, protocol, maxRedirects = 5, inTurn = immediately, changes = () => 0 } = options;
  const { elsewhere = () => Promise.resolve(undefined) } = options;
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
    const entry = { fetchedAt, rules, changes: seen };
    if (isNew) {
      if (rules.sitemaps.length > 0) await onSitemaps?.(rules.sitemaps);
      await store.put(origin, { fetchedAt, status, ...(body !== undefined && { body }) });
    }
    cache.set(origin, entry, rules.size);
    return entry;
  }

  /** Goes where a redirect leads, each time in the turn of the host there. */
  async function follow(start: RobotsMoved): Promise<StoredRobots | RobotsUnavailable> {
    let moved = start;
    for (let redirects = 0; ; redirects++) {
      const { target: url, status } = moved;
      // That this chain is too long says nothing of the files on its way.
      if (url === null || redirects === maxRedirects) return { status, fetchedAt: clock() };
      const origin = originOfRobots(url);
      const kept = origin === undefined ? undefined : await freshOf(origin);
      if (kept) return kept;
      const found = (await elsewhere(url)) ?? (await hop(url));
      if (!found) return { kind: 'unavailable', message: 'robots.txt: given up', url, code: 'aborted' };
      if (found === 'asked') {
        return { kind: 'unavailable', message: 'robots.txt: left to another worker', url, code: ROBOTS_ELSEWHERE };
      }
      if (!('kind' in found) || found.kind === 'unavailable') return found;
      moved = found;
    }
  }

  async function hop(url: string): Promise<RobotsHop | undefined> {
    const origin = originOfRobots(url);
    let found: Awaited<ReturnType<typeof fetchRobots>> | StoredRobots | undefined;
    await inTurn(url, async () => {
      // Others may have asked for the same while this waited.
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

  /** The entry of an origin; callers who come while it is loaded wait for the same one. */
  function entryOf(origin: string, hooks: RobotsHooks): (Entry & RequestMade) | Promise<Resolved | Redirected> {
    const known = cache.get(origin);
    if (known && isFreshRobots(known, clock()) && known.changes === changes()) return known;
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
    hop,
    async check(text, hooks = {}) {
      const url = parseUrl(text);
      let entry = await entryOf(url.origin, hooks);
      if ('target' in entry) entry = await (hooks.whileElsewhere ?? identity)(entry.target);
      if ('kind' in entry) return entry;
      const asked: RequestMade = entry.asked ? { asked: true } : {};
      const { allowed, line } = entry.rules.allowed(url.pathname + url.search);
      if (!allowed) return { kind: 'denied', ...(line && { line }), ...asked };
      const { crawlDelay } = entry.rules;
      return { kind: 'allowed', ...(crawlDelay !== undefined && { crawlDelay }), ...asked };
    },
  };
}

/** Whether a robots.txt that was fetched then is still to be used: for a day (RFC 9309, section 2.4). Times in ms since the epoch. */
export function isFreshRobots({ fetchedAt }: Pick<StoredRobots, 'fetchedAt'>, now: number): boolean {
  return now >= fetchedAt && now < fetchedAt + DAY;
}

/** What a robots.txt says to a crawler by these names, the preferred first. */
export function robotsRules({ body = '' }: RobotsFile, agents: readonly string[]): RobotsRules {
  return parseRobots(Buffer.from(body, 'latin1')).rulesFor(agents);
}

const identity = <T>(value: T): T => value;

const immediately: HostTurn = async (_url, ask) => {
  await ask();
  return true;
};

/** The origin whose own robots.txt a URL names; undefined where it names something else. */
function originOfRobots(text: string): string | undefined {
  try {
    const { origin, href } = parseUrl(text);
    return href === `${origin}/robots.txt` ? origin : undefined;
  } catch {
    return undefined;
  }
}
