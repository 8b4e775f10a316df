import type { IndexReader, SimilarTerm, Words } from '../index/index.js';
import type { ParsedQuery, QueryPart } from './query/parse-query.js';
import { MAX_STEMMED, MAX_WORDS } from './query/plan-query.js';

/** What other spellings are looked for with. */
interface SpellingInput {
  readonly reader: Pick<IndexReader, 'documentCounts' | 'similar'>;
  readonly words: Words;
  /** Languages of the index. */
  readonly languages: readonly string[];
  /** Of the whole index. */
  readonly documents: number;
}

/** A query in another spelling. */
export interface Respelt {
  readonly parts: readonly QueryPart[];
  /** Terms that came in, to be shown in a form that a page has. */
  readonly terms: readonly string[];
}

/** Forms of words of a query for which others are looked for: each costs up to two thousand looks into the index. */
const MOST_FORMS = 8;
/** A word that is so much commoner is meant; in documents. */
const COMMONER = 10;

/**
 * A query with words of the index in place of those that are in no page, or in far fewer. Undefined where there are
 * none. Phrases, fields and what is left out stay as they are. Whether the other query finds more is for the caller to
 * see.
 */
export async function respell(
  { parts }: Pick<ParsedQuery, 'parts'>,
  { reader, words, languages, documents }: SpellingInput,
): Promise<Respelt | undefined> {
  const stemmed = languages.slice(0, MAX_STEMMED);
  const looked = new Map<string, SimilarTerm | undefined>();
  const found: QueryPart[] = [];
  const terms: string[] = [];
  /** Words that were counted: as many as a search looks for. */
  let counted = 0;
  for (const part of parts) {
    const split = part.isExcluded || part.isPhrase || part.field ? [] : words.split(part.text);
    let text = '';
    let end = 0;
    for (const word of split) {
      text += part.text.slice(end, word.start);
      end = word.end;
      const isAsked = looked.size < MOST_FORMS && counted < MAX_WORDS;
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
    const least = Math.max(1, COMMONER * Math.max(...(await reader.documentCounts(forms))));
    // Of so common a word none can be so much commoner.
    if (least > documents) return undefined;
    for (const form of forms) {
      if (!looked.has(form)) {
        if (looked.size >= MOST_FORMS) return undefined;
        looked.set(form, (await reader.similar(form))[0]);
      }
      const best = looked.get(form);
      if (best && best.documents >= least) return best.term;
    }
    return undefined;
  }
}
