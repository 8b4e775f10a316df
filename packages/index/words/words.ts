/** A word of a text: the term as it is indexed but for stemming, and where it is in the text, in UTF-16 units. */
export interface Word {
  readonly term: string;
  readonly start: number;
  readonly end: number;
}

/** The one tokenizer of index and query. */
export interface Words {
  /** Names all parts with their versions: an index made by another is made anew. */
  readonly name: string;
  /**
   * The words of a text in order; they never overlap. A term holds letters, marks and digits, and of others only `.`, `+` and `#`.
   * @param language a BCP 47 tag, undefined where it is not known: Han characters are split otherwise in Japanese (`ja`). A query
   *   of Han characters is to be split both ways where the index holds Japanese pages.
   */
  split(text: string, language?: string): Word[];
  /** The form of a term that is indexed in pages of a language (BCP 47); the term itself where there is no stemmer for it. */
  stem(term: string, language: string | undefined): string;
}
