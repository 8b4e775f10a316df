/** A word of a text: its term before stemming, and its position in the text, in UTF-16 units. */
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** Matches a hyphen. Two words with a hyphen between them are also spelt as one word: `e-mail`. */
export const HYPHEN = /^[-\u2010\u2011]$/;

export interface Run {
  readonly start: number;
  readonly end: number;
}

export interface IndexedText {
  readonly words: readonly Word[];
  /**
   * The words within names such as `HashMap`, once for each name, and words without their hyphen: `email` for `e-mail`. The caller must
   * stem these words. In the index, `names` and `letters` come after all `words`.
   */
  readonly names: readonly string[];
  /**
   * The terms by which a text is found letter for letter, each once, without stemming. For a run of {@link Words.runs}, these are all pairs
   * of neighbouring characters and the last character. For Chinese, these are all characters, and the words within long words.
   */
  readonly letters: readonly string[];
}

export interface Words {
  /** The name of the tokenizer: its parts with their versions. An index that was made with other parts is rebuilt. */
  readonly name: string;
  /**
   * Returns the words of a text in order. They never overlap. A term has letters, marks, digits and the characters `.`, `+` and `#`.
   * @param language a BCP 47 tag, undefined if unknown. Han characters are split differently in Japanese (`ja`). A query of Han characters
   * must be split both ways if the index has Japanese pages.
   */
  split(text: string, language?: string): Word[];
  /** Returns the same words as `split`, and the other terms by which a text is found. */
  index(text: string, language?: string): IndexedText;
  /**
   * Returns the runs of letters in which blanks alone do not separate the words: in Chinese, Japanese, Korean, Thai, Lao, Khmer and
   * Burmese.
   */
  runs(text: string): Run[];
  /**
   * Returns all pairs of neighbouring characters within the runs of a text. The function is for queries: a text that contains the query
   * letter for letter has all of these pairs as terms. In Chinese this is true only if no word of the text ends within the query.
   */
  pairs(text: string): string[];
  /**
   * Returns the Han characters of a text, each once. The function is for queries: a Chinese text that contains the query has all of these
   * characters as terms. Empty for other scripts.
   */
  characters(text: string): string[];
  /**
   * Returns the stem of a term in a language (BCP 47), as in the index of pages in this language. If there is no stemmer, it returns the
   * term itself.
   */
  stem(term: string, language: string | undefined): string;
}
