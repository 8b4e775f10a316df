import { normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** One encoding of the WHATWG Encoding Standard. */
export interface Encoding {
  /** In lower case. */
  readonly name: string;
  /** Never throws: what is malformed becomes U+FFFD. A byte order mark is left out. */
  decode(bytes: Uint8Array): string;
  /**
   * Escapes the query of an http URL as the URL Standard has it for a document in this encoding; a character that the
   * encoding lacks becomes `%26%23<code point>%3B`. Undefined where queries are in UTF-8.
   */
  readonly encodeQuery: ((query: string) => string) | undefined;
}

/** Real labels are short; longer ones are not looked at. */
const MAX_LABEL_LENGTH = 64;

/** URL Standard: the special-query percent-encode set, less the controls, which are always escaped. */
const SPECIAL_QUERY = ' "#\'<>';

/** Encoding Standard, "get an output encoding": these have no encoder. */
const WITHOUT_ENCODER: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement']);

/**
 * The encoding that a label names, by the Encoding Standard: in any case, with white space around. Undefined when it
 * names none. Tables are the Standard's and not those of Node, which lack much of the legacy ones.
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
 * The encoding that a label in a page means: where it can be read byte by byte, the page is not in UTF-16, whatever it
 * says. Undefined when it names none.
 */
export function metaEncoding(label: string): Encoding | undefined {
  const encoding = findEncoding(label);
  if (encoding?.name.startsWith('utf-16')) return findEncoding('utf-8');
  return encoding?.name === 'x-user-defined' ? findEncoding('windows-1252') : encoding;
}

/** The label after `charset=` in the content of a `meta` pragma; undefined where there is none. */
export function labelInPragma(content: string): string | undefined {
  const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(
    content,
  );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
