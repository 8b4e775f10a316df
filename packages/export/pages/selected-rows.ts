import {
  batchTime,
  detectLanguage,
  isBodyLost,
  type Field,
  type JsonValue,
  type PageRow,
  rulesNow,
  type CrawlContext,
  type RulesInForce,
  type Tracker,
} from '../../core/index.js';
import { checkQuery, rowsInOrder, selectorOf, type PageQuery, type PageSelection } from '../../answers/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { hasPage } from '../stated/page-view.js';
import type { Sites } from '../site/sites.js';
import { PRESENT_FIELDS, type PresentSelection, type WhyNot } from './left-out.js';

/** Selects pages to export. */
export interface ExportSelection extends PageSelection {
  /**
   * Selects only pages that are new or have changed since this batch id, this time in ms since the epoch, or the mark of this name. A row is
   * selected if one of three things happened then or later: the row was made (`firstSeenAt`), updatedb found a change (`changedAt`), or dedup
   * marked or unmarked the page (`duplicateAt`).
   */
  readonly since?: string | number;
  /**
   * With `since`: whether a page has also changed if only its bytes have (`bytesChangedAt`). Default: false. Always true if changes are not
   * logged, because then only bytes are compared.
   */
  readonly bytes?: boolean;
  /** Maximum number of pages, in key order. */
  readonly limit?: number;
}

export interface RangedSelection extends ExportSelection, Pick<PageQuery, 'sort'> {
  /** Returns why a row is left out. Such rows are counted. The function reads {@link PRESENT_FIELDS} and `leftOutReads`. */
  readonly leftOut?: WhyNot | undefined;
  readonly leftOutReads?: readonly Field[];
  /** The templates by which the main content is read. With `since`, a page has also changed if its template has. */
  readonly sites?: Sites | undefined;
}

export function aboutSelection(
  { settings }: Pick<CrawlContext, 'settings'>,
  selection: ExportSelection & PresentSelection,
): Record<string, JsonValue> {
  const { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected } = selection;
  const { since, limit, all } = selection;
  const given = { host, domain, prefix, status, code, fetchedSince, fetchedBefore, dueBefore, rejected };
  const bytes = since === undefined ? undefined : countsBytes(settings, selection) || undefined;
  return JSON.parse(JSON.stringify({ ...given, since, bytes, limit, all })) as Record<string, JsonValue>;
}

/**
 * Reads the rows of a selection, in key order or sorted. Reading ends early once the tracker is aborted. Rows that cannot be read in full
 * have the fields that can be read, and are counted as `damaged`. Rows with a lost body are counted as `lost_body`.
 * @throws CrawlError as `PageSelection` says
 */
export async function* selectedRows<F extends Field>(
  crawl: Pick<CrawlContext, 'tables' | 'settings'>,
  rules: RulesInForce,
  selection: RangedSelection,
  fields: readonly F[],
  tracker: Pick<Tracker, 'aborted' | 'count' | 'fail'>,
): AsyncGenerator<PageRow<F>> {
  const { leftOut, leftOutReads = [], sites } = selection;
  const selector = await selectorOf(crawl, rules, selection);
  const since = await sinceTime(crawl, selection.since);
  const withBytes = countsBytes(crawl.settings, selection);
  const test = {
    ...(selector.ranges && { ranges: selector.ranges }),
    fields: [
      ...selector.fields,
      ...(since === undefined ? [] : [...SINCE_FIELDS, 'bytesChangedAt' as const, ...PRESENT_FIELDS]),
      ...(leftOut ? [...PRESENT_FIELDS, ...leftOutReads] : []),
    ],
    async matches(row: PageRow<Field>): Promise<boolean> {
      if (!selector.matches(row)) return false;
      if (since !== undefined && SINCE_FIELDS.every((field) => !(row[field]! >= since))) {
        const isOtherBytes = row.bytesChangedAt! >= since;
        const isOtherSite = hasPage(row) && (await sites?.hasChangedSince(row.key, since)) === true;
        if (!isOtherSite && !(isOtherBytes && withBytes)) {
          if (isOtherBytes && leftOut?.(row) === undefined) tracker.count('bytes_only');
          return false;
        }
      }
      const reason = leftOut?.(row, tracker.count);
      if (reason !== undefined) tracker.count(reason);
      return reason === undefined;
    },
    isAborted: () => tracker.aborted,
  };
  const needsLanguage = fields.some((field) => field === 'language' || field === 'languageSource');
  const reads: readonly Field[] = needsLanguage ? [...fields, 'language', 'text'] : fields;
  for await (const row of rowsInOrder(crawl, test, selection, reads)) {
    if (tracker.aborted) return;
    if (isBodyLost(row)) tracker.fail('lost_body');
    else if (row.damaged) tracker.fail('damaged');
    const found = needsLanguage ? await withLanguage(row) : row;
    await sites?.prepare(found);
    yield found as PageRow<F>;
  }
}

/** Returns a row with the language of its text. A crawl stores the language only if the page states it, or frequent words show it. */
async function withLanguage(row: PageRow<Field>): Promise<PageRow<Field>> {
  if (row.language !== undefined || row.text === undefined) return row;
  const language = await detectLanguage(row.text);
  return language === undefined ? row : { ...row, language, languageSource: 'detected' };
}

/**
 * Checks a selection before anything is written.
 * @returns the present rules, which are used for the whole export
 * @throws CrawlError USAGE for a `since` that is neither batch, mark nor time, and in the cases of `PageQuery`; BAD_URL; UNKNOWN_BATCH for
 * a batch that the table does not have
 */
export async function checkSelection(
  crawl: Pick<CrawlContext, 'tables' | 'plugins' | 'rules'>,
  selection: ExportSelection & Pick<PageQuery, 'sort'>,
): Promise<RulesInForce> {
  const { since } = selection;
  checkQuery(selection);
  await sinceTime(crawl, since);
  await selectorOf(crawl, crawl, selection);
  if (typeof since === 'string' && batchTime(since) !== undefined) await crawl.tables.batches.get(since);
  return rulesNow(crawl);
}

const SINCE_FIELDS = ['firstSeenAt', 'changedAt', 'duplicateAt'] as const;

function countsBytes({ db }: CrawlContext['settings'], { bytes = false }: ExportSelection): boolean {
  return bytes || db.changesKeptDays === 0;
}

async function sinceTime(
  { tables }: Pick<CrawlContext, 'tables'>,
  since: string | number | undefined,
): Promise<number | undefined> {
  if (since === undefined) return undefined;
  const time = typeof since === 'string' ? (batchTime(since) ?? (await tables.changes.timeOf(since))) : since;
  if (Number.isFinite(time)) return time;
  throw new CrawlError('USAGE', `expected the id of a batch, a mark or a time, found "${safeText(String(since))}"`, {
    hint: 'generate prints the id of a batch, such as 1767607200-123456',
  });
}
