import { isRedirect, type PageRow } from '../../core/index.js';
import { hasPage, type CountSkipped } from '../stated/page-view.js';
import type { ExportSelection } from './selected-rows.js';

/** Option of exports: whether to include rows that are left out by default. */
export interface PresentSelection {
  /**
   * true: include rows that have no page now (not fetched yet, gone, redirected), pages with `noindex`, and duplicates that `dedup` marked.
   * Default: false. A selection by status, code, due time or rejection also includes rows without a page. In an export of pages, `since`
   * also includes such rows.
   */
  readonly all?: boolean;
}

export const PRESENT_FIELDS = ['status', 'parseStatus', 'duplicateOf'] as const;

/**
 * Returns why an export leaves out a row, as the name of a counter. Undefined: the row is exported. `count` is called for data of the page
 * that cannot be read.
 */
export type WhyNot = (
  row: PageRow<(typeof PRESENT_FIELDS)[number]>,
  count?: CountSkipped,
) => 'not_there' | 'noindex' | 'duplicate' | 'other_type' | undefined;

/** Returns the function that decides which rows an export leaves out. Undefined: the export has all rows. */
export function leftOutOf({
  all,
  status,
  code,
  dueBefore,
  rejected,
}: ExportSelection & PresentSelection): WhyNot | undefined {
  if (all) return undefined;
  const isNamed = status !== undefined || code !== undefined || dueBefore !== undefined || rejected === true;
  return (row) => {
    if (!hasPage(row)) return isNamed ? undefined : 'not_there';
    if (row.parseStatus?.noindex) return 'noindex';
    return row.duplicateOf === undefined ? undefined : 'duplicate';
  };
}

/**
 * Returns the function that says, in an export with `since`, why a copy of the pages has to remove a row. It returns undefined for a row
 * that the copy keeps or adds, and for a row that the copy cannot have.
 */
export function removedBy(leftOut: WhyNot): WhyNot {
  return (row, count) => {
    const reason = leftOut(row, count);
    const isGone = row.status === 'gone' || isRedirect(row.status);
    return reason === 'not_there' && !isGone ? undefined : reason;
  };
}
