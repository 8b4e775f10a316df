import { type IndexDocument, readableUrl } from '../../core/index.js';
import type { Words } from '../words/words.js';
import type { StoredField } from '../reader.js';
import { namesOf } from './names.js';

const MAX_FIELD_UTF16_UNITS = 2 ** 20;

/**
 * Returns the terms of each field for the full-text index, separated by blanks: first the stemmed words, then all other terms by which the
 * field can be found.
 */
export function termsOf(words: Words, document: IndexDocument): Record<StoredField, string> {
  const { title, headings, anchors, url, text, language } = document;
  const tag = language === '' ? undefined : language;
  const terms = (given: string): string => {
    const indexed = words.index(given.slice(0, MAX_FIELD_UTF16_UNITS), tag);
    let joined = '';
    const add = (term: string): void => {
      joined += joined === '' ? words.stem(term, tag) : ` ${words.stem(term, tag)}`;
    };
    for (const { term } of indexed.words) add(term);
    indexed.names.forEach(add);
    for (const term of indexed.letters) joined += ` ${term}`;
    return joined;
  };
  return {
    title: terms(title),
    headings: terms(headings),
    anchors: terms(anchors),
    url: terms((readableUrl(url) ?? url).replace(/^https?:\/\//, '')),
    text: terms(text),
    names: namesOf(words, document),
  };
}
