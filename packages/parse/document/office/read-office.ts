import type * as Fflate from 'fflate';
import { messageOf } from '../../../errors/index.js';
import { loadFflate } from '../../../util/index.js';
import { failed, type DocumentAnswer, type DocumentJob } from '../document-content.js';
import { sensibleTitle } from '../sensible-title.js';
import { findEpub, readEpub } from './epub.js';
import { findOfficeOpenXml, readOfficeOpenXml } from './office-open-xml.js';
import { isEncrypted, readOpenDocument } from './open-document.js';
import { PackageParts, PartTooLarge } from './package-parts.js';
import { Collector } from './part-reader.js';
import { readStatements } from './statements.js';

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
