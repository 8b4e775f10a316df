import {
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
import { createSchedule } from './guarded-schedule.js';

/** What planning the next fetch of a row reads. */
export const RESCHEDULE_FIELDS = [
  'status',
  'dueAt',
  'fetchedAt',
  'fetchInterval',
  'retries',
  'modifiedTime',
  'score',
  'cash',
  'cashInFlight',
  'signature',
  'newSignature',
  'protocolStatus',
  'parseStatus',
  'redirectTarget',
  'marks',
] as const;

type Row = PageRow<(typeof RESCHEDULE_FIELDS)[number]>;

/** Whether a row that a batch holds hands links on: those of a page that was parsed in it, or the target of a redirect. */
export function handsOnLinks(row: PageRow<'status' | 'redirectTarget' | 'marks'>, batchId: string): boolean {
  const { status, redirectTarget, marks } = row;
  if (marks?.fetch !== batchId) return false;
  if (status === 'fetched') return marks.parse === batchId;
  return isRedirect(status) && redirectTarget !== undefined;
}

/** The same of a row that the batch held and has released: then `cashInFlight` is left, until the next batch selects the row. */
export function isReleasedSource(row: PageRow<'cashInFlight' | 'marks'>, batchId: string): boolean {
  return row.marks?.updatedb === batchId && row.marks.generate === undefined && row.cashInFlight !== undefined;
}

/** What a row hands on: the links of a page, or the target of a redirect. */
export function linksOf(row: PageRow<'status' | 'outlinks' | 'redirectTarget' | 'sitemap'>): readonly Outlink[] {
  const { status, outlinks = [], redirectTarget, sitemap } = row;
  if (status === 'fetched') return outlinks;
  if (!isRedirect(status) || redirectTarget === undefined) return [];
  return [{ url: redirectTarget, anchor: '', ...(sitemap && { sitemap }) }];
}

/**
 * The batches that updatedb still works on, where any of these rows may be such a source: until it has come to its end, no other
 * batch may take the row. Call it after the rows were read: a batch is updating before it releases the first row.
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
 * The change that ends a row's stay in a batch: when it is fetched next, what is known of it now, and its marks. A row
 * that was not fetched only loses its mark and stays due.
 */
export function reschedule(crawl: CrawlContext, row: Row, batchId: string, count: Count): PageChange {
  if (row.marks?.fetch !== batchId) {
    count('not_fetched');
    return { key: row.key, unset: ['cashInFlight'], marks: { generate: null } };
  }
  const fetchedAt = row.fetchedAt ?? crawl.clock();
  const { status, schedule, reason } = outcome(crawl, createSchedule(crawl, count), row, fetchedAt);
  count(reason);
  if (row.status === 'fetched' && row.marks.parse !== batchId && !row.parseStatus) count('not_parsed');
  const isParsed = row.marks.parse === batchId && row.newSignature !== undefined;
  const isSource = handsOnLinks(row, batchId);
  const handedOn = row.marks.parse === batchId || row.redirectTarget !== undefined;
  return {
    key: row.key,
    set: {
      status,
      dueAt: schedule.dueAt,
      fetchInterval: schedule.fetchInterval,
      retries: schedule.retries,
      ...(schedule.modifiedTime > 0 && { modifiedTime: schedule.modifiedTime }),
      ...(handedOn && { cash: Math.max(0, (row.cash ?? 0) - (row.cashInFlight ?? 0)) }),
      ...(isParsed && { signature: row.newSignature }),
      ...(isParsed && row.signature !== undefined && { prevSignature: row.signature }),
      ...(isSource && { cashInFlight: row.cashInFlight ?? 0 }),
    },
    unset: isSource ? ['newSignature'] : ['cashInFlight', 'newSignature'],
    marks: { generate: null, fetch: null, parse: null, updatedb: batchId },
  };
}

function outcome(
  crawl: CrawlContext,
  plan: FetchSchedule,
  row: Row,
  fetchedAt: number,
): { status: Status; schedule: Schedule; reason: CounterName } {
  const before: Schedule = {
    dueAt: row.dueAt ?? fetchedAt,
    fetchInterval: row.fetchInterval ?? crawl.settings.db.fetchIntervalDefault,
    retries: row.retries ?? 0,
    modifiedTime: row.protocolStatus?.lastModified ?? row.modifiedTime ?? 0,
  };
  // A body that is gone although it was kept (the power failed) has to be fetched again.
  const isLost = row.parseStatus?.code === 'missing_content' && crawl.settings.fetcher.storeContent;
  const status = row.status === 'fetched' && isLost ? 'retry' : (row.status ?? 'retry');
  switch (status) {
    case 'fetched':
      return { status, schedule: plan.afterFetch(before, fetchedAt, changeOf(row)), reason: 'fetched' };
    case 'notmodified':
      return { status, schedule: plan.afterFetch(before, fetchedAt, 'notmodified'), reason: 'notmodified' };
    case 'redir_perm':
    case 'redir_temp':
      return { status, schedule: plan.afterFetch(before, fetchedAt, 'unknown'), reason: 'redirected' };
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

function changeOf(row: Row): 'modified' | 'notmodified' | 'unknown' {
  if (row.newSignature === undefined || row.signature === undefined) return 'unknown';
  return row.newSignature === row.signature ? 'notmodified' : 'modified';
}
