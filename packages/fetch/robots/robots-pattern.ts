/**
 * A path, or a pattern of paths, in robots.txt. Each octet is one character, so two texts are equal if their octets are equal (RFC 9309,
 * 2.2.2). An escaped octet becomes a plain character if the character is unreserved or reserved. Other octets that are escaped, or that
 * must be escaped, become characters from U+0100 on. There is an exception in the path: an escaped slash or question mark stays different
 * from a plain one, because it does not divide the path. A plain backslash in the path becomes a slash, as in the URL Standard.
 */
type Octets = string;

const ESCAPED = 0x100;
const RESERVED = new Set(":/?#[]@!$&'()*+,;=");
/** Characters that must be escaped in a URL. Most URL parsers escape them. */
const UNSAFE = new Set('"<>\\^`{|}');

/**
 * Converts a text to octets.
 * @param text a text in which each character is one octet
 * @param inQuery whether the text begins inside the query
 */
export function toOctets(text: string, inQuery: boolean): Octets {
  if (!/[^!#$&-;=?-[\]_a-z~]/.test(text)) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x25) {
      if (code === 0x3f) inQuery = true;
      if (code === 0x5c && !inQuery) out += '/';
      else if (code <= 0x20 || code >= 0x7f || UNSAFE.has(text[i]!))
        out += String.fromCharCode(ESCAPED + (code & 0xff));
      else out += text[i];
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

export interface Pattern {
  /** The parts between the wildcards. The first part must be at the start of the path. */
  readonly parts: readonly Octets[];
  /** Whether the last part must be at the end of the path. */
  readonly anchored: boolean;
  /** Number of octets of the escaped pattern. A longer pattern is more specific. */
  readonly length: number;
}

/** Compiles the value of an Allow or Disallow line. Each character of the value is one octet. */
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
 * Whether a pattern matches the beginning of a path. The time grows with the sum of their lengths. Each part is searched once: its leftmost
 * position leaves the most room for the next parts.
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

/** Maximum length of a search text for the built-in `indexOf`. For longer texts, the time of the built-in function may become quadratic. */
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
