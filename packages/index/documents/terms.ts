import type { IndexDocument } from '../../plugin-api/index.js';
import { readableUrl } from '../../url/index.js';
import type { Words } from '../words/words.js';
import type { IndexField } from '../reader.js';

/** UTF-16 units of a field that are indexed: a longer text goes by its beginning. */
const LONGEST = 2 ** 20;

/** What a search engine gets for the full text: the stemmed terms of each field, with a blank between. */
export function termsOf(words: Words, document: IndexDocument): Record<IndexField, string> {
  const { title, headings, anchors, url, text, language } = document;
  const tag = language === '' ? undefined : language;
  const terms = (given: string): string => {
    let joined = '';
    for (const { term } of words.split(given.slice(0, LONGEST), tag)) {
      joined += joined === '' ? words.stem(term, tag) : ` ${words.stem(term, tag)}`;
    }
    return joined;
  };
  return {
    title: terms(title),
    headings: terms(headings),
    anchors: terms(anchors),
    url: terms((readableUrl(url) ?? url).replace(/^https?:\/\//, '')),
    text: terms(text),
  };
}
