/** Matches a name from a program that joins several words without a separator: `hashMap`, `XMLHttpRequest`. */
const HUMP = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{3}\p{Ll}/u;
/** Matches the position before a capital letter that begins the next word of a name. `URLs` and `IPv4` have no such position. */
const BEFORE_WORD = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll})(?!\p{Lu}s$)/u;
/** A text with more words than this is data, not a name. */
const MOST_WORDS = 8;

/** Returns the words of a name that joins several words. Empty for a single word, or for data. */
export function wordsOfName(name: string): readonly string[] {
  if (!HUMP.test(name)) return [];
  const words = name.split(BEFORE_WORD);
  return words.length > 1 && words.length <= MOST_WORDS ? words : [];
}
