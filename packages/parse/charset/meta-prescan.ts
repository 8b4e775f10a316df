import type { ChosenEncoding } from './charset.js';
import { findEncoding, labelInPragma, metaEncoding, type Encoding } from './encodings.js';

/** Number of bytes of a page in which to search for a declaration of the encoding. */
const PRESCAN_BYTES = 1024;

/**
 * Returns the encoding that an HTML page declares in a `meta` element or an XML declaration. The prescan algorithm of the HTML Standard
 * reads the first 1024 bytes. Undefined: the page declares no known encoding.
 */
export function prescanHtml(content: Uint8Array): ChosenEncoding | undefined {
  const head = headOf(content);
  const wide = wideXml(head);
  const inMeta = wide ? undefined : scanTags(head);
  if (inMeta) return { encoding: inMeta, source: 'meta' };
  return inXml(wide ?? xmlEncoding(head));
}

/** Returns the encoding in the XML declaration at the start of a document. Undefined: there is no known encoding. */
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

/** Returns the encoding of UTF-16 text without a byte order mark. Undefined: it is not such a text. */
function wideXml(head: string): Encoding | undefined {
  if (head.startsWith('<\0?\0x\0')) return findEncoding('utf-16le');
  return head.startsWith('\0<\0?\0x') ? findEncoding('utf-16be') : undefined;
}

/** Matches a comment, other markup that is not a tag, or the name of a tag. Markup without an end ends with the text. */
const MARKUP =
  /<(?:!--(?:-?>|[^]*?(?:-->|$))|(?:[!?]|\/(?![a-z]))[^>]*>?|(meta)[\t\n\f\r /]+|(\/?[a-z][^\t\n\f\r >]*)[\t\n\f\r /]*)/gi;
/** Matches an attribute, and everything up to the next attribute. A `=` at the start belongs to the name of the attribute. */
const ATTRIBUTE =
  /([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"?|'([^']*)'?|([^\t\n\f\r >]*)))?[\t\n\f\r /]*/y;

function scanTags(head: string): Encoding | undefined {
  const markup = new RegExp(MARKUP);
  const attribute = new RegExp(ATTRIBUTE);
  for (let found = markup.exec(head); found; found = markup.exec(head)) {
    const [, meta, tag] = found;
    if (meta === undefined && tag === undefined) continue;
    // Only the attributes of `meta` elements are collected.
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
    // If the tag has no end, the prescan ends.
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
