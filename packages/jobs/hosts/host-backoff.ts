import { isDeepStrictEqual } from 'node:util';
import { hostHealth, type HostHealth } from '../../fetch/index.js';
import { createBoundedCache, createOneByOne, pauseAfter, type OneByOne } from '../../util/index.js';
import type { FetchOutcome } from '../../plugin-api/index.js';
import { hostIfAny, hostOf, originOf } from '../../url/index.js';
import { hostKeyOf, type BackoffRecord } from '../../../webtable/index.js';
import { JITTER, MAX_FAILURES, backoffVerdict } from './backoff-record.js';
import { createOriginHealth, type OriginHealth } from './origin-health.js';
import type { CrawlContext } from '../context.js';

/** What to do with a page that may not be requested now. */
interface Pause {
  /**
   * `wait`: the page waits in the queue. `set_aside`: the page stays due for a later batch. `failed`: the failure is stored as the outcome
   * of the page.
   */
  readonly kind: 'wait' | 'set_aside' | 'failed';
  /** Seconds until the host may be requested again; 0 if only the origin of the page cannot be reached. */
  readonly seconds: number;
  /** The last failure of the host or of the origin. */
  readonly failure: Failure;
}

/**
 * The back-off of hosts that fail or request a pause. A host requests a pause through an answer (429, 503, Retry-After); then all its
 * origins wait as long as the host requests. Otherwise the back-off grows with every consecutive failure. A failed connection is a failure
 * of one origin (scheme, host and port). If another origin of the host has answered after that, the host itself is not in back-off.
 */
export type HostBackoff = ReturnType<typeof createHostBackoff>;

/** The reason of a back-off. `retryAfter` is in seconds. */
export type Failure = Pick<BackoffRecord, 'code' | 'http' | 'message'> & { readonly retryAfter?: number };

interface HostBackoffOptions {
  /** Called when a back-off of a host begins, and when the host fails again after a back-off. */
  readonly onFailure?: () => void;
  /** Returns the milliseconds of a clock that is never set back. Default: `performance.now`. */
  readonly ticks?: () => number;
}

/** Maximum seconds of a wait that a host requests, with its random part. If a host requests a longer wait, it gets a request after a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;
/** After this number of consecutive failures, a short `Retry-After` is ignored, and the usual, longer wait applies. */
const BELIEVED = 3;
const MAX_HOSTS = 20_000;

interface HostState {
  record: BackoffRecord | undefined;
  /** The stored record, as far as this process knows it. */
  stored: BackoffRecord | undefined;
  /** The end of the back-off by `ticks`. `failedAt`, the time of the last failure, is also by `ticks`. */
  freeAt: number;
  failedAt: number;
  /** Serialises the writes of the host's record. */
  readonly oneByOne: OneByOne;
  /** How the origins of the host have answered in this run. */
  readonly origins: OriginHealth;
}

/**
 * Creates the back-off of all hosts. It reads the record of each host once, before the first request to the host. Within a run it uses a
 * clock that is never set back. A record of an earlier run keeps its whole duration, whatever the system clock shows.
 */
export function createHostBackoff(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock' | 'random'>,
  { onFailure = () => {}, ticks = () => performance.now() }: HostBackoffOptions = {},
) {
  const { settings, clock, random } = crawl;
  const { backoff } = crawl.tables.hosts;
  const hosts = createBoundedCache<Promise<HostState>>(MAX_HOSTS);
  /** The recently used hosts that have a record. */
  const troubled = createBoundedCache<HostState>(MAX_HOSTS);

  function stateOf(host: string): Promise<HostState> {
    let state = hosts.get(host);
    if (!state) {
      state = load(host);
      hosts.set(host, state);
    }
    return state;
  }

  async function load(host: string): Promise<HostState> {
    const now = clock();
    const record = await readRecord(backoff, host, now);
    const state: HostState = {
      record,
      stored: record,
      freeAt: record ? ticks() + record.until - now : -Infinity,
      failedAt: -Infinity,
      oneByOne: createOneByOne(),
      origins: createOriginHealth(),
    };
    if (record) troubled.set(host, state);
    return state;
  }

  function save(host: string, state: HostState, record: BackoffRecord | undefined): Promise<void> {
    state.record = record;
    if (record) troubled.set(host, state);
    else troubled.delete(host);
    return state.oneByOne(() => store(host, state, record));
  }

  /**
   * Stores the record of a host, combined with a record that another process has written meanwhile. A success in this process does not
   * cancel a failure in the other process. If both have failed, the longer wait applies.
   */
  async function store(host: string, state: HostState, record: BackoffRecord | undefined): Promise<void> {
    const key = hostKeyOf(host);
    const after = await backoff.change([key], (_, found) => {
      const other = found && !isDeepStrictEqual(found, state.stored) ? found : undefined;
      if (!record) return other ? undefined : null;
      return other ? withOthers(record, other) : record;
    });
    state.stored = after.get(key);
    const isOthers = !isDeepStrictEqual(state.stored, record);
    // The record of the other process applies. The exception: this process has recorded something new during the write.
    if (!isOthers || !state.stored || state.record !== record) return;
    state.record = state.stored;
    state.freeAt = Math.max(state.freeAt, ticks() + state.stored.until - clock());
    troubled.set(host, state);
  }

  /** Records a failure. @param began when the failed request was sent */
  function noteFailure(host: string, state: HostState, failure: Failure, began: number): Promise<void> {
    const tick = ticks();
    const { code, http, message } = (state.freeAt > tick && wishOf(failure, state.record)) || failure;
    let failures = state.record?.failures ?? 0;
    if (began >= state.failedAt) {
      failures += 1;
      state.failedAt = tick;
      onFailure();
    }
    const wait = waitAfter(settings.fetcher, failures, failure.retryAfter);
    const longest = Math.max(wait, MAX_RETRY_AFTER_SECONDS);
    const pause = Math.min(wait * (1 + random() * JITTER), longest) * 1000;
    state.freeAt = Math.max(state.freeAt, tick + pause);
    const since = clock();
    return save(host, state, {
      failures,
      since,
      until: Math.ceil(since + state.freeAt - tick),
      code,
      ...(http !== undefined && { http }),
      ...(message !== undefined && { message: message.slice(0, 200) }),
    });
  }

  return {
    /** Returns what to do with a page that may not be requested now. Returns undefined if the page may be requested. */
    async pauseOf(url: string): Promise<Pause | undefined> {
      const state = await stateOf(hostOf(url));
      const { record, freeAt, origins } = state;
      const millis = freeAt - ticks();
      const isHostsWish = (record?.http ?? 0) > 0 && millis > 0;
      if (!isHostsWish) {
        const origin = originOf(url);
        const failed = origins.failureOf(origin);
        if (origins.isOtherOriginWell(origin)) {
          const isDown = failed !== undefined && failed.failures >= MAX_FAILURES;
          return isDown ? { kind: 'failed', seconds: 0, failure: failed.last } : undefined;
        }
        // In this run, another origin of the host has failed, but not this origin.
        if (!failed && state.failedAt > -Infinity) return undefined;
      }
      if (!record) return undefined;
      const verdict = backoffVerdict(settings, record, millis);
      return verdict === 'ask' ? undefined : { kind: verdict, seconds: millis / 1000, failure: record };
    },
    /**
     * Sends a request to the host of the URL, and records its result in the table. If the host failed after the request was sent, a further
     * failure is not counted, and a success does not end the back-off.
     */
    async ask(
      url: string,
      send: () => Promise<FetchOutcome>,
      healthOf: (outcome: FetchOutcome) => HostHealth = hostHealth,
    ): Promise<FetchOutcome> {
      const [host, origin] = [hostOf(url), originOf(url)];
      const state = await stateOf(host);
      const began = ticks();
      const outcome = await send();
      const health = healthOf(outcome);
      const { origins } = state;
      const isAnswered = outcome.http !== undefined || health === 'well';
      // If a robots.txt redirects to another host, that host shows whether the pages can be fetched.
      const to = health === 'unknown' && outcome.kind === 'redirect' ? outcome.target : null;
      if (isAnswered && (to === null || hostIfAny(to) === host)) origins.answered(origin, ticks(), to !== null);
      else if (health === 'troubled') origins.failed(origin, outcome, began, ticks());
      if (health === 'troubled' && !isAnswered && origins.isOtherOriginWell(origin)) return outcome;
      if (health === 'troubled') await noteFailure(host, state, outcome, began);
      else if (health === 'well' && state.record && began >= state.failedAt) await save(host, state, undefined);
      return outcome;
    },
    /** Returns recently used hosts whose back-off is longer than a fetch waits. */
    setAside(): { host: string; seconds: number; code: string }[] {
      const now = ticks();
      return troubled.entries().flatMap(([host, { record, freeAt }]) => {
        const millis = freeAt - now;
        const verdict = record ? backoffVerdict(settings, record, millis) : 'ask';
        return record && verdict !== 'ask' && verdict !== 'wait'
          ? [{ host, seconds: millis / 1000, code: record.code }]
          : [];
      });
    },
    /** Records that the robots.txt of the URL redirects to another host, which failed. `began`: when a page began to wait for this file. */
    async fail(url: string, failure: Failure, began = ticks()): Promise<void> {
      const [host, origin] = [hostOf(url), originOf(url)];
      const state = await stateOf(host);
      state.origins.failed(origin, failure, began, ticks());
      if (!state.origins.isOtherOriginWell(origin)) await noteFailure(host, state, { ...failure, http: 0 }, began);
    },
  };
}

/** Reads the record of a host. A record may begin in the future, because a clock was ahead. Then its whole wait starts now. */
async function readRecord(
  backoff: CrawlContext['tables']['hosts']['backoff'],
  host: string,
  now: number,
): Promise<BackoffRecord | undefined> {
  const key = hostKeyOf(host);
  const [record] = await backoff.get([key]);
  if (!record || now >= record.since) return record;
  const changed = await backoff.change([key], (_, old) =>
    old && now < old.since ? { ...old, since: now, until: now + (old.until - old.since) } : undefined,
  );
  return changed.get(key);
}

/** Combines a record with the record of another process. The longer wait and the higher number of failures apply. */
function withOthers(record: BackoffRecord, other: BackoffRecord): BackoffRecord {
  return {
    ...record,
    ...(other.until > record.since && wishOf(record, other)),
    failures: Math.max(record.failures, other.failures),
    until: Math.max(record.until, other.until),
  };
}

/**
 * Returns the pause that the host requested before, if the new failure is not an answer of the host. Such a failure does not cancel the
 * pause. Otherwise returns undefined. A status of 0 is not an answer: the robots.txt of one origin redirects to another host that failed.
 */
function wishOf({ http }: Failure, record: BackoffRecord | undefined): Failure | undefined {
  if (http || !record?.http) return undefined;
  return { code: record.code, http: record.http, ...(record.message !== undefined && { message: record.message }) };
}

/**
 * Returns the seconds to wait after n consecutive failures: the time that the host requests, or else a time that doubles with every
 * failure. If a host requests a short time and fails more than {@link BELIEVED} times, the longer time applies.
 */
function waitAfter(
  { minBackoffSeconds, maxBackoffSeconds }: CrawlContext['settings']['fetcher'],
  failures: number,
  retryAfter: number | undefined,
): number {
  const usual = pauseAfter(failures, { first: minBackoffSeconds, most: maxBackoffSeconds });
  if (retryAfter === undefined || !(retryAfter >= 0)) return usual;
  const asked = Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS);
  return failures > BELIEVED ? Math.max(asked, usual) : asked;
}
