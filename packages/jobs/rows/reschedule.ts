import {
  isPage,
  isRedirect,
  type Outlink,
  type PageChange,
  type PageRow,
  type Status,
  type Tables,
} from '../../../webtable/index.js';
import type { FetchSchedule, Schedule } from '../../plugin-api/index.js';
import type { Count, CounterName } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { CHANGE_FIELDS, changeForSchedule, changeNoted, type LoggedVerdict } from './changed-at.js';
import { knownModified, statedModified } from './modified-time.js';
import { createSchedule } from './guarded-schedule.js';

/** The fields of a row that are read to plan its next fetch. */
export const RESCHEDULE_FIELDS = [
  'status',
  'dueAt',
  'fetchedAt',
  'fetchInterval',
  'retries',
  'modifiedAt',
  'score',
  'cash',
  'cashInFlight',
  'signature',
  'newSignature',
  'protocolStatus',
  'parseStatus',
  'redirectTarget',
  'marks',
  ...CHANGE_FIELDS,
] as const;

type Row = PageRow<(typeof RESCHEDULE_FIELDS)[number]>;

/**
 * Whether updatedb adds the links of a row that a batch holds. It adds them if the page was parsed in the batch, or if the page redirects
 * to a target.
 */
export function handsOnLinks(row: PageRow<'status' | 'redirectTarget' | 'marks'>, batchId: string): boolean {
  const { status, redirectTarget, marks } = row;
  if (marks?.fetch !== batchId) return false;
  if (status === 'fetched') return marks.parse === batchId;
  return isRedirect(status) && redirectTarget !== undefined;
}

/**
 * Whether updatedb has added the links of a row in a batch, and has released the row. The field `cashInFlight` stays in the row until
 * another batch selects it.
 */
export function isReleasedSource(row: PageRow<'cashInFlight' | 'marks'>, batchId: string): boolean {
  return row.marks?.updatedb === batchId && row.marks.generate === undefined && row.cashInFlight !== undefined;
}

/** Returns the links that updatedb adds for a row: the links of its page, or the target of its redirect. */
export function linksOf(row: PageRow<'status' | 'outlinks' | 'redirectTarget' | 'sitemap'>): readonly Outlink[] {
  const { status, outlinks = [], redirectTarget, sitemap } = row;
  if (status === 'fetched') return outlinks;
  if (!isRedirect(status) || redirectTarget === undefined) return [];
  return [{ url: redirectTarget, anchor: '', ...(sitemap && { sitemap }) }];
}

/**
 * Returns the batches whose updatedb is not finished, if one of the rows may have been released by such a batch. Until then, no other batch
 * may select such a row. Call the function after the rows were read, because a batch becomes `updating` before it releases its first row.
 */
export async function updatingBatches(
  { batches }: Pick<Tables, 'batches'>,
  rows: readonly (PageRow<'cashInFlight' | 'marks'> | undefined)[],
): Promise<ReadonlySet<string>> {
  const isSource = rows.some((row) => row?.marks?.updatedb !== undefined && row.cashInFlight !== undefined);
  const list = isSource ? await batches.list() : [];
  return new Set(list.filter(({ state }) => state === 'updating').map(({ batchId }) => batchId));
}

/**
 * Makes the change that releases a row from a batch. It sets the next fetch, the new status and the marks. If the row was not fetched, it
 * only removes the mark, and the row stays due.
 */
export function reschedule(
  crawl: Pick<CrawlContext, 'plugins' | 'settings' | 'clock'>,
  row: Row,
  batchId: string,
  verdict: LoggedVerdict,
  count: Count,
): PageChange {
  if (row.marks?.fetch !== batchId) {
    count('not_fetched');
    return { key: row.key, unset: ['cashInFlight'], marks: { generate: null } };
  }
  const now = crawl.clock();
  // The clock may have been set back after the fetch.
  const fetchedAt = Math.min(row.fetchedAt ?? now, now);
  const { status, schedule, reason } = outcome(crawl, createSchedule(crawl, count), row, fetchedAt, verdict);
  count(reason);
  if (row.status === 'fetched' && row.marks.parse !== batchId && !row.parseStatus) count('not_parsed');
  const isParsed = row.marks.parse === batchId && row.newSignature !== undefined;
  const isSource = handsOnLinks(row, batchId);
  const noted = changeNoted(row, status, verdict, now);
  const modifiedAt = (isPage(status) ? statedModified(row, fetchedAt) : undefined) ?? schedule.modifiedAt;
  const handedOn = row.marks.parse === batchId || isSource;
  return {
    key: row.key,
    set: {
      status,
      dueAt: schedule.dueAt,
      fetchInterval: schedule.fetchInterval,
      retries: schedule.retries,
      ...(modifiedAt > 0 && { modifiedAt }),
      ...(handedOn && { cash: Math.max(0, (row.cash ?? 0) - (row.cashInFlight ?? 0)) }),
      ...(isParsed && { signature: row.newSignature }),
      ...(isParsed && row.signature !== undefined && { prevSignature: row.signature }),
      ...(isSource && { cashInFlight: row.cashInFlight ?? 0 }),
      ...noted.set,
    },
    unset: ['newSignature', ...(isSource ? [] : (['cashInFlight'] as const)), ...noted.unset],
    marks: { generate: null, fetch: null, parse: null, updatedb: batchId },
  };
}

function outcome(
  crawl: Pick<CrawlContext, 'settings'>,
  plan: FetchSchedule,
  row: Row,
  fetchedAt: number,
  verdict: LoggedVerdict,
): { status: Status; schedule: Schedule; reason: CounterName } {
  const before: Schedule = {
    dueAt: row.dueAt ?? fetchedAt,
    fetchInterval: row.fetchInterval ?? crawl.settings.db.fetchIntervalDefault,
    retries: row.retries ?? 0,
    modifiedAt: knownModified(row, fetchedAt),
  };
  // If a stored body is missing, for example after a power failure, the page must be fetched again.
  const isLost = row.parseStatus?.code === 'missing_content' && crawl.settings.fetcher.storeContent;
  const status = row.status === 'fetched' && isLost ? 'retry' : (row.status ?? 'retry');
  switch (status) {
    case 'fetched':
      return {
        status,
        schedule: plan.afterFetch(before, fetchedAt, changeForSchedule(row, verdict)),
        reason: 'fetched',
      };
    case 'notmodified':
      return { status, schedule: plan.afterFetch(before, fetchedAt, 'notmodified'), reason: 'notmodified' };
    case 'redir_perm':
    case 'redir_temp': {
      const schedule = plan.afterFetch(before, fetchedAt, changeForSchedule(row, verdict));
      // A redirect says nothing about the time of the content.
      const modifiedAt = before.modifiedAt || schedule.modifiedAt;
      return { status, schedule: { ...schedule, modifiedAt }, reason: 'redirected' };
    }
    case 'gone':
      return { status, schedule: plan.afterGone(before, fetchedAt), reason: 'gone' };
    case 'unfetched':
    case 'retry': {
      const schedule = plan.afterRetry(before, fetchedAt);
      if (schedule.retries < crawl.settings.db.fetchRetryMax) return { status: 'unfetched', schedule, reason: 'retry' };
      const gone = plan.afterGone(before, fetchedAt);
      return { status: 'gone', schedule: { ...gone, retries: schedule.retries }, reason: 'gone' };
    }
  }
}
