import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyUrlChain } from '../../packages/plugin-api/index.js';
import {
  basicUrlNormalizer,
  domainUrlFilter,
  prefixUrlFilter,
  regexUrlFilter,
  regexUrlNormalizer,
  suffixUrlFilter,
} from '../../packages/plugins/index.js';

const read = (name: string) => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');

describe('config/regex-urlfilter.txt', () => {
  const filter = regexUrlFilter(read('regex-urlfilter.txt'));
  const accepts = (url: string) => filter.filterUrl!(url, 'outlink') === true;

  it.each([
    'http://a.com/',
    'https://a.com/?id=1&x=@!*',
    'http://a.com/index.php?image=a.jpg',
    'http://a.com/report.pdf',
    'http://a.com/report.DOCX?version=2',
    'http://a.com/gif',
    'http://a.com/.gifs/',
    'http://a.com/x.gif/page',
    'http://a.com/a.js.html',
    'http://a.com/data.json',
    'http://a.com/feed.xml',
    'http://a.com/what.so',
    'http://zip.com/',
    'http://a.zip/',
    'http://a.com/ftp://x',
  ])('accepts %s', (url) => {
    expect(accepts(url)).toBe(true);
  });

  it.each([
    'ftp://a.com/',
    'file:///x',
    'mailto:a@b',
    ...[
      'gif',
      'GIF',
      'jpg',
      'jpeg',
      'png',
      'webp',
      'svg',
      'ico',
      'css',
      'js',
      'mjs',
      'woff2',
      'ttf',
      'mp3',
      'mp4',
      'mpg',
      'mpeg',
      'ogg',
    ].map((suffix) => `http://a.com/x.${suffix}`),
    ...['webm', 'mkv', 'zip', 'gz', 'tgz', 'tar.gz', '7z', 'exe', 'msi', 'dmg', 'iso', 'jar', 'apk', 'swf'].map(
      (suffix) => `http://a.com/x.${suffix}?download=1`,
    ),
  ])('rejects %s', (url) => {
    expect(accepts(url)).toBe(false);
  });
});

describe('config/regex-normalize.txt', () => {
  const normalizer = regexUrlNormalizer(read('regex-normalize.txt'));
  const normalize = (url: string) => normalizer.normalizeUrl!(url, 'outlink');
  const md5 = '824a6c0a13a7e11205a128f44e3aab01';

  it.each([
    ['http://a.com/a;jsessionid=1E6F!12?x=1', 'http://a.com/a?x=1'],
    ['http://a.com/a;JSESSIONID=1E6F/b', 'http://a.com/a/b'],
    ['http://a.com/?PHPSESSID=1', 'http://a.com/'],
    ['http://a.com/?PHPSESSID=1&b=2', 'http://a.com/?b=2'],
    ['http://a.com/?b=2&PHPSESSID=1', 'http://a.com/?b=2'],
    ['http://a.com/?b=2&phpsessid=1&c=3', 'http://a.com/?b=2&c=3'],
    ['http://a.com/?phpsessid=1&Bv_SessionID=2&_jsessionid=3', 'http://a.com/'],
    ['http://a.com/?ASPSESSIONIDQQAB=X&a', 'http://a.com/?a'],
    [`http://a.com/viewtopic.php?t=5&sid=${md5}`, 'http://a.com/viewtopic.php?t=5'],
    [`http://a.com/viewtopic.php?sid=${md5}&t=5`, 'http://a.com/viewtopic.php?t=5'],
    ['http://a.com//b///c', 'http://a.com/b/c'],
    ['http://a.com//b?u=http://c//d', 'http://a.com/b?u=http://c//d'],
    ['http://a.com/?&a=1&&&b=2&', 'http://a.com/?a=1&b=2'],
    ['http://a.com/?&&', 'http://a.com/'],
    ['http://a.com/x?', 'http://a.com/x'],
    ['http://a.com//?', 'http://a.com/'],
  ])('%s -> %s', (url, expected) => {
    expect(normalize(url)).toBe(expected);
  });

  it.each([
    'http://a.com/',
    'http://a.com/?q=http://b.com//x',
    'http://a.com/article.php?sid=123&mode=thread',
    'http://a.com/events?sessionid=12345',
    'http://a.com/?sid=my-section-with-a-long-name-here',
    'http://a.com/?NewsID=1567539&addressid=250646',
    'http://a.com/?passid=1&xphpsessid=2',
    'http://a.com/wiki/Example_Inc.',
    'http://a.com/AT&',
    'http://a.com/a&&b',
    'http://a.com/x?a=b?',
    'http://a.com/?a=&b=',
    'http://web.archive.org/web/2020/http://b.com/x',
    'http://a.com/go/http%3A//b.com/x',
    'http://a.com/go/http%3a//b.com/x',
    'http://a.com/index.html',
    'http://[::1]:8080/a.',
    'http://a.com/x.php?PHPSESSID=abc?page=2',
  ])('leaves %s', (url) => {
    expect(normalize(url)).toBe(url);
  });

  it('changes nothing when done twice', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      ':',
      '%3A',
      '?',
      '&',
      '&&',
      '=',
      'a',
      ';',
      ';jsessionid=x',
      'phpsessid=1',
      `sid=${md5}`,
      'sid=1',
      '_',
      '.',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const chain = (url: string) => applyUrlChain([basicUrlNormalizer(), normalizer], url, 'outlink').url;
        const once = chain(`http://a.com/${pieces.join('')}`);
        expect(chain(once)).toBe(once);
      }),
      { seed: 1, numRuns: 3000 },
    );
  });

  it('finishes on long hostile URLs', () => {
    for (const part of [
      '//a',
      '&&',
      '?&',
      ';jsessionid=',
      '&phpsessid=',
      `&sid=${md5}`,
      '&sid=',
      '&_',
      'aspsessionid',
      '&aspsessionida',
      '/:',
    ]) {
      for (const start of ['http://a.com/', 'http://a.com/?']) {
        const url = (start + part.repeat(8192)).slice(0, 8192);
        expect(normalize(`${url}!`.slice(-8192)).length).toBeLessThanOrEqual(8192);
      }
    }
  });
});

describe('the sample files', () => {
  it('can be read and do what they show', () => {
    expect(
      prefixUrlFilter(read('prefix-urlfilter.sample.txt')).filterUrl!('https://www.example.com/docs/x', 'inject'),
    ).toBe(true);
    expect(suffixUrlFilter(read('suffix-urlfilter.sample.txt')).filterUrl!('http://a.com/x.PDF?y', 'inject')).toBe(
      'suffix .pdf',
    );
    expect(domainUrlFilter(read('domain-urlfilter.sample.txt')).filterUrl!('http://a.example.com/', 'inject')).toBe(
      true,
    );
  });
});
