/** UTF-16 units of a term: what is beyond is left out, of the index and of a query alike. */
export const LONGEST_TERM = 64;

const APOSTROPHE = 0x27;
/** The unified ideographs, of which nothing is folded. */
const IDEOGRAPHS = /^[\u4e00-\u9fff]+$/;
/** What is a letter of its own to Unicode, and is typed without its stroke or as two letters all the same. */
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
/** Marks that people leave out as they type. Of other scripts marks are vowels, and й is no и. */
const MARKS =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])\p{Mn}+|(?<=\p{Script=Cyrillic})[\u0300\u0301]+/gu;
/** Also variation selectors, which are marks and choose between forms of one sign. */
const NO_PART = /[^\p{L}\p{M}\p{N}.+#]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/**
 * The term of a word: in lower case, without the accents and forms (NFKC) that do not matter, and at most {@link LONGEST_TERM} long.
 * Empty where nothing is left.
 */
export function fold(word: string): string {
  const short = word.length > LONGEST_TERM ? cut(word) : word;
  const ascii = foldAscii(short);
  if (ascii !== undefined) return ascii;
  if (IDEOGRAPHS.test(short)) return short;
  const lower = short.toLowerCase();
  const folded = lower
    .normalize('NFKC')
    .toLowerCase()
    .replace(LETTER, (letter) => LETTERS[letter]!)
    .normalize('NFD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(NO_PART, '');
  return folded.length > LONGEST_TERM ? cut(folded) : folded;
}

/** The term of a word of ASCII alone, as nearly all are in some languages; undefined where it has others. */
function foldAscii(word: string): string | undefined {
  let isTerm = true;
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    if (unit === APOSTROPHE || (unit >= 0x41 && unit <= 0x5a)) isTerm = false;
  }
  return isTerm ? word : word.toLowerCase().replaceAll("'", '');
}

/** Does not cut a surrogate pair in two. */
function cut(text: string): string {
  const last = text.charCodeAt(LONGEST_TERM - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? LONGEST_TERM - 1 : LONGEST_TERM);
}
