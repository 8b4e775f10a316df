/** The rest of a longer term is dropped, in the index and in queries. */
export const MAX_TERM_UTF16_UNITS = 64;

const APOSTROPHE = 0x27;
/** The unified ideographs. They are never folded. */
const IDEOGRAPHS = /^[\u4e00-\u9fff]+$/;
/** Letters that Unicode does not split into a letter and a mark, and how people type them: without the stroke, or as two letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ħ: 'h',
  ς: 'σ',
  ё: 'е',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/**
 * Matches marks that people omit when they type. The pattern has only some scripts, because marks may be vowels in others. The mark of й
 * stays, because й and и are different letters.
 */
const MARKS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])\p{Mn}+|(?<=\p{Script=Cyrillic})[\u0300\u0301]+/gu;
/**
 * Matches characters that are not part of a term. These include variation selectors, which are marks that choose between forms of a
 * character.
 */
const NO_PART = /[^\p{L}\p{M}\p{N}.+#]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/**
 * Returns the term of a word: in lower case, without irrelevant accents and forms (NFKC), and at most {@link MAX_TERM_UTF16_UNITS} long.
 * Empty: the word has no character that is part of a term.
 */
export function fold(word: string): string {
  const folded = foldWhole(word.length > MAX_TERM_UTF16_UNITS ? cut(word) : word);
  return folded.length > MAX_TERM_UTF16_UNITS ? cut(folded) : folded;
}

/** Does the same as {@link fold}, without the maximum length. */
export function foldWhole(text: string): string {
  const ascii = foldAscii(text);
  if (ascii !== undefined) return ascii;
  if (IDEOGRAPHS.test(text)) return text;
  return text
    .toLowerCase()
    .normalize('NFKC')
    .toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter]!)
    .normalize('NFD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(NO_PART, '');
}

/** Returns the term of a word in ASCII, faster than for other words. Undefined: the word is not in ASCII. */
function foldAscii(word: string): string | undefined {
  let isTerm = true;
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    if (unit === APOSTROPHE || (unit >= 0x41 && unit <= 0x5a)) isTerm = false;
  }
  return isTerm ? word : word.toLowerCase().replaceAll("'", '');
}

/** Cuts a text, but never between the halves of a surrogate pair. */
function cut(text: string): string {
  const last = text.charCodeAt(MAX_TERM_UTF16_UNITS - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM_UTF16_UNITS - 1 : MAX_TERM_UTF16_UNITS);
}
