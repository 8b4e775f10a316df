import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { writtenDates } from '../../../packages/export/stated/dates/written-dates.js';
import { urlDate } from '../../../packages/export/stated/dates/page-dates.js';
import { fuzzed } from '../../support/runs.js';
import { jsonLd, statedOf } from './stated-of.js';

const FETCHED = Date.UTC(2024, 5, 1, 12);

async function datesOf(html: string, url?: string): Promise<Record<string, unknown>> {
  const options = { fetchedAt: FETCHED, ...(url !== undefined && { url }) };
  return (await statedOf(html, ['publishedAt', 'publishedDay', 'statedModifiedAt'], options)).values;
}

const FILLER = '<p>word</p>'.repeat(300);

/** A page with this content far from its title. */
function manual(content: string, language = 'en'): string {
  return `<html lang=${language}><title>Manual</title><h1>Manual</h1>${FILLER}${content}${FILLER}`;
}

const TIMES = [
  ['JSON-LD', jsonLd({ '@type': 'Article', datePublished: '2024-05-01T10:00:00+02:00' })],
  ['JSON-LD in a list', jsonLd([{ '@graph': [{ '@type': 'WebSite' }, { datePublished: ['2024-05-01T08:00Z'] }] }])],
  ['meta', '<meta property="article:published_time" content="2024-05-01T08:00:00Z">'],
  ['microdata', '<p itemscope><time itemprop=datePublished datetime="2024-05-01T08:00:00.000Z">1 May</time>'],
  ['pubdate', '<time pubdate datetime="2024-05-01 08:00">x</time>'],
  ['seconds', '<meta name=date content="1714550400">'],
] as const;

describe('the field publishedAt', () => {
  it.each(TIMES)('is a time for %s', async (_, html) => {
    expect(await datesOf(html)).toEqual({ publishedAt: Date.UTC(2024, 4, 1, 8), publishedDay: '2024-05-01' });
  });

  it('for a date without a time is that day in UTC, and publishedDay is the day in the time zone of the page', async () => {
    expect(await datesOf('<meta name=date content="2024-05-01">')).toMatchObject({ publishedAt: Date.UTC(2024, 4, 1) });
    expect(await datesOf('<meta name=date content="2024-05-01T01:00:00+08:00">')).toEqual({
      publishedAt: Date.UTC(2024, 3, 30, 17),
      publishedDay: '2024-05-01',
    });
  });

  it.each([
    ['JSON-LD before meta', `<meta name=date content="2024-01-01">${jsonLd({ datePublished: '2024-05-01' })}`],
    [
      'an article before the page',
      jsonLd([
        { '@type': 'WebPage', datePublished: '2024-01-01' },
        { '@type': 'BlogPosting', datePublished: '2024-05-01' },
      ]),
    ],
    ['a time before a text', '<p>2 January 2024</p><article><time datetime="2024-05-01">x</time></article>'],
    [
      'the text by the title before others',
      `<p>7 January 2024</p>${'<p>word</p>'.repeat(100)}<h1>T</h1><p>1 May 2024</p>${'<p>word</p>'.repeat(300)}<p>2 January 2024`,
    ],
    [
      'none that stands beside the page',
      '<aside><time datetime="2024-01-01">x</time></aside><main><p>posted on May 1st, 2024',
    ],
    ['a class', '<p>2024-01-02</p><span class="entry-date">01.05.2024</span>'],
    ['what is no update', '<p>Updated: 7 May 2024</p><p>Published: 1 May 2024</p>'],
  ])('uses %s', async (_, html) => {
    expect(await datesOf(html)).toMatchObject({ publishedDay: '2024-05-01' });
  });

  it('comes from the URL if nothing else is stated', async () => {
    expect(await datesOf('<p>3 March 2024', 'https://a.com/2024/05/01/x')).toMatchObject({
      publishedDay: '2024-05-01',
    });
  });

  it.each([
    ['the future', jsonLd({ datePublished: '2024-07-01' })],
    ['a year before the web', '<meta name=date content="1969-12-31">'],
    ['a number out of range', '<meta name=date content="9999999999">'],
    ['a number without end', `<meta name=date content="${'9'.repeat(5000)}">`],
    ['no day', '<meta name=date content="2024-02-31">'],
    ['a day or a month', '<meta name=date content="01/02/2024">'],
    ['an object', jsonLd({ datePublished: { '@value': '2024-05-01' } })],
    ['a template', '<meta name=date content="{{ date }}">'],
    ['nothing', '<p>no date'],
    ['a copyright year', '<footer>© 2024</footer>'],
    ['a day in a paragraph beside the title', '<h1>T</h1><p>Version 3 can read files of 1 May 2024 and later.'],
    ['a day in a paragraph of a manual', manual('<p>The format of RFC 2822, for example Thu, 07 Apr 2005 22:13:13.')],
    ['a sentence with a word for publishing', manual('<p>The standard was published on 1 May 2024.')],
    ['a label in code', manual('<pre>Date: Wed, 1 May 2024</pre>')],
    ['a header of HTTP in code', manual('<pre>Last-Modified: Wed, 1 May 2024</pre>')],
    ['a sentence on a change', manual('<p>The protocol was modified on 1 May 2024.</p>')],
    ['a day in code beside the title', '<h1>T</h1><pre>1 May 2024</pre>'],
    ['a line far from the title', manual('<p>1 May 2024</p>')],
    ['an author in a sentence', manual('<p>See the tutorial by Ann (1 May 2024), and other documents.</p>')],
    ['the author of a comment', manual('<div class=comments><p>By Ann, 1 May 2024</p></div>')],
    [
      'the releases of a changelog',
      '<h1>Changelog</h1><h2>1.1 (2024-05-02)</h2><p>New.</p><h2>1.0 (2024-05-01)</h2><p>First.</p>',
    ],
    [
      'the headings of sections, whose ids are their texts',
      '<h1>T</h1><h2 id=system_after_dateof_3_9>System (After 2024-05-01)</h2><p>New.</p><h2>Before 2024-05-01</h2>',
    ],
    ['the items of a list', '<h1>T</h1><ul><li>2024-05-02 New</li><li>2024-05-01 First</li></ul>'],
    ['a table', '<h1>T</h1><table><tr><td>1.1<td>2024-05-02<tr><td>1.0<td>2024-05-01</table>'],
  ])('uses nothing from %s', async (_, html) => {
    expect(await datesOf(html)).toEqual({});
  });
});

describe('the day in the text', () => {
  it.each([
    ['after the headline', '<h1>T</h1><p>Berlin, 1 May 2024</p><p>It was on 7 January 2024 that it began.'],
    ['before the headline', '<p>1 May 2024 | Sport</p><h1>T</h1><p>Text'],
    [
      'after a headline that is no h1',
      `<title>A long day – News</title><h1>News</h1>${FILLER}<h2>A long day</h2><p>1 May 2024`,
    ],
    ['in the title', '<title>Minutes of 1 May 2024</title><p>Text'],
    ['at the start of the first paragraph', `<h1>T</h1><p>1 May 2024 – ${'word '.repeat(50)}`],
    ['in a table with one day beside the headline', '<h1>T</h1><table><tr><td>1 May 2024<td>Sport</table>'],
    ['in a byline', manual('<p>By Ann, 1 May 2024</p>')],
    ['in a byline with a word for publishing', manual('<p>Written by Ann on May 1st, 2024</p>')],
    ['beside a marked author', manual('<p><a rel=author>Ann</a>, 1 May 2024</p>')],
    ['after a word for publishing', manual('<p>Posted: 1 May 2024</p>')],
    ['after a word for publishing in German', manual('<p>Veröffentlicht am 1. Mai 2024</p>', 'de')],
    ['after a word for publishing in French', manual('<p>Publié le 1er mai 2024</p>', 'fr')],
  ])('is that of publishing %s', async (_, html) => {
    expect(await datesOf(html)).toEqual({ publishedAt: Date.UTC(2024, 4, 1), publishedDay: '2024-05-01' });
  });

  it.each([
    [
      'at the end of a manual',
      manual('<p><i>This page last modified on  <a href=x>2024-05-01 16:00:55</a> UTC</i></p>'),
    ],
    ['in the footer', manual('<div id=footer><div id=footer-text>Last updated\n 2024-05-01 00:35:55 UTC</div></div>')],
    ['in a sentence', manual('<footer><p>This page was last edited on 1 May 2024, at 10:00.</p></footer>')],
    ['beside the headline', '<h1>T</h1><p>Updated: 1 May 2024</p>'],
    ['in an element for dates', '<h1>T</h1><p class=date>Zuletzt geändert am 1.5.2024</p>'],
  ])('is only that of the last change %s', async (_, html) => {
    const { statedModifiedAt: modified, ...others } = await datesOf(html);
    expect(new Date(modified as number).toISOString()).toMatch(/^2024-05-01/);
    expect(others).toEqual({});
  });
});

describe('the field statedModifiedAt', () => {
  it.each([
    ['JSON-LD', jsonLd({ '@type': 'Article', dateModified: '2024-05-01' })],
    ['meta', '<meta property="og:updated_time" content="2024-05-01">'],
    ['microdata', '<p itemscope><meta itemprop=dateModified content="2024-05-01">'],
  ])('is a time for %s', async (_, html) => {
    expect(await datesOf(html)).toMatchObject({ statedModifiedAt: Date.UTC(2024, 4, 1) });
  });
});

describe('dates in a text', () => {
  it.each([
    ['en', 'March 4, 2020'],
    ['en', 'Wed, 4 Mar 2020'],
    ['en-us', '3/4/2020'],
    ['en-gb', '04/03/2020'],
    ['', '2020-03-04'],
    ['de', '4. März 2020'],
    ['de', '04.03.20'],
    ['fr', 'le 4 mars 2020'],
    ['es', '4 de marzo de 2020'],
    ['pt', '4 de março de 2020'],
    ['it', '4 marzo 2020'],
    ['nl', '4 maart 2020'],
    ['ru', '4 марта 2020 г.'],
    ['pl', '4 marca 2020'],
    ['cs', '4. března 2020'],
    ['hu', '2020. március 4.'],
    ['lt', '2020 m. kovo 4 d.'],
    ['tr', '4 Mart 2020'],
    ['el', '4 Μαρτίου 2020'],
    ['zh', '2020年3月4日'],
    ['ja', '2020年03月04日'],
    ['ko', '2020년 3월 4일'],
    ['vi', '4 tháng 3, 2020'],
    ['th', '4 มีนาคม 2563'],
    ['ar', '٤ مارس ٢٠٢٠'],
    ['hi', '४ मार्च २०२०'],
    ['id', '4 Maret 2020'],
  ])('%s: %s', (language, text) => {
    expect(writtenDates(`x ${text}, y`, language).map(({ time }) => time.day)).toEqual(['2020-03-04']);
  });

  it('have the month of the language if a name has several meanings', () => {
    const dayOf = (language: string) => writtenDates('4. listopada 2020', language)[0]?.time.day;
    expect([dayOf('hr'), dayOf('pl')]).toEqual(['2020-10-04', '2020-11-04']);
  });

  it.each(['version 1.2.2020.4', '192.168.20.20', '+49 30 2020 1234', 'call 2020-12345', '99.99.2020', '4 foo 2020'])(
    'do not exist in %s',
    (text) => expect(writtenDates(text, 'de')).toEqual([]),
  );

  it('take linear time for any text', () => {
    for (const text of ['1 ', 'a. ', '1.', '2020 ', '4 mar ', '2020-'])
      writtenDates(text.repeat(200_000 / text.length), 'en');
  });

  it.each([
    ['elements for dates within one another', `${'<div class=date>'.repeat(50_000)}${'<i></i>'.repeat(45_000)}`],
    ['a long language', `<html lang="${'a'.repeat(1_500_000)}">${'<p>12 foo 2020. '.repeat(10_000)}`],
  ])('are read in one pass: %s', async (_, html) => {
    const { values } = await statedOf(`${html}<p>Published on 1 May 2024`, ['publishedDay']);
    expect(values).toEqual({ publishedDay: '2024-05-01' });
  });

  it('are found in any text around a written day', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1995-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10);
          for (const locale of ['en-US', 'de', 'fr', 'ru', 'ja', 'pl']) {
            const text = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
            expect(writtenDates(`– ${text} |`, locale.toLowerCase())[0]?.time.day, text).toBe(day);
          }
        },
      ),
      fuzzed(2, 100),
    );
  });
});

describe('the day of a URL', () => {
  it.each([
    ['https://a.com/2020/03/04/x', '2020-03-04'],
    ['https://a.com/x-2020-3-4.html', '2020-03-04'],
    ['https://a.com/2020/mar/04/x', '2020-03-04'],
    ['https://a.com/20200304/x', '2020-03-04'],
    ['https://a.com/2020/03/', undefined],
    ['https://a.com/2020/13/41/x', undefined],
    ['https://a.com/x?d=2020-03-04', undefined],
    ['https://2020-03-04.com/', undefined],
    ['https://a.com/id120200304', undefined],
  ])('%s', (url, day) => expect(urlDate(url)?.day).toBe(day));
});
