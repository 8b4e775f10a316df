import type { Settings } from '../../../config/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { acceptEncoding } from './content-coding.js';
import { isHeaderValue } from './http-headers.js';
import { userAgent } from './user-agent.js';

/**
 * Returns a function that makes the headers of a request from its URL: name, value, name, value, … Credentials and cookies are sent only to
 * the exact origin (scheme, host and port) for which they are set.
 * @throws CrawlError BAD_SETTING if a header cannot be sent. The message does not contain a secret value.
 */
export function requestHeaders(settings: Settings['http']): (url: URL) => string[] {
  const everywhere = [
    ['User-Agent', userAgent(settings)],
    ['Accept', settings.accept],
    ['Accept-Language', settings.acceptLanguage],
    ['Accept-Encoding', acceptEncoding()],
    ...Object.entries(settings.headers),
  ] as const;
  for (const [name, value] of everywhere) {
    if (!isHeaderValue(value)) throw notSendable(name, `"${safeText(value)}"`);
  }
  const common = everywhere.filter(([, value]) => value !== '').flat();

  const byOrigin = new Map<string, string[]>();
  const add = (origin: string, name: string, value: string): void => {
    if (!isHeaderValue(value)) throw notSendable(`${name} of ${safeText(origin)}`, 'something else');
    const key = new URL(origin).origin;
    byOrigin.set(key, [...(byOrigin.get(key) ?? []), name, value]);
  };
  for (const [origin, login] of Object.entries(settings.credentials)) add(origin, 'Authorization', basic(login));
  for (const [origin, cookie] of Object.entries(settings.cookies)) add(origin, 'Cookie', cookie);
  return (url) => [...common, ...(byOrigin.get(url.origin) ?? [])];
}

/**
 * Returns the value for basic authentication (RFC 7617).
 * @param login `user:password`
 */
export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function notSendable(name: string, found: string): CrawlError {
  return new CrawlError('BAD_SETTING', `expected a text that can be sent in a header for ${name}, found ${found}`);
}
