import { describe, expect, test } from 'vitest';
import { readableUrl } from '../../packages/url/index.js';

const ascii = (url: string): string => new URL(url).href;

describe('is readable', () => {
  test.each([
    'http://例え.jp/',
    'https://bücher.example:8443/straße?q=größe',
    'http://пример.рф/путь/',
    'http://παράδειγμα.gr/',
    'http://www.한국어.kr/검색?질의=값',
    'http://東京タワー.jp/スカイツリー',
    'http://a.com/😀',
    'http://مثال.example/',
  ])('%s', (url) => {
    expect(readableUrl(ascii(url))).toBe(url);
  });

  test('in part', () => {
    expect(readableUrl('http://a.com/%E4%BE%8B%2F%20%E4%BE%8B')).toBe('http://a.com/例%2F%20例');
    expect(readableUrl('http://a.com/%E4%BE%8B/%FF%E4')).toBe('http://a.com/例/%FF%E4');
    expect(readableUrl('http://xn--pple-43d.com/%C3%A9')).toBe('http://xn--pple-43d.com/é');
  });
});

describe('stays as it is', () => {
  test.each([
    ['plain', 'https://example.com/a?b=%20%2f%3D'],
    ['IPv6', 'http://[::1]:8080/'],
    ['no UTF-8', 'http://a.com/%E4%BE'],
    ['Latin with a Cyrillic letter', ascii('http://аpple.com/')],
    ['Cyrillic letters that look Latin', ascii('http://сосо.com/')],
    ['Greek with Cyrillic', ascii('http://αбв.com/')],
    ['broken Punycode', 'http://xn--a.xn--9999999999999/'],
    ['controls', 'http://a.com/%C2%9B2J%1B%5B'],
    ['marks of direction', 'http://a.com/%E2%80%AEgpj.exe%E2%81%A6'],
    ['joiners and blanks', 'http://a.com/%E2%80%8D%E3%80%80%C2%A0%EF%BB%BF%E2%80%8B'],
    ['fillers', 'http://a.com/%E3%85%A4%EF%BE%A0%E2%A0%80'],
    ['slashes and other delimiters', 'http://a.com/%EF%BC%8F%E2%88%95%E2%81%84%EF%BC%9F%EF%BC%83%EF%BC%8E'],
    ['a mark that stands on a slash', 'http://a.com/%CC%B7'],
    ['private use and no characters', 'http://a.com/%EE%80%80%EF%BF%BF'],
  ])('%s', (_, url) => {
    expect(readableUrl(url)).toBeUndefined();
  });
});
