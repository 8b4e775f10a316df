import { isAscii } from 'node:buffer';

/** One encoding of the WHATWG Encoding Standard. */
export interface Encoding {
  /** In lower case. */
  readonly name: string;
  /** Never throws: what is malformed becomes U+FFFD. A byte order mark is left out. */
  decode(bytes: Uint8Array): string;
}

/** Real labels are short; longer ones are not looked at. */
const MAX_LABEL_LENGTH = 64;

/**
 * The encoding that a label names, by the Encoding Standard: in any case, with white space around. Undefined when it
 * names none.
 */
export function findEncoding(label: string): Encoding | undefined {
  if (label.length > MAX_LABEL_LENGTH) return undefined;
  const own = OWN_ENCODINGS.get(label.trim().toLowerCase());
  if (own) return own;
  try {
    const decoder = new TextDecoder(label);
    const name = decoder.encoding;
    if (name === 'windows-1252') return { name, decode: decodeWindows1252 };
    return { name, decode: (bytes) => decoder.decode(bytes) };
  } catch {
    return undefined;
  }
}

/** 0x80 to 0x9F of windows-1252; the five holes stay control characters. */
const WINDOWS_1252_HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Not by TextDecoder: some releases of Node decode windows-1252 as if it were ISO 8859-1. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (isAscii(bytes)) return text;
  return text.replace(/[\u0080-\u009f]/g, (c) => WINDOWS_1252_HIGH[c.charCodeAt(0) - 0x80] ?? c);
}

/** Bytes in UTF-8 without the byte order mark that they may begin with. */
export function withoutUtf8Mark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const ISO_8859_16_HIGH =
  '\u00a0ĄąŁ€„Š§š©Ș«Ź\u00adźŻ°±ČłŽ”¶·žčș»ŒœŸżÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚßàáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ';

/** Encodings of the Standard that TextDecoder does not have everywhere. */
const OWN_ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['iso-8859-16', singleByte('iso-8859-16', (byte) => (byte < 0xa0 ? byte : ISO_8859_16_HIGH.charCodeAt(byte - 0xa0)))],
  ['x-user-defined', singleByte('x-user-defined', (byte) => (byte < 0x80 ? byte : 0xf700 + byte))],
  ...['replacement', 'csiso2022kr', 'hz-gb-2312', 'iso-2022-cn', 'iso-2022-cn-ext', 'iso-2022-kr'].map(
    (label): [string, Encoding] => [
      label,
      { name: 'replacement', decode: (bytes) => (bytes.length > 0 ? '\ufffd' : '') },
    ],
  ),
]);

function singleByte(name: string, codeOf: (byte: number) => number): Encoding {
  return {
    name,
    decode(bytes) {
      const codes = new Uint16Array(bytes.length);
      for (let i = 0; i < bytes.length; i++) codes[i] = codeOf(bytes[i] as number);
      return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(codes);
    },
  };
}
