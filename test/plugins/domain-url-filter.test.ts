import { describe, expect, it } from 'vitest';
import { domainUrlFilter } from '../../packages/plugins/index.js';
import { words } from '../support/files/words.js';

const verdict = (text: string, url: string) => domainUrlFilter(text).filterUrl!(url, 'outlink');

describe('domainUrlFilter', () => {
  const text =
    '# comment\nexample.com\nwww.Example.org\nac.uk\nmuseum\nbücher.de\n192.0.2.1\n[2001:DB8::1]\nlocalhost\nlan.host';

  it.each(words`
    http://example.com/ https://a.b.example.com:8443/x http://example.com./ http://www.example.org/
    http://www.uni.ac.uk/ http://a.museum/ http://www.xn--bcher-kva.de/ http://192.0.2.1:81/ http://[2001:db8::1]/
    http://localhost/ http://lan.host/
  `)('accepts %s', (url) => {
    expect(verdict(text, url)).toBe(true);
  });

  it.each(words`
    http://example.org/ http://a.www.example.org/ http://myexample.com/ http://example.com.evil.net/
    http://evil.net/example.com http://example.co.uk/ http://192.0.2.2/ http://a.localhost/
  `)('rejects %s', (url) => {
    expect(verdict(text, url)).toBe('no suffix, domain or host matches');
  });

  it('applies a top-level domain to all suffixes below it', () => {
    expect(verdict('uk', 'http://www.example.co.uk/')).toBe(true);
    expect(verdict('co.uk', 'http://www.uni.ac.uk/')).not.toBe(true);
  });

  it('rejects everything if it has no lines', () => {
    expect(verdict('', 'http://a.com/')).toBe('no suffix, domain or host matches');
  });

  it('lists every invalid line', () => {
    const wrong = [...words`http://a.com/ a.com/x a.com:80 u@a.com a.com?x +a.com/ *.[x 999.1.1.1 a\b`, 'a b'];
    const message = wrong
      .map(
        (line, i) =>
          `line ${i + 2}: a host name or IP address without scheme, port and path is expected, found "${line}"`,
      )
      .join('; ');
    expect(() => domainUrlFilter(['fine.com', ...wrong].join('\n'))).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: `domain URL filter: ${message}` }),
    );
  });
});
