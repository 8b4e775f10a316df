import type { KeyRange } from '../../../webtable/index.js';
import { replaceUnseen } from '../../util/index.js';
import { startOfDate } from './query-date.js';
import { siteRanges } from './site-ranges.js';

/** A word, a run of words without blanks, or a phrase of a query, as it was typed. */
export interface QueryPart {
  readonly text: string;
  /** It was in quotes: its words stand side by side. */
  readonly isPhrase: boolean;
  /** Pages with it are left out. */
  readonly isExcluded: boolean;
  /** `intitle:` and `inurl:`; absent: anywhere. */
  readonly field?: 'title' | 'url';
}

/** Why something of a query was not looked for. */
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

/** An operator that says which pages are looked at, as it was read. */
export interface QueryOperator {
  readonly name: 'site' | 'lang' | 'after' | 'before';
  /** As typed. */
  readonly value: string;
  readonly isExcluded: boolean;
}

/** Something of a query that was not looked for, or was read in a way that is not obvious. */
export interface QueryNotice {
  readonly code: NoticeCode;
  /** What it is about, as typed, at most 100 characters; untrusted. */
  readonly text?: string;
  /** How many there were. */
  readonly count?: number;
}

/** A query as it was read. */
export interface ParsedQuery {
  readonly parts: readonly QueryPart[];
  /** Those that were understood, in their order. */
  readonly operators: readonly QueryOperator[];
  /** Row keys of the sites; a page is in one of them. */
  readonly sites: readonly KeyRange[];
  readonly notSites: readonly KeyRange[];
  /** Primary language subtags in lower case; a page is in one of them. */
  readonly languages: readonly string[];
  readonly notLanguages: readonly string[];
  /** Changed at this moment or later, ms since the epoch. */
  readonly from?: number;
  /** Changed before this moment. */
  readonly to?: number;
  readonly notices: readonly QueryNotice[];
}

/** Characters of a query that are read. */
export const MAX_QUERY_LENGTH = 100_000;
/** `site:` of a query that are read, and as many `lang:`. */
export const MAX_SITES = 32;
export const MAX_LANGUAGES = 32;
/** Notices of single parts of a query; of more it is said how many there are. */
const MAX_NOTICES = 10;

/** By opening quote, what closes it. */
const QUOTES: Readonly<Record<string, string>> = { '"': '"', '\u201c': '\u201d', '\u300c': '\u300d' };
const OPERATOR = /^(site|inurl|intitle|lang|after|before)[:\uff1a]/i;
const LANGUAGE = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i;

/**
 * Reads a query: words, `"phrases"`, `site:`, `inurl:`, `intitle:`, `lang:`, `after:` and `before:` with a date, and `-`
 * before any of these but the dates. Any text is a query: what cannot be read is left out with a notice. It takes time
 * by the length of the text.
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
  /** Reads what begins at `at`, and returns where it ends, always behind `at`. */
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
    // The name of an operator and its colon are at most nine characters.
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

  /** Whether there is room for one more of these operators: an index is not asked for any number of them. */
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
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
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

/** A quoted text, or all to the next blank or opening quote. A quote that nothing closes counts to the end of the query. */
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
