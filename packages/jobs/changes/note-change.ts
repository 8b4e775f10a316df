import {
  isRedirect,
  type ChangeSide,
  type LoggedChange,
  type LoggedState,
  type PageDigest,
  type PageRow,
} from '../../../webtable/index.js';
import { hashOf } from '../../util/index.js';
import { kindsOf, type ChangeTerms, type FoundNow, type Verdict } from './kinds-of.js';

/** The fields of a row that are compared with its logged state. */
export const LOGGED_FIELDS = [
  'status',
  'fetchedAt',
  'protocolStatus',
  'parseStatus',
  'redirectTarget',
  'signature',
  'newSignature',
  'digest',
  'changedLinks',
  'logged',
  'marks',
] as const;

type Row = PageRow<(typeof LOGGED_FIELDS)[number]>;

export interface NotedChange extends Pick<Verdict, 'logged' | 'isRebased' | 'isHeld' | 'isChanged'> {
  /** The change to log. Absent if nothing changed. */
  readonly change?: LoggedChange;
}

/** Returns the result of a fetch in a batch. Returns undefined if the fetch says nothing about the page, for example because its body is lost. */
export function foundNow(row: Row, batchId: string): FoundNow | undefined {
  const { status, protocolStatus, parseStatus, fetchedAt, redirectTarget, signature, newSignature, digest } = row;
  if (row.marks?.fetch !== batchId || fetchedAt === undefined || status === undefined) return undefined;
  const http = protocolStatus?.http;
  const found = { fetchedAt, ...(http !== undefined && { http }) };
  if (status === 'fetched' && parseStatus?.code === 'missing_content') return undefined;
  if (status === 'fetched' || status === 'notmodified') {
    const isCompared = newSignature !== undefined && signature !== undefined;
    return {
      ...found,
      is: 'page',
      hasBody: status === 'fetched',
      ...(digest && { digest }),
      // A page has a target if a refresh leads on from it.
      ...(redirectTarget !== undefined && { target: hashOf(redirectTarget) }),
      ...(isCompared && { hasOtherBytes: newSignature !== signature }),
    };
  }
  if (isRedirect(status)) {
    return { ...found, is: 'redirect', ...(redirectTarget !== undefined && { target: hashOf(redirectTarget) }) };
  }
  return { ...found, is: 'failing', mayPass: status !== 'gone' };
}

/** Compares a fetched row with its logged state. Returns undefined if the fetch says nothing about the page. */
export function noteChange(
  row: Row,
  batchId: string,
  terms: Pick<ChangeTerms, 'isBaseline' | 'isHostFailing'>,
): NotedChange | undefined {
  const found = foundNow(row, batchId);
  if (!found) return undefined;
  const isOlderThanLog = row.marks?.updatedb !== undefined;
  const { kinds, ...verdict } = kindsOf(row.logged, found, { ...terms, isOlderThanLog });
  if (kinds.length === 0) return verdict;
  const { logged: before } = row;
  const isGoingOn = before?.failing !== undefined && before.failing.logged !== 'no';
  return {
    ...verdict,
    change: {
      kinds,
      ...(before?.seenAt !== undefined && { from: before.seenAt }),
      to: found.fetchedAt,
      ...(row.changedLinks && kinds.includes('links') && { links: row.changedLinks }),
      ...(before?.stands && { before: sideOf(before, isGoingOn) }),
      after: {
        ...(found.is === 'failing' ? failure(row) : sideOf(verdict.logged, false)),
        ...(row.redirectTarget !== undefined && { target: row.redirectTarget }),
      },
    },
  };
}

function failure({ protocolStatus }: Row): ChangeSide {
  const { code, http } = protocolStatus ?? {};
  return { is: 'failing', ...(http !== undefined && { http }), ...(code !== undefined && { code }) };
}

function sideOf({ stands, http, target, digest, bodyAt }: LoggedState, isFailing: boolean): ChangeSide {
  return {
    is: isFailing ? 'failing' : target !== undefined ? 'redirect' : (stands ?? 'page'),
    ...(http !== undefined && !isFailing && { http }),
    ...(digest && stands === 'page' && ofDigest(digest)),
    ...(bodyAt !== undefined && { bodyAt }),
  };
}

function ofDigest({ titleText, length, linkCount, externalLinkCount, noindex }: PageDigest): Partial<ChangeSide> {
  return {
    ...(titleText !== '' && { title: titleText }),
    length,
    links: linkCount,
    externalLinks: externalLinkCount,
    ...(noindex && { noindex }),
  };
}
