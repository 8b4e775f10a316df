/**
 * Paths and path patterns of robots.txt in a form in which equal octets are equal characters (RFC 9309, 2.2.2): one
 * character per octet; escaped unreserved and reserved octets are the character they encode; every other octet that
 * is escaped, or should be, is a character from U+0100 on. An escaped slash or question mark in the path stays apart
 * from a plain one, since it does not divide the path; in the query it does not matter.
 */
export type Octets = string;

const ESCAPED = 0x100;
const RESERVED = new Set(":/?#[]@!$&'()*+,;=");

/**
 * @param text one character per octet
 * @param inQuery the text begins within the query
 */
export function toOctets(text: string, inQuery: boolean): Octets {
  if (!/[^\x21-\x24\x26-\x7e]/.test(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x25) {
      if (code === 0x3f) inQuery = true;
      out += code > 0x20 && code < 0x7f ? text[i] : String.fromCharCode(ESCAPED + (code & 0xff));
      continue;
    }
    const hex = text.slice(i + 1, i + 3);
    if (!/^[0-9a-fA-F]{2}$/.test(hex)) {
      out += String.fromCharCode(ESCAPED + 0x25);
      continue;
    }
    i += 2;
    out += unescaped(parseInt(hex, 16), inQuery);
  }
  return out;
}

function unescaped(octet: number, inQuery: boolean): string {
  const char = String.fromCharCode(octet);
  const divides = char === '/' || char === '?';
  const same = /[A-Za-z0-9._~-]/.test(char) || (RESERVED.has(char) && (inQuery || !divides));
  return same ? char : String.fromCharCode(ESCAPED + octet);
}

/** A compiled pattern. */
export interface Pattern {
  /** What is between the wildcards; the first begins the path. */
  readonly parts: readonly Octets[];
  /** The last part ends the path. */
  readonly anchored: boolean;
  /** Octets of the pattern, escaped; the longer, the more specific. */
  readonly length: number;
}

/** Compiles the value of an Allow or Disallow line, given with one character per octet. */
export function compilePattern(text: string): Pattern {
  const anchored = text.endsWith('$');
  let inQuery = false;
  const parts = (anchored ? text.slice(0, -1) : text).split(/\*+/).map((part) => {
    const octets = toOctets(part, inQuery);
    inQuery ||= part.includes('?');
    return octets;
  });
  const octets = parts.reduce((sum, part) => sum + escapedLength(part), 0);
  return { parts, anchored, length: octets + parts.length - 1 + (anchored ? 1 : 0) };
}

function escapedLength(octets: Octets): number {
  let length = octets.length;
  for (let i = 0; i < octets.length; i++) if (octets.charCodeAt(i) >= ESCAPED) length += 2;
  return length;
}

/**
 * Whether a pattern matches the beginning of a path, in time that grows with the sum of their lengths: a part once
 * found is never tried elsewhere, since the leftmost place leaves the most room for the parts after it.
 */
export function matches(pattern: Pattern, path: Octets): boolean {
  const { parts, anchored } = pattern;
  const first = parts[0] ?? '';
  if (!path.startsWith(first)) return false;
  if (parts.length === 1) return !anchored || path.length === first.length;
  let at = first.length;
  const last = parts.length - 1;
  for (let i = 1; i < (anchored ? last : parts.length); i++) {
    const part = parts[i] ?? '';
    const found = indexOf(path, part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  const end = parts[last] ?? '';
  return path.length - end.length >= at && path.endsWith(end);
}

/** The built-in search has a table for so long a suffix of what it looks for; with longer ones it may turn quadratic. */
const BUILT_IN_LIMIT = 250;

/** `indexOf` in linear time (Knuth, Morris, Pratt). */
function indexOf(text: string, part: string, from: number): number {
  if (part.length <= BUILT_IN_LIMIT || part.length > text.length - from) return text.indexOf(part, from);
  const border = new Int32Array(part.length);
  for (let i = 1, k = 0; i < part.length; i++) {
    while (k > 0 && part[i] !== part[k]) k = border[k - 1] ?? 0;
    if (part[i] === part[k]) k++;
    border[i] = k;
  }
  for (let i = from, k = 0; i < text.length; i++) {
    while (k > 0 && text[i] !== part[k]) k = border[k - 1] ?? 0;
    if (text[i] === part[k]) k++;
    if (k === part.length) return i - k + 1;
  }
  return -1;
}
