import type { IndexReader, Words } from '../index/index.js';
import type { ParsedQuery, QueryPart } from './query/parse-query.js';

/** What other spellings are looked for with. */
interface SpellingInput {
  readonly reader: Pick<IndexReader, 'documentCounts' | 'similar'>;
  readonly words: Words;
  /** Languages of the index. */
  readonly languages: readonly string[];
}

/** A query in another spelling. */
export interface Respelt {
  readonly parts: readonly QueryPart[];
  /** Terms that came in, to be shown in a form that a page has. */
  readonly terms: readonly string[];
}

/** Words of a query that are looked at. */
const MOST_WORDS = 6;
/** A word that is so much commoner is meant; in documents. */
const COMMONER = 10;

/**
 * A query with words of the index in place of those that are in no page, or in far fewer. Undefined where there are
 * none. Phrases, fields and what is left out stay as they are. Whether the other query finds more is for the caller to
 * see.
 */
export async function respell(
  { parts }: Pick<ParsedQuery, 'parts'>,
  { reader, words, languages }: SpellingInput,
): Promise<Respelt | undefined> {
  const found: QueryPart[] = [];
  const terms: string[] = [];
  let left = MOST_WORDS;
  for (const part of parts) {
    const split = part.isExcluded || part.isPhrase || part.field ? [] : words.split(part.text);
    let text = '';
    let end = 0;
    for (const word of split) {
      text += part.text.slice(end, word.start);
      end = word.end;
      left -= 1;
      const better = left < 0 ? undefined : await betterTerm(word.term);
      text += better ?? part.text.slice(word.start, word.end);
      if (better !== undefined) terms.push(better);
    }
    found.push({ ...part, text: text + part.text.slice(end) });
  }
  return terms.length === 0 ? undefined : { parts: found, terms };

  async function betterTerm(term: string): Promise<string | undefined> {
    const forms = [...new Set(languages.map((language) => words.stem(term, language === '' ? undefined : language)))];
    const counts = await reader.documentCounts([...new Set([term, ...forms])]);
    const documents = Math.max(...counts);
    for (const form of new Set([term, ...forms])) {
      const [best] = await reader.similar(form);
      if (best && best.documents >= Math.max(1, documents * COMMONER)) return best.term;
    }
    return undefined;
  }
}
