import { normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

export interface Encoding {
  /** A WHATWG name in lower case. */
  readonly name: string;
  /** Decodes bytes and never throws: malformed bytes become U+FFFD. A byte order mark is left out. */
  decode(bytes: Uint8Array): string;
  /**
   * Escapes the query of an http URL in a document of this encoding, by the URL Standard. A character that the encoding does not have
   * becomes `%26%23<code point>%3B`. Undefined: queries are in UTF-8.
   */
  readonly encodeQuery: ((query: string) => string) | undefined;
}

/** Maximum number of characters of a label. Longer labels are ignored, because real labels are short. */
const MAX_LABEL_LENGTH = 64;

/** The special-query percent-encode set of the URL Standard, without control characters. These are always escaped. */
const SPECIAL_QUERY = ' "#\'<>';

/** Encodings without an encoder (Encoding Standard, "get an output encoding"). */
const WITHOUT_ENCODER: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement']);

/**
 * Returns the encoding that a label names, by the Encoding Standard. Letter case is ignored, and white space around the label. Undefined:
 * the label names no encoding. The tables come from the Standard, because the tables of Node lack many legacy encodings.
 */
export function findEncoding(label: string): Encoding | undefined {
  const name = label.length > MAX_LABEL_LENGTH ? null : normalizeEncoding(label);
  if (name === null) return undefined;
  const encodeQuery = WITHOUT_ENCODER.has(name)
    ? undefined
    : (query: string) => percentEncodeAfterEncoding(name, query, SPECIAL_QUERY);
  if (name === 'replacement') return { name, encodeQuery, decode: (bytes) => (bytes.length > 0 ? '\ufffd' : '') };
  return { name, encodeQuery, decode: (bytes) => new TextDecoder(name).decode(bytes) };
}

/**
 * Returns the encoding that a label in a page means. If the label could be read byte by byte, the page is not in UTF-16, even if the
 * label says so. Undefined: the label names no encoding.
 */
export function metaEncoding(label: string): Encoding | undefined {
  const encoding = findEncoding(label);
  if (encoding?.name.startsWith('utf-16')) return findEncoding('utf-8');
  return encoding?.name === 'x-user-defined' ? findEncoding('windows-1252') : encoding;
}

/** The label after `charset=` in the content of a `meta` pragma. Undefined: there is no label. */
export function labelInPragma(content: string): string | undefined {
  const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(
    content,
  );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
