import { createHash } from 'node:crypto';
import {
  batchTime,
  isPage,
  isRedirect,
  type Page,
  type PageChange,
  type PageRow,
  type Status,
} from '../../../webtable/index.js';
import type { Verdict } from '../changes/kinds-of.js';

export const CHANGE_FIELDS = [
  'changedAt',
  'bytesChangedAt',
  'foundAs',
  'signature',
  'prevSignature',
  'newSignature',
  'parseStatus',
  'redirectTarget',
  'marks',
] as const;

type Row = PageRow<(typeof CHANGE_FIELDS)[number]>;

/** The fields that record the last changes at the URL of a row. */
type ChangeNoted = Required<Pick<PageChange, 'set' | 'unset'>>;

/** What the change log says of the last fetch. Absent: changes are not logged, or the fetch says nothing about the page. */
export type LoggedVerdict = Pick<Verdict, 'isChanged' | 'isHeld'> | undefined;

/**
 * Returns the fields that record when the URL of a row last changed. The change log decides. Otherwise the bytes decide: if changes are not
 * logged, or if the log cannot compare the page. A page that was not parsed then counts as changed.
 *
 * Rows of older versions have no `changedAt`. If the page of such a row has not changed, the row gets the time of the last batch that
 * fetched the page.
 * @param status the new status of the row
 */
export function changeNoted(
  row: Row & PageRow<'status'>,
  status: Status,
  verdict: LoggedVerdict,
  now: number,
): ChangeNoted {
  if (status === 'unfetched' || status === 'retry') {
    return { set: verdict?.isChanged ? { changedAt: now } : {}, unset: [] };
  }
  const { changedAt = batchTime(row.marks?.updatedb ?? ''), bytesChangedAt = changedAt } = row;
  const foundAs = foundNow(row, status);
  const hasSameBytes =
    foundAs === row.foundAs &&
    (!isPage(status) || status === 'notmodified' || hasOtherBytes(row) === false || isSignatureLost(row));
  // A failure that is retried no more: the log has its beginning, but a copy of the pages has to remove this page now.
  const isGivenUp = row.status === 'retry' && foundAs !== row.foundAs;
  const isChanged = isGivenUp || (verdict?.isChanged ?? !hasSameBytes);
  return {
    set: {
      changedAt: isChanged ? now : (changedAt ?? now),
      bytesChangedAt: isChanged || !hasSameBytes ? now : (bytesChangedAt ?? now),
      ...(foundAs !== undefined && { foundAs }),
    },
    unset: foundAs === undefined && row.foundAs !== undefined ? ['foundAs'] : [],
  };
}

/** Returns what a schedule is told of a fetched page, by the same notion of a change as {@link changeNoted}. */
export function changeForSchedule(row: Row, verdict: LoggedVerdict): 'modified' | 'notmodified' | 'unknown' {
  // A change that waits for a second fetch may be none.
  const hasChanged = verdict?.isHeld ? undefined : (verdict?.isChanged ?? hasOtherBytes(row));
  if (hasChanged === undefined) return 'unknown';
  return hasChanged ? 'modified' : 'notmodified';
}

/** Whether the bytes of the page differ from those at its last release. undefined: they cannot be compared. */
function hasOtherBytes({ signature, newSignature }: Row): boolean | undefined {
  return signature === undefined || newSignature === undefined ? undefined : newSignature !== signature;
}

/** Whether the page has a signature that cannot be compared. Only migrate removes a signature and keeps it as the previous one. */
function isSignatureLost({ signature, prevSignature, newSignature }: Row): boolean {
  return signature === undefined && prevSignature !== undefined && newSignature !== undefined;
}

function foundNow(
  { parseStatus, redirectTarget = '' }: PageRow<'parseStatus' | 'redirectTarget'>,
  status: Status,
): Page['foundAs'] | undefined {
  if (isPage(status)) return parseStatus?.noindex ? 'noindex' : undefined;
  if (!isRedirect(status)) return 'gone';
  return `redirect ${createHash('sha256').update(redirectTarget).digest('hex').slice(0, 16)}`;
}
