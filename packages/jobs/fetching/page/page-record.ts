import { httpHead, type ContentLocation, type ContentRecord, type Truncation } from '../../../../webtable/index.js';
import type { FetchAnswer, FetchOutcome } from '../../../plugin-api/index.js';
import type { FetchItem } from '../fetch-item.js';

/** The record of a page to store, and the changes of its earlier bodies. */
interface PageRecord {
  /** The record to store. Absent: no record is stored. */
  readonly record?: ContentRecord;
  /** The earlier bodies to keep. */
  readonly contentVersions?: readonly ContentLocation[];
  /** The earlier bodies to discard. */
  readonly discard?: readonly ContentLocation[];
}

/**
 * Returns the record to store for an answer, if the answer has a body or is a 304.
 * @param keepVersions number of bodies to keep for each page, including the new body; 0 if bodies are not stored
 */
export function pageRecord(
  outcome: FetchOutcome,
  { contentLocation, contentVersions = [] }: FetchItem,
  page: { readonly url: string; readonly date: number; readonly isCut: boolean; readonly sha1?: string | undefined },
  keepVersions: number,
): PageRecord {
  const { url, date, sha1 } = page;
  const earlier = contentLocation ? [contentLocation, ...contentVersions] : contentVersions;
  if (keepVersions === 0) return outcome.kind === 'content' ? { discard: earlier } : {};
  const head = headOf(outcome);
  if (outcome.kind === 'notmodified') {
    if (!contentLocation) return {};
    return { record: { kind: 'revisit', url, date, refersTo: contentLocation, ...(head !== undefined && { head }) } };
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
      ...(sha1 !== undefined && { sha1 }),
      ...(truncated && { truncated }),
    },
    contentVersions: earlier.slice(0, keepVersions - 1),
    discard: earlier.slice(keepVersions - 1),
  };
}

/** Returns the HTTP head for the record. It always names HTTP/1.1, because archive tools know no other version. */
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
