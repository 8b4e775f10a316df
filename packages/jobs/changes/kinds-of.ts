import type { ChangeKind, LoggedFailure, LoggedState, PageDigest } from '../../../webtable/index.js';

/** The result of the last fetch of a URL. Times are in ms since the epoch. */
export interface FoundNow {
  readonly is: 'page' | 'redirect' | 'failing';
  readonly fetchedAt: number;
  readonly http?: number;
  /** Hash of the target of a redirect, or of a refresh. */
  readonly target?: number;
  /** The digest of the page. Absent if the page was not parsed, or if the server did not send the page again. */
  readonly digest?: PageDigest;
  /** Whether a body was received. */
  readonly hasBody?: boolean;
  /** Whether the bytes of the page differ from the bytes of the earlier fetch. Absent: unknown. */
  readonly hasOtherBytes?: boolean;
  /** Whether the failure may be temporary. The page is then fetched again later. */
  readonly mayPass?: boolean;
}

/** What decides whether a change is logged, in addition to the page itself. */
export interface ChangeTerms {
  /** Whether the batch belongs to the baseline. If so, a page that is fetched for the first time is not logged as new. */
  readonly isBaseline: boolean;
  /** Whether the row was first fetched before the table had a change log. */
  readonly isOlderThanLog: boolean;
  /** Whether many pages of the host fail in this batch. */
  readonly isHostFailing: boolean;
}

/** The changes that a fetch has found on a page. */
export interface Verdict {
  /** The changes to log; empty if there is nothing to log. */
  readonly kinds: readonly ChangeKind[];
  /** The new value of the row's field `logged`. */
  readonly logged: LoggedState;
  /** Whether the digests could not be compared, because they were made in different ways, or because the page could not be parsed. */
  readonly isRebased?: true;
  /** Whether a change was found that is logged only if a second fetch confirms it. */
  readonly isHeld?: true;
  /** Whether the fetch found a change, by every kind but `bytes`. Absent: the fetch could not be compared with an earlier one. */
  readonly isChanged?: boolean;
}

/** Minimum milliseconds between two 404 answers before a page counts as gone. */
const GONE_AFTER = 86_400_000;
/**
 * If the content of a page shrinks below this share of its earlier length, the page is at first considered an empty shell. This applies
 * only if the earlier content had at least {@link MIN_CONTENT_LENGTH} characters.
 */
const SHELL_SHARE = 0.05;
const MIN_CONTENT_LENGTH = 200;
const [NOT_FOUND, GONE] = [404, 410];

/**
 * Compares the last fetch of a page with the logged state of the page.
 *
 * A page is gone after one 410, or after two 404s with a day between them. Some changes are logged only after a second fetch with the same
 * result: a failure that may be temporary, failures of many pages of a host in one batch, and the loss of nearly all content of a page.
 */
export function kindsOf(logged: LoggedState | undefined, found: FoundNow, terms: ChangeTerms): Verdict {
  return found.is === 'failing' ? failing(logged, found, terms) : answering(logged, found, terms);
}

function failing(logged: LoggedState = {}, found: FoundNow, { isHostFailing }: ChangeTerms): Verdict {
  const { isFirst: _, ...before } = logged;
  const { http, fetchedAt, mayPass = false } = found;
  const isMissing = http === NOT_FOUND || http === GONE;
  const missingSince = isMissing ? (before.failing?.missingSince ?? fetchedAt) : undefined;
  const isGone = http === GONE || (missingSince !== undefined && fetchedAt - missingSince >= GONE_AFTER);
  const noted = {
    since: before.failing?.since ?? fetchedAt,
    ...(missingSince !== undefined && { missingSince }),
  };
  const as = (is: LoggedFailure['logged']): LoggedState => ({ ...before, failing: { ...noted, logged: is } });
  // The page never existed, so a failure is no change.
  if (before.stands === undefined) return { kinds: [], logged: as('no') };
  const isNew = before.failing === undefined;
  if (isNew && (mayPass || isHostFailing)) return { kinds: [], logged: as('no'), isHeld: true, isChanged: false };
  const was = before.failing?.logged ?? 'no';
  if (was === 'gone') return { kinds: [], logged: as('gone'), isChanged: false };
  if (isGone) return { kinds: ['gone'], logged: as('gone'), isChanged: true };
  if (was === 'status') return { kinds: [], logged: as('status'), isChanged: false };
  return { kinds: ['status'], logged: as('status'), isChanged: true };
}

function answering(logged: LoggedState | undefined, found: FoundNow, terms: ChangeTerms): Verdict {
  const { is, http, fetchedAt, hasBody = false } = found;
  // An answer "not modified" refers to the last fetched body. If a change waits for a second fetch, the digest of this body is in
  // `suspect`.
  const digest = found.digest ?? (is === 'page' && !hasBody ? logged?.suspect : undefined);
  const stands = is === 'redirect' ? 'redirect' : 'page';
  // A page without a digest still has the refresh that was logged.
  const { target } = stands === 'page' && !digest && logged?.stands === 'page' ? logged : found;
  const bodyAt = hasBody ? fetchedAt : logged?.bodyAt;
  const known = digest ?? logged?.digest;
  const now: LoggedState = {
    stands,
    ...(http !== undefined && { http }),
    ...(target !== undefined && { target }),
    ...(known && { digest: known }),
    seenAt: fetchedAt,
    ...(bodyAt !== undefined && { bodyAt }),
  };
  if (logged?.stands === undefined) {
    const isNews = stands === 'page' && !terms.isBaseline && (logged !== undefined || !terms.isOlderThanLog);
    return { kinds: isNews ? ['new'] : [], logged: { ...now, isFirst: true } };
  }
  if (digest && isShell(logged, digest)) {
    const { isFirst: _, ...before } = logged;
    return { kinds: [], logged: { ...before, suspect: digest }, isHeld: true, isChanged: false };
  }
  const kinds: ChangeKind[] = [];
  const failed = logged.failing?.logged ?? 'no';
  if (failed === 'gone') kinds.push('back');
  const isRebased = logged.digest !== undefined && (digest ? digest.basis !== logged.digest.basis : hasBody);
  if (logged.stands !== stands || (logged.target !== target && !isRebased)) kinds.push('redirect');
  if (digest && logged.digest && !isRebased) kinds.push(...differences(logged.digest, digest));
  if (failed === 'status') kinds.push('status');
  const isChanged = kinds.length > 0;
  if (!isChanged && found.hasOtherBytes === true && !isRebased) kinds.push('bytes');
  const isCompared = stands === 'redirect' || !hasBody || (digest !== undefined && logged.digest !== undefined);
  return {
    kinds,
    logged: now,
    ...(isRebased && { isRebased: true }),
    ...((isChanged || (isCompared && !isRebased)) && { isChanged }),
  };
}

/** Whether a page has lost nearly all of its content, and this is the first fetch that finds the loss. */
function isShell({ digest: before, suspect }: LoggedState, now: PageDigest): boolean {
  if (!before || before.basis !== now.basis || before.length < MIN_CONTENT_LENGTH) return false;
  return now.length < SHELL_SHARE * before.length && now.content !== before.content && now.content !== suspect?.content;
}

function differences(before: PageDigest, now: PageDigest): ChangeKind[] {
  const kinds: ChangeKind[] = [];
  if (before.content !== now.content) kinds.push(before.blocks === now.blocks ? 'reordered' : 'content');
  if (before.title !== now.title) kinds.push('title');
  if (before.description !== now.description) kinds.push('description');
  if (before.canonical !== now.canonical) kinds.push('canonical');
  if (before.noindex !== now.noindex) kinds.push('noindex');
  if (before.links !== now.links || before.externalLinks !== now.externalLinks) kinds.push('links');
  return kinds;
}
