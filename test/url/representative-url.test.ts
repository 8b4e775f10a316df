import { describe, expect, it } from 'vitest';
import { chooseRepresentativeUrl } from '../../packages/url/index.js';

describe('chooseRepresentativeUrl', () => {
  it.each([
    ['another domain', 'http://a.com/', 'http://b.com/x', true, 'dst'],
    ['permanent from a root', 'http://a.com/', 'http://a.com/x', false, 'src'],
    ['permanent from a page', 'http://a.com/x', 'http://a.com/y/z', false, 'dst'],
    ['temporary from a root', 'http://a.com/', 'http://a.com/x', true, 'src'],
    ['temporary to a root', 'http://a.com/x', 'http://a.com/', true, 'dst'],
    ['a root with a query is none', 'http://a.com/?x', 'http://a.com/', true, 'dst'],
    ['fewer segments', 'http://a.com/a/b', 'http://a.com/longer-name', true, 'dst'],
    ['empty segments do not count', 'http://a.com/a//', 'http://a.com/a/b', true, 'src'],
    ['shorter', 'http://a.com/aa', 'http://a.com/b', true, 'dst'],
    ['equal', 'http://a.com/a', 'http://a.com/b', true, 'src'],
    ['fewer labels', 'http://www.a.com/x', 'http://a.com/y', true, 'dst'],
    ['not fewer labels', 'http://x.a.com/x', 'http://y.a.com/y', true, 'src'],
    ['a broken source', 'nonsense', 'http://a.com/', true, 'dst'],
    ['a broken target', 'http://a.com/', 'nonsense', false, 'dst'],
  ] as const)('%s', (_name, src, dst, temporary, chosen) => {
    expect(chooseRepresentativeUrl(src, dst, temporary)).toBe(chosen === 'src' ? src : dst);
  });
});
