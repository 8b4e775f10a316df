/** White space, names and other syntax of HTML in bytes of UTF-8, by section 13.2.5 of the HTML Standard. */

const [TAB, NEWLINE, FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0c, 0x0d, 0x20];
const [BANG, SLASH, LESS, GREATER, QUESTION] = [0x21, 0x2f, 0x3c, 0x3e, 0x3f];
const COMMENT = Buffer.from('<!--');
const COMMENT_END = Buffer.from('--');
const END_TAG = Buffer.from('</');

export function isSpace(byte: number): boolean {
  if (byte > SPACE) return false;
  return byte === SPACE || byte === NEWLINE || byte === TAB || byte === RETURN || byte === FEED;
}

export function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a));
}

/** Returns an ASCII letter in lower case, and any other byte unchanged. */
export function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/** Whether a name is at a position, in any letter case. @param name in lower case */
export function isAt(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < name.length; i++) {
    const byte = bytes[at + i]!;
    if (byte !== name[i] && lower(byte) !== name[i]) return false;
  }
  return true;
}

export function nameEnd(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  for (; end < bytes.length; end++) {
    const byte = bytes[end]!;
    if (byte <= GREATER && (byte === GREATER || byte === SLASH || isSpace(byte))) break;
  }
  return end;
}

export function isMarkup(bytes: Uint8Array, at: number): boolean {
  const next = bytes[at + 1]!;
  return isLetter(next) || next === BANG || next === QUESTION || (next === SLASH && at + 2 < bytes.length);
}

/** The position of the next `<` that begins markup. If there is none, the length of the page. */
export function nextMarkup(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LESS, from); at >= 0; at = bytes.indexOf(LESS, at + 1))
    if (isMarkup(bytes, at)) return at;
  return bytes.length;
}

/** Returns the end of the markup at this `<`: a comment, a doctype, or other markup that is read as a comment. It must not be a tag. */
export function markupEnd(bytes: Buffer, at: number): number {
  if (!isAt(COMMENT, bytes, at)) return behind(bytes, bytes.indexOf(GREATER, at + 2));
  if (bytes[at + 4] === GREATER) return at + 5;
  if (bytes[at + 4] === COMMENT_END[0] && bytes[at + 5] === GREATER) return at + 6;
  for (let end = bytes.indexOf(COMMENT_END, at + 4); end >= 0; end = bytes.indexOf(COMMENT_END, end + 1)) {
    if (bytes[end + 2] === GREATER) return end + 3;
    if (bytes[end + 2] === BANG && bytes[end + 3] === GREATER) return end + 4;
  }
  return bytes.length;
}

function behind(bytes: Uint8Array, at: number): number {
  return at < 0 ? bytes.length : at + 1;
}

/**
 * Returns the end of the text of an element, such as `script` or `title`, in which only the end tag of this element is markup.
 * @param name in lower case
 * @returns the position of that end tag; the length of the page if there is none
 */
export function rawTextEnd(bytes: Buffer, name: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(END_TAG, from); at >= 0; at = bytes.indexOf(END_TAG, at + 2)) {
    const byte = bytes[at + 2 + name.length]!;
    if ((byte === GREATER || byte === SLASH || isSpace(byte)) && isAt(name, bytes, at + 2)) return at;
  }
  return bytes.length;
}
