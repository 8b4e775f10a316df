import {
  CrawlError,
  batchesLeft,
  cursorOfTime,
  horizonOf,
  hostOfKey,
  hostRange,
  isCursor,
  markOf,
  safeText,
  timeOfCursor,
  urlOf,
  type ChangeKind,
  type ChangedLinks,
  type ChangeSide,
  type CrawlContext,
  type LogEntry,
  type LogState,
} from '../core/index.js';
import { incompleteness, type Incomplete } from './completeness.js';
import type { ChangeDiff } from './diff/diff-texts.js';
import type { Differ } from './diff/diff-versions.js';
import { recordFilter } from './record-filter.js';

/** Selects the changes to read. */
export interface ChangesOptions {
  /**
   * The start of the interval, in ms since the epoch, or the name of a mark. The time of a change is the time at which updatedb found it.
   * Therefore a page that was fetched before the start is included if updatedb found its change after the start. Absent: seven days ago.
   */
  readonly since?: number | string;
  /** The end of the interval, in ms since the epoch, or the name of a mark. Changes of exactly this time are excluded. Absent: now. */
  readonly until?: number | string;
  /** Only changes of these kinds. Absent: changes of all kinds but `bytes`. */
  readonly kinds?: readonly ChangeKind[];
  /** Only pages of this host, which is named without a scheme and a port. */
  readonly host?: string;
  /** Maximum number of records. */
  readonly limit?: number;
  /** The `cursor` of a record or of `next()`. Only records after this cursor are read. It replaces `since`. */
  readonly cursor?: string;
  /** Whether to compare the main content of both versions, as far as they are stored. Default: false. */
  readonly diff?: boolean;
}

/** A change of a page. Titles are untrusted. */
export interface PageRecord {
  readonly type: 'page';
  readonly url: string;
  readonly kinds: readonly ChangeKind[];
  /** When updatedb found the change, in ms since the epoch. */
  readonly at: number;
  /**
   * The times between which the page changed. `from` is the last fetch without the change; absent if there was none. `to` is the first
   * fetch with the change.
   */
  readonly between: { readonly from?: number; readonly to: number };
  readonly before?: ChangeSide;
  readonly after: ChangeSide;
  /** The links that were added and removed, if the kinds name `links`, and if they are known. Links that the crawl rejects are not known. */
  readonly links?: ChangedLinks;
  /** Present if a diff was requested and the content has changed. */
  readonly diff?: ChangeDiff;
  readonly cursor: string;
}

/** A host, more than a fifth of whose requested pages failed together. Changes of these pages are reported only after a second fetch. */
export interface HostRecord {
  readonly type: 'host';
  readonly host: string;
  readonly at: number;
  /** Number of failed pages, among the `requested` pages. */
  readonly failing: number;
  readonly requested: number;
  readonly cursor: string;
}

/** A record of the log. */
export type LoggedRecord = PageRecord | HostRecord;

/** A summary of the changes in an interval. */
export interface ChangesSummary {
  /** The start of the interval, in ms since the epoch. */
  readonly since: number;
  /** The end of the interval up to which changes are known, in ms since the epoch. The next call may begin here. */
  readonly until: number;
  /** Whether all changes of the interval are known. */
  readonly complete: boolean;
  /** The reasons if some changes are not known. */
  readonly because: readonly Incomplete[];
  /**
   * Number of records that were passed over so far, because only the bytes of their pages have changed. To read these records, include
   * `bytes` in `kinds`.
   */
  readonly bytesOnly: number;
  /** Number of pages that the first crawl of the table has found. They do not count as changes. */
  readonly baseline: number;
}

/** The changes of an interval, in the order in which they were found. Changes of the same time are in order of the row key. */
export interface Changes extends AsyncIterable<LoggedRecord> {
  /** Returns a summary of these changes. It reads the rest of the log if needed. */
  summary(): Promise<ChangesSummary>;
  /** Returns the cursor before the first of these changes. It reads no entry. */
  begin(): Promise<string>;
  /**
   * Returns the cursor after the last of these changes, even if not all were read. Changes that are found later come after this cursor. It
   * reads no entry.
   */
  next(): Promise<string>;
}

const DAY = 86_400_000;
const USUAL_DAYS = 7;

interface Interval {
  readonly state: LogState;
  readonly since: number;
  readonly until: number;
  /** The first time whose changes are kept, according to the settings. */
  readonly kept: number;
}

/**
 * Reads changes. It reads only the entries of the interval, so the cost depends on the number of changes. With `diff`, it also reads the
 * bodies of the changed pages.
 * @param signal when it is aborted, the read ends with its reason
 * @throws CrawlError during the read: USAGE for an unknown mark or cursor, a start in the future, and an end before the start; BAD_URL for
 * an invalid host
 */
export function readChanges(crawl: CrawlContext, options: ChangesOptions = {}, signal?: AbortSignal): Changes {
  const opened = intervalOf(crawl, options);
  // The caller gets the error from the method that it calls.
  opened.catch(() => undefined);
  const passed = { bytesOnly: 0 };
  return {
    async *[Symbol.asyncIterator]() {
      passed.bytesOnly = 0;
      yield* records(crawl, options, await opened, passed, signal);
    },
    async summary() {
      const interval = await opened;
      const { state, since, until, kept } = interval;
      const because = await incompleteness(crawl, state, since, kept);
      const baseline = await baselineOf(crawl, interval, signal);
      return { since, until, complete: because.length === 0, because, baseline, ...passed };
    },
    begin: async () => options.cursor ?? cursorOfTime((await opened).since),
    async next() {
      const { since, until } = await opened;
      const end = cursorOfTime(until);
      return options.cursor !== undefined && until <= since ? options.cursor : end;
    },
  };
}

async function intervalOf(
  { tables, settings, clock }: CrawlContext,
  { since, until, cursor, host }: ChangesOptions,
): Promise<Interval> {
  if (host !== undefined) hostRange(host);
  if (cursor !== undefined) checkCursor(cursor);
  const state = await tables.changes.state();
  const horizon = horizonOf(state, await batchesLeft(tables));
  const now = clock();
  const timeOf = (moment: number | string): number =>
    typeof moment === 'string' ? markOf(state, moment).from : Math.max(0, moment);
  const from = cursor === undefined ? timeOf(since ?? now - USUAL_DAYS * DAY) : timeOfCursor(cursor);
  const to = until === undefined ? Infinity : timeOf(until);
  // Without this check, a mistyped year would return no changes.
  if (typeof since === 'number' && cursor === undefined && from > Math.max(now, horizon)) {
    throw new CrawlError('USAGE', `expected a start in the past, found ${momentText(from)}`);
  }
  if (since !== undefined && cursor === undefined && to < from) {
    throw new CrawlError(
      'USAGE',
      `expected an end after the start, found ${momentText(to)} before ${momentText(from)}`,
    );
  }
  return {
    state,
    since: from,
    until: Math.min(to, horizon),
    kept: now - settings.db.changesKeptDays * DAY,
  };
}

/** Formats a time for a message. The time may be outside the calendar. */
function momentText(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

function checkCursor(text: string): void {
  if (isCursor(text)) return;
  throw new CrawlError('USAGE', `expected the cursor of a record, found "${safeText(text, 80)}"`);
}

async function* entriesOf(
  { tables }: CrawlContext,
  { since, until, kept }: Interval,
  { cursor, signal }: { readonly cursor?: string | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<LogEntry> {
  const isBehind = cursor !== undefined && since >= kept;
  const from = isBehind ? { cursor } : { at: Math.max(since, kept) };
  for await (const entries of tables.changes.read(from, until)) {
    signal?.throwIfAborted();
    yield* entries;
  }
}

async function* records(
  crawl: CrawlContext,
  { limit = Infinity, cursor, diff = false, ...filter }: ChangesOptions,
  interval: Interval,
  passed: { bytesOnly: number },
  signal?: AbortSignal,
): AsyncGenerator<LoggedRecord> {
  const isWanted = recordFilter(filter);
  const differ = diff ? await loadDiffer(crawl) : undefined;
  let left = limit;
  for await (const entry of entriesOf(crawl, interval, { cursor, signal })) {
    if (left <= 0) return;
    const record = recordOf(entry);
    const verdict = record && isWanted(record);
    if (verdict === 'bytes') passed.bytesOnly++;
    if (!record || verdict !== true) continue;
    left--;
    if (record.type !== 'page' || !differ) yield record;
    else {
      const found = await differ(record);
      yield found ? { ...record, diff: found } : record;
    }
  }
}

export async function loadDiffer(crawl: CrawlContext, maxMs?: number): Promise<Differ> {
  return (await import('./diff/diff-versions.js')).createDiffer(crawl, maxMs);
}

/**
 * Returns a change by its cursor. undefined: the change was removed.
 * @throws CrawlError USAGE for an invalid cursor
 */
export async function readChange(
  { tables }: Pick<CrawlContext, 'tables'>,
  cursor: string,
): Promise<LoggedRecord | undefined> {
  checkCursor(cursor);
  const entry = await tables.changes.find(cursor);
  return entry && recordOf(entry);
}

function recordOf(entry: LogEntry): LoggedRecord | undefined {
  const { at, cursor } = entry;
  if (entry.kind === 'baseline') return undefined;
  if (entry.kind === 'host') return { type: 'host', host: hostOfKey(entry.host), at, ...entry.found, cursor };
  const { kinds, from, to, before, after, links } = entry.change;
  return {
    type: 'page',
    url: urlOf(entry.rowKey),
    kinds,
    at,
    between: { ...(from !== undefined && { from }), to },
    ...(before && { before }),
    after,
    ...(links && { links }),
    cursor,
  };
}

async function baselineOf(crawl: CrawlContext, interval: Interval, signal?: AbortSignal): Promise<number> {
  const { begun, baselineEnd = Infinity } = interval.state;
  if (begun === undefined || interval.since > baselineEnd) return 0;
  let pages = 0;
  const until = Math.min(interval.until, baselineEnd + 1);
  for await (const entry of entriesOf(crawl, { ...interval, until }, { signal })) {
    if (entry.kind === 'baseline') pages += entry.found.pages;
  }
  return pages;
}
