import { statedDay, type StatedTime } from '../../../core/index.js';
import { monthOf } from './months.js';

export interface WrittenDate {
  readonly time: StatedTime;
  readonly start: number;
  readonly end: number;
}

interface Writing {
  readonly pattern: RegExp;
  readonly read: (groups: readonly string[], language: string) => StatedTime | undefined;
}

const NAME = String.raw`([\p{L}\p{M}][\p{L}\p{M}.]{1,19})`;
const GAP = String.raw`[\s,./·-]{1,3}`;
/** Words within dates, in Romance and other languages. */
const OF = String.raw`(?:(?:de|del|di|da|of|den|ta’|am)\s+|d['’])?`;
const YEAR = String.raw`((?:19|20|25)\d{2})(?![\d])`;
const DAY = String.raw`(?<!\d|\d[.,:/-])(\d{1,2})`;
const ORDINAL = String.raw`(?:st|nd|rd|th|er|ère|º|ª|°|ος|η|-?[гй]о|-?ga|-?an)?`;

const WRITINGS: readonly Writing[] = [
  {
    pattern: /(?<!\d)((?:19|20)\d{2})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일号]?/gu,
    read: ([year, month, day]) => dayOf(year, Number(month), day),
  },
  {
    pattern: /(?<![\d.,/-])((?:19|20)\d{2})\s?([-./])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\d)/gu,
    read: ([year, , month, day]) => dayOf(year, Number(month), day),
  },
  {
    // Arabic pages may write two names for a month.
    pattern: new RegExp(
      `${DAY}${ORDINAL}${GAP}${OF}${NAME}(?:\\s?/\\s?[\\p{L}\\p{M}]{3,10})?${GAP}${OF}${YEAR}`,
      'giu',
    ),
    read: ([day, name, year], language) => dayOf(year, monthOf(name!, language), day),
  },
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{M}])${NAME}\\s{0,2}(\\d{1,2})${ORDINAL}\\s{0,2}[,.]?\\s{1,2}(?:de\\s+)?${YEAR}`,
      'giu',
    ),
    read: ([name, day, year], language) => dayOf(year, monthOf(name!, language), day),
  },
  {
    pattern: new RegExp(
      `(?<!\\d)((?:19|20)\\d{2})[.,]?\\s(?:m\\.\\s|г\\.\\s)?(?:gada\\s)?${NAME}\\s(\\d{1,2})(?!\\d)`,
      'giu',
    ),
    read: ([year, name, day], language) => dayOf(year, monthOf(name!, language), day),
  },
  {
    pattern: new RegExp(`(?<!\\d)((?:19|20)\\d{2})[.,]?\\s(?:gada\\s)(\\d{1,2})\\.\\s${NAME}`, 'giu'),
    read: ([year, day, name], language) => dayOf(year, monthOf(name!, language), day),
  },
  {
    pattern: new RegExp(`${DAY}\\s+tháng\\s+(\\d{1,2}),?\\s+(?:năm\\s+)?${YEAR}`, 'giu'),
    read: ([day, month, year]) => dayOf(year, Number(month), day),
  },
  {
    pattern: new RegExp(`${DAY}\\s?([-./|])\\s?(\\d{1,2})\\s?\\2\\s?${YEAR}(?!\\.\\d)`, 'gu'),
    read: ([first, mark, second, year], language) => numeric(first!, second!, year!, mark!, language),
  },
  {
    pattern: /(?<![\d.,:/-])(\d{2})([-./])(\d{2})\2(\d{2})(?![\d.:/-])/gu,
    read: ([first, mark, second, year], language) => numeric(first!, second!, `20${year}`, mark!, language),
  },
];

/**
 * The dates in a text, in the order of the text.
 * @param language of the page, in lower case. It decides how names of months are read, and the order of day and month in 1/2/2024
 */
export function writtenDates(text: string, language: string): WrittenDate[] {
  const plain = withLatinDigits(text);
  const found = WRITINGS.flatMap(({ pattern, read }) =>
    [...plain.matchAll(pattern)].flatMap((match) => {
      const time = read(match.slice(1), language);
      return time ? [{ time, start: match.index, end: match.index + match[0].length }] : [];
    }),
  );
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  return found.filter(({ start }, at) => at === 0 || start >= found[at - 1]!.end);
}

/** Replaces Arabic, Persian, Devanagari, Bengali and Thai digits by Latin ones. The positions of all characters stay the same. */
function withLatinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = code >= 0x966 && code <= 0x9ef ? 6 : 0;
    return String((code - zero) % 16);
  });
}

/** The Thai calendar is 543 years ahead. */
const BUDDHIST = 543;

function dayOf(year = '', month: number | undefined, day = ''): StatedTime | undefined {
  const number = Number(year);
  return month === undefined ? undefined : statedDay(number >= 2500 ? number - BUDDHIST : number, month, Number(day));
}

/**
 * Languages that write the month first in numeric dates: English of the United States, of the Philippines, or without a country; and
 * Filipino.
 */
const MONTH_FIRST = /^(en(-us|-ph)?|fil)$/;

/** A numeric date whose day and month may be in either order. If both numbers may be the month, language and separator decide. */
function numeric(first: string, second: string, year: string, mark: string, language: string): StatedTime | undefined {
  const monthFirst = mark === '/' && (language === '' || MONTH_FIRST.test(language));
  const [month, day] = monthFirst ? [first, second] : [second, first];
  return dayOf(year, Number(month), day) ?? dayOf(year, Number(day), month);
}
