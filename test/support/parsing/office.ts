import { deflateRawSync } from 'node:zlib';
import { strToU8, Zip, ZipPassThrough } from 'fflate';

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const R = `xmlns:r="${RELATIONS}"`;

/** An entry that zlib compresses, which takes a tenth of the time of fflate. */
class DeflatedEntry extends ZipPassThrough {
  override readonly compression = 8;
  protected override process(content: Uint8Array, final: boolean): void {
    this.ondata(null, deflateRawSync(content, { level: 9 }), final);
  }
}

/** A zip archive of parts, in their order. */
export function archive(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((_, chunk) => chunks.push(chunk));
  for (const [name, part] of Object.entries(parts)) {
    // The type is the first entry and uncompressed, for programs that read only the first bytes.
    const entry = name === 'mimetype' ? new ZipPassThrough(name) : new DeflatedEntry(name);
    entry.mtime = new Date(2024, 0, 1);
    zip.add(entry);
    entry.push(typeof part === 'string' ? strToU8(part) : part, true);
  }
  zip.end();
  return Buffer.concat(chunks);
}

/** Relations by id, each with a type and a target; a target with a scheme is external. */
export function relations(of: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const each = Object.entries(of).map(
    ([id, [type, target]]) =>
      `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${/^[a-z]+:/.test(target) ? ' TargetMode="External"' : ''}/>`,
  );
  return `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

/** The common parts of every Office Open XML document; `core` has its properties. */
function openXml(main: string, core: string): Record<string, string> {
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    '_rels/.rels': relations({ a: ['officeDocument', main], b: ['metadata/core-properties', 'docProps/core.xml'] }),
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">${core}</cp:coreProperties>`,
  };
}

type Parts = Readonly<Record<string, string | Uint8Array>>;

/** A document of Word. `body` in the namespaces `w` and `r`. */
export function word(body: string, { core = '', more = {} } = {}): Buffer {
  return archive({
    ...openXml('word/document.xml', core),
    'word/document.xml': wordPart('document', `<w:body>${body}</w:body>`),
    ...more,
  });
}

/** A part of a document of Word. */
export function wordPart(root: string, content: string): string {
  return `<w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ${R} ${DRAWING} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">${content}</w:${root}>`;
}

/** A paragraph of Word, with an optional style. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** A slide of PowerPoint; `shapes` in the namespaces `p`, `a` and `r`. */
export function slide(shapes: string, root = 'sld'): string {
  return `<p:${root} xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ${DRAWING} ${R}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
}

/** A presentation with these slides, in the order of their numbers in `order`. */
export function presentation(slides: Parts, order: readonly number[], core = ''): Buffer {
  const ids = order.map((number) => `<p:sldId id="${255 + number}" r:id="s${number}"/>`).join('');
  const targets = order.map((number) => [`s${number}`, ['slide', `slides/slide${number}.xml`]] as const);
  return archive({
    ...openXml('ppt/presentation.xml', core),
    'ppt/presentation.xml': `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ${R}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(Object.fromEntries(targets)),
    ...slides,
  });
}

const SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

/** A workbook. `sheets` are attributes of a sheet by its part, `strings` the items that cells name. */
export function workbook(sheets: Readonly<Record<string, string>>, strings: string, more: Parts): Buffer {
  const parts = Object.entries(sheets);
  const targets = parts.map(([part], i) => [`r${i}`, ['worksheet', part]] as const);
  return archive({
    ...openXml('/xl/workbook.xml', ''),
    'xl/workbook.xml': `<workbook ${SHEET} ${R}><sheets>${parts.map(([, attributes], i) => `<sheet ${attributes} r:id="r${i}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations({
      ...Object.fromEntries(targets),
      s: ['sharedStrings', 'sharedStrings.xml'],
    }),
    'xl/sharedStrings.xml': `<sst ${SHEET}>${strings}</sst>`,
    ...more,
  });
}

/** A sheet of a workbook. */
export function sheet(rows: string, after = ''): string {
  return `<worksheet ${SHEET} ${R}><sheetData>${rows}</sheetData>${after}</worksheet>`;
}

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns';

/** A document of OpenDocument; `body` in the namespaces `text`, `table`, `office` and `xlink`, `meta` in `dc` and `meta`. */
export function openDocument(kind: string, body: string, { meta = '', manifest = '' } = {}): Buffer {
  const names = ['office', 'text', 'table', 'meta']
    .map((name) => `xmlns:${name}="${OPEN_DOCUMENT}:${name}:1.0"`)
    .join(' ');
  const others = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"';
  return archive({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content ${names} ${others}><office:body>${body}</office:body></office:document-content>`,
    'meta.xml': `<office:document-meta ${names} ${others}><office:meta>${meta}</office:meta></office:document-meta>`,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="${OPEN_DOCUMENT}:manifest:1.0">${manifest}</manifest:manifest>`,
  });
}
