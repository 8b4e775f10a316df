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

/** For each language, words that are frequent in it. Similar languages that are not in this list do not have these words. */
const FREQUENT: Readonly<Record<string, string>> = {
  en: 'the of and to in is that for it with as was on are this by at from or an you not can',
  de: 'der die und das ist nicht mit sich auf dem eine einer zu im für von wird auch oder sind',
  fr: 'le les des et est une dans que pour qui sur pas du au avec sont plus vous',
  es: 'el los las y una por con para del que como más lo',
  it: 'il di che è per una della con non sono gli nel del alla dei più',
  pt: 'uma não para com em das dos que mais ao pelo pela',
  nl: 'het van een dat zijn niet voor met aan ook als bij worden wordt naar deze',
};
const LANGUAGES = Object.keys(FREQUENT);
/** For each word, the indexes in {@link LANGUAGES} of the languages in which the word is frequent. */
const PLACES = new Map<string, number[]>();
for (const [place, words] of Object.values(FREQUENT).entries()) {
  for (const word of words.split(' ')) PLACES.set(word, [...(PLACES.get(word) ?? []), place]);
}

/** Minimum number, and minimum share, of the words of a text that must be frequent in one language. */
const MIN_FREQUENT_WORDS = 6;
const MIN_FREQUENT_SHARE = 0.15;
/** The number of frequent words must be larger than in any other language by this factor. */
const MIN_LEAD = 1.75;

/**
 * Returns the language of a text if many of its words are frequent in one of seven languages, and far fewer in each other language.
 * Undefined: no language is clear. This takes a tenth of the time of the detector for more languages.
 * @param text text with single spaces
 */
function languageOfWords(text: string): string | undefined {
  const words = text.toLowerCase().split(' ');
  const counts = LANGUAGES.map(() => 0);
  for (const word of words) {
    const places = PLACES.get(word);
    if (places) for (const place of places) counts[place]!++;
  }
  const most = Math.max(...counts);
  if (most < MIN_FREQUENT_WORDS || most < words.length * MIN_FREQUENT_SHARE) return undefined;
  const best = counts.indexOf(most);
  return counts.some((count, place) => place !== best && most < count * MIN_LEAD) ? undefined : LANGUAGES[best];
}
