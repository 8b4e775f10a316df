import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../packages/url/index.js';

describe('hostOf', () => {
  it.each([
    ['http://www.example.com/', 'www.example.com'],
    ['https://www.example.com:8443/a:b@c/', 'www.example.com'],
    ['http://10.0.0.1:81/', '10.0.0.1'],
    ['http://[::1]:81/', '[::1]'],
    ['http://example.com./', 'example.com.'],
    ['http://a_b/', 'a_b'],
    ['HTTP://Example.com', 'example.com'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://a.com?x=http://b.com/', 'a.com'],
    ['http://a.com\\@b.com/', 'a.com'],
  ])('%s -> %s', (url, host) => {
    expect(hostOf(url)).toBe(host);
  });

  it.each(['', 'a.com', 'http://', 'ftp://a.com/', 'http://u@a.com/', 'http://u:p@a.com:80/', 'a://b/c'])(
    'rejects %j',
    (url) => {
      expect(() => hostOf(url)).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
    },
  );

  it('agrees with the URL parser', () => {
    const url = fc.webUrl({
      authoritySettings: { withPort: true, withIPv4: true, withIPv6: true },
      withQueryParameters: true,
    });
    const sameHost = (text: string) => {
      const parsed = new URL(text);
      expect(hostOf(parsed.href)).toBe(parsed.hostname);
    };
    fc.assert(fc.property(url, sameHost), { seed: 1, numRuns: 300 });
  });
});
