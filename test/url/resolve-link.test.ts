import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinkResolver, resolveLink } from '../../packages/url/index.js';
import { fuzzed } from '../support/runs.js';

const BASE = 'http://a.com/b/c?d#e';

describe('resolveLink', () => {
  it.each([
    ['g', 'http://a.com/b/g'],
    [' \n g\t', 'http://a.com/b/g'],
    ['?y', 'http://a.com/b/c?y'],
    ['', 'http://a.com/b/c?d'],
    ['#top', 'http://a.com/b/c?d'],
    ['//h', 'http://h/'],
    ['\\\\h\\x', 'http://h/x'],
    ['../../../g', 'http://a.com/g'],
    ['https://x.com/#f', 'https://x.com/'],
    ['http:g', 'http://a.com/b/g'],
    ['a:b', null],
    ['./a:b', 'http://a.com/b/a:b'],
  ])('%j -> %j', (href, url) => {
    expect(resolveLink(href, BASE)).toBe(url);
  });

  it.each([
    'mailto:a@b.c',
    'javascript:void(0)',
    'tel:+1',
    'data:,x',
    'ftp://a.com/',
    'http://',
    'http://u:p@a.com/',
    '//u@h/',
    'http://a:99999/',
  ])('leads nowhere for %j', (href) => {
    expect(resolveLink(href, BASE)).toBeNull();
  });

  it.each(['', 'nonsense', '/b', 'data:text/html,'])('leads nowhere from the base %j', (base) => {
    expect(resolveLink('/x', base)).toBeNull();
  });
});

describe('LinkResolver', () => {
  it('resolves each link like resolveLink', () => {
    const part = fc.constantFrom(
      ...'a b.html .. ../ ../../ . ./ / // ? & = # : ; % %2e %2E%2e ~ - _ é \\ @ 1 http: .a a. ..b c.. xn--'.split(' '),
      '',
      ' ',
      '\n',
    );
    const parts = (max: number) => fc.array(part, { maxLength: max }).map((all) => all.join(''));
    const plain = fc.tuple(
      fc.constantFrom('', '../', '../../../', '/', 'http://', 'http://a.com/', 'https:'),
      fc.constantFrom(
        '',
        'a',
        'b/c',
        'd/e/',
        'f?g=h/i',
        'j-/_',
        'http',
        'k.l/m~',
        'n/.',
        'o//p',
        'q/..r',
        's?',
        't|',
        '?u',
      ),
    );
    const href = fc.oneof(
      parts(5),
      plain.map((both) => both.join('')),
    );
    const host = fc.constantFrom('a.com', 'a.com:8080', 'a.com:80', '10.0.0.1', 'A.com', 'u@a.com', '', '[::1]');
    const path = fc.oneof(parts(6), fc.constantFrom('', 'a/b', 'a//b//c', 'a/b/?c/d', '?x=/y/z', 'a/b/c/d/', 'a/b?'));
    fc.assert(
      fc.property(href, host, path, (link, name, rest) => {
        const base = `http://${name}/${rest}`;
        expect(new LinkResolver(base).resolve(link)).toBe(resolveLink(link, base));
      }),
      fuzzed(20_240_802, 20_000),
    );
  });
});
