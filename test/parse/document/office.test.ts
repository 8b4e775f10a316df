import { describe, expect, it } from 'vitest';
import { sensibleTitle } from '../../../packages/parse/document/sensible-title.js';
import { readOffice } from '../../../packages/parse/document/office/read-office.js';
import { sniffContentType } from '../../../packages/parse/index.js';
import {
  archive,
  openDocument,
  paragraph,
  presentation,
  relations,
  sheet,
  slide,
  word,
  wordPart,
  workbook,
} from '../../support/parsing/office.js';

const answer = (content: Uint8Array, textLimit = -1) =>
  readOffice({ kind: 'office', url: 'http://h.com/d', content, textLimit });

async function read(content: Uint8Array, textLimit?: number) {
  const read = await answer(content, textLimit);
  if ('failure' in read) throw new Error(`${read.failure.code}: ${read.failure.message}`);
  return read.content;
}

const codeOf = async (content: Uint8Array): Promise<string> => {
  const read = await answer(content);
  return 'failure' in read ? read.failure.code : 'success';
};

const STYLES = wordPart(
  'styles',
  '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Textkrper"><w:name w:val="Body Text"/></w:style>',
);

describe('a document of Word', () => {
  it('gives text, headings, links, title, language and metadata', async () => {
    const link =
      '<w:hyperlink r:id="l" w:history="1"><w:r><w:t>the </w:t></w:r><w:r><w:t>link</w:t></w:r></w:hyperlink>';
    const body = `${paragraph('A heading', 'berschrift1')}<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r>${link}<w:r><w:t>.</w:t></w:r></w:p>${paragraph('Body', 'Textkrper')}`;
    const content = word(body, {
      core: `<dc:title>A report</dc:title><dc:language>de-CH</dc:language><dc:description>About it</dc:description><dc:creator>A. B.</dc:creator><cp:keywords>k, l</cp:keywords><dcterms:created>2024-05-01T10:00:00Z</dcterms:created><dcterms:modified>2024-05-02T10:00:00Z</dcterms:modified>`,
      more: {
        'word/_rels/document.xml.rels': relations({
          s: ['styles', 'styles.xml'],
          l: ['hyperlink', 'https://x.com/a?b=c'],
        }),
        'word/styles.xml': STYLES,
      },
    });
    expect(await read(content)).toEqual({
      title: 'A report',
      text: 'A heading See the link. Body',
      language: 'de-CH',
      headings: ['A heading'],
      links: [{ href: 'https://x.com/a?b=c', anchor: 'the link' }],
      metadata: {
        description: 'About it',
        author: 'A. B.',
        keywords: 'k, l',
        'dcterms.created': '2024-05-01T10:00:00Z',
        'dcterms.modified': '2024-05-02T10:00:00Z',
      },
      truncated: false,
    });
  });

  it('separates words at cells, breaks and tabs, and joins the pieces of one word', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const body = `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr></w:tbl><w:p><w:r><w:t>in</w:t></w:r><w:r><w:t>side</w:t><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p>`;
    expect((await read(word(body))).text).toBe('a b inside x y');
  });

  it('omits deleted and moved text, the second form of a part, and pronunciations', async () => {
    const body = `<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:t>kept</w:t></w:r><mc:AlternateContent><mc:Choice><w:r><w:t> box</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t> box</w:t></w:r></mc:Fallback></mc:AlternateContent><w:r><w:ruby><w:rt><w:r><w:t>かんじ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t> 漢字</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`;
    expect((await read(word(body))).text).toBe('kept box 漢字');
  });

  it('has notes, headers and footers after the text, each once, with their links', async () => {
    const content = word(paragraph('Text'), {
      more: {
        'word/_rels/document.xml.rels': relations({
          a: ['header', 'header1.xml'],
          b: ['footnotes', 'footnotes.xml'],
          c: ['header', '/word/header1.xml'],
          d: ['footer', 'absent.xml'],
        }),
        'word/header1.xml': wordPart('hdr', paragraph('Header')),
        'word/footnotes.xml': wordPart(
          'footnotes',
          `<w:footnote><w:hyperlink r:id="x">${paragraph('Note')}</w:hyperlink></w:footnote>`,
        ),
        'word/_rels/footnotes.xml.rels': relations({ x: ['hyperlink', 'http://n.com/'] }),
      },
    });
    const { text, links, truncated } = await read(content);
    expect({ text, links, truncated }).toEqual({
      text: 'Text Note Header',
      links: [{ href: 'http://n.com/', anchor: 'Note' }],
      truncated: false,
    });
  });

  it('has its first heading as title if it states no sensible one', async () => {
    const more = {
      'word/_rels/document.xml.rels': relations({ s: ['styles', 'styles.xml'] }),
      'word/styles.xml': STYLES,
    };
    const body = paragraph('What it is about', 'berschrift1');
    for (const core of ['', '<dc:title>Microsoft Word - x.doc</dc:title>', '<dc:title> </dc:title>'])
      expect((await read(word(body, { core, more }))).title).toBe('What it is about');
  });

  it('is found by the relations of the package, whatever its parts are called', async () => {
    const content = archive({
      '_rels/.rels': relations({ x: ['officeDocument', '/Word/Document2.xml'] }),
      'word/document2.xml': wordPart('document', paragraph('here')),
    });
    expect((await read(content)).text).toBe('here');
  });

  it('can be in UTF-16 too', async () => {
    const xml = `\ufeff<?xml version="1.0" encoding="UTF-16"?>${wordPart('document', paragraph('ünï 中文'))}`;
    const content = word('', { more: { 'word/document.xml': Buffer.from(xml, 'utf16le') } });
    expect((await read(content)).text).toBe('ünï 中文');
  });
});

describe('a presentation', () => {
  const shape = (text: string, type?: string) =>
    `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

  it('gives its slides in their order, each with its notes', async () => {
    const linked = `<p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>go</a:t></a:r><a:r><a:t> on</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p></p:txBody></p:sp>`;
    const content = presentation(
      {
        'ppt/slides/slide1.xml': slide(shape('Last', 'title')),
        'ppt/slides/slide2.xml': slide(shape('First', 'ctrTitle') + linked),
        'ppt/slides/_rels/slide2.xml.rels': relations({
          h: ['hyperlink', 'http://x.com/'],
          n: ['notesSlide', '../notesSlides/notesSlide1.xml'],
        }),
        'ppt/notesSlides/notesSlide1.xml': slide(shape('Note'), 'notes'),
      },
      [2, 1],
    );
    const { title, text, headings, links } = await read(content);
    expect({ title, text, headings, links }).toEqual({
      title: 'First',
      text: 'First go on Note Last',
      headings: ['First', 'Last'],
      links: [{ href: 'http://x.com/', anchor: 'go' }],
    });
  });
});

describe('a workbook', () => {
  it('gives names of sheets, texts, numbers and links, without hidden ones', async () => {
    const content = workbook(
      {
        'worksheets/b.xml': 'name="Second in name" sheetId="2"',
        'worksheets/a.xml': 'name="Other" sheetId="1"',
        'worksheets/c.xml': 'name="Secret" sheetId="3" state="veryHidden"',
      },
      '<si><t>shared</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>ルビ</t></rPh></si>',
      {
        'xl/worksheets/b.xml': sheet(
          '<row><c t="s"><v>1</v></c><c t="s"><v>0</v></c><c><f>1+1</f><v>2.5</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="s"><v>99</v></c></row>',
          '<hyperlinks><hyperlink ref="A1" r:id="h"/><hyperlink ref="A2" location="x"/></hyperlinks>',
        ),
        'xl/worksheets/_rels/b.xml.rels': relations({ h: ['hyperlink', 'http://x.com/'] }),
        'xl/worksheets/a.xml': sheet(
          '<row><c t="inlineStr"><is><t>inline</t></is></c><c t="str"><v>made</v></c></row>',
        ),
        'xl/worksheets/c.xml': sheet('<row><c t="s"><v>0</v></c></row>'),
      },
    );
    const { text, headings, links } = await read(content);
    expect({ text, headings, links }).toEqual({
      text: 'Second in name rich shared 2.5 Other inline made',
      headings: ['Second in name', 'Other'],
      links: [{ href: 'http://x.com/', anchor: '' }],
    });
  });
});

describe('a document of OpenDocument', () => {
  it('gives text, headings, links and metadata', async () => {
    const body = `<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Head<text:s/>ing</text:h><text:p>See <text:a xlink:href="../o">the <text:span>li</text:span>nk</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Note</text:p></text:note-body></text:note><office:annotation><text:p>comment</text:p></office:annotation><text:tab/>end</text:p></office:text>`;
    const meta =
      '<dc:title>A text</dc:title><dc:language>fr</dc:language><meta:initial-creator>A</meta:initial-creator><dc:creator>B</dc:creator><meta:creation-date>2024-05-01T10:00:00</meta:creation-date><dc:date>2024-05-02T10:00:00</dc:date>';
    expect(await read(openDocument('text', body, { meta }))).toEqual({
      title: 'A text',
      text: 'Head ing See the link Note end',
      language: 'fr',
      headings: ['Head ing'],
      links: [{ href: '../o', anchor: 'the link' }],
      metadata: { author: 'A', 'dcterms.created': '2024-05-01T10:00:00', 'dcterms.modified': '2024-05-02T10:00:00' },
      truncated: false,
    });
  });

  it('separates cells', async () => {
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const body = `<table:table><table:table-row>${cell('a')}${cell('b')}</table:table-row></table:table>`;
    expect((await read(openDocument('spreadsheet', body))).text).toBe('a b');
  });

  it('fails as encrypted when it asks for a password', async () => {
    const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
    expect(await codeOf(openDocument('text', '', { manifest }))).toBe('encrypted');
  });
});

describe('a book', () => {
  it('gives its chapters in their order, with the links to other places', async () => {
    const chapter = (body: string) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`;
    const content = archive({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container xmlns="c"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
      'OPS/book.opf':
        '<package xmlns="o"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title><dc:language>en</dc:language><dc:date>2020</dc:date></metadata><manifest><item id="a" href="a.xhtml"/><item id="b" href="t/b%20b.xhtml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>',
      'OPS/a.xhtml': chapter('<p>two <a href="b.xhtml">in</a> <a href="http://x.com/">out</a></p>'),
      'OPS/t/b b.xhtml': chapter('<h1>One</h1><p>text</p>'),
    });
    expect(await read(content)).toMatchObject({
      title: 'A book',
      text: 'One text two in out',
      language: 'en',
      headings: ['One'],
      links: [{ href: 'http://x.com/', anchor: 'out' }],
      metadata: { 'dcterms.created': '2020' },
    });
  });
});

describe('an office document that is hostile or broken', () => {
  const compound = (name: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600), Buffer.from(name, 'utf16le')]);

  it.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), 'malformed'],
    ['noise', Buffer.alloc(5000, 'PK\x03\x04'), 'malformed'],
    ['one that ends early', word(paragraph('x')).subarray(0, 900), 'malformed'],
    ['a damaged main part', word(paragraph('x'), { more: { 'word/document.xml': '' } }), 'malformed'],
    ['an archive of other files', archive({ 'a.txt': 'x' }), 'unsupported_type'],
    ['a main part that is absent', archive({ '_rels/.rels': relations({ a: ['officeDocument', 'x'] }) }), 'malformed'],
    ['one with a password', compound('EncryptedPackage'), 'encrypted'],
    ['an old binary one', compound('WordDocument'), 'unsupported_type'],
  ])('fails: %s', async (_, content, code) => expect(await codeOf(content)).toBe(code));

  it('fails as out_of_memory if its text unpacks to more than the limit', async () => {
    const bomb = word('', { more: { 'word/document.xml': Buffer.alloc(65 * 1024 * 1024, ' ') } });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await codeOf(bomb)).toBe('out_of_memory');
  });

  it('is read without a part that is too large or damaged, and reports it', async () => {
    const more = {
      'word/_rels/document.xml.rels': relations({ a: ['header', 'header1.xml'] }),
      'word/header1.xml': Buffer.alloc(65 * 1024 * 1024, ' '),
    };
    expect(await read(word(paragraph('Text'), { more }))).toMatchObject({ text: 'Text', truncated: true });
  });

  it('is kept up to the limit of text', async () => {
    const content = word(paragraph('abc def ghi'));
    expect(await read(content, 7)).toMatchObject({ text: 'abc def', truncated: true });
  });

  it('expands no entity and loads none', async () => {
    const dtd = '<!DOCTYPE x [<!ENTITY a "boom"><!ENTITY b SYSTEM "file:///etc/passwd">]>';
    const content = word('', { more: { 'word/document.xml': dtd + wordPart('document', paragraph('a &a; &b; b')) } });
    expect((await read(content)).text).toBe('a &a; &b; b');
  });

  it('is read up to elements that are nested too deeply', async () => {
    const content = word(paragraph('before') + '<w:p>'.repeat(100_000) + paragraph('after'));
    expect(await read(content)).toMatchObject({ text: 'before', truncated: true });
  });

  it('may refer to itself in any relation', async () => {
    const content = word(paragraph('x'), {
      more: {
        'word/_rels/document.xml.rels': relations({ a: ['header', 'document.xml'], b: ['styles', '../../../..'] }),
      },
    });
    expect((await read(content)).text).toBe('x x');
  });
});

describe('an office document whose type is not declared', () => {
  const TYPE = /^application\/vnd\.(?:openxmlformats-officedocument\.(\w+)ml|oasis\.opendocument\.(\w+))/;
  const kindOf = (content: Uint8Array, declared: string): string => {
    const type = sniffContentType(content, declared, declared === '' ? {} : { 'content-type': declared });
    const [, openXml, open] = TYPE.exec(type) ?? [];
    return openXml ?? open ?? type;
  };

  it.each<[string, Uint8Array]>([
    ['wordprocessing', word(paragraph('x'))],
    ['presentation', presentation({}, [])],
    ['spreadsheet', workbook({}, '', {})],
    ['text', openDocument('text', '')],
    ['presentation', openDocument('presentation', '')],
    ['application/epub+zip', archive({ mimetype: 'application/epub+zip' })],
  ])('is recognised by its parts: %s', (kind, content) => {
    for (const declared of ['', 'application/octet-stream', 'application/zip', 'application/msword'])
      expect(kindOf(content, declared)).toBe(kind);
    expect(kindOf(content, 'image/png')).toBe('image/png');
  });

  it('is an archive if it is nothing else', () => {
    expect(kindOf(archive({ 'a.txt': 'x' }), '')).toBe('application/zip');
    expect(kindOf(archive({ 'a.txt': 'x' }), 'application/msword')).toBe('application/msword');
    expect(kindOf(archive({ mimetype: 'application/vnd.oasis.opendocument.graphics' }), '')).toBe('application/zip');
  });
});

describe('a title', () => {
  it.each([
    'Untitled',
    'untitled-1',
    'Microsoft Word - Final.doc',
    'report_v2.docx',
    'Document1',
    'Sheet1',
    'PowerPoint Presentation',
    '---',
    'unbenannt 3',
  ])('that a program made is ignored: %s', (title) => expect(sensibleTitle(title)).toBe(''));

  it.each(['Untitled works of the sea', 'Using Microsoft Word', 'Document design', '中文', 'Version 1.2'])(
    'that a person gave is used: %s',
    (title) => expect(sensibleTitle(title)).toBe(title),
  );
});
