import type { CharsetSource, ParseCheck } from '../../packages/webcrawl/internal.js';
import { number, oneLine, safeLines, table } from './output.js';

const MAX_TEXT_CHARACTERS = 2000;

export function parseCheckText(page: ParseCheck): string {
  const { url, contentType } = page;
  const head: string[][] = [
    ['url', url],
    ['type', contentType],
  ];
  if (page.kind === 'failed') {
    head.push(['failed', page.message === undefined ? page.code : `${page.code}: ${page.message}`]);
    return safe(table(head.map((row) => row.map(oneLine))));
  }
  const { robots, refresh, outlinks } = page;
  const said = (['noindex', 'nofollow', 'noarchive'] as const).filter((word) => robots[word]);
  const snippet = robots.maxSnippet === undefined ? [] : [`max-snippet:${robots.maxSnippet}`];
  const shown: [string, string | undefined][] = [
    ['charset', page.charset && charsetText(page.charset, page.charsetSource)],
    ['language', page.language],
    ['title', page.title],
    ['robots', [...said, ...snippet].join(', ') || 'says nothing'],
    ['canonical', page.canonical],
    ['refresh', refresh && `${refresh.url} after ${refresh.delay} s`],
    ['truncated', page.truncated ? 'the rest of the page was left out' : undefined],
    ...Object.entries(page.metadata).map(([name, value]): [string, string] => [`meta ${name}`, value]),
    ['links', `${number(outlinks.filter(({ accepted }) => accepted).length)} kept of ${number(outlinks.length)}`],
  ];
  const links = outlinks.map(({ accepted, url, anchor, sitemap, rejectedBy, rule }) => {
    const by = [rejectedBy, rule].filter((part) => part !== undefined).join(': ');
    return [accepted ? 'kept' : 'not kept', url, accepted ? (sitemap ? '(sitemap)' : anchor) : `by ${by}`];
  });
  const text = page.text.length > MAX_TEXT_CHARACTERS ? `${page.text.slice(0, MAX_TEXT_CHARACTERS)} …` : page.text;
  const rows = [...head, ...shown.filter((row): row is [string, string] => row[1] !== undefined)];
  return safe(
    [
      table(rows.map((row) => row.map(oneLine))),
      links.length === 0 ? '' : `\n${links.map((row) => `${row.map(oneLine).join('  ').trimEnd()}\n`).join('')}`,
      text === '' ? '' : `\n${text}\n`,
    ].join(''),
  );
}

const CHARSET_SOURCES: Readonly<Record<CharsetSource, string>> = {
  'byte-order-mark': 'from the byte order mark',
  header: 'from the Content-Type header',
  meta: 'from a meta element',
  'xml-declaration': 'from the XML declaration',
  'valid-utf-8': 'no encoding is named, but the page is valid UTF-8',
  default: 'no encoding is named; this is parser.characterEncodingDefault',
};

function charsetText(charset: string, source: CharsetSource | undefined): string {
  return source === undefined ? charset : `${charset} (${CHARSET_SOURCES[source]})`;
}

function safe(text: string): string {
  return `${safeLines(text.trimEnd(), 3000)}\n`;
}
