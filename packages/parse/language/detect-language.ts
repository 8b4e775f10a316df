import { languageOfWords } from './frequent-words.js';

/** A letter outside the Latin script counts as three. */
const MIN_LETTERS = 60;
const MAX_SAMPLE_UTF16_UNITS = 400;
/**
 * Maximum number of UTF-16 units for the second step, whose time grows with the length. This step runs if frequent words do not show the
 * language.
 */
const MAX_NGRAM_UTF16_UNITS = 160;
/** Pages begin with menus. */
const MAX_SKIPPED_UTF16_UNITS = 1000;

/**
 * Detects the language of a text from the frequent words in a piece of some hundred characters. Returns the primary part of a language tag.
 * Undefined: the text is too short, or these words show no language.
 */
export function languageByWords(text: string): string | undefined {
  const piece = pieceOf(text);
  return lettersIn(piece) < MIN_LETTERS ? undefined : languageOfWords(piece);
}

/**
 * Detects the language of a text as {@link languageByWords} does, and if that finds none, by n-grams. Undefined: the text is too short, or
 * no language is likely. It takes ten times as long, so a crawl does not call it.
 */
export async function detectLanguage(text: string): Promise<string | undefined> {
  const piece = pieceOf(text);
  if (lettersIn(piece) < MIN_LETTERS) return undefined;
  const known = languageOfWords(piece);
  if (known !== undefined) return known;
  // The package needs 30 MB of memory for its database. So it is loaded only when frequent words do not show the language of a page.
  const { eld } = await import('eld/extrasmall');
  const found = eld.detect(piece.slice(0, MAX_NGRAM_UTF16_UNITS));
  return found.language !== '' && found.isReliable() ? found.language : undefined;
}

function pieceOf(text: string): string {
  const from = Math.max(0, Math.min(MAX_SKIPPED_UTF16_UNITS, text.length - MAX_SAMPLE_UTF16_UNITS));
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  return text.slice(start, start + MAX_SAMPLE_UTF16_UNITS);
}

function lettersIn(piece: string): number {
  let letters = 0;
  for (let i = 0; i < piece.length; i++) {
    const code = piece.charCodeAt(i);
    const lower = code | 0x20;
    // Letters outside ASCII and Latin belong to other scripts. Punctuation, symbols and arrows are excluded.
    if ((lower >= 0x61 && lower <= 0x7a) || (code >= 0xc0 && code < 0x250)) letters++;
    else if (code >= 0x250 && !(code >= 0x2000 && code < 0x3040)) letters += 3;
  }
  return letters;
}
