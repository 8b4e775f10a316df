import { describe, expect, it } from 'vitest';
import { resolveLink } from '../../packages/url/index.js';

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
