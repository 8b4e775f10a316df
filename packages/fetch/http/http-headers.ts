import { parseUrl } from '../../url/index.js';
import { headerValues, mediaTypeOf } from '../../util/index.js';

/** Response headers: names in lower case, each byte of a value one character, a repeated name an array. */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The first value of a header. */
export function firstValue(headers: RawHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** All values of a header, joined with `, `. */
export function allValues(headers: RawHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/**
 * Values of a repeated name joined with `, `, but `x-robots-tag` by line breaks: which robot one addresses holds to its
 * end. Of `content-type` the value that counts. Any name is safe, `__proto__` too.
 */
export function joinedHeaders(headers: RawHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(joinedHeader));
}

function joinedHeader([name, value = '']: [string, RawHeaders[string]]): [string, string] {
  if (typeof value === 'string' && name !== 'content-type') return [name, value];
  const joined = typeof value === 'string' ? value : value.join(name === 'x-robots-tag' ? '\n' : ', ');
  return [name, name === 'content-type' ? (decidingContentType(joined) ?? joined) : joined];
}

/**
 * Which of the values in a joined `Content-Type` counts: the last that is a media type, with the charset of the one
 * before where that has the same type and it has none itself ("extract a MIME type" of the Fetch standard).
 */
function decidingContentType(joined: string): string | undefined {
  if (!joined.includes(',')) return joined;
  let found: string | undefined;
  let charset = '';
  for (const value of headerValues(joined)) {
    const type = mediaTypeOf(value);
    if (type === undefined) continue;
    const own = /;[ \t]*charset=("[^"]*"|[^\s;,"]+)/i.exec(value)?.[0];
    if (own !== undefined || found === undefined || mediaTypeOf(found) !== type) charset = own ?? '';
    found = own === undefined ? value + charset : value;
  }
  return found;
}

const LONGEST_WAIT = 31_536_000;

/** Milliseconds that a server's clock may differ from ours, in zones that it takes for GMT too; beyond, it is not set. */
const CLOCK_TOLERANCE = 86_400_000;

/**
 * Seconds that `Retry-After` asks to wait, at most a year; undefined when it is absent or says nothing. A date is one of
 * the server's clock, so what it says depends on the answer's `Date`, where that is not out of all reason.
 * @param now in ms since the epoch
 */
export function retryAfterSeconds(headers: RawHeaders, now: number): number | undefined {
  const text = firstValue(headers, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST_WAIT);
  const until = timeOf(text);
  if (Number.isNaN(until)) return undefined;
  const date = timeOf(firstValue(headers, 'date')?.trim() ?? '');
  const from = Math.abs(date - now) <= CLOCK_TOLERANCE ? date : now;
  return Math.min(Math.max(0, Math.ceil((until - from) / 1000)), LONGEST_WAIT);
}

/** Date.parse takes many things that are no HTTP date ("-1" for one); all three forms of a date begin with a weekday. */
function timeOf(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : NaN;
}

/**
 * Where `Location` leads from `base`, without fragment; null when it is missing, empty or not a URL that the table
 * can hold. Bytes outside ASCII are escaped as they are, so that a server gets back the bytes it sent.
 */
export function redirectTarget(location: string | undefined, base: URL): string | null {
  const text = (location ?? '').trim();
  if (!text) return null;
  const ascii = text.replace(/[\u0080-\u00ff]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  try {
    return parseUrl(new URL(ascii, base).href).href;
  } catch {
    return null;
  }
}

/** The value of `If-Modified-Since`, or undefined where the time cannot be said in a header. */
export function httpDate(time: number | undefined): string | undefined {
  if (time === undefined || !(time > 0) || time > 253_402_300_799_000) return undefined;
  return new Date(time).toUTCString();
}

/** Whether a text can be sent as a header value. Servers choose entity tags, so they are checked before use. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
