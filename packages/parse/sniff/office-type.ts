/** Media types of Office Open XML documents. The key is the name of a part: only documents of this type have a part of this name. */
const OPEN_XML: Readonly<Record<string, string>> = {
  'word/document.xml': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'xl/workbook.xml': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'ppt/presentation.xml': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

export const OFFICE_TYPES: readonly string[] = [
  ...Object.values(OPEN_XML),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.template',
  'application/vnd.openxmlformats-officedocument.presentationml.template',
  'application/vnd.openxmlformats-officedocument.presentationml.slideshow',
  'application/vnd.ms-word.document.macroenabled.12',
  'application/vnd.ms-excel.sheet.macroenabled.12',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.presentation',
  'application/epub+zip',
];

/** Matches the first entry of an archive of OpenDocument or EPUB: the name of the entry, then the media type. */
const STATED_TYPE = /^PK\x03\x04[^]{26}mimetype(application\/(?:vnd\.oasis\.opendocument\.[a-z]+|epub\+zip))/;

/** The type of an office document, by the parts in its archive. Undefined: it is not an office document. */
export function officeType(content: Uint8Array): string | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') return undefined;
  const stated = STATED_TYPE.exec(bytes.toString('latin1', 0, 120))?.[1];
  if (stated !== undefined) return OFFICE_TYPES.includes(stated) ? stated : undefined;
  // The end of an archive has the names of all parts.
  const part = Object.keys(OPEN_XML).find((name) => bytes.lastIndexOf(name, undefined, 'latin1') !== -1);
  return part === undefined ? undefined : OPEN_XML[part];
}
