import type * as Fflate from 'fflate';
import { messageOf } from '../../../errors/index.js';
import { loadFflate } from '../../../util/index.js';
import { failed, type DocumentAnswer, type DocumentJob, type DocumentContent } from '../document-content.js';
import { sensibleTitle } from '../sensible-title.js';
import { findEpub, readEpub } from './epub.js';
import { findOfficeOpenXml, readOfficeOpenXml } from './office-open-xml.js';
import { isEncrypted, readOpenDocument } from './open-document.js';
import { PackageParts, PartTooLarge } from './package-parts.js';
import { Collector, readPart } from './part-reader.js';
import { MAX_METADATA_VALUE, MAX_TITLE_LENGTH } from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';

/** The first bytes of a compound file. Such a file is an old binary document, or a newer encrypted document. */
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** The name of the stream that contains an encrypted document. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Reads a document of Office Open XML (Word, Excel, PowerPoint), OpenDocument or EPUB. How long this takes depends on the document. So it
 * must run in a process that can be killed. A failure is returned as an answer, and no error is thrown.
 */
export async function readOffice({ content, textLimit }: DocumentJob): Promise<DocumentAnswer> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) {
    if (bytes.includes(ENCRYPTED)) return failed('encrypted', 'the document needs a password');
    return failed('unsupported_type', 'an old binary document of Office');
  }
  const { unzipSync } = (await loadFflate()) as typeof Fflate;
  try {
    return readPackage(new PackageParts(unzipSync, content), new Collector(textLimit));
  } catch (error) {
    return failed(error instanceof PartTooLarge ? 'out_of_memory' : 'malformed', messageOf(error));
  }
}

function readPackage(parts: PackageParts, into: Collector): DocumentAnswer {
  const office = findOfficeOpenXml(parts, into);
  const epub = office ? undefined : findEpub(parts, into);
  if (!office && !epub && isEncrypted(parts)) return failed('encrypted', 'the document needs a password');
  const isRead = office
    ? readOfficeOpenXml(parts, office.main, into)
    : epub
      ? readEpub(parts, epub, into)
      : readOpenDocument(parts, into);
  if (!isRead && (office || epub)) return failed('malformed', 'the main part is missing or unknown');
  if (!isRead) return failed('unsupported_type', 'a zip archive without a document');
  const properties = office ? office.properties : (epub ?? 'meta.xml');
  const { title, ...statements } = readStatements(
    properties === undefined ? undefined : parts.readOptional(properties),
    epub !== undefined,
    into,
  );
  const [heading = ''] = into.headings;
  return {
    content: {
      ...statements,
      title: title === '' ? sensibleTitle(heading) : title,
      text: into.text.toString(),
      headings: into.headings,
      links: into.links,
      truncated: into.truncated || parts.truncated,
    },
  };
}

type Statements = Pick<DocumentContent, 'title' | 'language' | 'metadata'>;

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

function readStatements(xml: string | undefined, isBook: boolean, into: Collector): Statements {
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
