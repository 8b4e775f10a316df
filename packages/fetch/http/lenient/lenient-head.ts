import { trimBlanks } from '../../../util/index.js';
import type { RawHeaders } from '../http-headers.js';

/** How to find the end of a body. */
type BodyFraming =
  | { readonly kind: 'chunked' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'until_close' };

/**
 * Matches a status line. Like Chromium, it allows up to four other bytes before the word `HTTP`. SHOUTcast servers send `ICY` instead of
 * `HTTP`.
 */
const STATUS_LINE = /^[^]{0,4}?(?:http(?:\/[\d.]*)?|icy)(?!\S)\s*([^]*)$/i;

/**
 * Reads a status line. The line may have an incomplete or unknown version, lower-case letters, no reason, or extra blanks. As in browsers,
 * a line without a number means 200. Returns undefined if the line is not a status line, or if its number does not have three digits, or is
 * below 100.
 */
export function parseStatusLine(line: string) {
  const rest = STATUS_LINE.exec(line)?.[1];
  if (rest === undefined) return undefined;
  const digits = /^\d*/.exec(rest)?.[0] ?? '';
  if (digits === '') return { status: 200, statusText: rest.trim() };
  return /^[1-9]\d\d$/.test(digits)
    ? {
        status: Number(digits),
        statusText: rest
          .slice(3)
          .replace(/^[\s:]+/, '')
          .trim(),
      }
    : undefined;
}

/**
 * Reads header lines, without their line ends. A folded line is appended to the line before it with a blank (RFC 9112, section 5.2). Blanks
 * around a name are removed (section 5.1). CR and NUL in a value become blanks (RFC 9110, section 5.5). Invalid lines are skipped: lines
 * without a colon, lines with an invalid name, and a folded line without a line before it.
 * @returns name, value, name, value, …
 */
export function parseHeaderLines(lines: readonly string[]): string[] {
  const headers: string[] = [];
  let isHeader = false;
  let folded: string[] = [];
  const unfold = (): void => {
    if (isHeader && folded.length > 0) headers.push(trimBlanks([headers.pop() ?? '', ...folded].join(' ')));
    folded = [];
  };
  for (const line of lines) {
    const text = line.replace(/[\r\0]/g, ' ');
    if (/^[ \t]/.test(line)) {
      folded.push(trimBlanks(text));
      continue;
    }
    unfold();
    const colon = text.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    isHeader = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
    if (isHeader) headers.push(name, trimBlanks(text.slice(colon + 1)));
  }
  unfold();
  return headers;
}

/** Returns headers by their names in lower case. */
export function headersOf(rawHeaders: readonly string[]): RawHeaders {
  const headers = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const values = headers.get(name);
    if (values) values.push(rawHeaders[i + 1]!);
    else headers.set(name, [rawHeaders[i + 1]!]);
  }
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/**
 * Returns how to find the end of the body (RFC 9112, section 6.3). `chunked` takes precedence over a length, and an invalid length is
 * ignored. Returns undefined if there are different lengths, because one of them must be wrong (Fetch Standard, "extract a length").
 */
export function bodyFraming(headers: RawHeaders): BodyFraming | undefined {
  if (list(headers, 'transfer-encoding').some((coding) => coding.toLowerCase() === 'chunked'))
    return { kind: 'chunked' };
  const [length, ...others] = list(headers, 'content-length');
  if (others.some((other) => other !== length)) return undefined;
  const value = /^\d+$/.test(length ?? '') ? Number(length) : NaN;
  return Number.isSafeInteger(value) ? { kind: 'length', length: value } : { kind: 'until_close' };
}

/** Returns the items of a list header, from all lines of this header. */
function list(headers: RawHeaders, name: string): string[] {
  const values = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return [values ?? []].flat().flatMap((value) => value.split(',').map(trimBlanks));
}
