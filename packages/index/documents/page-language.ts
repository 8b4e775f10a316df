import { primaryLanguage } from '../words/primary-language.js';

/** UTF-16 units of a text by which its language is judged. */
const SAMPLE = 4000;

/** The share of all letters that a script must have to decide. Kana are few beside Han characters, and never in Chinese. */
const SCRIPTS: readonly (readonly [language: string, letters: RegExp, share: number])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 0.1],
  ['zh', /\p{Script=Han}/gu, 0.3],
  ['ko', /\p{Script=Hangul}/gu, 0.3],
  ['th', /\p{Script=Thai}/gu, 0.3],
  ['el', /\p{Script=Greek}/gu, 0.5],
];

/** What a text of one of these scripts has: they all begin behind Latin letters. */
const OTHER_LETTERS = /[\u0370-\uffff]/;

/** Languages that are written in Han characters, with whatever else. */
const HAN: ReadonlySet<string> = new Set(['ja', 'zh', 'ko', 'yue', 'wuu', 'lzh', 'cmn']);

/**
 * The language by which a page is indexed, the primary part of a tag: that which its script names, as many pages state `en` and are
 * not; else the one that it states. Empty where neither says.
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
