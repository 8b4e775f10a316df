import type { BackoffRecord, PageRow, Status } from '../core/index.js';
import type { DelayInForce } from './delay.js';

/** The content of the stored robots.txt of a host. Reading the figures does not fetch it again. */
export interface HostRobots {
  /** Scheme, host and port. If a host has several origins, this is the one with the most pages. */
  readonly origin: string;
  /**
   * `denies`: the front page is denied, and perhaps more. `absent`: there is no file, so all pages are allowed. `unknown`: no response is
   * stored.
   */
  readonly verdict: 'allows' | 'denies' | 'absent' | 'unknown';
  /** When robots.txt was fetched, in ms since the epoch. */
  readonly fetchedAt?: number;
  /** The HTTP status of robots.txt. */
  readonly status?: number;
  /** Whether the file is older than a day, so that the next fetch requests it again. */
  readonly expired?: boolean;
  /** Seconds. If the host has several origins, the longest delay of all. */
  readonly crawlDelay?: number;
}

/** The figures of one host, or of all hosts of one domain, from the table. Plain data that JSON can hold; times are ms since the epoch. */
export interface HostFigures {
  /** The host, or the domain. */
  readonly host: string;
  /** Number of hosts in these figures: 1 for a host. */
  readonly hosts: number;
  readonly pages: number;
  /** Pages by status. */
  readonly statuses: Readonly<Partial<Record<Status | 'unknown', number>>>;
  /** Number of pages whose last fetch or parse failed, by the code of the failure. A code of a parse begins with `failed_`. */
  readonly errors: Readonly<Record<string, number>>;
  /** Number of due pages that no batch holds and that generate has not refused. */
  readonly due: number;
  /** Number of pages that are in a batch. */
  readonly inBatches: number;
  /** Number of pages that generate has refused and skips until the cause changes. */
  readonly refused: number;
  /** When the next page becomes due, apart from pages that are due already. Absent if there is no such page. */
  readonly nextDueAt?: number;
  /** Sum of the bytes of the last bodies. */
  readonly bytes: number;
  /** Number of pages whose last response has a known time. */
  readonly responses: number;
  /** Mean milliseconds until a response is complete. Absent if `responses` is 0. */
  readonly meanMs?: number;
  /** Milliseconds of the slowest response among the last responses of all pages. Absent if `responses` is 0. */
  readonly slowestMs?: number;
  /** When a page was last requested. Absent if no page was requested. */
  readonly lastRequestAt?: number;
  /** Number of rows that cannot be read in full. */
  readonly damaged: number;
  /** The delay of the host; for several hosts, the longest delay. */
  readonly delay: DelayInForce;
  /** Number of hosts in back-off now. */
  readonly inBackoff: number;
  /** Absent for a domain. */
  readonly robots?: HostRobots;
  /** The back-off of the host. Absent for a domain, and if the host has responded since. */
  readonly backoff?: BackoffRecord;
}

export const HOST_FIELDS = [
  'status',
  'protocolStatus',
  'parseStatus',
  'dueAt',
  'fetchedAt',
  'fetchMs',
  'bodyBytes',
  'refusedBy',
  'marks',
] as const;
type Row = PageRow<(typeof HOST_FIELDS)[number]>;

export type Tally = ReturnType<typeof newTally>;

/** Maximum number of different errors to count. A plugin may have any number of codes. */
const MAX_ERRORS = 100;
const NOT_REQUESTED: ReadonlySet<string> = new Set([
  'robots_denied',
  'crawl_delay_too_long',
  'private_address',
  'bad_port',
  'unsupported_scheme',
  'host_backoff',
]);
/** Outcomes that are not failures. */
const WELL: ReadonlySet<string> = new Set(['success', 'notmodified', 'moved', 'temp_moved']);

export function newTally(host: string) {
  return {
    host,
    hosts: 0,
    pages: 0,
    statuses: new Map<string, number>(),
    errors: new Map<string, number>(),
    due: 0,
    inBatches: 0,
    refused: 0,
    nextDueAt: Infinity,
    bytes: 0,
    responses: 0,
    responseMs: 0,
    slowestMs: 0,
    lastRequestAt: -Infinity,
    damaged: 0,
  };
}

function add(counts: Map<string, number>, name: string, n = 1): void {
  const key = counts.has(name) || counts.size < MAX_ERRORS ? name : 'other';
  counts.set(key, (counts.get(key) ?? 0) + n);
}

export function addRow(tally: Tally, row: Row, now: number): void {
  const { status = 'unknown', protocolStatus, parseStatus, dueAt = 0, fetchedAt, fetchMs, bodyBytes = 0, marks } = row;
  tally.pages += 1;
  if (row.damaged) tally.damaged += 1;
  add(tally.statuses, status);
  const code = protocolStatus?.code;
  // A page that fails keeps the status of its last parse, and counts once.
  if (code !== undefined && !WELL.has(code)) add(tally.errors, code);
  else if (parseStatus !== undefined && parseStatus.code !== 'success') add(tally.errors, `failed_${parseStatus.code}`);
  if (marks?.generate !== undefined) tally.inBatches += 1;
  else if (row.refusedBy !== undefined) tally.refused += 1;
  else if (dueAt <= now) tally.due += 1;
  else tally.nextDueAt = Math.min(tally.nextDueAt, dueAt);
  tally.bytes += bodyBytes;
  if (fetchMs !== undefined) {
    tally.responses += 1;
    tally.responseMs += fetchMs;
    tally.slowestMs = Math.max(tally.slowestMs, fetchMs);
  }
  if (fetchedAt !== undefined && code !== undefined && !NOT_REQUESTED.has(code)) {
    tally.lastRequestAt = Math.max(tally.lastRequestAt, fetchedAt);
  }
}

export function addTally(into: Tally, tally: Tally): void {
  into.hosts += tally.hosts;
  into.pages += tally.pages;
  for (const [status, n] of tally.statuses) add(into.statuses, status, n);
  for (const [code, n] of tally.errors) add(into.errors, code, n);
  into.due += tally.due;
  into.inBatches += tally.inBatches;
  into.refused += tally.refused;
  into.nextDueAt = Math.min(into.nextDueAt, tally.nextDueAt);
  into.bytes += tally.bytes;
  into.responses += tally.responses;
  into.responseMs += tally.responseMs;
  into.slowestMs = Math.max(into.slowestMs, tally.slowestMs);
  into.lastRequestAt = Math.max(into.lastRequestAt, tally.lastRequestAt);
  into.damaged += tally.damaged;
}

/** Mean milliseconds of a response; undefined if no time is known. */
export const meanOf = ({ responses, responseMs }: Tally): number | undefined =>
  responses > 0 ? responseMs / responses : undefined;

export type HostState = Pick<HostFigures, 'delay' | 'inBackoff' | 'robots' | 'backoff'>;

export function figuresOf(tally: Tally, state: HostState): HostFigures {
  const { nextDueAt, lastRequestAt, slowestMs, statuses, errors, responseMs: _, ...sums } = tally;
  const mean = meanOf(tally);
  return {
    ...sums,
    statuses: sorted(statuses),
    errors: sorted(errors),
    ...(nextDueAt < Infinity && { nextDueAt }),
    ...(mean !== undefined && { meanMs: mean, slowestMs }),
    ...(lastRequestAt > -Infinity && { lastRequestAt }),
    ...state,
  };
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
}
