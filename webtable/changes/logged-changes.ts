import { isRecord, json } from '../pages/codec.js';
import type { HostKey } from '../keys/host-key.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { RowChange, StoredRow } from '../store.js';
import type { ChangedLinks } from '../pages/digest.js';
import type { ChangeKind } from './change-kinds.js';

/** A page before or after a change, as the log stores it. Titles are untrusted. */
export interface ChangeSide {
  /** What was at the URL, or that the request failed. */
  readonly is: 'page' | 'redirect' | 'failing';
  readonly http?: number;
  /** Why the request failed: a code of `PROTOCOL_CODES`, or of a plugin's protocol. */
  readonly code?: string;
  readonly title?: string;
  /** Where a redirect leads. */
  readonly target?: string;
  /** Number of characters of the content. */
  readonly length?: number;
  /** Number of links on the page, to the same host and to other hosts. */
  readonly links?: number;
  readonly externalLinks?: number;
  readonly noindex?: true;
  /** When the body of the page was received, in ms since the epoch. The WARC record of the body has the same time. */
  readonly bodyAt?: number;
}

/** A change of a page. */
export interface LoggedChange {
  readonly kinds: readonly ChangeKind[];
  /**
   * The time of the last fetch that found the earlier state, in ms since the epoch; absent if there was no such fetch. `to` is the time of
   * the first fetch that found the change.
   */
  readonly from?: number;
  readonly to: number;
  readonly before?: ChangeSide;
  readonly after: ChangeSide;
  /** The links that were added and removed, if the kinds name links, and if they are known. */
  readonly links?: ChangedLinks;
}

/** A host with many pages that turned into failures in one batch. The changes of these pages are logged only after a second fetch. */
export interface LoggedHost {
  readonly failing: number;
  readonly requested: number;
}

/** Number of pages whose first fetch was part of the baseline. */
export interface LoggedBaseline {
  readonly pages: number;
}

/** The content of a log entry: a changed page, a host, or the baseline. */
export type LogItem =
  | { readonly kind: 'page'; readonly rowKey: string; readonly change: LoggedChange }
  | { readonly kind: 'host'; readonly host: HostKey; readonly found: LoggedHost }
  | { readonly kind: 'baseline'; readonly rowKey: string; readonly found: LoggedBaseline };

/** An entry of the log. */
export type LogEntry = LogItem & {
  /** The time of the batch that found the change, in ms since the epoch. */
  readonly at: number;
  /** The position of the entry in the log. A reader may continue after it. */
  readonly cursor: string;
};

/** The zone of the entries in the table `batch`. FROZEN, like the keys. */
const ZONE = 'c|';
/** Hex digits of a time, enough for all dates. */
const TIME_DIGITS = 14;
const LATEST = 16 ** TIME_DIGITS - 1;
/** The subject of an entry, as a letter in its key. Entries of one batch are read in the order of these letters. */
const OF = { baseline: 'b', host: 'h', page: 'p' } as const;
const BEHIND_HOSTS = 'i';
const ENTRY = INDEX_COLUMNS.changeEntry;

type Stored = LoggedChange & LoggedHost & LoggedBaseline;
const codec = json<Stored>(isRecord);

/** The time and the id of a batch. The keys of its entries begin with both. */
interface EntryBatch {
  readonly batchId: string;
  readonly at: number;
}

const timeText = (at: number): string =>
  Math.min(LATEST, Math.max(0, Math.floor(at)))
    .toString(16)
    .padStart(TIME_DIGITS, '0');

/** The first key of entries with this time or later. */
export const keyOfTime = (at: number): string => `${ZONE}${timeText(at)}`;
export const keyOfCursor = (cursor: string): string => `${ZONE}${cursor}`;
/** The start of the zone. */
export const ZONE_START = ZONE;

/** Returns the cursor before all entries of a time. A reader that continues after this cursor begins with these entries. */
export const cursorOfTime = timeText;
/** The time in a cursor, in ms since the epoch. */
export const timeOfCursor = (cursor: string): number => Number.parseInt(cursor.slice(0, TIME_DIGITS), 16);

/** Whether a text has the form of a cursor, of an entry or from {@link cursorOfTime}. */
export function isCursor(text: string): boolean {
  return /^[0-9a-f]{14}(\|[\w-]{1,64}\|[bhp][!-~]+)?$/.test(text);
}

export function hostRangeOf({ at, batchId }: EntryBatch): { readonly start: string; readonly end: string } {
  const start = `${keyOfTime(at)}|${batchId}|`;
  return { start: start + OF.host, end: start + BEHIND_HOSTS };
}

export function rowOfEntry({ at, batchId }: EntryBatch, item: LogItem): RowChange {
  const value = (item.kind === 'page' ? item.change : item.found) as Stored;
  const key = `${keyOfTime(at)}|${batchId}|${OF[item.kind]}${item.kind === 'host' ? item.host : item.rowKey}`;
  return { key, clear: true, put: new Map([[ENTRY, codec.encode(value)]]) };
}

export function entryOfRow({ key, cells }: StoredRow): LogEntry {
  const cursor = key.slice(ZONE.length);
  const [time = '', batchId = ''] = cursor.split('|', 2);
  const of = cursor.slice(time.length + batchId.length + 2);
  const value = codec.decode(cells.get(ENTRY)!);
  const place = { at: Number.parseInt(time, 16), cursor };
  const name = of.slice(1);
  if (of.startsWith(OF.host)) return { ...place, kind: 'host', host: name as HostKey, found: value };
  if (of.startsWith(OF.baseline)) return { ...place, kind: 'baseline', rowKey: name, found: value };
  return { ...place, kind: 'page', rowKey: name, change: value };
}
