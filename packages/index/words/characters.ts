import { once } from '../../util/index.js';

/** What a character is to the tokenizer. */
export const KIND = {
  /** Between words. */
  none: 0,
  /** A letter, mark or digit of a script that puts blanks between words. */
  letter: 1,
  han: 2,
  kana: 3,
  /** A letter or mark of a script without blanks that `Intl.Segmenter` splits: Thai, Lao, Khmer, Burmese. */
  unspaced: 4,
  /** Within a word, and no part of it: soft hyphen, joiners, variation selectors. */
  ignored: 5,
  /** The first half of a surrogate pair. */
  high: 6,
} as const;

/** One of {@link KIND}. */
export type Kind = (typeof KIND)[keyof typeof KIND];

const IGNORED = /[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\u{e0100}-\u{e01ef}]/u;
/** Kana, with the sign of a long vowel, which both kinds share, in full and half width, and the marks of voiced ones. */
export const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70\u3099\u309a\uff9e\uff9f]/u;
const HAN = /[\p{Script=Han}\u3006]/u;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

function kindOfCharacter(character: string): Kind {
  if (IGNORED.test(character)) return KIND.ignored;
  if (!LETTER.test(character)) return KIND.none;
  if (KANA.test(character)) return KIND.kana;
  if (HAN.test(character)) return KIND.han;
  return UNSPACED.test(character) ? KIND.unspaced : KIND.letter;
}

/** What is at a place of a text, and how many UTF-16 units it takes. Half a pair by itself is between words. */
export type KindAt = (text: string, at: number) => Kind;

/** How many units the character there takes. */
export function unitsAt(text: string, at: number): 1 | 2 {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The function that looks characters up. Its table takes some tens of milliseconds and is made once. */
export const kindLookup = once((): KindAt => {
  const kinds = new Uint8Array(65_536);
  for (let unit = 0; unit < kinds.length; unit++) {
    if (isHigh(unit)) kinds[unit] = KIND.high;
    else if (!isLow(unit)) kinds[unit] = kindOfCharacter(String.fromCharCode(unit));
  }
  return (text, at) => {
    const kind = kinds[text.charCodeAt(at)] as Kind;
    if (kind !== KIND.high) return kind;
    return isLow(text.charCodeAt(at + 1)) ? kindOfCharacter(text.slice(at, at + 2)) : KIND.none;
  };
});
