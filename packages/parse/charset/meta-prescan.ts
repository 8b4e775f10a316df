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

function scanTags(head: string): Encoding | undefined {
  const cursor = { text: head, at: 0 };
  while (cursor.at < head.length) {
    if (head.startsWith('<!--', cursor.at)) {
      // `<!-->` is a whole comment: the closing dashes may be the opening ones.
      if (!skipTo(cursor, '-->', cursor.at + 2)) return undefined;
    } else if (/^<meta[\t\n\f\r /]/i.test(head.slice(cursor.at, cursor.at + 6))) {
      cursor.at += 5;
      const encoding = encodingInMeta(cursor);
      if (encoding) return encoding;
    } else if (/^<\/?[a-z]/i.test(head.slice(cursor.at, cursor.at + 3))) {
      while (cursor.at < head.length && !/[\t\n\f\r >]/.test(head.charAt(cursor.at))) cursor.at++;
      while (nextAttribute(cursor));
    } else if (/^<[!/?]/.test(head.slice(cursor.at, cursor.at + 2))) {
      if (!skipTo(cursor, '>', cursor.at)) return undefined;
    }
    cursor.at++;
  }
  return undefined;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Moves to the last character of `end`; false when it does not come. */
function skipTo(cursor: Cursor, end: string, from: number): boolean {
  const found = cursor.text.indexOf(end, from);
  cursor.at = found + end.length - 1;
  return found !== -1;
}

function encodingInMeta(cursor: Cursor): Encoding | undefined {
  const seen = new Set<string>();
  let gotPragma = false;
  let needPragma = false;
  let label: string | undefined;
  for (let attribute = nextAttribute(cursor); attribute; attribute = nextAttribute(cursor)) {
    const [name, value] = attribute;
    if (seen.has(name)) continue;
    seen.add(name);
    if (name === 'http-equiv') {
      gotPragma = value === 'content-type';
    } else if (name === 'content' && label === undefined) {
      const named = labelInPragma(value);
      if (named === undefined || !findEncoding(named)) continue;
      label = named;
      needPragma = true;
    } else if (name === 'charset') {
      label = value;
      needPragma = false;
    }
  }
  // An unfinished tag ends the scan.
  if (label === undefined || (needPragma && !gotPragma) || cursor.at >= cursor.text.length) return undefined;
  return metaEncoding(label);
}

/** The next attribute of the tag under the cursor, in lower case; undefined at its end or at the end of the text. */
function nextAttribute(cursor: Cursor): [name: string, value: string] | undefined {
  const { text } = cursor;
  skip(cursor, /[\t\n\f\r /]/);
  if (cursor.at >= text.length || text.charAt(cursor.at) === '>') return undefined;
  const nameStart = cursor.at;
  // A leading `=` belongs to the name.
  cursor.at++;
  skip(cursor, /[^\t\n\f\r />=]/);
  const name = text.slice(nameStart, cursor.at).toLowerCase();
  skip(cursor, /[\t\n\f\r ]/);
  if (text.charAt(cursor.at) !== '=') return [name, ''];
  cursor.at++;
  skip(cursor, /[\t\n\f\r ]/);
  const quote = text.charAt(cursor.at);
  if (quote === '"' || quote === "'") {
    const start = cursor.at + 1;
    const end = text.indexOf(quote, start);
    cursor.at = end === -1 ? text.length : end + 1;
    return end === -1 ? undefined : [name, text.slice(start, end).toLowerCase()];
  }
  const start = cursor.at;
  skip(cursor, /[^\t\n\f\r >]/);
  return [name, text.slice(start, cursor.at).toLowerCase()];
}

function skip(cursor: Cursor, characters: RegExp): void {
  while (cursor.at < cursor.text.length && characters.test(cursor.text.charAt(cursor.at))) cursor.at++;
}

function xmlEncoding(head: string): Encoding | undefined {
  const declaration = /^<\?xml[^>]*/.exec(head)?.[0];
  const label = declaration && /encoding[\0-\x20]*=[\0-\x20]*(?:"([^"\0-\x20]*)"|'([^'\0-\x20]*)')/.exec(declaration);
  return label ? metaEncoding(label[1] ?? label[2] ?? '') : undefined;
}
