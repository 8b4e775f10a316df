/** The state of the whole change log: one row of the table `meta`. Writers change this row one at a time. */
import { CrawlError, safeText } from '../../packages/errors/index.js';
import type { Exclusive } from '../../packages/util/index.js';
import type { HostKey } from '../keys/host-key.js';
import { isRecord, json, metaValue } from '../pages/codec.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { changeShared } from '../change-shared.js';

/** What updatedb records about a batch in the log. */
export interface LoggedBatch {
  readonly batchId: string;
  readonly at: number;
  /** Whether the table was not completely crawled when the batch began. */
  readonly isBaseline: boolean;
  /** Whether the failures of each host were counted, and the host entries of the batch were written to the log. */
  readonly isCounted: boolean;
}

/** A named point in time. */
export interface ChangeMark {
  readonly name: string;
  /** When the mark was set, in ms since the epoch. */
  readonly at: number;
  /** The earliest possible time of the first batch after the mark, in ms since the epoch. */
  readonly from: number;
}

export interface LogState {
  /** The time of the first logged batch; absent if no batch was logged. */
  readonly begun?: number;
  /** The latest time of a batch or a mark. */
  readonly last?: number;
  /** A time at or after the last batch of the baseline; absent during the baseline. */
  readonly baselineEnd?: number;
  /** Entries before this time were removed. */
  readonly removedBefore?: number;
  /** Hosts that looked broken in the last day, with the time of their last entry: at most {@link MAX_BROKEN_HOSTS}, the latest. */
  readonly broken?: Readonly<Record<HostKey, number>>;
  /** Batches that are being written. */
  readonly writing?: Readonly<Record<string, Omit<LoggedBatch, 'batchId'>>>;
  readonly marks?: readonly ChangeMark[];
}

const MAX_MARKS = 1000;
const MAX_BROKEN_HOSTS = 1000;
/** Milliseconds for which a host that looked broken is considered broken. */
const BROKEN_FOR = 86_400_000;
const STATE = INDEX_COLUMNS.changeState;
const STATE_KEY = 'changes';
const codec = json<LogState>(isRecord);
const batchOf = ({ writing = {} }: LogState, batchId: string): LoggedBatch => ({ ...writing[batchId]!, batchId });

function brokenBefore({ broken = {} }: LogState, at: number): Record<string, number> {
  return Object.fromEntries(Object.entries(broken).filter(([, time]) => at - time < BROKEN_FOR));
}

export function createLogState(store: Store, exclusive: Exclusive) {
  async function state(): Promise<LogState> {
    const [row] = await store.get('meta', [STATE_KEY], [STATE]);
    return metaValue(row, STATE, codec) ?? {};
  }

  /** Changes the state under a lock. @param decide returns the new state; undefined leaves the state unchanged */
  async function change(decide: (state: LogState) => LogState | undefined): Promise<LogState> {
    let now: LogState = {};
    await changeShared(store, exclusive, { table: 'meta', keys: [STATE_KEY], column: STATE }, (_, row) => {
      const before = metaValue(row, STATE, codec) ?? {};
      const changed = decide(before);
      now = changed ?? before;
      return changed && { put: new Map([[STATE, codec.encode(changed)]]) };
    });
    return now;
  }

  return {
    /** The present state. @throws CrawlError TABLE_DAMAGED */
    state,

    /**
     * Records that entries of a batch are about to be written. A batch that is already recorded keeps its time. Call it once the header of
     * the batch is `updating`. Call {@link end} when the header has left this state.
     * @param now milliseconds since the epoch
     */
    async begin(batchId: string, now: number): Promise<LoggedBatch> {
      const noted = await change((state) => {
        if (state.writing?.[batchId]) return undefined;
        const at = Math.max(now, (state.last ?? -1) + 1);
        const batch = { at, isBaseline: state.baselineEnd === undefined, isCounted: false };
        return { ...state, begun: state.begun ?? at, last: at, writing: { ...state.writing, [batchId]: batch } };
      });
      return batchOf(noted, batchId);
    },

    /**
     * Records that host entries of a batch were written to the log.
     * @param isCounted whether these are the entries of all shards
     */
    async noteHosts({ batchId, at }: LoggedBatch, hosts: readonly HostKey[], isCounted: boolean): Promise<void> {
      await change((state) => {
        const found = state.writing?.[batchId];
        if (!found || found.isCounted || (!isCounted && hosts.length === 0)) return undefined;
        const all = { ...brokenBefore(state, at), ...Object.fromEntries(hosts.map((host) => [host, at])) };
        const latest = Object.entries(all).sort(([, a], [, b]) => b - a);
        return {
          ...state,
          broken: Object.fromEntries(latest.slice(0, MAX_BROKEN_HOSTS)),
          writing: { ...state.writing, [batchId]: { ...found, isCounted } },
        };
      });
    },

    /** The hosts that looked broken in an earlier batch, less than a day before this batch. */
    async brokenBefore({ at }: LoggedBatch): Promise<ReadonlySet<HostKey>> {
      const broken = Object.entries(brokenBefore(await state(), at)).filter(([, time]) => time < at);
      return new Set(broken.map(([host]) => host as HostKey));
    },

    /** Records that no more entries of these batches will be written. */
    async end(batchIds: readonly string[]): Promise<void> {
      await change((state) => {
        const left = Object.entries(state.writing ?? {}).filter(([batchId]) => !batchIds.includes(batchId));
        if (left.length === Object.keys(state.writing ?? {}).length) return undefined;
        return { ...state, writing: Object.fromEntries(left) };
      });
    },

    /**
     * Ends the baseline: from now on, pages that are fetched for the first time are new. Does nothing before the first batch, or if the
     * baseline has already ended.
     */
    async endBaseline(now: number): Promise<void> {
      await change((state) => {
        if (state.begun === undefined || state.baselineEnd !== undefined) return undefined;
        return { ...state, baselineEnd: Math.max(now, state.last ?? 0) };
      });
    },

    /** Records that all entries before a time are removed. */
    async noteRemoved(time: number): Promise<void> {
      await change((state) => ((state.removedBefore ?? 0) >= time ? undefined : { ...state, removedBefore: time }));
    },

    /**
     * Stores the present time under a name, and replaces an earlier mark of this name. It also ends the baseline.
     * @param done as in {@link horizonOf}
     * @throws CrawlError USAGE for more than 1,000 marks
     */
    async mark(name: string, now: number, done: ReadonlySet<string>): Promise<ChangeMark> {
      let made: ChangeMark | undefined;
      await change((state) => {
        const others = (state.marks ?? []).filter((mark) => mark.name !== name);
        if (others.length >= MAX_MARKS)
          throw new CrawlError('USAGE', `expected at most ${MAX_MARKS} marks, found one more`, {
            hint: 'remove marks that are not needed any more: `webcrawl mark <name> --remove`',
          });
        const last = Math.max(now, state.last ?? 0);
        made = { name, at: now, from: horizonOf({ ...state, last }, done) };
        return { ...state, last, baselineEnd: state.baselineEnd ?? last, marks: [...others, made] };
      });
      return made!;
    },

    /**
     * Returns a moment as a time of rows, in ms since the epoch. For the name of a mark, this is a time at or before every change of a row
     * that the log has after the mark.
     * @throws CrawlError USAGE for an unknown mark
     */
    async timeOf(moment: number | string): Promise<number> {
      if (typeof moment === 'number') return moment;
      const { at, from } = markOf(await state(), moment);
      return Math.min(at, from);
    },

    /** @returns whether there was a mark of this name */
    async unmark(name: string): Promise<boolean> {
      let found = false;
      await change((state) => {
        const marks = (state.marks ?? []).filter((mark) => mark.name !== name);
        found = marks.length !== (state.marks ?? []).length;
        return found ? { ...state, marks } : undefined;
      });
      return found;
    },
  };
}

/**
 * Returns the time up to which the log is complete: no entry with an earlier time will be written.
 * @param done ids of batches that are still listed in `writing`, although updatedb has completed them
 */
export function horizonOf({ writing = {}, last = -1 }: LogState, done: ReadonlySet<string>): number {
  let horizon = last + 1;
  for (const [batchId, { at }] of Object.entries(writing)) if (!done.has(batchId)) horizon = Math.min(horizon, at);
  return horizon;
}

/**
 * Returns the mark of a name.
 * @throws CrawlError USAGE for an unknown mark
 */
export function markOf({ marks = [] }: LogState, name: string): ChangeMark {
  const found = marks.find((mark) => mark.name === name);
  if (found) return found;
  const names = marks.map((mark) => mark.name);
  throw new CrawlError('USAGE', `no mark has the name "${safeText(name, 100)}"`, {
    hint: `${names.length === 0 ? 'there is no mark yet' : `the marks are ${safeText(names.join(', '), 300)}`}; a time is 2026-01-31 or 7d, for 7 days ago`,
  });
}
