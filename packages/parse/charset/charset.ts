import { isAscii, isUtf8 } from 'node:buffer';
import { CrawlError } from '../../errors/index.js';
import type { CharsetSource } from '../../plugin-api/index.js';
import { findEncoding, metaEncoding, type Encoding } from './encodings.js';
import { prescanHtml } from './meta-prescan.js';

/** Decoded text, and the name of its encoding: a WHATWG name in lower case. */
export interface DecodedText {
  readonly text: string;
  readonly charset: string;
  readonly charsetSource: CharsetSource;
}

export interface ChosenEncoding {
  readonly encoding: Encoding;
  readonly source: CharsetSource;
}

type DeclaredEncoding = (content: Uint8Array) => ChosenEncoding | undefined;

/**
 * Decodes a body. The first of these encodings that is known is used: the encoding of a byte order mark, the charset of the
 * `Content-Type` header, the declaration in the body, UTF-8 if the body is valid UTF-8, `fallback`.
 *
 * @param fallback a WHATWG label; an unknown one throws BAD_SETTING
 * @param declared finds the declaration in the body; default: as in HTML
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
 * Returns the new encoding of a page with a `meta` element that the prescan did not find (HTML Standard, 13.2.3.5, "changing the encoding
 * while parsing"). Undefined: the encoding does not change. An encoding from a byte order mark or from the header never changes. The new
 * encoding is never UTF-16, because the tags were readable in another encoding.
 * @param label the first known label that a `meta` element of the page names
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

/**
 * Returns the encoding of `parser.characterEncodingDefault`.
 * @throws CrawlError BAD_SETTING if no encoding has this name
 */
export function fallbackEncoding(label: string): Encoding {
  const encoding = findEncoding(label);
  if (encoding) return encoding;
  throw new CrawlError('BAD_SETTING', `parser.characterEncodingDefault: there is no encoding "${label}"`, {
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

/** Whether the content is valid UTF-8. The last character may be incomplete, if the content has another character outside ASCII. */
function looksLikeUtf8(content: Uint8Array): boolean {
  if (isUtf8(content)) return true;
  const whole = withoutCutCharacter(content);
  return isUtf8(whole) && !isAscii(whole);
}

/**
 * Removes an incomplete UTF-8 sequence at the end of the content. A body that was cut off at `http.contentLimit` may end with such a
 * sequence.
 */
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
