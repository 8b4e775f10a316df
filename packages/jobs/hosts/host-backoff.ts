import { isDeepStrictEqual } from 'node:util';
import { hostHealth, type HostHealth } from '../../fetch/index.js';
import { createBoundedCache } from '../../util/index.js';
import type { FetchOutcome } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import { hostKeyOf, type BackoffRecord } from '../../../webtable/index.js';
import { JITTER, longestWait } from './backoff-record.js';
import type { CrawlContext } from '../context.js';

/** How long a host is to be left alone. */
export interface Pause {
  /** From now. */
  readonly seconds: number;
  /** Longer than a fetch waits for it: its pages are left to a later batch, as long as this is so. */
  readonly isLong: boolean;
}

/** Leaves hosts alone that are in trouble or ask for it, as long as they ask, or else longer with every failure. */
export interface HostBackoff {
  /** How long nothing may be asked of a host; undefined when it may be asked now. */
  pauseOf(host: string): Promise<Pause | undefined>;
  /**
   * Sends a request to the host of the URL and notes how that went, in the table too, before it returns. What was sent
   * before the host's last failure was noted neither counts as another nor makes up for it.
   */
  ask(
    url: string,
    send: () => Promise<FetchOutcome>,
    healthOf?: (outcome: FetchOutcome) => HostHealth,
  ): Promise<FetchOutcome>;
  /** Notes that a host failed although its own answer was none, or not at fault. */
  fail(host: string, why: Failure): Promise<void>;
  /** The hosts, of those met last, that are left alone for longer than a fetch waits for them. */
  setAside(): { host: string; seconds: number; code: string }[];
}

/** Why a host is left alone; `retryAfter` in seconds. */
export type Failure = Pick<BackoffRecord, 'code' | 'http' | 'message'> & { readonly retryAfter?: number };

export interface HostBackoffOptions {
  /** Called whenever a host begins to be left alone, or fails again after that. */
  readonly onFailure?: () => void;
  /** Milliseconds from any origin, never set back. Default: `performance.now`. */
  readonly ticks?: () => number;
}

/** In seconds. A host may ask for more, and is then asked again after a day. */
const LONGEST_RETRY_AFTER = 86_400;
/** Failures in a row after which a `Retry-After` that is shorter than the wait without one counts no more. */
const BELIEVED = 3;
const MAX_HOSTS = 20_000;

interface HostState {
  record: BackoffRecord | undefined;
  /** What this process knows to be in the table. */
  stored: BackoffRecord | undefined;
  /** By `ticks`, as is `failedAt`. */
  freeAt: number;
  failedAt: number;
  /** Settles when the table holds the record. */
  written: Promise<void>;
}

/**
 * Reads the record of each host once, when it is first met. Within a run it goes by a clock that is never set back;
 * records of earlier runs are believed for as long as they were made for, whatever the clock of the system says.
 */
export function createHostBackoff(
  crawl: Pick<CrawlContext, 'tables' | 'settings' | 'clock' | 'random'>,
  { onFailure = () => {}, ticks = () => performance.now() }: HostBackoffOptions = {},
): HostBackoff {
  const { settings, clock, random } = crawl;
  const { backoff } = crawl.tables.hosts;
  const hosts = createBoundedCache<Promise<HostState>>(MAX_HOSTS);
  /** Those that have a record. */
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
    const key = hostKeyOf(host);
    let [record] = await backoff.get([key]);
    const now = clock();
    if (record && now < record.since) {
      const moved = (old: BackoffRecord): BackoffRecord => ({
        ...old,
        since: now,
        until: now + (old.until - old.since),
      });
      record = (await backoff.change([key], (_, old) => (old && now < old.since ? moved(old) : undefined))).get(key);
    }
    const state: HostState = {
      record,
      stored: record,
      freeAt: record ? ticks() + record.until - now : -Infinity,
      failedAt: -Infinity,
      written: Promise.resolve(),
    };
    if (record) troubled.set(host, state);
    return state;
  }

  function save(host: string, state: HostState, record: BackoffRecord | undefined): Promise<void> {
    state.record = record;
    if (record) troubled.set(host, state);
    else troubled.delete(host);
    state.written = state.written.then(() => store(host, state, record));
    return state.written;
  }

  /** What another process has noted meanwhile stays: a success does not make up for it, and of two failures the longer wait holds. */
  async function store(host: string, state: HostState, record: BackoffRecord | undefined): Promise<void> {
    const key = hostKeyOf(host);
    const after = await backoff.change([key], (_, found) => {
      const other = found && !isDeepStrictEqual(found, state.stored) ? found : undefined;
      if (!record) return other ? undefined : null;
      if (!other) return record;
      const { failures, until } = record;
      return { ...record, failures: Math.max(failures, other.failures), until: Math.max(until, other.until) };
    });
    state.stored = after.get(key);
    const isOthers = !isDeepStrictEqual(state.stored, record);
    // Unless more was noted here while it was written.
    if (!isOthers || !state.stored || state.record !== record) return;
    state.record = state.stored;
    state.freeAt = Math.max(state.freeAt, ticks() + state.stored.until - clock());
    troubled.set(host, state);
  }

  /** @param began when what failed was sent */
  function noteFailure(host: string, state: HostState, failure: Failure, began: number): Promise<void> {
    const { code, http, message, retryAfter } = failure;
    const tick = ticks();
    let failures = state.record?.failures ?? 0;
    if (began >= state.failedAt) {
      failures += 1;
      state.failedAt = tick;
      onFailure();
    }
    const pause = waitAfter(settings.fetcher, failures, retryAfter) * (1 + random() * JITTER) * 1000;
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
    async pauseOf(host) {
      const { record, freeAt } = await stateOf(host);
      const millis = freeAt - ticks();
      if (!record || millis <= 0) return undefined;
      return { seconds: millis / 1000, isLong: millis > longestWait(settings, record) };
    },
    async ask(url, send, healthOf = hostHealth) {
      const host = hostOf(url);
      const state = await stateOf(host);
      const began = ticks();
      const outcome = await send();
      const health = healthOf(outcome);
      if (health === 'troubled') await noteFailure(host, state, outcome, began);
      else if (health === 'well' && state.record && began >= state.failedAt) await save(host, state, undefined);
      return outcome;
    },
    setAside() {
      const now = ticks();
      return troubled.entries().flatMap(([host, { record, freeAt }]) => {
        const millis = freeAt - now;
        const isLong = record && millis > longestWait(settings, record);
        return isLong ? [{ host, seconds: millis / 1000, code: record.code }] : [];
      });
    },
    async fail(host, failure) {
      await noteFailure(host, await stateOf(host), failure, ticks());
    },
  };
}

/**
 * Seconds to wait after so many failures in a row: what the host asks for, or else twice as long every time. A host that
 * asks for little and keeps failing has to wait as if it had not asked.
 */
function waitAfter(
  { backoffMin, backoffMax }: CrawlContext['settings']['fetcher'],
  failures: number,
  retryAfter: number | undefined,
): number {
  const usual = Math.min(backoffMin * 2 ** Math.min(failures - 1, 60), backoffMax);
  if (retryAfter === undefined || !(retryAfter >= 0)) return usual;
  const asked = Math.min(retryAfter, LONGEST_RETRY_AFTER);
  return failures > BELIEVED ? Math.max(asked, usual) : asked;
}
