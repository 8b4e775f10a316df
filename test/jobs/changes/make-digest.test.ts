import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeDigest } from '../../../packages/jobs/changes/make-digest.js';
import { withoutNoise } from '../../../packages/jobs/changes/noise.js';
import { htmlParser } from '../../../packages/parse/index.js';
import type { ParsedPage } from '../../../packages/plugin-api/index.js';
import { loadSettings } from '../../../packages/webcrawl/internal.js';
import type { PageDigest } from '../../../webtable/index.js';
import { EDITS, UPDATES } from './noise-lines.js';

const { settings } = loadSettings({ env: {} });
const URL_OF_PAGE = 'http://a.com/dir/page';

function parse(html: string): ParsedPage {
  const input = { url: URL_OF_PAGE, content: Buffer.from(html), contentType: 'text/html', headers: {} };
  const outcome = htmlParser(settings).parse(input) as ParsedPage;
  expect(outcome.kind).toBe('success');
  return outcome;
}

const digestOf = (html: string): PageDigest => makeDigest(URL_OF_PAGE, parse(html), 'html', settings);
const contentOf = (html: string): number => digestOf(html).content;
/** A page with a block of text. */
const block = (text: string): string => `<title>T</title><body><p>Some text that stays as it is.</p><p>${text}</p>`;

/** The properties in which two digests differ. */
function differing(one: string, other: string): string[] {
  const [a, b] = [digestOf(one), digestOf(other)];
  return (Object.keys(a) as (keyof PageDigest)[]).filter((name) => a[name] !== b[name]);
}

describe('the digest of a page', () => {
  it.each([
    ['nothing', '<p>Hello you.</p>', '<p>Hello you.</p>', []],
    ['markup', '<p class=a>Hello <b>you</b>.</p>', '<p>Hello   you.</p><!-- built 7 -->', []],
    ['text', '<p>Hello you.</p>', '<p>Hello me.</p>', ['content', 'blocks', 'length']],
    ['the order of blocks', '<p>One.</p><p>Two.</p>', '<p>Two.</p><p>One.</p>', ['content']],
    ['the title', '<title>A</title><p>x', '<title>B</title><p>x', ['title', 'titleText']],
    [
      'the description',
      '<meta name=description content=a><p>x',
      '<meta name=description content=b><p>x',
      ['description'],
    ],
    ['the canonical', '<link rel=canonical href=/a><p>x', '<link rel=canonical href=/b><p>x', ['canonical']],
    ['noindex', '<p>x', '<meta name=robots content=noindex><p>x', ['noindex']],
    ['a link within', '<p>x<a href=/a></a>', '<p>x<a href=/b></a>', ['links']],
    ['the order of links', '<p>x<a href=/a></a><a href=/b></a>', '<p>x<a href=/b></a><a href=/a></a>', []],
    ['a link to others', '<p>x<a href=http://b.com/></a>', '<p>x', ['externalLinks', 'externalLinkCount']],
    ['navigation', '<nav>Home Shop</nav><p>x', '<nav>Home Blog</nav><p>x', []],
    ['what is mostly links', '<div><a href=/a>One</a></div><p>x', '<div><a href=/a>Two</a></div><p>x', []],
  ] as const)('notices %s', (_, one, other, names) => {
    expect(differing(one, other)).toEqual(names);
  });

  it.each([
    ['relative dates', 'posted 2 hours ago by me', 'posted 3 days ago by me'],
    ['relative dates of other languages', 'vor 3 Stunden, 3 часа назад, 3小时前', 'vor 14 Tagen, 5 дней назад, 12天前'],
    ['a word for a day, alone', 'today', 'yesterday'],
    ['a relative date without a number', 'posted an hour ago', 'posted 2 hours ago'],
    ['dates of updates', 'Last updated: 3 May 2026', 'Last updated: 14 June 2026, 10:15'],
    ['times of the server', 'Page generated in 0.13 s', 'Page generated in 1.2 s'],
    ['clocks', 'It is 10:11:12 now', 'It is 11:12:13 now'],
    ['counts', '1,098 reviews', '1,112 reviews'],
    ['counts beside other words', 'Liked? 12 comments', 'Liked? 13 comments'],
    ['tokens', 'id 0123456789abcdef0123456789', 'id fedcba98765432100123456789'],
    [
      'a token of twenty characters at the end',
      `${'one or two '.repeat(30)}a123456789b123456789`,
      `${'one or two '.repeat(30)}c123456789d123456789`,
    ],
    [
      'a token at the beginning',
      `a123456789b123456789 ${'one or two '.repeat(30)}`,
      `c123456789d123456789 ${'one or two '.repeat(30)}`,
    ],
    ['hidden characters', 'zero\u200bwidth\u00ad', 'zerowidth'],
    ['forms of one character', 'caf\u00e9', 'cafe\u0301'],
  ])('ignores %s', (_, one, other) => {
    expect(contentOf(block(one))).toBe(contentOf(block(other)));
  });

  it.each([
    [
      'a date in a sentence',
      'The law holds from 3 May 2026 on for all who live there, by its first part and by its last.',
      '3 May',
      '4 May',
    ],
    ['the text beside a version', 'Changed in version 3.12: Added the key.', 'key', 'name'],
    ['a version', 'Python 3.12 was updated', '3.12', '3.13'],
    ['a version of a year', 'Changed in version 2026.1', '2026.1', '2026.2'],
    ['a time of the subject', 'The timeout was changed to 30 s', '30', '60'],
    ['a number before a longer word', 'Needs 5 starter kits', '5', '6'],
    ['a price', 'It costs 10 pounds', '10', '12'],
    ['a number of a long text', `${'words '.repeat(20)}12 comments`, '12', '13'],
    ['an opening hour', 'Open from 9:00', '9:00', '10:00'],
    ['a word of nineteen characters', 'id a123456789b12345678', 'b12345678', 'c12345678'],
    ['a word of many letters', 'Donaudampfschifffahrtsgesellschaft', 'schaft', 'kapitän'],
    ['a word for a day in a sentence', 'We meet today at noon', 'today', 'tomorrow'],
  ])('notices %s', (_, text, from, to) => {
    expect(contentOf(block(text))).not.toBe(contentOf(block(text.replace(from, to))));
  });

  it('tells the dates and times of a page from edits of its subject', () => {
    expect(UPDATES.filter((line) => withoutNoise(line, true, true) !== '<updated>')).toEqual([]);
    expect(EDITS.filter((line) => withoutNoise(line, true, true) !== line)).toEqual([]);
  });

  it('ignores the parts of links that name the referrer or a session', () => {
    const linked = (url: string): number => digestOf(`<p>x<a href="${url}"></a>`).links;
    for (const noise of ['?utm_source=x&utm_medium=y', '?gclid=12', ';jsessionid=AB12', '?v=3', '?sid=a#x', '?_=1']) {
      expect(linked(`/p${noise}`), noise).toBe(linked('/p'));
    }
    expect(linked('/p?utm_source=x&id=1')).toBe(linked('/p?id=1'));
    expect(linked('/p?id=1&fbclid=2')).toBe(linked('/p?id=1'));
    expect(linked('/p?id=1')).not.toBe(linked('/p?id=2'));
    expect(linked('/watch?v=dQw4w9WgXcQ')).not.toBe(linked('/watch?v=zQw4w9WgXcQ'));
    expect(linked('/cdn-cgi/l/email-protection/12ab')).toBe(linked('/cdn-cgi/l/email-protection/34cd'));
  });

  it('takes all of a text without blocks, and ignores blocks of unknown shape', () => {
    const page = parse('<p>one</p><p>two</p>');
    const { contentBlocks: _, ...plain } = page;
    expect(makeDigest(URL_OF_PAGE, plain, 'html', settings).length).toBe(page.text.length);
    const odd = { ...page, contentBlocks: [0, 1e15, -5, NaN, 2] };
    expect(makeDigest(URL_OF_PAGE, odd, 'html', settings).length).toBe(page.text.length);
  });

  it('is not compared with one of another parser or another setting', () => {
    const page = parse('<p>x');
    const of = (by: string, parser: Partial<typeof settings.parser> = {}): number =>
      makeDigest(URL_OF_PAGE, page, by, { ...settings, parser: { ...settings.parser, ...parser } }).basis;
    expect(of('html')).toBe(digestOf('<p>x').basis);
    expect(of('other')).not.toBe(of('html'));
    expect(of('html', { textLimit: 7 })).not.toBe(of('html'));
    expect(of('html', { timeout: 7 })).toBe(of('html'));
  });

  it.each([
    [
      'Latin-1',
      '<title>One</title><p>Some text, with a number 17 in it.</p><p>Caf\u00e9.</p><a href=/b>b</a><a href=http://b.com/?sid=1&x=2>c</a>',
      { content: 970700916080980, blocks: 7769645943621588, links: 1240275876960220, externalLinks: 1782892783348207 },
    ],
    [
      'other characters',
      '<title>Zw\u0456</title><p>\u201cQuoted\u201d \u{1f600} text 12 comments</p><p>today</p><p>cafe\u0301 0123456789abcdef0123456789</p><p>Last updated: 3 May 2026, 10:11:12</p>',
      { content: 3338292901266109, blocks: 7508605328955345, links: 0, externalLinks: 0 },
    ],
  ])('never changes unless its basis changes: %s', (_, html, hashes) => {
    expect(digestOf(html)).toMatchObject({ ...hashes, basis: 1972072153 });
  });

  it('does not depend on earlier pages or on the size of the text', () => {
    const long = block('word '.repeat(150_000));
    const [first, second] = [digestOf(block('One.')), digestOf(long)];
    expect(second.length).toBeGreaterThan(2 ** 19);
    expect(digestOf(block('One.'))).toEqual(first);
    expect(digestOf(long)).toEqual(second);
    expect(contentOf(long.replace('word</p>', 'ward</p>').replace('word word </p>', 'word ward </p>'))).not.toBe(
      second.content,
    );
  });

  it('finds the same tokens as a search of the whole text', () => {
    const piece = fc.constantFrom('a', '1', 'B7', ' ', '-', '_', '\u00e9', 'abcdefghi', '0123456789', 'a1a1a1a1a1');
    const asToken = (word: string): string => (/\d/.test(word) && /[a-z]/i.test(word) ? '<token>' : word);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        expect(withoutNoise(text, true, false)).toBe(text.replace(/\b[a-z\d]{20,}/gi, asToken));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['updated 2026', 12, '<updated>'],
    ['12 comments', 6, '<n>'],
  ])('treats %s as noise in a line of at most %i words', (phrase, most, replaced) => {
    const line = (words: number): string => `${'word '.repeat(words - 2)}${phrase}`;
    expect(withoutNoise(line(most), true, false)).toContain(replaced);
    expect(withoutNoise(line(most + 1), true, false)).toBe(line(most + 1));
  });
});
