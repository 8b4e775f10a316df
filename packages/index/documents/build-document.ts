import { hash } from 'node:crypto';
import { isRedirect, rowKeyOf, urlOf, type Inlink, type PageRow } from '../../../webtable/index.js';
import type { Count, CounterName } from '../../jobs/index.js';
import type { IndexDocument, Plugin } from '../../plugin-api/index.js';
import { checkFilterAnswer } from './filter-answer.js';
import { pageLanguage } from './page-language.js';

/** What is read of a row to index it. */
export const INDEX_FIELDS = [
  'status',
  'parseStatus',
  'fetchedAt',
  'modifiedTime',
  'title',
  'headings',
  'text',
  'language',
  'inlinks',
  'rank',
  'duplicateOf',
  'marks',
] as const;

/** A row as it is indexed. */
export type IndexRow = PageRow<(typeof INDEX_FIELDS)[number]>;

/** Distinct anchor texts of a page, and UTF-16 units of each, that are indexed. */
const MOST_ANCHORS = 50;
const LONGEST_ANCHOR = 200;
/** UTF-16 units of a text that are indexed: a longer one goes by its beginning. */
const LONGEST_TEXT = 2 ** 20;

/** A document, or the counter of why there is none. `held`: a fetch is under way, and it stays in the index as it is there. */
export type Built = { readonly document: IndexDocument } | { readonly leftOut: CounterName };

/**
 * Makes the function that turns rows into documents.
 * @param plugins those with an `indexFilter` decide, in list order
 * @param isReplaced whether the page that this one names as canonical is in the index in its place
 */
export function createDocuments(plugins: readonly Plugin[], count: Count) {
  const filters = plugins.filter(({ indexFilter }) => indexFilter);

  return function build(row: IndexRow, isReplaced: boolean): Built {
    const leftOut = reasonAgainst(row, isReplaced);
    if (leftOut) return { leftOut };
    const { key, title = '', headings = [], rank = 0, fetchedAt = 0, modifiedTime = 0, inlinks = [] } = row;
    const text = (row.text ?? '').slice(0, LONGEST_TEXT);
    let page: Omit<IndexDocument, 'fingerprint'> = {
      key,
      url: urlOf(key),
      title,
      headings: headings.join('\n'),
      anchors: anchorsOf(key, inlinks),
      text,
      language: pageLanguage(row.language, text),
      fetchedAt,
      modifiedTime,
      rank,
    };
    for (const { name, indexFilter } of filters) {
      try {
        const answer = checkFilterAnswer(indexFilter!(page));
        if (answer === 'refused') return { leftOut: `rejected_${name}` };
        page = { ...page, ...answer };
      } catch {
        count(`plugin_error_${name}`);
        return { leftOut: `rejected_${name}` };
      }
    }
    return { document: { ...page, fingerprint: fingerprintOf(page) } };
  };
}

/**
 * Whether a batch has fetched the page and is not updated yet. It will bring the page: until then the row may be half of the old one
 * and half of the new one.
 */
export function isHeld(row: Pick<IndexRow, 'marks'> | undefined): boolean {
  return row?.marks?.generate !== undefined && row.marks.fetch === row.marks.generate;
}

function reasonAgainst(row: IndexRow, isReplaced: boolean): CounterName | undefined {
  const { status, parseStatus, title, text, duplicateOf, damaged } = row;
  if (damaged) return 'damaged';
  if (isHeld(row)) return 'held';
  if (status === 'gone') return 'gone';
  if (isRedirect(status)) return 'redirected';
  // A page that could not be fetched again, as for a server that fails, is as it was until it is given up.
  const isPending = status === undefined || status === 'unfetched' || status === 'retry';
  if (isPending && parseStatus?.code !== 'success') return 'not_fetched';
  if (parseStatus?.noindex) return 'noindex';
  if (duplicateOf !== undefined) return 'duplicate';
  if (parseStatus?.code !== 'success') return 'not_parsed';
  if (!title && !text) return 'empty';
  return isReplaced ? 'canonical' : undefined;
}

/** The row key of the other page that a page names as canonical; undefined where it names none, or itself. */
export function canonicalKeyOf({ key, parseStatus }: Pick<IndexRow, 'key' | 'parseStatus'>): string | undefined {
  if (parseStatus?.canonical === undefined) return undefined;
  try {
    const other = rowKeyOf(parseStatus.canonical);
    return other === key ? undefined : other;
  } catch {
    return undefined;
  }
}

/** Those of other pages, in the order of their row keys. */
function anchorsOf(key: string, inlinks: readonly Inlink[]): string {
  const own = urlOf(key);
  const anchors = new Set<string>();
  for (const { url, anchor } of inlinks) {
    const text = anchor.replace(/\s+/g, ' ').trim().slice(0, LONGEST_ANCHOR);
    if (text !== '' && url !== own) anchors.add(text);
    if (anchors.size >= MOST_ANCHORS) break;
  }
  return [...anchors].join('\n');
}

function fingerprintOf(page: Omit<IndexDocument, 'fingerprint'>): string {
  const { url, title, headings, anchors, text, language, modifiedTime } = page;
  const parts = [url, title, headings, anchors, text, language, modifiedTime];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
