import type { IndexQuery } from '../../index/index.js';
import { type KeyRange, domainRanges, prefixRange } from '../../core/index.js';
import { defined, replaceUnseen } from '../../util/index.js';
import { CrawlError } from '../../errors/index.js';

/** A word, a run of words without blanks, or a phrase of a query, as the user typed it. */
export interface QueryPart {
  readonly text: string;
  /** Whether the part was in quotes. The words of such a part must be adjacent. */
  readonly isPhrase: boolean;
  readonly isExcluded: boolean;
  /** The field of `intitle:` or `inurl:`. Absent: any field. */
  readonly field?: 'title' | 'url';
}

/** Why a part of a query was not searched. */
export type NoticeCode =
  | 'query_too_long'
  | 'too_many_words'
  | 'too_many_sites'
  | 'too_many_languages'
  | 'operator_without_value'
  | 'bad_site'
  | 'bad_date'
  | 'bad_language'
  | 'unclosed_quote'
  | 'no_word'
  | 'only_excluded'
  | 'common_words'
  | 'some_words'
  | 'some_words_too'
  | 'index_incomplete'
  | 'more_notices';

interface QueryOperator {
  readonly name: 'site' | 'lang' | 'after' | 'before';
  readonly value: string;
  readonly isExcluded: boolean;
}

/** A notice on a part of a query that was not searched, or was read in an unexpected way. */
export interface QueryNotice {
  readonly code: NoticeCode;
  /** The part of the query, at most 100 characters; untrusted. */
  readonly text?: string;
  /** The number of parts of the query that the notice is about. */
  readonly count?: number;
}

export interface ParsedQuery
  extends Pick<IndexQuery, 'from' | 'to'>, Required<Pick<IndexQuery, 'sites' | 'notSites' | 'notLanguages'>> {
  readonly parts: readonly QueryPart[];
  readonly operators: readonly QueryOperator[];
  /** Primary language subtags in lower case. The page must be in one of these languages. */
  readonly languages: readonly string[];
  readonly notices: readonly QueryNotice[];
}

export const MAX_QUERY_LENGTH = 100_000;
export const MAX_SITES = 32;
export const MAX_LANGUAGES = 32;
/** Maximum number of notices on single parts of a query. More notices are only counted. */
const MAX_NOTICES = 10;

const QUOTES: Readonly<Record<string, string>> = { '"': '"', '\u201c': '\u201d', '\u300c': '\u300d' };
const OPERATOR = /^(site|inurl|intitle|lang|after|before)[:\uff1a]/i;
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i;

/**
 * Parses a query: words, `"phrases"`, `site:`, `inurl:`, `intitle:`, `lang:`, and `after:` and `before:` with a date. Each of these parts
 * may have a `-` before it, except dates. Any text is a query: a part that cannot be read is dropped with a notice. The time is linear in
 * the length of the text.
 */
export function parseQuery(query: string): ParsedQuery {
  const notices: QueryNotice[] = [];
  if (query.length > MAX_QUERY_LENGTH) {
    notices.push({ code: 'query_too_long', count: query.length - MAX_QUERY_LENGTH });
  }
  const text = replaceUnseen(query.slice(0, MAX_QUERY_LENGTH), ' ');
  const reader = createReader(notices);
  for (let at = 0; at < text.length;) {
    if (isBlank(text[at])) at += 1;
    else at = reader.read(text, at);
  }
  return reader.end();
}

interface Reader {
  /** Reads the part that begins at `at`, and returns the position where the part ends. The end is always after `at`. */
  read(text: string, at: number): number;
  end(): ParsedQuery;
}

function createReader(notices: QueryNotice[]): Reader {
  let moreNotices = 0;
  const parts: QueryPart[] = [];
  const operators: QueryOperator[] = [];
  const tooMany = { site: 0, lang: 0 };
  const sites: KeyRange[] = [];
  const notSites: KeyRange[] = [];
  const languages = new Set<string>();
  const notLanguages = new Set<string>();
  let from: number | undefined;
  let to: number | undefined;

  function notice(code: NoticeCode, text: string): void {
    if (notices.length < MAX_NOTICES) notices.push({ code, text: shortened(text) });
    else moreNotices += 1;
  }

  function read(text: string, begin: number): number {
    let at = begin;
    const isExcluded = text[at] === '-' && at + 1 < text.length && !isBlank(text[at + 1]) && text[at + 1] !== '-';
    if (isExcluded) at += 1;
    // Only nine characters are read: the longest name of an operator has nine characters with the colon.
    const operator = OPERATOR.exec(text.slice(at, at + 9));
    if (operator) at += operator[0].length;
    const value = readValue(text, at);
    if (value.isUnclosed) notice('unclosed_quote', text.slice(at, value.end));
    const name = operator?.[1]?.toLowerCase() ?? '';
    if (value.text.trim() !== '') apply(name, value, isExcluded);
    else if (operator) notice('operator_without_value', operator[0]);
    return Math.max(value.end, begin + 1);
  }

  function apply(name: string, value: Value, isExcluded: boolean): void {
    const refuse = (code: NoticeCode): void => notice(code, value.text);
    const text = value.text.trim();
    if (name === 'site') {
      const ranges = siteRanges(text);
      if (!ranges) refuse('bad_site');
      else if (take(name, text, isExcluded, MAX_SITES)) (isExcluded ? notSites : sites).push(...ranges);
    } else if (name === 'lang') {
      const language = (/^[a-z]+/i.exec(text)?.[0] ?? '').toLowerCase();
      if (!LANGUAGE.test(text)) refuse('bad_language');
      else if (take(name, text, isExcluded, MAX_LANGUAGES)) (isExcluded ? notLanguages : languages).add(language);
    } else if (name === 'after' || name === 'before') {
      const time = startOfDate(text);
      if (time === undefined || isExcluded) return refuse('bad_date');
      operators.push({ name, value: text, isExcluded });
      if (name === 'after') from = Math.max(from ?? -Infinity, time);
      else to = Math.min(to ?? Infinity, time);
    } else {
      const field = name === 'intitle' ? 'title' : name === 'inurl' ? 'url' : undefined;
      parts.push({ text: value.text, isPhrase: value.isQuoted, isExcluded, ...(field && { field }) });
    }
  }

  /** Adds an operator. Returns false if the query already has the maximum number of these operators. */
  function take(name: 'site' | 'lang', value: string, isExcluded: boolean, most: number): boolean {
    if (operators.filter((each) => each.name === name).length >= most) {
      tooMany[name] += 1;
      return false;
    }
    operators.push({ name, value, isExcluded });
    return true;
  }

  return {
    read,
    end: () => ({
      parts,
      operators,
      sites,
      notSites,
      languages: [...languages],
      notLanguages: [...notLanguages],
      ...defined({ from, to }),
      notices: [
        ...notices,
        ...(moreNotices > 0 ? [{ code: 'more_notices' as const, count: moreNotices }] : []),
        ...(tooMany.site > 0 ? [{ code: 'too_many_sites' as const, count: tooMany.site }] : []),
        ...(tooMany.lang > 0 ? [{ code: 'too_many_languages' as const, count: tooMany.lang }] : []),
      ],
    }),
  };
}

interface Value {
  readonly text: string;
  readonly end: number;
  readonly isQuoted: boolean;
  readonly isUnclosed: boolean;
}

/**
 * Reads a quoted text, or the text up to the next blank or opening quote. A quotation that is not closed extends to the end of the query.
 */
function readValue(text: string, at: number): Value {
  const closing = QUOTES[text[at] ?? ''];
  if (closing !== undefined) {
    const close = text.indexOf(closing, at + 1);
    const end = close === -1 ? text.length : close;
    return {
      text: text.slice(at + 1, end),
      end: close === -1 ? end : end + 1,
      isQuoted: true,
      isUnclosed: close === -1,
    };
  }
  let end = at;
  while (end < text.length && !isBlank(text[end]) && (end === at || QUOTES[text[end]!] === undefined)) end += 1;
  return { text: text.slice(at, end), end, isQuoted: false, isUnclosed: false };
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}\u2026` : text;
}

/**
 * Returns the key ranges for the value of `site:`. A domain includes all hosts below it. A host with a path (`example.com/docs`) means the
 * http and https URLs that begin with this host and path. A complete URL means all URLs that begin with this URL. Undefined for any other
 * text.
 */
function siteRanges(site: string): readonly KeyRange[] | undefined {
  try {
    if (/^https?:\/\//i.test(site)) return [prefixRange(site)];
    const domain = site.replace(/^\*?\./, '').replace(/\/$/, '');
    if (domain === '' || domain.includes('://')) return undefined;
    if (domain.includes('/') || /:\d+$/.test(domain)) {
      return ['http', 'https'].map((scheme) => prefixRange(`${scheme}://${domain}`));
    }
    return domainRanges(domain);
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'BAD_URL') return undefined;
    throw error;
  }
}

const DATE = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;

/**
 * Returns the start, in UTC, of a year, month or day such as `2026`, `2026-1` or `2026-01-31`, in ms since the epoch. Undefined for any
 * other text, and for a day that its month does not have.
 */
export function startOfDate(text: string): number | undefined {
  const [, year, month = '1', day = '1'] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isReal ? date.getTime() : undefined;
}
