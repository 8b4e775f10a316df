import type { ChosenEncoding } from './charset.js';
import { findEncoding, labelInPragma, metaEncoding, type Encoding } from './encodings.js';

/** How many bytes of a page are looked through for the encoding that it names. */
const PRESCAN_BYTES = 1024;

/**
 * The encoding that the start of an HTML page names in a `meta` element or an XML declaration: the prescan algorithm
 * of the HTML Standard over the first 1024 bytes. Undefined when it names none that is known.
 */
export function prescanHtml(content: Uint8Array): ChosenEncoding | undefined {
  const head = headOf(content);
  const wide = wideXml(head);
  const inMeta = wide ? undefined : scanTags(head);
  if (inMeta) return { encoding: inMeta, source: 'meta' };
  return inXml(wide ?? xmlEncoding(head));
}

/** The encoding that the XML declaration names, where the document begins with one. */
export function prescanXml(content: Uint8Array): ChosenEncoding | undefined {
  const head = headOf(content);
  return inXml(wideXml(head) ?? xmlEncoding(head));
}

function inXml(encoding: Encoding | undefined): ChosenEncoding | undefined {
  return encoding && { encoding, source: 'xml-declaration' };
}

function headOf(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, PRESCAN_BYTES)).toString('latin1');
}

/** UTF-16 without a byte order mark. */
function wideXml(head: string): Encoding | undefined {
  if (head.startsWith('<\0?\0x\0')) return findEncoding('utf-16le');
  return head.startsWith('\0<\0?\0x') ? findEncoding('utf-16be') : undefined;
}

/** A comment, other markup that is no tag, or the name of a tag; what has no end goes to that of the text. */
const MARKUP =
  /<(?:!--(?:-?>|[^]*?(?:-->|$))|(?:[!?]|\/(?![a-z]))[^>]*>?|(meta)[\t\n\f\r /]+|(\/?[a-z][^\t\n\f\r >]*)[\t\n\f\r /]*)/gi;
/** An attribute, and what is between it and the next; a leading `=` belongs to its name. */
const ATTRIBUTE =
  /([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"?|'([^']*)'?|([^\t\n\f\r >]*)))?[\t\n\f\r /]*/y;

function scanTags(head: string): Encoding | undefined {
  const markup = new RegExp(MARKUP);
  const attribute = new RegExp(ATTRIBUTE);
  for (let found = markup.exec(head); found; found = markup.exec(head)) {
    const [, meta, tag] = found;
    if (meta === undefined && tag === undefined) continue;
    // Those of other elements are passed over.
    const attributes = meta === undefined ? undefined : new Map<string, string>();
    let end = markup.lastIndex;
    attribute.lastIndex = end;
    for (let each = attribute.exec(head); each; each = attribute.exec(head)) {
      end = attribute.lastIndex;
      if (!attributes) continue;
      const [, name = '', doubleQuoted, singleQuoted, bare] = each;
      const value = doubleQuoted ?? singleQuoted ?? bare ?? '';
      if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), value.toLowerCase());
    }
    // An unfinished tag ends the scan.
    const encoding = attributes && end < head.length ? encodingInMeta(attributes) : undefined;
    if (encoding) return encoding;
    markup.lastIndex = end;
  }
  return undefined;
}

function encodingInMeta(attributes: ReadonlyMap<string, string>): Encoding | undefined {
  const isPragma = attributes.get('http-equiv') === 'content-type';
  const label = attributes.get('charset') ?? (isPragma ? labelInPragma(attributes.get('content') ?? '') : undefined);
  return label === undefined ? undefined : metaEncoding(label);
}

function xmlEncoding(head: string): Encoding | undefined {
  const declaration = /^<\?xml[^>]*/.exec(head)?.[0];
  const label = declaration && /encoding[\0-\x20]*=[\0-\x20]*(?:"([^"\0-\x20]*)"|'([^'\0-\x20]*)')/.exec(declaration);
  return label ? metaEncoding(label[1] ?? label[2] ?? '') : undefined;
}
