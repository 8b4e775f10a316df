import { isAscii, isUtf8 } from 'node:buffer';
import { CrawlError } from '../../errors/index.js';
import type { CharsetSource } from '../../plugin-api/index.js';
import { findEncoding, metaEncoding, type Encoding } from './encodings.js';
import { prescanHtml } from './meta-prescan.js';

/** Text, and the WHATWG name of the encoding it was decoded with, in lower case. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
  readonly charsetSource: CharsetSource;
}

/** An encoding, and what it was chosen by. */
export interface ChosenEncoding {
  readonly encoding: Encoding;
  readonly source: CharsetSource;
}

/** Finds what a body says of its encoding itself. */
export type DeclaredEncoding = (content: Uint8Array) => ChosenEncoding | undefined;

/**
 * Decodes a body by the first of these that names a known encoding: a byte order mark, the charset of the
 * `Content-Type` header, what the body says of itself, UTF-8 if it is valid UTF-8, `fallback`.
 *
 * @param fallback a WHATWG label; an unknown one throws BAD_SETTING
 * @param declared finds what the body says of itself; for HTML unless given
 */
export function decodeText(
  content: Uint8Array,
  contentTypeHeader: string | undefined,
  fallback: string,
  declared?: DeclaredEncoding,
): DecodedText {
  const { encoding, source } = encodingOf(content, contentTypeHeader, fallback, declared);
  return { text: encoding.decode(content), charset: encoding.name, charsetSource: source };
}

/** The encoding by which {@link decodeText} decodes. */
export function encodingOf(
  content: Uint8Array,
  contentTypeHeader: string | undefined,
  fallback: string,
  declared: DeclaredEncoding = prescanHtml,
): ChosenEncoding {
  return (
    chosen(byteOrderMark(content), 'byte-order-mark') ??
    chosen(headerEncoding(contentTypeHeader), 'header') ??
    declared(content) ??
    chosen(looksLikeUtf8(content) ? findEncoding('utf-8') : undefined, 'valid-utf-8') ?? {
      encoding: fallbackEncoding(fallback),
      source: 'default',
    }
  );
}

/**
 * What a `meta` element that the prescan did not find makes of the encoding: HTML Standard, 13.2.3.5, "changing the
 * encoding while parsing". Undefined where the page goes on as it is: a byte order mark and the header are certain, and
 * UTF-16 cannot be what a page is in whose tags were read in another encoding.
 * @param label the first known one that a `meta` element of the page names
 */
export function changedEncoding(by: ChosenEncoding, label: string | undefined): ChosenEncoding | undefined {
  if (by.source === 'byte-order-mark' || by.source === 'header' || label === undefined) return undefined;
  if (by.encoding.name.startsWith('utf-16')) return undefined;
  const encoding = metaEncoding(label);
  return encoding && encoding.name !== by.encoding.name ? { encoding, source: 'meta' } : undefined;
}

function chosen(encoding: Encoding | undefined, source: CharsetSource): ChosenEncoding | undefined {
  return encoding && { encoding, source };
}

/** The encoding of `parser.characterEncodingDefault`. Throws BAD_SETTING when there is none of that name. */
export function fallbackEncoding(label: string): Encoding {
  const encoding = findEncoding(label);
  if (encoding) return encoding;
  throw new CrawlError('BAD_SETTING', `parser.characterEncodingDefault: no encoding is called "${label}"`, {
    hint: 'use a name of the WHATWG Encoding Standard, for instance windows-1252',
  });
}

function byteOrderMark([a, b, c]: Uint8Array): Encoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return findEncoding('utf-8');
  if (a === 0xfe && b === 0xff) return findEncoding('utf-16be');
  if (a === 0xff && b === 0xfe) return findEncoding('utf-16le');
  return undefined;
}

function headerEncoding(header: string | undefined): Encoding | undefined {
  const match = header && /;[ \t]*charset=(?:"([^"]*)"|([^\s;,"]+))/i.exec(header);
  return match ? findEncoding(match[1] ?? match[2] ?? '') : undefined;
}

/** Valid UTF-8; the last character may be cut where there are others outside ASCII to go by. */
function looksLikeUtf8(content: Uint8Array): boolean {
  if (isUtf8(content)) return true;
  const whole = withoutCutCharacter(content);
  return isUtf8(whole) && !isAscii(whole);
}

/** Without the start of a UTF-8 sequence at the end, which a body has that was cut at `http.contentLimit`. */
function withoutCutCharacter(content: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, content.length); back++) {
    const byte = content[content.length - back] as number;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? content.subarray(0, content.length - back) : content;
  }
  return content;
}
