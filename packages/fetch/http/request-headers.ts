import type { Settings } from '../../../config/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { acceptEncoding } from './content-coding.js';
import { isHeaderValue } from './http-headers.js';
import { userAgent } from './user-agent.js';

/**
 * The headers that the settings ask for, by the URL that they go to: name, value, name, value, … Credentials and cookies
 * go to the very origin (scheme, host and port) that they are set for.
 * @throws CrawlError BAD_SETTING when one cannot be sent; a secret value is not repeated
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

/** Basic authentication (RFC 7617) by `user:password`. */
export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function notSendable(name: string, found: string): CrawlError {
  return new CrawlError('BAD_SETTING', `expected text that a header can carry for ${name}, found ${found}`);
}
