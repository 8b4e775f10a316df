import { primaryLanguage } from '../words/primary-language.js';

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
export function pageLanguage(stated: string | undefined, text: string): string {
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
