import type { FetchOutcome } from '../../../plugin-api/index.js';
import type { EncodedFields, PageChange, PlainField } from '../../../../webtable/index.js';
import type { JobRun } from '../../context.js';
import { changedLinks } from '../../changes/changed-links.js';
import { parsePage } from '../../parsing/parse-page.js';
import { rulesNow } from '../../rules/rules-now.js';
import type { FetchedPage, FetchItem, FetchRun } from '../fetch-item.js';
import { takeTarget } from './follow-redirect.js';
import { isCutAt, protocolStatusOf, statusOf, storedHeaders } from './outcome-fields.js';
import { pageRecord } from './page-record.js';

export interface PageAnswer {
  readonly url: string;
  readonly outcome: FetchOutcome;
  /** Maximum bytes of the body that the request allowed. */
  readonly contentLimit: number;
}

/** The message for a redirect that leads to its own URL. */
export const TO_ITSELF = 'it redirects to itself';
/** The message for a redirect to a URL with a fragment. The field `redirectTarget` has no fragment. */
export const TO_PART = 'it redirects to a part of a page';

type StoredFields = NonNullable<PageChange['set']>;

/** The change of a page's row after an answer. */
export interface AnsweredPage extends Omit<FetchedPage, 'queue'> {
  readonly change: FetchedPage['change'] & { readonly set: StoredFields; readonly encoded?: EncodedFields };
}

interface Draft {
  readonly set: { -readonly [K in keyof StoredFields]: StoredFields[K] };
  /** Fields of an earlier fetch to remove, because they are no longer valid. */
  readonly unset: Set<PlainField>;
}

/** Makes the row change for an answer to a request. It also parses the body, and adds the target of a redirect to the batch. */
export async function answeredPage(
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  answer: PageAnswer,
): Promise<AnsweredPage> {
  const { url, outcome, contentLimit } = answer;
  const draft: Draft = {
    set: {
      fetchedAt: crawl.clock(),
      status: statusOf(outcome),
      protocolStatus: protocolStatusOf(outcome, item, contentLimit),
      ...(outcome.millis !== undefined && { fetchMs: outcome.millis }),
    },
    // An earlier fetch in this batch may have set these fields.
    unset: new Set<PlainField>(['newSignature', 'digest', 'changedLinks', 'fetchMs']),
  };
  const { set, unset } = draft;
  // A page that has not changed still has its refresh.
  if (outcome.kind !== 'notmodified') unset.add('redirectTarget');
  // The result of an earlier parse stays valid if the page has not changed, or if the answer does not say whether it has changed.
  if (outcome.kind !== 'notmodified' && outcome.kind !== 'retry') unset.add('parseStatus');
  const parsed = outcome.kind === 'content' ? await takeContent(crawl, run, item, { url, outcome }, draft) : undefined;
  if (outcome.kind === 'redirect') await takeRedirect(crawl, run, item, { url, target: outcome.target }, draft);
  const { db, fetcher } = crawl.settings;
  const page = { url, date: set.fetchedAt ?? 0, isCut: isCutAt(contentLimit, outcome), sha1: parsed?.sha1 };
  const {
    record,
    contentVersions = [],
    discard = [],
  } = pageRecord(outcome, item, page, fetcher.storeContent ? db.keepVersions : 0);
  if (record?.kind === 'response') unset.delete('contentLocation');
  if (contentVersions.length > 0) set.contentVersions = contentVersions;
  const encoded = parsed?.encoded;
  const unused = encoded && item.textLocation ? [...discard, item.textLocation] : discard;
  for (const field of [...Object.keys(set), ...(encoded?.fields ?? [])]) unset.delete(field as PlainField);
  return {
    change: {
      key: item.key,
      set,
      ...(encoded && { encoded }),
      unset: [...unset],
      ...(record && { record }),
      ...(unused.length > 0 && { discard: unused }),
    },
    isParsed: parsed?.parsed ?? false,
  };
}

/** @returns the result of the parse; undefined if pages are not parsed during the fetch */
async function takeContent(
  crawl: JobRun,
  run: FetchRun,
  { key, distance, textLocation, sitemap }: FetchItem,
  { url, outcome }: { readonly url: string; readonly outcome: Extract<FetchOutcome, { kind: 'content' }> },
  { set, unset }: Draft,
) {
  const { body: content, contentType, truncated } = outcome;
  set.contentType = contentType;
  set.bodyBytes = content.length;
  set.headers = storedHeaders(outcome.headers);
  // The body of an earlier fetch does not belong to this answer.
  unset.add('contentLocation').add('contentVersions');
  if (!run.parse) return undefined;
  while (crawl.tables.timeSlice.isOver) await crawl.tables.timeSlice.next();
  const isSeed = distance === 0;
  const page = { url, content, contentType, headers: set.headers, sitemap, isSeed, truncated };
  const result = await parsePage(crawl, await rulesNow(crawl), page, (name, n) => {
    run.tracker.count(name, n);
    if (name === 'needs_scripts' || name.startsWith('failed_')) run.findings.example(name, url);
  });
  // The earlier links are in the text record.
  const links = textLocation === undefined ? undefined : await changedLinks(crawl, key, result.encoded);
  if (links) set.changedLinks = links;
  if (isSeed && result.refresh !== undefined) crawl.scope.addTarget(url, result.refresh);
  for (const field of result.unset) unset.add(field);
  return result;
}

async function takeRedirect(
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  { url, target: location }: { readonly url: string; readonly target: string | null },
  { set }: Draft,
): Promise<void> {
  const target = await takeTarget(crawl, run, item, url, location);
  if (target === 'too_many') {
    set.status = 'gone';
    set.protocolStatus = { ...set.protocolStatus!, code: 'redirect_exceeded' };
  } else if (target === 'itself') {
    set.protocolStatus = { ...set.protocolStatus!, message: TO_ITSELF };
  } else if (target !== undefined) {
    set.redirectTarget = target.url;
    if (location?.includes('#')) set.protocolStatus = { ...set.protocolStatus!, message: TO_PART };
  }
}
