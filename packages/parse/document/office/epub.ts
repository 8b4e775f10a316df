import { resolvePart, type PackageParts } from './package-parts.js';
import { readPart, readText, type Attributes, type Collector, type TextRules } from './part-reader.js';

const RULES: TextRules = {
  text: new Set(['body']),
  breaks: new Set(
    'address article aside blockquote body br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
      ' ',
    ),
  ),
  skipped: new Set(['script', 'style', 'template', 'rt', 'rp']),
  blocks: new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']),
  isHeading: (name) => RULES.blocks.has(name),
  // Links inside the book do not lead to the web, so they are ignored.
  link: (name, attributes) => {
    const href = name === 'a' ? attributes.get('href') : undefined;
    return href !== undefined && /^https?:/i.test(href) ? href : undefined;
  },
};

/** Returns the name of the part that describes a book. Undefined: the package is not an EPUB. */
export function findEpub(parts: PackageParts, into: Collector): string | undefined {
  const xml = parts.readOptional('META-INF/container.xml');
  let found: string | undefined;
  const open = (name: string, attributes: Attributes): void => {
    if (name === 'rootfile') found ??= attributes.get('full-path');
  };
  if (xml !== undefined) readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  return found;
}

/**
 * Reads the chapters of a book in order.
 * @returns false if the part with the list of chapters is missing
 */
export function readEpub(parts: PackageParts, book: string, into: Collector): boolean {
  const xml = parts.read(book);
  if (xml === undefined) return false;
  const items = new Map<string, string>();
  const order = new Set<string>();
  const open = (name: string, attributes: Attributes): void => {
    if (name === 'item') items.set(attributes.get('id') ?? '', attributes.get('href') ?? '');
    else if (name === 'itemref') order.add(attributes.get('idref') ?? '');
  };
  readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  for (const id of order) {
    const part = resolvePart(items.get(id) ?? '', book);
    const chapter = part === undefined || into.text.full ? undefined : parts.readOptional(part);
    if (chapter !== undefined) readText(chapter, RULES, into);
  }
  return true;
}
