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
export function languageOfWords(text: string): string | undefined {
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
