import { once } from '../../../core/index.js';

/**
 * Languages whose names of months are known. If a name means different months in two of these languages, pages in all other languages use
 * the language that comes first here.
 */
const LANGUAGES =
  'en de fr es it pt nl ru pl cs tr sv da nb fi hu ro el uk bg hr sr sr-Latn bs sk sl mk lt lv et sq is ca eu gl ga cy af az kk uz be ka hy ar ar-SY ar-MA ar-DZ he fa ur hi bn ta te ml kn mr gu pa th id ms fil sw'.split(
    ' ',
  );

/** Maps a name, in lower case without dots, to its month (1 to 12) by language. */
type Months = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Reads the names of months from the language tables of Node: long and short names, as they are written alone and within a date. */
const months = once((): Months => {
  const found = new Map<string, Map<string, number>>();
  for (const language of LANGUAGES) {
    for (const month of ['long', 'short'] as const) {
      for (const day of [undefined, 'numeric'] as const) {
        const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { month, day, timeZone: 'UTC' });
        for (let number = 1; number <= 12; number++) addName(found, format, language, number);
      }
    }
  }
  return found;
});

function addName(
  found: Map<string, Map<string, number>>,
  format: Intl.DateTimeFormat,
  language: string,
  month: number,
): void {
  const part = format.formatToParts(Date.UTC(2024, month - 1, 10)).find(({ type }) => type === 'month');
  const name = plainName(part?.value ?? '');
  if (name.length < 2 || /\d/.test(name)) return;
  const byLanguage = found.get(name) ?? new Map<string, number>();
  if (!byLanguage.has(language)) byLanguage.set(language, month);
  found.set(name, byLanguage);
}

/**
 * The month of a name, 1 to 12; undefined for any other word.
 * @param language of the page, in lower case. If a name means different months in several languages, the primary part of this language
 * decides
 */
export function monthOf(name: string, language: string): number | undefined {
  const plain = plainName(name);
  const byLanguage = months().get(plain) ?? months().get(SPELLINGS.get(plain) ?? '');
  if (!byLanguage) return undefined;
  return byLanguage.get(language.split('-', 1)[0]!) ?? [...byLanguage.values()][0];
}

/** Spellings that the language tables do not have, each with the name in the tables. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['sept', 'sep'],
  ['mrz', 'märz'],
  ['maerz', 'märz'],
  ['jänner', 'januar'],
  ['jaenner', 'januar'],
  ['feber', 'februar'],
  ['setiembre', 'septiembre'],
  ['fevrier', 'février'],
  ['aout', 'août'],
  ['decembre', 'décembre'],
  ['marco', 'março'],
]);

function plainName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[.\u0307\u200e\u200f]/g, '');
}
