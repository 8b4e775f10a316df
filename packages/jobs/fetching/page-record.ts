import { httpHead, type ContentLocation, type ContentRecord, type Truncation } from '../../../webtable/index.js';
import type { FetchAnswer, FetchOutcome } from '../../plugin-api/index.js';
import type { FetchItem } from './fetch-item.js';

/** What becomes of the bodies of a page. */
export interface PageRecord {
  /** Absent where nothing is stored. */
  readonly record?: ContentRecord;
  /** Earlier bodies that are kept. */
  readonly contentVersions?: readonly ContentLocation[];
  /** Earlier bodies that are not. */
  readonly discard?: readonly ContentLocation[];
}

/**
 * What to store of an answer: of one with a body, and of one that says that nothing has changed, a record.
 * @param keepVersions bodies of a page that are kept, the new one among them; 0 where none is stored
 */
export function pageRecord(
  outcome: FetchOutcome,
  { contentAt, contentVersions = [] }: FetchItem,
  page: { readonly url: string; readonly date: number; readonly isCut: boolean },
  keepVersions: number,
): PageRecord {
  const { url, date } = page;
  const earlier = contentAt ? [contentAt, ...contentVersions] : contentVersions;
  if (keepVersions === 0) return outcome.kind === 'content' ? { discard: earlier } : {};
  const head = headOf(outcome);
  if (outcome.kind === 'notmodified') {
    if (!contentAt) return {};
    return { record: { kind: 'revisit', url, date, refersTo: contentAt, ...(head !== undefined && { head }) } };
  }
  if (outcome.kind !== 'content') return {};
  const { body, contentType } = outcome;
  const truncated = truncationOf(outcome, page.isCut);
  return {
    record: {
      kind: 'response',
      url,
      date,
      ...(head === undefined ? { contentType } : { head }),
      body,
      ...(truncated && { truncated }),
    },
    contentVersions: earlier.slice(0, keepVersions - 1),
    discard: earlier.slice(keepVersions - 1),
  };
}

/** HTTP/1.1 whatever the version was: archive tools know no other, and it says nothing of the page. */
function headOf({ http, statusText = '', rawHeaders, headers = {} }: FetchAnswer): string | undefined {
  if (http === undefined) return undefined;
  return httpHead(`HTTP/1.1 ${http} ${statusText}`, rawHeaders ? pairsOf(rawHeaders) : Object.entries(headers));
}

function* pairsOf(rawHeaders: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) yield [rawHeaders[i]!, rawHeaders[i + 1]!];
}

function truncationOf(outcome: Extract<FetchOutcome, { kind: 'content' }>, isCut: boolean): Truncation | undefined {
  if (!outcome.truncated) return undefined;
  if (isCut) return 'length';
  return outcome.http === 206 ? 'unspecified' : 'disconnect';
}
