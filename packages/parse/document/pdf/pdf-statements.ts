import { MAX_METADATA_VALUE, MAX_TITLE_LENGTH } from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';
import type { DocumentContent } from '../document-content.js';
import { sensibleTitle } from '../sensible-title.js';
import type { PdfDocument } from './read-pdf.js';

/** Reads the document's own metadata. The result is empty if it cannot be read. */
export async function readStatements(
  document: PdfDocument,
): Promise<Pick<DocumentContent, 'title' | 'language' | 'metadata'>> {
  let info: Readonly<Record<string, unknown>> = {};
  let xmp = (_name: string): unknown => undefined;
  try {
    const found = await document.getMetadata();
    info = found.info as Record<string, unknown>;
    xmp = (name) => found.metadata?.get(name) as unknown;
  } catch {
    // Errors are ignored, because the text of the document is more important.
  }
  const stated = (limit: number, ...values: unknown[]): string =>
    values.map((value) => plain(value, limit)).find((text) => text !== '') ?? '';
  const metadata = {
    description: stated(MAX_METADATA_VALUE, info.Subject, xmp('dc:description')),
    author: stated(MAX_METADATA_VALUE, info.Author, xmp('dc:creator')),
    keywords: stated(MAX_METADATA_VALUE, info.Keywords, xmp('pdf:keywords')),
    'dcterms.created': stated(MAX_METADATA_VALUE, pdfDate(info.CreationDate), xmp('xmp:createdate')),
    'dcterms.modified': stated(MAX_METADATA_VALUE, pdfDate(info.ModDate), xmp('xmp:modifydate')),
  };
  const titles = [info.Title, xmp('dc:title')].map((title) => sensibleTitle(stated(MAX_TITLE_LENGTH, title)));
  return {
    title: titles.find((title) => title !== '') ?? '',
    language: stated(MAX_METADATA_VALUE, info.Language),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
  };
}

/** Returns a text. A list of texts becomes one text: in XMP, authors are such a list. */
function plain(value: unknown, limit: number): string {
  const text = new TextBuilder(limit);
  for (const [i, part] of (Array.isArray(value) ? (value as unknown[]) : [value]).entries()) {
    if (typeof part === 'string') text.add(i === 0 ? part : `, ${part}`);
  }
  return text.toString();
}

/**
 * Converts a date of a PDF, such as `D:20240501093000+02'00'`, to the form of ISO 8601. Parts that are missing in the PDF are missing in
 * the result too.
 */
function pdfDate(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? DATE.exec(value.trim()) : null;
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone, zoneMinute = '00'] = parts;
  const date = [year, month, day].filter((part) => part !== undefined).join('-');
  if (day === undefined || hour === undefined || minute === undefined) return date;
  const offset = zone === undefined ? '' : /^z/i.test(zone) ? 'Z' : `${zone}:${zoneMinute}`;
  return `${date}T${hour}:${minute}:${second}${offset}`;
}

const DATE = /^(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)?)?)?)?)?(?:(z|[+-]\d\d)'?(\d\d)?'?0?0?'?)?$/i;
