import { type IndexDocument, readableUrl } from '../../core/index.js';
import type { Words } from '../words/words.js';

/** Longer titles and queries are no names. OpenSearch would split their terms. */
const MAX_NAME_UTF16_UNITS = 200;
const MAX_FILE_WORDS = 4;
/** Between the title of a page and the name of its site or chapter. */
const BETWEEN_PARTS = /\s+[-\u2013\u2014|\u00b7\u2022\u00bb\u00ab:/]\s+|:\s+/;
/** The number of a chapter, as in `5.1. Lists`, and the section of a manual, as in `ls(1)`. */
const NUMBER = /^(?:\d+\.)+\d*\s+|\s*\([^()]*\)$/g;
const INDEX_FILE = /^(?:index|default)(?:\.[a-z]+)*$/i;
const EXTENSION = /\.[a-z][a-z0-9]{0,4}$/i;

/** The terms of the field `names` under which the pages with a name are found. */
interface NameTerms {
  /** Finds the pages whose title or file has this name. */
  readonly exact: string;
  /** Finds the pages with this name as the first word or a part of the title, or as the end of the file name. */
  readonly near: string;
}

/**
 * Returns the terms for a name. Case and everything between the words is ignored: `create index` and `CreateIndex` are the same name.
 * Undefined: the text is no name.
 */
export function nameTerms(words: Words, text: string): NameTerms | undefined {
  if (text.length > MAX_NAME_UTF16_UNITS) return undefined;
  const name = words
    .split(text)
    .map(({ term }) => term)
    .join('');
  // No word of a page begins with this character.
  return name === '' || name.length > MAX_NAME_UTF16_UNITS ? undefined : { exact: `#${name}`, near: `##${name}` };
}

/** Returns the terms of all names of a document, separated by blanks. */
export function namesOf(words: Words, { title, url }: Pick<IndexDocument, 'title' | 'url'>): string {
  const file = fileOf(url);
  const base = file.replace(EXTENSION, '');
  const plain = (name: string): string => name.trim().replace(NUMBER, '');
  const parts = title.split(BETWEEN_PARTS);
  const exact = [title, plain(title), file, base];
  const near = [...(parts.length > 1 ? parts : []), plain(title).split(/\s/, 1)[0]!, ...endsOf(base)];
  const terms = [
    ...exact.map((name) => nameTerms(words, name)?.exact),
    ...near.map((name) => nameTerms(words, plain(name))?.near),
  ];
  return [...new Set(terms.filter((term) => term !== undefined))].join(' ');
}

/** Returns the ends of a short file name: `rebase` of `git-rebase`. A long one is a sentence. */
function endsOf(name: string): string[] {
  const parts = name.split(/[-_.]/);
  return parts.length > MAX_FILE_WORDS ? [] : parts.slice(1).map((_, i) => parts.slice(i + 1).join(' '));
}

/** Returns the last segment of the path, or the folder of an index file. Empty: the URL has a query, so that many pages have this path. */
function fileOf(url: string): string {
  const [, path = ''] = /^[^/]*\/\/[^/]*([^#]*)/.exec(readableUrl(url) ?? url) ?? [];
  if (path.includes('?')) return '';
  const segments = path.replaceAll('%20', ' ').split('/');
  return segments.findLast((segment) => segment !== '' && !INDEX_FILE.test(segment)) ?? '';
}
