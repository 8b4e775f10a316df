import { once } from '../../util/index.js';

export const KIND = {
  none: 0,
  /** A letter, mark or digit of a script that separates words by blanks. */
  letter: 1,
  han: 2,
  kana: 3,
  /** A letter or mark of a script without blanks that `Intl.Segmenter` splits: Thai, Lao, Khmer, Burmese. */
  unspaced: 4,
  /** A letter of Korean. Blanks separate the words, but particles are attached to them. */
  hangul: 5,
  /** A character that is ignored inside a word: soft hyphen, joiners, variation selectors. */
  ignored: 6,
  /** The first half of a surrogate pair. */
  high: 7,
} as const;

export type Kind = (typeof KIND)[keyof typeof KIND];

const IGNORED = /[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff\u{e0100}-\u{e01ef}]/u;
/** Matches kana and the signs that hiragana and katakana share: the long vowel sign and the voicing marks, in full and half width. */
export const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70\u3099\u309a\uff9e\uff9f]/u;
const HAN = /[\p{Script=Han}\u3006]/u;
const HANGUL = /\p{Script=Hangul}/u;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

function kindOfCharacter(character: string): Kind {
  if (IGNORED.test(character)) return KIND.ignored;
  if (!LETTER.test(character)) return KIND.none;
  if (KANA.test(character)) return KIND.kana;
  if (HAN.test(character)) return KIND.han;
  if (HANGUL.test(character)) return KIND.hangul;
  return UNSPACED.test(character) ? KIND.unspaced : KIND.letter;
}

/** The kind of the character at a position of a text. An unpaired surrogate is not part of a word. */
type KindAt = (text: string, at: number) => Kind;

/** Number of UTF-16 units of the character at a position. */
export function unitsAt(text: string, at: number): 1 | 2 {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Makes the function that looks up characters. The first call makes a table, which takes some tens of milliseconds. */
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
