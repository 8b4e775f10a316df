import { describe, expect, it } from 'vitest';
import { settingsSchema, type Settings } from '../../../config/schema.js';
import { requestHeaders } from '../../../packages/fetch/http/request-headers.js';

function headersOf(settings: Partial<Settings['http']>, url: string): Record<string, string> {
  const flat = requestHeaders({ ...settingsSchema.shape.http.parse({}), ...settings })(new URL(url));
  const pairs: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return Object.fromEntries(pairs);
}

describe('the headers of a request', () => {
  it('are those of the settings, and no others', () => {
    expect(Object.keys(headersOf({}, 'http://a.example/'))).toEqual([
      'User-Agent',
      'Accept',
      'Accept-Language',
      'Accept-Encoding',
    ]);
    expect(headersOf({ headers: { From: 'me@example.com', 'X-Empty': '' } }, 'http://a.example/')).toMatchObject({
      From: 'me@example.com',
    });
  });

  const credentials = { 'https://EXAMPLE.com': 'me:se:cret', 'http://example.com:8080': 'ü:ñ' };
  const cookies = { 'https://example.com:443': 'a=1; b=2' };

  it.each([
    ['https://example.com/x?y', 'me:se:cret', 'a=1; b=2'],
    ['https://example.com:443/', 'me:se:cret', 'a=1; b=2'],
    ['http://example.com:8080/', 'ü:ñ', undefined],
    ['http://example.com/', undefined, undefined],
    ['http://example.com:443/', undefined, undefined],
    ['https://example.com:8080/', undefined, undefined],
    ['https://www.example.com/', undefined, undefined],
    ['https://example.com./', undefined, undefined],
    ['https://example.org/example.com', undefined, undefined],
    ['https://example.com.evil.test/', undefined, undefined],
  ])('to %s', (url, login, cookie) => {
    const headers = headersOf({ credentials, cookies }, url);
    expect(headers.Authorization).toBe(login && `Basic ${Buffer.from(login).toString('base64')}`);
    expect(headers.Cookie).toBe(cookie);
  });
});

it('are rejected if no header can have them, without showing a secret', () => {
  expect(() => headersOf({ headers: { A: 'x\r\nEvil: 1' } }, 'http://a.example/')).toThrow(/for A, found/);
  const leak = expect.objectContaining({
    code: 'BAD_SETTING',
    message: expect.not.stringContaining('secret') as string,
  }) as Error;
  expect(() => headersOf({ cookies: { 'http://a.example': 'secret\n' } }, 'http://a.example/')).toThrow(leak);
});
