import type { RawHeaders } from '../http-headers.js';

/** The first line of an answer. */
export interface StatusLine {
  readonly status: number;
  readonly statusText: string;
}

/** How the end of a body is found. */
export type BodyFraming =
  | { readonly kind: 'chunked' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'until_close' };

/** Up to four bytes of rubbish may precede the word `HTTP`, as in Chromium. `ICY` is what SHOUTcast says. */
const STATUS_LINE = /^[^]{0,4}?(?:http(?:\/[\d.]*)?|icy)(?!\S)\s*([^]*)$/i;

/**
 * Reads a status line in any spelling: version incomplete or unknown, lower case, no reason, further blanks. One
 * without a number means 200, as browsers have it. Undefined when the line is no status line, or the number is not one
 * of three digits from 100 on.
 */
export function parseStatusLine(line: string): StatusLine | undefined {
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
 * Reads header lines, given without their ends. A folded line is joined by a blank (RFC 9112, section 5.2), blanks
 * around the name are dropped (5.1), CR and NUL in a value become blanks (RFC 9110, section 5.5). A line that is no
 * header is passed over: one without colon, with a name that is no token, or folded without one to belong to.
 * @returns name, value, name, value, …
 */
export function parseHeaderLines(lines: readonly string[]): string[] {
  const headers: string[] = [];
  let isHeader = false;
  let folded: string[] = [];
  const unfold = (): void => {
    if (isHeader && folded.length > 0) headers.push([headers.pop() ?? '', ...folded].join(' ').trim());
    folded = [];
  };
  for (const line of lines) {
    const text = line.replace(/[\r\0]/g, ' ');
    if (/^[ \t]/.test(line)) {
      folded.push(text.trim());
      continue;
    }
    unfold();
    const colon = text.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    isHeader = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name);
    if (isHeader) headers.push(name, text.slice(colon + 1).trim());
  }
  unfold();
  return headers;
}

/** Headers by their names. */
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
 * How the body ends (RFC 9112, section 6.3): `chunked` outweighs any length; a length that is no number is as good as
 * none. Undefined when lengths contradict each other, since one of them is a lie (Fetch Standard, "extract a length").
 */
export function bodyFraming(headers: RawHeaders): BodyFraming | undefined {
  if (list(headers, 'transfer-encoding').some((coding) => coding.toLowerCase() === 'chunked'))
    return { kind: 'chunked' };
  const [length, ...others] = list(headers, 'content-length');
  if (others.some((other) => other !== length)) return undefined;
  const value = /^\d+$/.test(length ?? '') ? Number(length) : NaN;
  return Number.isSafeInteger(value) ? { kind: 'length', length: value } : { kind: 'until_close' };
}

/** The items of a header that is a list, over all its lines. */
function list(headers: RawHeaders, name: string): string[] {
  const values = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return [values ?? []].flat().flatMap((value) => value.split(',').map((item) => item.trim()));
}
