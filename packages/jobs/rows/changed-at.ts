import { createHash } from 'node:crypto';
import { batchTime, isPage, isRedirect, type Page, type PageRow, type Status } from '../../../webtable/index.js';

export const CHANGE_FIELDS = [
  'changedAt',
  'foundAs',
  'signature',
  'newSignature',
  'parseStatus',
  'redirectTarget',
  'marks',
] as const;

/** The fields that record the last change at the URL of a row. If the URL has a page, `foundAs` is undefined. */
interface ChangeNoted {
  readonly changedAt: number;
  readonly foundAs: Page['foundAs'] | undefined;
}

/**
 * Compares a row that is released with its state at its last release. If the URL has different content now, the result has the time of the
 * change. A page that cannot be compared counts as changed, for example if it was not parsed.
 *
 * Rows of older versions have no `changedAt`. If the page of such a row has not changed, the row gets the time of the last batch that
 * fetched the page.
 * @param status the new status of the row
 * @returns undefined if the fetch says nothing about the page, so that the fetch will be retried
 */
export function changeNoted(
  row: PageRow<(typeof CHANGE_FIELDS)[number]>,
  status: Status,
  now: number,
): ChangeNoted | undefined {
  if (status === 'unfetched' || status === 'retry') return undefined;
  const { changedAt, signature, newSignature, marks } = row;
  const foundAs = foundNow(row, status);
  const isSame =
    foundAs === row.foundAs &&
    (!isPage(status) || status === 'notmodified' || (signature !== undefined && newSignature === signature));
  const before = changedAt ?? batchTime(marks?.updatedb ?? '');
  return { changedAt: isSame && before !== undefined ? before : now, foundAs };
}

function foundNow(
  { parseStatus, redirectTarget = '' }: PageRow<'parseStatus' | 'redirectTarget'>,
  status: Status,
): Page['foundAs'] | undefined {
  if (isPage(status)) return parseStatus?.noindex ? 'noindex' : undefined;
  if (!isRedirect(status)) return 'gone';
  return `redirect ${createHash('sha256').update(redirectTarget).digest('hex').slice(0, 16)}`;
}
