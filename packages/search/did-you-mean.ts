import type { IndexReader, SimilarTerm, Words } from '../index/index.js';
import type { ParsedQuery, QueryPart } from './query/parse-query.js';
import { MAX_STEMMED, MAX_WORDS } from './query/plan-query.js';

interface SpellingInput {
  readonly reader: Pick<IndexReader, 'documentCounts' | 'similar'>;
  readonly words: Words;
  readonly languages: readonly string[];
  readonly documents: number;
}

/** Each form takes up to two thousand lookups in the index. */
const MAX_FORMS = 8;
/** A similar word is suggested only if it is in at least this many times as many documents. */
const MIN_FREQUENCY_RATIO = 10;

/**
 * Replaces words that are in no page, or in far fewer pages, by similar words of the index. Undefined: no word was replaced. Phrases,
 * fields and excluded parts stay unchanged. The caller checks whether the new query finds more.
 * @returns the parts, and the new terms. Terms are stems: to show a term, replace it by a word of a page
 */
export async function respell(
  { parts }: Pick<ParsedQuery, 'parts'>,
  { reader, words, languages, documents }: SpellingInput,
) {
  const stemmed = languages.slice(0, MAX_STEMMED);
  const looked = new Map<string, SimilarTerm | undefined>();
  const found: QueryPart[] = [];
  const terms: string[] = [];
  /** Number of words for which similar words were searched. The limit is the number of words that a search uses. */
  let counted = 0;
  for (const part of parts) {
    const split = part.isExcluded || part.isPhrase || part.field ? [] : words.split(part.text);
    let text = '';
    let end = 0;
    for (const word of split) {
      text += part.text.slice(end, word.start);
      end = word.end;
      const isAsked = looked.size < MAX_FORMS && counted < MAX_WORDS;
      if (isAsked) counted += 1;
      const better = isAsked ? await betterTerm(word.term) : undefined;
      text += better ?? part.text.slice(word.start, word.end);
      if (better !== undefined) terms.push(better);
    }
    found.push({ ...part, text: text + part.text.slice(end) });
  }
  return terms.length === 0 ? undefined : { parts: found, terms };

  async function betterTerm(term: string): Promise<string | undefined> {
    const stems = stemmed.map((language) => words.stem(term, language === '' ? undefined : language));
    const forms = [...new Set([term, ...stems])];
    const least = Math.max(1, MIN_FREQUENCY_RATIO * Math.max(...(await reader.documentCounts(forms))));
    // The index has too few documents for a word that is so much more frequent.
    if (least > documents) return undefined;
    for (const form of forms) {
      if (!looked.has(form)) {
        if (looked.size >= MAX_FORMS) return undefined;
        looked.set(form, (await reader.similar(form))[0]);
      }
      const best = looked.get(form);
      if (best && best.documents >= least) return best.term;
    }
    return undefined;
  }
}
