import { describe, expect, it } from 'vitest';
import { domainOf, publicSuffixOf } from '../../packages/url/index.js';

describe('domainOf and publicSuffixOf', () => {
  it.each([
    ['example.com', 'example.com', 'com'],
    ['a.b.example.com', 'example.com', 'com'],
    ['www.example.co.uk', 'example.co.uk', 'co.uk'],
    ['co.uk', 'co.uk', 'co.uk'],
    ['com', 'com', 'com'],
    ['a.b.c.kobe.jp', 'b.c.kobe.jp', 'c.kobe.jp'],
    ['www.ck', 'www.ck', 'ck'],
    ['user.github.io', 'github.io', 'io'],
    ['a.user.blogspot.com', 'blogspot.com', 'com'],
    ['xn--bcher-kva.xn--p1ai', 'xn--bcher-kva.xn--p1ai', 'xn--p1ai'],
    ['a_b!c.example.com', 'example.com', 'com'],
    ['-.example.com', 'example.com', 'com'],
    ['www.example.com.', 'example.com', 'com'],
    ['a..com', 'a..com', 'com'],
    ['localhost', 'localhost', null],
    ['a.b.internal-net', 'a.b.internal-net', null],
    ['1.2.3.4', '1.2.3.4', null],
    ['[2001:db8::1]', '[2001:db8::1]', null],
    ['.', '.', null],
    ['', '', null],
  ])('%j is of %j below %j', (host, domain, suffix) => {
    expect(domainOf(host)).toBe(domain);
    expect(publicSuffixOf(host)).toBe(suffix);
  });
});
