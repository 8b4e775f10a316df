import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentParser, type DocumentExtras } from '../../../packages/parse/index.js';
import type { ParseOutcome } from '../../../packages/plugin-api/index.js';
import { MemoryStore, jobs } from '../../../packages/webcrawl/internal.js';
import { ROOT } from '../../support/docs/source-files.js';
import { round, rowOf } from '../../support/job-steps.js';
import { openDocument, paragraph, relations, sheet, word, workbook } from '../../support/parsing/office.js';
import { PARSE_SETTINGS } from '../../support/parsing/parse-page.js';
import { onePage, shown } from '../../support/parsing/pdf.js';
import { testCrawl } from '../../support/test-crawl.js';
import { fakeWeb } from '../../support/web/fake-web.js';

/** A process cannot run TypeScript, so it loads the built code; `npm test` keeps it up to date. */
const BUILT = join(ROOT, 'dist/packages/parse/document/document-child.js');
const entry = pathToFileURL(BUILT);
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const parsers: ReturnType<typeof documentParser>[] = [];
function parserWith(settings: Partial<typeof PARSE_SETTINGS.parser> = {}, extras: DocumentExtras = {}) {
  const parser = documentParser(
    { ...PARSE_SETTINGS, parser: { ...PARSE_SETTINGS.parser, ...settings } },
    { entry, ...extras },
  );
  parsers.push(parser);
  return parser;
}

beforeAll(() => expect(existsSync(BUILT), 'run npm run build').toBe(true));
afterAll(() => Promise.all(parsers.map((parser) => parser.close())));

const parse = async (content: Uint8Array, parser: ReturnType<typeof parserWith>, more = {}): Promise<ParseOutcome> =>
  parser.parse({ url: 'http://h.com/d/w', content, contentType: WORD, headers: {}, ...more });

const linked = word(`<w:p><w:hyperlink r:id="l"><w:r><w:t>Next</w:t></w:r></w:hyperlink></w:p>${paragraph('Report')}`, {
  core: '<dc:title>A report</dc:title><dc:language>fr</dc:language>',
  more: { 'word/_rels/document.xml.rels': relations({ l: ['hyperlink', 'http://h.com/next'] }) },
});

describe('an office document', () => {
  it('is read by the process that reads PDFs', async () => {
    const parser = parserWith();
    expect(await parse(linked, parser)).toEqual({
      kind: 'success',
      title: 'A report',
      text: 'Next Report',
      language: 'fr',
      outlinks: [{ url: 'http://h.com/next', anchor: 'Next' }],
      robots: { noindex: false, nofollow: false, noarchive: false },
      metadata: {},
    });
    const contentType = 'application/pdf';
    expect(await parse(onePage(shown('paper')), parser, { contentType })).toMatchObject({ text: 'paper' });
  });

  it('of OpenDocument has its relative links resolved, and obeys X-Robots-Tag', async () => {
    const content = openDocument('text', '<text:p><text:a xlink:href="../o">o</text:a></text:p>');
    const parser = parserWith();
    expect(await parse(content, parser)).toMatchObject({ outlinks: [{ url: 'http://h.com/o', anchor: 'o' }] });
    const headers = { 'x-robots-tag': 'nofollow' };
    expect(await parse(content, parser, { headers })).toMatchObject({ outlinks: [], robots: { nofollow: true } });
  });

  it('that was cut fails as truncated', async () => {
    const cut = linked.subarray(0, linked.length - 200);
    const parser = parserWith();
    expect(await parse(cut, parser, { truncated: true })).toMatchObject({ kind: 'failed', code: 'truncated' });
    expect(await parse(cut, parser)).toMatchObject({ kind: 'failed', code: 'malformed' });
  });

  it('is an unknown type without the package, and starts no process', async () => {
    const asked: string[] = [];
    const isInstalled = (name: string) => asked.push(name) > 99;
    const parser = parserWith({}, { entry: new URL('file:///nowhere.js'), isInstalled });
    for (let i = 0; i < 2; i++)
      expect(await parse(linked, parser)).toEqual({
        kind: 'failed',
        code: 'unsupported_type',
        message: 'an office document; the package fflate, which reads it, is not installed: npm install fflate',
      });
    await parse(onePage(shown('x')), parser, { contentType: 'application/pdf' });
    expect(asked).toEqual(['fflate', 'pdfjs-dist']);
  });
});

describe('an office document that is hostile', () => {
  const cells = (count: number) => Buffer.from(sheet('<c><v>1</v></c>'.repeat(count)));
  const endless = workbook({ 'a.xml': 'name="a"', 'b.xml': 'name="b"' }, '', {
    'xl/a.xml': cells(4_000_000),
    'xl/b.xml': cells(4_000_000),
  });

  it('is only read until the text reaches its limit', async () => {
    const parser = parserWith({ textLimit: 1000 });
    expect(await parse(endless, parser)).toMatchObject({ kind: 'success', truncated: true });
  });

  it('ends at its time limit, and the next one is read', async () => {
    const parser = parserWith({ timeout: 1, textLimit: -1 });
    expect(await parse(endless, parser)).toMatchObject({ kind: 'failed', code: 'timeout' });
    expect(await parse(linked, parser)).toMatchObject({ text: 'Next Report' });
  });

  it('fails as out_of_memory if it needs too much memory, and the next one is read', async () => {
    const large = word('', { more: { 'word/document.xml': Buffer.alloc(65 * 1024 * 1024, ' ') } });
    const parser = parserWith();
    expect(await parse(large, parser)).toMatchObject({ kind: 'failed', code: 'out_of_memory' });
    expect(await parse(linked, parser)).toMatchObject({ text: 'Next Report' });
  });
});

describe('a crawl', () => {
  it.each([WORD, 'application/octet-stream', 'application/zip', ''])(
    'parses an office document that is sent as "%s"',
    async (contentType) => {
      const web = fakeWeb({ 'http://h.com/w': { body: linked, contentType } });
      const crawl = await testCrawl(web, {
        store: new MemoryStore(),
        plugins: [{ name: 'document', parser: documentParser(PARSE_SETTINGS, { entry }) }],
      });
      await using _ = crawl;
      await jobs.inject(crawl, { seeds: ['http://h.com/w'] });
      const { fetched } = await round(crawl);
      expect(fetched.counters).toMatchObject({ parsed: 1, links: 1 });
      expect(await rowOf(crawl, 'http://h.com/w', 'title', 'text', 'outlinks')).toEqual({
        title: 'A report',
        text: 'Next Report',
        outlinks: [{ url: 'http://h.com/next', anchor: 'Next' }],
      });
    },
  );
});
