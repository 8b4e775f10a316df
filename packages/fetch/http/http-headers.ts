import { parseUrl } from '../../url/index.js';
import { headerValues, mediaTypeOf, trimBlanks } from '../../util/index.js';

/** Response headers by name in lower case. Each character of a value is one byte. If a name is repeated, its value is an array. */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function firstValue(headers: RawHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** Returns all values of a header, joined with `, `. */
export function allValues(headers: RawHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/**
 * Returns headers with one value for each name. The values of a repeated name are joined with `, `. Values of `x-robots-tag` are joined
 * with line breaks, because the name of a robot in a value applies only to the rest of this value. The value of `content-type` is the one
 * that decides, see {@link decidingContentType}. Any name is safe, even `__proto__`.
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
 * Returns the value in a joined `Content-Type` that decides: the last value that is a media type. If this value has no charset, and the
 * value before it has the same type, it gets the charset of that value ("extract a MIME type" of the Fetch Standard).
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

const MAX_RETRY_AFTER = 31_536_000;

/**
 * Maximum difference in milliseconds between the clock of a server and the clock of this machine. It is large enough for servers that send
 * their local time as GMT. If the difference is larger, the clock of the server was not set.
 */
const CLOCK_TOLERANCE = 86_400_000;

/**
 * Returns the seconds to wait according to `Retry-After`, at most a year. Returns undefined if the header is absent or invalid. If the
 * header has a date, the clock of the server made it. So it is compared with the `Date` of the answer, if that is plausible.
 * @param now in ms since the epoch
 */
export function retryAfterSeconds(headers: RawHeaders, now: number): number | undefined {
  const text = trimBlanks(firstValue(headers, 'retry-after') ?? '');
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER);
  const until = timeOf(text);
  if (Number.isNaN(until)) return undefined;
  const date = timeOf(trimBlanks(firstValue(headers, 'date') ?? ''));
  const from = Math.abs(date - now) <= CLOCK_TOLERANCE ? date : now;
  return Math.min(Math.max(0, Math.ceil((until - from) / 1000)), MAX_RETRY_AFTER);
}

/** Parses an HTTP date. All three formats of HTTP dates begin with a weekday. `Date.parse` alone would also accept other texts, such as "-1". */
function timeOf(text: string): number {
  return /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : NaN;
}

/**
 * Returns the URL of a `Location`, resolved against `base`, without fragment. Returns null if the value is missing or empty, or if the
 * table cannot hold the URL. Bytes outside ASCII are percent-encoded one by one, so that the server receives the same bytes that it sent.
 */
export function redirectTarget(location: string | undefined, base: URL): string | null {
  const text = trimBlanks(location ?? '');
  if (!text) return null;
  const ascii = text.replace(/[\u0080-\u00ff]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  try {
    return parseUrl(new URL(ascii, base).href).href;
  } catch {
    return null;
  }
}

/** Returns the value of `If-Modified-Since`. Returns undefined if a header cannot express the time. */
export function httpDate(time: number | undefined): string | undefined {
  if (time === undefined || !(time > 0) || time > 253_402_300_799_000) return undefined;
  return new Date(time).toUTCString();
}

/** Whether a text can be sent as a header value. Entity tags come from servers, so they are checked before they are sent back. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Headers of responses that ask a visitor to prove that it is no robot, with the values that say so. */
const CHALLENGES: readonly (readonly [name: string, value: RegExp])[] = [
  ['cf-mitigated', /./],
  ['x-amzn-waf-action', /^(?:challenge|captcha)$/i],
  // `x-datadome: protected` is sent with pages, too.
  ['x-dd-b', /./],
  ['x-vercel-mitigated', /./],
];

/** Whether a response is a challenge to robots, and not the page. */
export function isChallenge(headers: Readonly<Record<string, string>> = {}): boolean {
  return CHALLENGES.some(([name, value]) => value.test(headers[name] ?? ''));
}
