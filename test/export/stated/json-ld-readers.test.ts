import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../packages/audit/facts/plugin.js';
import { htmlDocument, statedTimes } from '../../../packages/core/index.js';
import { PARSE_SETTINGS, parsePage } from '../../support/parsing/parse-page.js';
import { jsonLd, PAGE, statedOf } from './stated-of.js';

const DAY = Date.UTC(2024, 4, 1);
const ARTICLE = '{"@type":"Article","headline":"New","datePublished":"2024-05-01T00:00:00Z"}';

/** What parse, export and audit read from the same page. */
async function readersOf(html: string) {
  const page = parsePage(html, { url: PAGE });
  const content = Buffer.from(html);
  const document = () => htmlDocument({ content, contentType: 'text/html', charset: 'utf-8' }, PARSE_SETTINGS);
  const audited = { ...page, url: PAGE, contentType: 'text/html', headers: {}, content, truncated: false, document };
  const { values, skipped } = await statedOf(html, ['publishedAt', 'jsonLd']);
  return {
    parse: statedTimes(page.metadata).published?.time,
    export: values.publishedAt,
    skipped,
    invalid: factsOf(audited).badJsonLd,
  };
}

describe('parse, export and audit read the same JSON-LD', () => {
  it.each([
    ['a plain block', jsonLd(ARTICLE)],
    ['a comment', jsonLd(`<!-- ${ARTICLE} -->`)],
    ['a CDATA section', jsonLd(`//<![CDATA[\n${ARTICLE}\n//]]>`)],
    ['a comment of JavaScript around CDATA', jsonLd(`/*<![CDATA[*/ ${ARTICLE} /*]]>*/`)],
    ['a raw line end and a tab within a string', jsonLd(ARTICLE.replace('New', 'New\n\tline'))],
    ['a list', jsonLd(`[{"@type":"WebSite"},${ARTICLE}]`)],
    ['a list within a list', jsonLd(`[[${ARTICLE}]]`)],
    ['a graph', jsonLd(`{"@graph":[{"@type":"WebPage","datePublished":"2020-01-01"},${ARTICLE}]}`)],
    ['a graph with one node', jsonLd(`{"@graph":${ARTICLE}}`)],
    ['the main entity of a page', jsonLd(`{"@type":"WebPage","mainEntity":${ARTICLE}}`)],
    ['a later block', `${jsonLd('{"@type":"WebPage","datePublished":"2020-01-01"}')}${jsonLd(ARTICLE)}`],
    ['many blocks before', jsonLd('{"a":1}').repeat(50) + jsonLd(ARTICLE)],
    ['a long block', jsonLd(`{"a":"${'x'.repeat(200_000)}","@graph":[${ARTICLE}]}`)],
    ['a type with a parameter', jsonLd(ARTICLE).replace('ld+json', 'LD+json; charset=utf-8')],
    ['an empty block before', jsonLd(' ') + jsonLd(ARTICLE)],
  ])('in %s', async (_, html) => {
    expect(await readersOf(html)).toEqual({ parse: DAY, export: DAY, skipped: 0, invalid: 0 });
  });

  it.each([
    ['a comma too many', ARTICLE.replace('}', ',}')],
    ['no end', ARTICLE.slice(0, -1)],
    ['single quotes', ARTICLE.replaceAll('"', "'")],
    ['no object', '17'],
  ])('and none of them reads %s', async (_, json) => {
    expect(await readersOf(jsonLd(json))).toEqual({ parse: undefined, export: undefined, skipped: 1, invalid: 1 });
    expect(await readersOf(jsonLd(json) + jsonLd(ARTICLE))).toEqual({
      parse: DAY,
      export: DAY,
      skipped: 1,
      invalid: 1,
    });
  });

  it('and none of them reads a block that is nested too deep, which is not invalid', async () => {
    const html = jsonLd(`${'['.repeat(41)}${ARTICLE}${']'.repeat(41)}`);
    expect(await readersOf(html)).toEqual({ parse: undefined, export: undefined, skipped: 1, invalid: 0 });
  });
});
