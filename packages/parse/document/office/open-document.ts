import type { PackageParts } from './package-parts.js';
import { readText, type Collector, type TextRules } from './part-reader.js';

const RULES: TextRules = {
  text: new Set(['?:p', '?:h']),
  breaks: new Set(['?:p', '?:h', '?:tab', '?:line-break', '?:s', '?:table-cell']),
  // Elements to skip: deleted text, comments, pronunciations, and the numbers of notes.
  skipped: new Set(['?:tracked-changes', 'annotation', '?:ruby-text', '?:note-citation']),
  blocks: new Set(['?:p', '?:h']),
  isHeading: (name) => name === '?:h',
  link: (name, attributes) => (name === '?:a' ? attributes.get('?:href') : undefined),
};

/**
 * Reads a text, a spreadsheet or a presentation of OpenDocument.
 * @returns false if the package has no part with content
 */
export function readOpenDocument(parts: PackageParts, into: Collector): boolean {
  const xml = parts.read('content.xml');
  if (xml !== undefined) readText(xml, RULES, into);
  return xml !== undefined;
}

export function isEncrypted(parts: PackageParts): boolean {
  return parts.readOptional('META-INF/manifest.xml')?.includes('encryption-data') === true;
}
