import { hostHealth } from '../../../fetch/index.js';
import type { FetchOutcome, ProtocolCode } from '../../../plugin-api/index.js';
import type { PageChange } from '../../../../webtable/index.js';
import type { PageOutcome } from '../../context.js';
import type { FetchItem, FetchRun } from '../fetch-item.js';

type StoredFields = NonNullable<PageChange['set']>;

/**
 * Counts a stored page, and calls `onFetched` for it.
 * @param set the changed fields of the row
 */
export function countFetched(
  { tracker, findings, batchId, onFetched }: FetchRun,
  item: FetchItem,
  url: string,
  outcome: FetchOutcome,
  set: StoredFields,
): void {
  tracker.count('fetched');
  onFetched(outcomeOf(url, set, item, batchId));
  findings.fetched(url, item.distance === 0);
  tracker.received(outcome.kind === 'content' ? outcome.body.length : 0);
  if (outcome.lenient) tracker.count('lenient');
  // A protocol of a plugin may use its own codes.
  const code = (set.protocolStatus?.code ?? 'success') as ProtocolCode;
  if (outcome.http === undefined && hostHealth(outcome) === 'troubled') findings.noAnswer(url, code);
  if (set.status === 'gone' || set.status === 'retry') {
    tracker.fail(code);
    findings.example(code, url);
  } else tracker.count(code);
  if (set.redirectTarget !== undefined) findings.redirected(set.redirectTarget);
  if (isLocked(outcome.http) && item.marks?.inject !== undefined) tracker.count('seeds_denied');
  tracker.done();
}

function outcomeOf(
  url: string,
  { fetchedAt = 0, status = 'retry', protocolStatus, fetchMs, bodyBytes }: StoredFields,
  { distance, redirectDepth = 0 }: FetchItem,
  batchId: string,
): PageOutcome {
  const { code = 'success', http } = protocolStatus ?? {};
  return {
    time: fetchedAt,
    url,
    status,
    code,
    ...(http !== undefined && { http }),
    ...(fetchMs !== undefined && { ms: fetchMs }),
    ...(bodyBytes !== undefined && { bytes: bodyBytes }),
    from: redirectDepth > 0 ? 'redirect' : distance === 0 ? 'seed' : 'link',
    batchId,
  };
}

/** Whether the server requires a login, or refuses access. */
function isLocked(http: number | undefined): boolean {
  return http === 401 || http === 403;
}
