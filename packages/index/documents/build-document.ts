import { hash } from 'node:crypto';
import {
  detectLanguage,
  isRedirect,
  tryRowKeyOf,
  urlOf,
  type Inlink,
  type PageRow,
  type Count,
  type CounterName,
  type IndexDocument,
  type Plugin,
} from '../../core/index.js';
import { primaryLanguage } from '../words/primary-language.js';

export const INDEX_FIELDS = [
  'status',
  'parseStatus',
  'fetchedAt',
  'modifiedAt',
  'title',
  'headings',
  'text',
  'language',
  'inlinks',
  'rank',
  'duplicateOf',
  'marks',
] as const;

export type IndexRow = PageRow<(typeof INDEX_FIELDS)[number]>;

const MAX_ANCHORS = 50;
const MAX_ANCHOR_UTF16_UNITS = 200;
const MAX_TEXT_UTF16_UNITS = 2 ** 20;

/**
 * A document, or if there is none, the counter that names the reason. The counter `held` means that a batch is working on the page. The
 * index then keeps its entry of the page unchanged.
 */
export type Built = { readonly document: IndexDocument } | { readonly leftOut: CounterName };

/**
 * Makes the function that turns a row into a document. Its argument `isReplaced` says whether the canonical page that the page names is in
 * the index in place of the page.
 * @param plugins the filters of these plugins are called in list order
 * @param count gets the errors of filters
 */
export function createDocuments(plugins: readonly Plugin[], count: Count) {
  const filters = plugins.filter(({ indexFilter }) => indexFilter);

  return async function build(row: IndexRow, isReplaced: boolean): Promise<Built> {
    const leftOut = reasonAgainst(row, isReplaced);
    if (leftOut) return { leftOut };
    const { key, title = '', headings = [], rank = 0, fetchedAt = 0, modifiedAt = 0, inlinks = [] } = row;
    const text = (row.text ?? '').slice(0, MAX_TEXT_UTF16_UNITS);
    let page: Omit<IndexDocument, 'fingerprint'> = {
      key,
      url: urlOf(key),
      title,
      headings: headings.join('\n'),
      anchors: anchorsOf(key, inlinks),
      text,
      language: pageLanguage(row.language ?? (await detectLanguage(text)), text),
      fetchedAt,
      modifiedAt,
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
 * Whether a batch has fetched the page, but updatedb has not processed that batch yet. Until then, the row may have fields of the old and
 * of the new content. Afterwards the batch is indexed.
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
  // If a page that was fetched once cannot be fetched again, its old content stays in the index. The content is removed when the page becomes
  // `gone`.
  const isPending = status === undefined || status === 'unfetched' || status === 'retry';
  if (isPending && parseStatus?.code !== 'success') return 'not_fetched';
  if (parseStatus?.noindex) return 'noindex';
  if (duplicateOf !== undefined) return 'duplicate';
  if (parseStatus?.code !== 'success') return 'not_parsed';
  if (!title && !text) return 'empty';
  return isReplaced ? 'canonical' : undefined;
}

/** Returns the row key of another page that this page names as canonical. Undefined: the page names no canonical page, or names itself. */
export function canonicalKeyOf({ key, parseStatus }: Pick<IndexRow, 'key' | 'parseStatus'>): string | undefined {
  const other = parseStatus?.canonical === undefined ? undefined : tryRowKeyOf(parseStatus.canonical);
  return other === key ? undefined : other;
}

/** Returns the anchor texts of links from other pages, in the order of the row keys of these pages. */
function anchorsOf(key: string, inlinks: readonly Inlink[]): string {
  const own = urlOf(key);
  const anchors = new Set<string>();
  for (const { url, anchor } of inlinks) {
    const text = anchor.replace(/\s+/g, ' ').trim().slice(0, MAX_ANCHOR_UTF16_UNITS);
    if (text !== '' && url !== own) anchors.add(text);
    if (anchors.size >= MAX_ANCHORS) break;
  }
  return [...anchors].join('\n');
}

function fingerprintOf(page: Omit<IndexDocument, 'fingerprint'>): string {
  const { url, title, headings, anchors, text, language, modifiedAt } = page;
  const parts = [url, title, headings, anchors, text, language, modifiedAt];
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** The language of a text is determined from this number of UTF-16 units. */
const SAMPLE = 4000;

/**
 * For each language, its script, and the minimum share of letters in this script. A text with this share is in the language. The share of
 * kana is small, because Japanese has many Han characters, and Chinese never has kana.
 */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp, share: number])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 0.1],
  ['zh', /\p{Script=Han}/gu, 0.3],
  ['ko', /\p{Script=Hangul}/gu, 0.3],
  ['th', /\p{Script=Thai}/gu, 0.3],
  ['el', /\p{Script=Greek}/gu, 0.5],
];

/** Matches letters of all scripts in the list above, which have higher codes than Latin letters. */
const OTHER_LETTERS = /[\u0370-\uffff]/;

/** Languages that use Han characters, alone or with other letters. */
const HAN: ReadonlySet<string> = new Set(['ja', 'zh', 'ko', 'yue', 'wuu', 'lzh', 'cmn']);

/**
 * Returns the language for indexing a page, as the primary part of a tag. The script of the text decides first, because many pages wrongly
 * state `en`. If the script does not decide, the stated language is returned. Empty: the language is unknown.
 */
function pageLanguage(stated: string | undefined, text: string): string {
  const language = primaryLanguage(stated);
  const sample = text.slice(0, SAMPLE);
  if (!OTHER_LETTERS.test(sample)) return language;
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  for (const [written, script, share] of SCRIPTS) {
    if ((sample.match(script)?.length ?? 0) <= letters * share) continue;
    return written === 'zh' && HAN.has(language) ? language : written;
  }
  return language;
}

type Changes = Partial<Omit<IndexDocument, 'key' | 'url' | 'fingerprint'>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => Number.isSafeInteger(value);

const CHECKS: Readonly<Record<keyof Changes, (value: unknown) => boolean>> = {
  title: isText,
  headings: isText,
  anchors: isText,
  text: isText,
  language: isText,
  fetchedAt: isTime,
  modifiedAt: isTime,
  rank: Number.isFinite,
};

/** Fields that may be in the answer of a filter, but are not changed by it. */
const KEPT: ReadonlySet<string> = new Set(['key', 'url']);

/**
 * Checks the answer of an index filter, and returns `refused` or the changes of the filter. The check is needed because a filter may be
 * plain JavaScript, and its answer is sent to other threads and servers.
 * @throws TypeError for a result that is not an answer of an index filter
 */
function checkFilterAnswer(answer: unknown): 'refused' | Changes {
  if (answer === true) return {};
  if (answer === false || typeof answer === 'string') return 'refused';
  if (typeof answer !== 'object' || answer === null || 'then' in answer)
    throw new TypeError('expected true, false, a reason or changed fields');
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(answer)) {
    if (KEPT.has(name)) continue;
    if (!Object.hasOwn(CHECKS, name) || !CHECKS[name as keyof Changes](value))
      throw new TypeError(`expected fields of a document, found ${name} of type ${typeof value}`);
    changes[name] = value;
  }
  return changes;
}
