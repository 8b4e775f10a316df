import { once } from '../util/index.js';
import { characterKinds, LETTER_OR_DIGIT, MAX_TEXT_CHARACTERS, scramble } from './simhash.js';

interface IdentifyingParts {
  readonly title?: string | undefined;
  readonly headings?: readonly string[] | undefined;
  readonly text?: string | undefined;
}

/** The main heading is among the first headings, even if menus have some before it. */
const MAX_HEADINGS = 3;

/**
 * Returns a 32-bit hash of the title, the first headings and the numbers of a page, without dates. Pages with different hashes are never
 * near duplicates. For example, two products of a shop may share nearly all words, and differ only in name and price.
 */
export function identityOf({ title = '', headings = [], text = '' }: IdentifyingParts): number {
  let hash = withText(0, title);
  for (const heading of headings.slice(0, MAX_HEADINGS)) hash = withText(hash, heading);
  for (const number of numbersOf(text)) hash = withText(hash, number);
  return hash >>> 0;
}

function withText(before: number, text: string): number {
  let hash = before ^ 0x811c9dc5;
  const plain = text.trim().toLowerCase();
  for (let i = 0; i < plain.length; i++) hash = Math.imul(hash ^ plain.charCodeAt(i), 0x01000193);
  return scramble(hash);
}

/** Matches numbers with their separators: `1,299.00`, `10:30`, `2026-05-01`. Digits may be ASCII, Arabic or full-width. */
const NUMBER = /[-−]?[0-9٠-٩۰-۹０-９]+(?:[.,:/-][0-9٠-٩۰-۹０-９]+)*/g;
const DATE = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{1,2}\/\d{1,2}\/\d{2})$/;
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?$/;
const DAY = /^(?:[1-9]|0[1-9]|[12]\d|3[01])$/;
const YEAR = /^(?:19|20)\d\d$/;
/** Matches the signs for year, month and day after a number in Chinese, Japanese and Korean. */
const UNIT_OF_DATE = /^ ?[年月日년월일]/;
const WORD_BEFORE = /(\p{L}+)\.?,? (?:de |of )?$/u;
const MONTH_AND_DAY_BEFORE = /(\p{L}+)\.? \d{1,2}(?:st|nd|rd|th)?,? $/u;
const WORD_AFTER = /^(?:\.|st|nd|rd|th|º)? (?:de |of )?(\p{L}+)/u;
const CONTEXT_CHARACTERS = 24;
/** The maximum number of characters between a date and its time, as in `1 May 2026, at 10:30`. */
const MAX_CHARACTERS_BEFORE_CLOCK = 5;

/**
 * The numbers of a text in order. A number within a word (`w3`) is part of the word. Dates are left out, and so is a time right after a
 * date: they tell when a page was made, not what it is about.
 */
export function* numbersOf(given: string): Generator<string> {
  const text = given.slice(0, MAX_TEXT_CHARACTERS);
  const kinds = characterKinds();
  let endOfDate = -Infinity;
  for (const { 0: found, index } of text.matchAll(NUMBER)) {
    const isInWord = index > 0 && kinds[text.charCodeAt(index - 1)] === LETTER_OR_DIGIT;
    // After a letter, a minus sign is a hyphen: `model-7`.
    const number = isInWord ? found.replace(/^[-−]/, '') : found;
    if (isInWord && number === found) continue;
    const end = index + found.length;
    const isTimeOfDate = index - endOfDate <= MAX_CHARACTERS_BEFORE_CLOCK && CLOCK.test(number);
    if (isTimeOfDate || isOfDate(number, text, end - number.length, end)) endOfDate = end;
    else yield number;
  }
}

function isOfDate(number: string, text: string, start: number, end: number): boolean {
  if (DATE.test(number)) return true;
  const isDay = DAY.test(number);
  if (!isDay && !YEAR.test(number)) return false;
  const after = text.slice(end, end + CONTEXT_CHARACTERS);
  if (UNIT_OF_DATE.test(after)) return true;
  const before = text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start);
  if (isMonth(WORD_BEFORE.exec(before))) return true;
  return isDay ? isMonth(WORD_AFTER.exec(after)) : isMonth(MONTH_AND_DAY_BEFORE.exec(before));
}

function isMonth(found: RegExpExecArray | null): boolean {
  return found !== null && months().has(found[1]!.toLowerCase());
}

const LANGUAGES = 'en de fr es it pt nl pl cs ru uk sv da nb fi hu tr'.split(' ');

/** Names of months in {@link LANGUAGES}, in the form that dates use, and the short names in English. */
const months = once((): ReadonlySet<string> => {
  const names = new Set<string>();
  const days = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 15)));
  const add = (language: string, month: 'long' | 'short'): void => {
    const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
    for (const day of days) {
      const name = format.formatToParts(day).find(({ type }) => type === 'month')?.value ?? '';
      names.add(name.toLowerCase().replace(/\.$/, ''));
    }
  };
  for (const language of LANGUAGES) add(language, 'long');
  add('en', 'short');
  return names;
});
