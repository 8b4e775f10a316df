import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentParser, type DocumentExtras } from '../../../packages/parse/index.js';
import type { ParsedPage, ParseOutcome } from '../../../packages/plugin-api/index.js';
import { MemoryStore, jobs } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, randomNumbers } from '../../support/web/fake-web.js';
import { until } from '../../support/events.js';
import { round, rowOf } from '../../support/job-steps.js';
import { PARSE_SETTINGS } from '../../support/parsing/parse-page.js';
import { mappedFont, onePage, packedBlanks, pages, pdf, shown } from '../../support/parsing/pdf.js';
import { ROOT } from '../../support/docs/source-files.js';
import { testCrawl } from '../../support/test-crawl.js';

/** A process cannot run TypeScript, so it loads the built code; `npm test` keeps it up to date. */
const BUILT = join(ROOT, 'dist/packages/parse/document/document-child.js');
const entry = pathToFileURL(BUILT);

const parsers: ReturnType<typeof documentParser>[] = [];
function parserWith(settings: Partial<typeof PARSE_SETTINGS.parser> = {}, extras: DocumentExtras = {}) {
  const parser = documentParser(
    { ...PARSE_SETTINGS, parser: { ...PARSE_SETTINGS.parser, ...settings } },
    { entry, ...extras },
  );
  parsers.push(parser);
  return parser;
}

/** On a busy machine the time limit of a document could pass before it fills its memory. */
const PATIENT = { timeout: 600 };

let shared: ReturnType<typeof documentParser>;
beforeAll(() => {
  expect(existsSync(BUILT), 'run npm run build').toBe(true);
  shared = parserWith();
});
afterAll(() => Promise.all(parsers.map((parser) => parser.close())));

const parse = async (content: Uint8Array, more = {}, parser = shared): Promise<ParseOutcome> =>
  parser.parse({ url: 'http://h.com/d/p.pdf', content, contentType: 'application/pdf', headers: {}, ...more });

async function parsed(content: Uint8Array, more = {}, parser = shared): Promise<ParsedPage> {
  const outcome = await parse(content, more, parser);
  if (outcome.kind !== 'success') throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Each form draws the next one ten times, and the last shows a text: 10^levels texts in total. */
const laughs = (levels: number) =>
  onePage('/X6 Do', {
    resources: '/XObject<</X6 6 0 R>>',
    more: Array.from({ length: levels }, (_, i) => ({
      dict: `/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>/XObject<</X${i + 7} ${i + 7} 0 R>>>>`,
      data: i === levels - 1 ? shown('ha') : `/X${i + 7} Do `.repeat(10),
    })),
  });

const utf16 = (text: string): string => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
const link = (uri: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(${uri})>>>>`;
const script = '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/JavaScript/JS(app.alert(1))>>>>';

describe('a PDF', () => {
  it('gives title, text, language, links and metadata', async () => {
    const page = await parsed(
      onePage(shown('Hello,', 'second line'), {
        catalog: '/Lang(de-CH)/OpenAction<</S/JavaScript/JS(this.x = 1)>>',
        page: `/Annots[${[
          'http://x.com/a#part',
          '../b?c=d',
          'mailto:a@b.c',
          'javascript:x',
          'file:///etc/passwd',
          'http://x.com/a',
        ]
          .map(link)
          .join('')}${script}]`,
        more: [`<</Title${utf16('Ein  Titel – 中文')}/Subject(About it)/Author(A. B.)/Keywords(k, l)>>`],
        trailer: '/Info 6 0 R',
      }),
    );
    expect(page).toEqual({
      kind: 'success',
      title: 'Ein Titel – 中文',
      text: 'Hello, second line',
      language: 'de-CH',
      outlinks: [
        { url: 'http://x.com/a', anchor: '' },
        { url: 'http://h.com/b?c=d', anchor: '' },
      ],
      robots: { noindex: false, nofollow: false, noarchive: false },
      metadata: { description: 'About it', author: 'A. B.', keywords: 'k, l' },
    });
  });

  it('has the authors of its XMP', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
      xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>A. B.</rdf:li><rdf:li>C. D.</rdf:li></rdf:Seq></dc:creator>
      </rdf:Description></rdf:RDF></x:xmpmeta>`;
    const document = onePage(shown('x'), {
      catalog: '/Metadata 6 0 R',
      more: [{ dict: '/Type/Metadata/Subtype/XML', data: xmp }],
    });
    expect((await parsed(document)).metadata).toEqual({ author: 'A. B., C. D.' });
  });

  it('is decoded with the codes of a font', async () => {
    const map = `/CIDInit /ProcSet findresource begin begincmap
      1 begincodespacerange <00> <FF> endcodespacerange
      2 beginbfchar <41> <4E2D> <42> <6587> endbfchar endcmap end`;
    const document = onePage('BT /G 12 Tf 10 700 Td (AB) Tj ET', {
      resources: '/Font<</G 6 0 R>>',
      more: ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R>>', { data: map }],
    });
    // The first of two entries with the same name counts.
    const changed = Buffer.from(document.toString('latin1').replace('/Font<</F 5 0 R>>', '         '), 'latin1');
    expect((await parsed(changed)).text).toBe('中文');
  });

  it.each([
    ['UniGB-UCS2-H', 'GB1', '4e2d65877f519875', '中文网页'],
    ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
    ['KSCms-UHC-H', 'Korea1', 'c7d1b1b9', '한국'],
  ])('is decoded with a map of codes that it names: %s', async (encoding, ordering, codes, text) => {
    expect((await parsed(pages([`BT /F 12 Tf 10 700 Td <${codes}> Tj ET`], mappedFont(encoding, ordering)))).text).toBe(
      text,
    );
  });

  it('has its largest line as title if it states no sensible one', async () => {
    const lines = `BT /F 10 Tf 10 780 Td (Journal) Tj ET BT /F 24 Tf 10 700 Td (A title) Tj 0 -30 Td (in two lines) Tj ET ${shown('Body')}`;
    for (const title of ['Untitled', 'report-v2.docx', 'Microsoft Word - x.doc', ' ']) {
      const info = { more: [`<</Title(${title})>>`], trailer: '/Info 6 0 R' };
      expect((await parsed(onePage(lines, info))).title).toBe('A title in two lines');
    }
    expect((await parsed(onePage(shown('all', 'of one size')))).title).toBe('');
    expect((await parsed(pages([shown('first'), lines]))).title).toBe('');
  });

  it('states when it was created and changed', async () => {
    const info = {
      more: ["<</CreationDate(D:20240501093000+02'00')/ModDate(D:20240502)>>"],
      trailer: '/Info 6 0 R',
    };
    expect((await parsed(onePage(shown('x'), info))).metadata).toEqual({
      'dcterms.created': '2024-05-01T09:30:00+02:00',
      'dcterms.modified': '2024-05-02',
    });
  });

  it('obeys X-Robots-Tag', async () => {
    const content = onePage(shown('x'), { page: `/Annots[${link('http://x.com/a')}]` });
    const page = await parsed(content, { headers: { 'x-robots-tag': 'noindex, nofollow', 'content-language': 'fr' } });
    expect(page).toMatchObject({ outlinks: [], robots: { noindex: true, nofollow: true }, language: 'fr' });
  });

  it.each([
    [0, '', '800 600'],
    [90, '0 1 -1 0 600 0 cm', '600 800'],
    [180, '-1 0 0 -1 800 600 cm', '800 600'],
    [270, '0 -1 1 0 0 800 cm', '600 800'],
  ])(
    'has the text over the whole width of a page that is turned by %i degrees, and no text beside it',
    async (...how) => {
      const [degrees, upright, box] = how;
      const words = [20, 300, 550, 630, 740, 820].map((x) => `BT /F 12 Tf 1 0 0 1 ${x} 300 Tm (at${x}) Tj ET`);
      const page = `/MediaBox[0 0 ${box}]/Rotate ${degrees}`;
      const { text } = await parsed(onePage(`${upright}\n${words.join('\n')}`, { page }));
      expect(text).toBe('at20 at300 at550 at630 at740');
    },
  );

  it('separates the words of different pages', async () => {
    const document = pages([shown('one'), shown('two')]);
    expect((await parsed(document)).text).toBe('one two');
  });

  it('is kept up to the limit of text', async () => {
    const parser = parserWith({ textLimit: 7 });
    expect(await parsed(onePage(shown('abc def ghi', 'jkl')), {}, parser)).toMatchObject({
      text: 'abc def',
      truncated: true,
    });
  });

  it('that was cut gives the part that can be read, and reports it', async () => {
    // Like files that are made to be shown while they load.
    const head = onePage(shown('still here'));
    const cut = await parsed(Buffer.concat([head, Buffer.from('\n9 0 obj\n<</A/B')]), { truncated: true });
    expect(cut).toMatchObject({ text: 'still here', truncated: true });
    const withoutEnd = head.subarray(0, head.length - 120);
    expect(await parse(withoutEnd, { truncated: true })).toMatchObject({ kind: 'failed', code: 'truncated' });
    expect(await parse(withoutEnd)).toMatchObject({ kind: 'failed', code: 'malformed' });
  });
});

describe('a PDF with lost text', () => {
  const unknown = mappedFont('No-Such-Map-H', 'GB1');
  const codes = 'BT /F 12 Tf 10 700 Td <4e2d6587> Tj ET';
  /** Shows text by codes that the font maps to these characters, in hexadecimal UTF-16. */
  const mapped = (text: string, ...characters: string[]) => {
    const map = `begincmap 1 begincodespacerange <00> <FF> endcodespacerange ${characters.length} beginbfchar ${characters
      .map((character, i) => `<${(0x41 + i).toString(16)}> <${character}>`)
      .join(' ')} endbfchar endcmap`;
    return pages([shown(text)], ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 0 R>>', { data: map }]);
  };

  it('fails if no text is left', async () => {
    expect(await parse(pages([codes, codes], unknown))).toEqual({
      kind: 'failed',
      code: 'pdf_text_lost',
      message: 'the characters of the text are unknown on 2 pages',
    });
    // All are private-use characters.
    expect(await parse(mapped('ABAB', 'E001', 'F0B7'))).toMatchObject({ code: 'pdf_text_lost' });
  });

  it('reports on how many pages text is lost, and has the rest', async () => {
    const both = `${shown('words').replace('/F', '/G')} ${codes}`;
    const outcome = await parsed(pages([shown('only').replace('/F', '/G'), both, codes, ''], unknown));
    expect(outcome).toMatchObject({ text: 'only words', textLost: 2, textless: 1 });
  });

  it('may have bullets that are no characters', async () => {
    const page = await parsed(mapped('A word of text, and another', 'F0B7'));
    expect(page.text).toBe('word of text, and another');
    expect(page).not.toHaveProperty('textLost');
  });

  it('loses nothing if it shows no text, like a scan', async () => {
    const page = await parsed(pages(['0 0 m 9 9 l S', '']));
    expect(page).toMatchObject({ text: '', textless: 2 });
    expect(page).not.toHaveProperty('textLost');
  });
});

describe('a PDF that is hostile or broken', () => {
  it.each([
    ['nothing', ''],
    ['a head alone', '%PDF-1.7'],
    ['noise', `%PDF-1.7\n${'\x00\xff<<>>[/('.repeat(1000)}`],
    ['HTML', '<html>%PDF-'],
    ['no pages', pdf(['<</Type/Catalog>>']).toString('latin1')],
    ['a catalog that is none', pdf(['[1 2 3]']).toString('latin1')],
    ['thousands of open brackets', `%PDF-1.7\n1 0 obj\n${'['.repeat(500_000)}`],
    ['thousands of open dictionaries', `%PDF-1.7\n1 0 obj\n${'<</A'.repeat(300_000)}`],
  ])('fails as malformed: %s', async (_, text) => {
    const outcome = await parse(Buffer.from(text, 'latin1'));
    expect(outcome.kind === 'failed' ? outcome.code : outcome).toBe('malformed');
  });

  it('fails as encrypted when it asks for a password', async () => {
    const key = 'ab'.repeat(32);
    const content = onePage(shown('secret'), {
      more: [`<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -4>>`],
      trailer: `/Encrypt 6 0 R/ID[<00><00>]`,
    });
    expect(await parse(content)).toMatchObject({ kind: 'failed', code: 'encrypted' });
  });

  const loop = (root: string, ...rest: string[]) => pdf([root, ...rest]);
  it.each<[string, Buffer, string]>([
    [
      'a billion pages that are not there',
      loop('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 1000000000>>'),
      '',
    ],
    [
      'pages that hold themselves',
      loop('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>'),
      '',
    ],
    ['a page that is its own parent', loop('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Page/Parent 2 0 R>>'), ''],
    ['a content that is itself', onePage(shown('x')).fill('3', 0, 0), 'x'],
    [
      'contents that name themselves',
      Buffer.from(
        onePage(shown('x'), { more: ['[6 0 R 6 0 R 4 0 R]'] })
          .toString('latin1')
          .replace('/Contents 4', '/Contents 6'),
        'latin1',
      ),
      'x',
    ],
    [
      'a form that draws itself',
      onePage(`${shown('before')} /X Do`, {
        resources: '/XObject<</X 6 0 R>>',
        more: [
          { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>', data: '/X Do /X Do' },
        ],
      }),
      'before',
    ],
  ])('is read up to its fault: %s', async (_, content, text) => {
    const outcome = await parse(content);
    if (outcome.kind === 'success') expect(outcome.text).toBe(text);
    else expect(outcome.code).toBe('malformed');
    expect((await parsed(onePage(shown('next')))).text).toBe('next');
  });

  it('unpacks to no more than the memory of the process', async () => {
    const parser = parserWith(PATIENT);
    expect(await parse(onePage(packedBlanks(400, 1)), {}, parser)).toMatchObject({
      kind: 'failed',
      code: 'out_of_memory',
    });
    expect(await parsed(onePage(packedBlanks(200, 2)), {}, parser)).toMatchObject({ text: '', truncated: true });
    expect(await parsed(onePage(packedBlanks(20, 1)), {}, parser)).not.toHaveProperty('truncated');
    expect((await parsed(onePage(shown('next')), {}, parser)).text).toBe('next');
  });

  it('is only read until the text reaches its limit', async () => {
    const parser = parserWith({ textLimit: 10_000 });
    const page = await parsed(laughs(12), {}, parser);
    expect(page.truncated).toBe(true);
    expect(page.text.length).toBeLessThanOrEqual(10_000);
    expect((await parsed(onePage(shown('next')), {}, parser)).text).toBe('next');
  });

  it('ends at its time limit, and the next one is read', async () => {
    const parser = parserWith({ timeout: 2, textLimit: -1 });
    const [slow, waiting] = await Promise.all([
      parse(laughs(12), {}, parser),
      // It may wait as long as its own time limit.
      parse(onePage(shown('waited')), {}, parser),
    ]);
    expect(slow).toMatchObject({ kind: 'failed', code: 'timeout' });
    expect(waiting).toMatchObject({ kind: 'success', text: 'waited' });
  });

  it('fails as out_of_memory if it needs too much memory, and the next one is read', async () => {
    const parser = parserWith(PATIENT);
    const annotations = onePage(shown('x'), { page: `/Annots[${'6 0 R '.repeat(300_000)}]`, more: [link('/a')] });
    expect(await parse(annotations, {}, parser)).toMatchObject({ kind: 'failed', code: 'out_of_memory' });
    expect((await parsed(onePage(shown('next')), {}, parser)).text).toBe('next');
  });

  it('never ends the process by changed bytes', async () => {
    const random = randomNumbers(7);
    const whole = onePage(shown('a', 'b', 'c'), {
      page: `/Annots[${link('http://x.com/a')}${script}]`,
      more: ['<</Title(x)/Author(y)>>'],
      trailer: '/Info 6 0 R',
    });
    for (let i = 0; i < 150; i++) {
      const content = Buffer.from(whole.subarray(0, Math.ceil(whole.length * Math.min(1, 0.3 + random()))));
      for (let n = 0; n < 8; n++) content[Math.floor(random() * content.length)] = Math.floor(random() * 256);
      const outcome = await parse(content);
      if (outcome.kind === 'failed')
        expect(['malformed', 'encrypted', 'pdf_text_lost'], `case ${i}`).toContain(outcome.code);
    }
  });
});

describe('the parser of PDFs', () => {
  it('treats a PDF as an unknown type without the package, and starts no process', async () => {
    let asked = 0;
    const parser = parserWith({}, { entry: new URL('file:///nowhere.js'), isInstalled: () => ++asked > 99 });
    for (let i = 0; i < 3; i++) {
      expect(await parse(onePage(shown('x')), {}, parser)).toMatchObject({ kind: 'failed', code: 'unsupported_type' });
    }
    expect(asked).toBe(1);
  });

  it('does not count the start of its process as time of a document', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webcrawl-pdf-'));
    const slow = join(folder, 'slow.mjs');
    writeFileSync(
      slow,
      `await new Promise((done) => setTimeout(done, 3500)); await import(${JSON.stringify(entry.href)});`,
    );
    const parser = parserWith({ timeout: 3 }, { entry: pathToFileURL(slow) });
    expect(await parse(onePage(shown('late')), {}, parser)).toMatchObject({ kind: 'success', text: 'late' });
    rmSync(folder, { recursive: true });
  });

  it('rejects every time if its process cannot run', async () => {
    const parser = parserWith({}, { entry: new URL('file:///nowhere.js') });
    await expect(parse(onePage(shown('x')), {}, parser)).rejects.toThrow();
    await expect(parse(onePage(shown('x')), {}, parser)).rejects.toThrow();
  });

  it('rejects after close, also pending and waiting documents', async () => {
    const parser = parserWith();
    const calls = [parse(onePage(shown('x')), {}, parser), parse(onePage(shown('x')), {}, parser)];
    const outcomes = Promise.allSettled(calls);
    await new Promise((resolve) => setImmediate(resolve));
    await parser.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(parse(onePage(shown('x')), {}, parser)).rejects.toThrow('closed');
  });

  it('does not change its input bytes', async () => {
    const pooled = onePage(shown('x'));
    const before = Buffer.from(pooled);
    const own = Buffer.from(new Uint8Array(pooled).buffer);
    for (const content of [pooled, own]) {
      expect((await parsed(content)).text).toBe('x');
      expect(content.equals(before)).toBe(true);
    }
  });

  it('does not keep a process running', async () => {
    const code = `
      import { documentParser } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/packages/parse/index.js')).href)};
      const parser = documentParser(${JSON.stringify(PARSE_SETTINGS)});
      const content = Buffer.from(${JSON.stringify(onePage(shown('out')).toString('base64'))}, 'base64');
      const page = await parser.parse({ url: 'http://h.com/', content, contentType: 'application/pdf', headers: {} });
      console.log(page.text);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      timeout: 20_000,
    });
    expect(stdout).toBe('out\n');
  });
});

describe('the process that reads PDFs', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** A module for it that first writes its process id; the function waits for that. */
  function entryWithId(): { entry: URL; id: () => Promise<number> } {
    const folder = mkdtempSync(join(tmpdir(), 'webcrawl-pdf-'));
    folders.push(folder);
    const [module, file] = [join(folder, 'entry.mjs'), join(folder, 'id')];
    writeFileSync(
      module,
      `import { writeFileSync, renameSync } from 'node:fs';
      writeFileSync(${JSON.stringify(`${file}.new`)}, String(process.pid));
      renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});
      await import(${JSON.stringify(entry.href)});`,
    );
    const id = async () => {
      await until(() => existsSync(file));
      return Number(readFileSync(file, 'utf8'));
    };
    return { entry: pathToFileURL(module), id };
  }

  it('is one for many documents', async () => {
    const { entry, id } = entryWithId();
    const parser = parserWith({}, { entry });
    await parsed(onePage(shown('a')), {}, parser);
    const first = await id();
    await parsed(onePage(shown('b')), {}, parser);
    expect(await id()).toBe(first);
    await parser.close();
    expect(isRunning(first)).toBe(false);
  });

  it('is replaced after a document that took much memory', async () => {
    const { entry, id } = entryWithId();
    const parser = parserWith({}, { entry });
    expect(await parsed(onePage(packedBlanks(200, 1)), {}, parser)).not.toHaveProperty('truncated');
    const first = await id();
    expect(isRunning(first)).toBe(false);
    expect(await parsed(onePage(shown('b')), {}, parser)).toMatchObject({ text: 'b' });
    expect(await id()).not.toBe(first);
  });

  it('is not ended by a signal for its parent process', async () => {
    const { entry, id } = entryWithId();
    const parser = parserWith({}, { entry });
    await parsed(onePage(shown('a')), {}, parser);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(await id(), signal);
    expect(await parsed(onePage(shown('b')), {}, parser)).toMatchObject({ text: 'b' });
  });

  it.each([
    ['idle', ''],
    ['at work', laughs(12).toString('base64')],
  ])('ends after its parent was killed, %s', async (_, endless) => {
    const { entry, id } = entryWithId();
    const code = `
      import { documentParser } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/packages/parse/index.js')).href)};
      const settings = ${JSON.stringify({ ...PARSE_SETTINGS, parser: { ...PARSE_SETTINGS.parser, timeout: 3600, textLimit: -1 } })};
      const parser = documentParser(settings, { entry: new URL(${JSON.stringify(entry.href)}) });
      const parse = (text) => parser.parse({ url: 'http://h.com/', content: Buffer.from(text, 'base64'), contentType: 'application/pdf', headers: {} });
      await parse(${JSON.stringify(onePage(shown('out')).toString('base64'))});
      const endless = ${JSON.stringify(endless)};
      if (endless !== '') void parse(endless);
      setInterval(() => {}, 1000);
      setImmediate(() => console.log('ready'));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    const child = await id();
    await until(() => !isRunning(child));
  });
});

describe('a crawl', () => {
  const body = onePage(shown('Report'), {
    page: `/Annots[${link('/next')}]`,
    more: ['<</Title(A report)>>'],
    trailer: '/Info 6 0 R',
  }).toString('latin1');

  it.each(['application/pdf', 'application/octet-stream', ''])(
    'parses a PDF that is sent as "%s"',
    async (contentType) => {
      const web = fakeWeb({ 'http://h.com/p': { html: body, contentType } });
      const crawl = await testCrawl(web, {
        store: new MemoryStore(),
        plugins: [{ name: 'pdf', parser: documentParser(PARSE_SETTINGS, { entry }) }],
      });
      await using _ = crawl;
      await jobs.inject(crawl, { seeds: ['http://h.com/p'] });
      const { fetched } = await round(crawl);
      expect(fetched.counters).toMatchObject({ parsed: 1, links: 1 });
      expect(await rowOf(crawl, 'http://h.com/p', 'title', 'text', 'outlinks')).toEqual({
        title: 'A report',
        text: 'Report',
        outlinks: [{ url: 'http://h.com/next', anchor: '' }],
      });
    },
  );

  it('counts PDFs with lost text, and those without text', async () => {
    const unknown = mappedFont('No-Such-Map-H', 'GB1');
    const codes = 'BT /F 12 Tf 10 700 Td <4e2d> Tj ET';
    const documents = {
      'http://h.com/none': pages([codes], unknown),
      'http://h.com/part': pages([codes, shown('part').replace('/F', '/G')], unknown),
      'http://h.com/scan': pages(['']),
    };
    const web = fakeWeb(
      Object.fromEntries(
        Object.entries(documents).map(([url, pdf]) => [
          url,
          { html: pdf.toString('latin1'), contentType: 'application/pdf' },
        ]),
      ),
    );
    const crawl = await testCrawl(web, {
      store: new MemoryStore(),
      plugins: [{ name: 'pdf', parser: documentParser(PARSE_SETTINGS, { entry }) }],
    });
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: Object.keys(documents) });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ parsed: 2, pdf_text_lost: 1, pdf_no_text: 1, failed_pdf_text_lost: 1 });
    expect(await rowOf(crawl, 'http://h.com/part', 'parseStatus')).toEqual({
      parseStatus: { code: 'success', textLost: 1 },
    });
    expect(await rowOf(crawl, 'http://h.com/scan', 'parseStatus')).toEqual({
      parseStatus: { code: 'success', textless: 1 },
    });
  });

  it('counts it as an unknown type without the package', async () => {
    const web = fakeWeb({ 'http://h.com/p': { html: body, contentType: 'application/pdf' } });
    const crawl = await testCrawl(web, {
      plugins: [{ name: 'pdf', parser: documentParser(PARSE_SETTINGS, { isInstalled: () => false }) }],
    });
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: ['http://h.com/p'] });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ failed_unsupported_type: 1 });
    const { parseStatus } = await rowOf(crawl, 'http://h.com/p', 'parseStatus');
    expect(parseStatus?.message).toContain('npm install pdfjs-dist');
  });
});
