import { MAX_METADATA_VALUE, MAX_TITLE_LENGTH } from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';
import type { DocumentContent } from '../document-content.js';
import { sensibleTitle } from '../sensible-title.js';
import { readPart, type Collector } from './part-reader.js';

export type Statements = Pick<DocumentContent, 'title' | 'language' | 'metadata'>;

/**
 * For each statement, the elements that may contain it in the properties of Office Open XML, OpenDocument and EPUB. The first element
 * that is not empty is used.
 */
const STATED: Readonly<Record<string, readonly string[]>> = {
  title: ['dc:title'],
  language: ['dc:language'],
  description: ['dc:description', 'dc:subject'],
  author: ['?:initial-creator', 'dc:creator'],
  keywords: ['keywords', '?:keyword'],
  'dcterms.created': ['?:created', '?:creation-date'],
  'dcterms.modified': ['?:modified', 'dc:date'],
};
/** In a book, `dc:date` is the time of publication. */
const STATED_IN_BOOK = { ...STATED, 'dcterms.created': ['dc:date'], 'dcterms.modified': ['?:modified'] };

export function readStatements(xml: string | undefined, isBook: boolean, into: Collector): Statements {
  const elements = Object.entries(isBook ? STATED_IN_BOOK : STATED);
  const wanted = new Set(elements.flatMap(([, names]) => names));
  const stated = new Map<string, TextBuilder>();
  let current: TextBuilder | undefined;
  const open = (name: string): void => {
    current = wanted.has(name) && !stated.has(name) ? new TextBuilder(MAX_TITLE_LENGTH) : undefined;
    if (current) stated.set(name, current);
  };
  const close = (): void => {
    current = undefined;
  };
  if (xml !== undefined) readPart(xml, { open, text: (value) => current?.add(value), close }, into);
  const valueOf = (names: readonly string[]): string =>
    names.map((name) => stated.get(name)?.toString() ?? '').find((value) => value !== '') ?? '';
  const {
    title = '',
    language = '',
    ...metadata
  } = Object.fromEntries(elements.map(([name, names]) => [name, valueOf(names)]));
  return {
    title: sensibleTitle(title),
    language,
    metadata: Object.fromEntries(
      Object.entries(metadata)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => [name, value.slice(0, MAX_METADATA_VALUE)]),
    ),
  };
}
