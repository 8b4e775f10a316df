import { messageOf } from '../../../errors/index.js';
import {
  MAX_LINKS,
  MAX_PDF_BAD_PAGES,
  MAX_PDF_PAGES,
  MAX_METADATA_VALUE,
  MAX_TITLE_LENGTH,
} from '../../shared/limits.js';
import { TextBuilder } from '../../shared/text-builder.js';
import {
  failed,
  type DocumentAnswer,
  type DocumentContent,
  type DocumentJob,
  type DocumentLink,
} from '../document-content.js';
import { sensibleTitle } from '../sensible-title.js';
import type { Pdfjs } from './load-pdfjs.js';
import { LargestLine } from './largest-line.js';

export type PdfDocument = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

/** With these options, no code of the document runs, no other file is loaded, and parts that only drawing needs are left out. */
const OPTIONS = {
  isEvalSupported: false,
  enableXfa: false,
  disableAutoFetch: true,
  disableFontFace: true,
  useSystemFonts: false,
  useWasm: false,
  useWorkerFetch: false,
  cMapPacked: true,
  maxImageSize: 1,
  // At this level, pdfjs-dist writes warnings. They show which fonts failed.
  verbosity: 1,
} as const;

/**
 * Reads a PDF up to a maximum number of pages. Broken pages are skipped. Time and memory depend on the document. So this must run in a
 * process that can be killed. A failure is returned as an answer, and no error is thrown.
 */
export async function readPdf(pdfjs: Pdfjs, job: DocumentJob): Promise<DocumentAnswer> {
  let document: PdfDocument;
  try {
    const { cMapUrl } = pdfjs;
    document = await pdfjs.getDocument({ ...OPTIONS, cMapUrl, data: job.content, docBaseUrl: job.url }).promise;
  } catch (error) {
    const code = error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'malformed';
    return failed(code, messageOf(error));
  }
  try {
    const { title, ...statements } = await readStatements(document);
    const { firstLine, ...pages } = await readPages(pdfjs, document, job.textLimit);
    if (pages.text === '' && pages.textLost > 0)
      return failed('pdf_text_lost', `the characters of the text are unknown on ${pages.textLost} pages`);
    return { content: { ...statements, ...pages, title: title === '' ? firstLine : title, headings: [] } };
  } finally {
    await document.loadingTask.destroy();
  }
}

type Pages = Pick<DocumentContent, 'text' | 'links' | 'truncated'> & {
  firstLine: string;
  textLost: number;
  textless: number;
};

async function readPages(pdfjs: Pdfjs, document: PdfDocument, textLimit: number): Promise<Pages> {
  const text = new TextBuilder(textLimit);
  const line = new LargestLine();
  const links = new Set<string>();
  let [bad, textLost, textless] = [0, 0, 0];
  let truncated = document.numPages > MAX_PDF_PAGES;
  for (let number = 1; number <= Math.min(document.numPages, MAX_PDF_PAGES); number++) {
    try {
      const page = await document.getPage(number);
      for (const link of await linksOf(page)) if (links.size < MAX_LINKS) links.add(link);
      const failedBefore = pdfjs.failedFonts();
      const seen = await addText(page, text, line.isDone ? undefined : line);
      page.cleanup();
      const hasFailed = pdfjs.failedFonts() > failedBefore;
      // Unloads the failed font. So the font fails again on the next page that uses it, and is counted for that page too.
      if (hasFailed) await document.cleanup(true);
      if (hasFailed || seen?.isLost) textLost++;
      else if (seen?.isBlank) textless++;
      bad = 0;
    } catch {
      truncated = true;
      // A document may claim any number of pages, even if most of them do not exist.
      if (++bad >= MAX_PDF_BAD_PAGES) break;
    }
  }
  return {
    text: text.toString(),
    firstLine: sensibleTitle(line.text),
    links: Array.from(links, (href): DocumentLink => ({ href, anchor: '' })),
    truncated: truncated || text.full || links.size >= MAX_LINKS,
    textLost,
    textless,
  };
}

async function linksOf(page: PdfPage): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as { readonly url?: unknown; readonly unsafeUrl?: unknown }[];
  return annotations.flatMap(({ url, unsafeUrl }) => [url ?? unsafeUrl].filter((link) => typeof link === 'string'));
}

/** Adds the text of a page, up to the limit. Undefined: the limit was already reached. */
async function addText(page: PdfPage, text: TextBuilder, line: LargestLine | undefined): Promise<PageText | undefined> {
  text.breakWord();
  if (text.full) return undefined;
  const pageText = new PageText(text, line);
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{
    readonly items: Parameters<PageText['add']>[0][];
  }>;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    for (const item of value.items) pageText.add(item);
    if (!text.full) continue;
    await reader.cancel(new Error('the limit of text is reached'));
    break;
  }
  line?.endPage();
  return pageText;
}

interface TextItem {
  readonly str?: string;
  readonly hasEOL?: boolean;
  /** The size of the font, in units of the page; 0 if the text runs from top to bottom. */
  readonly height?: number;
}

/** Code points that are not a known character: private use, control characters, and the replacement character. */
const UNKNOWN = /[\p{Co}\ufffd\0-\x08\x0e-\x1f\x7f-\x9f]/gu;

/**
 * If at most one in this number of characters is unknown, such as a bullet, the text of the page counts as known. Otherwise it counts as
 * lost.
 */
const KNOWN_FOR_UNKNOWN = 10;

/** Adds the text of one page, and counts characters that are not known. These are left out. */
class PageText {
  readonly #text: TextBuilder;
  readonly #line: LargestLine | undefined;
  #characters = 0;
  #unknown = 0;

  constructor(text: TextBuilder, line: LargestLine | undefined) {
    this.#text = text;
    this.#line = line;
  }

  get isLost(): boolean {
    return this.#unknown * KNOWN_FOR_UNKNOWN > this.#characters;
  }

  get isBlank(): boolean {
    return this.#characters === 0;
  }

  add({ str = '', hasEOL = false, height = 0 }: TextItem): void {
    const known = str.replace(UNKNOWN, ' ');
    this.#characters += str.trim().length;
    // The length in UTF-16 units is counted, because some code points for private use have two units.
    if (known !== str) this.#unknown += str.match(UNKNOWN)!.join('').length;
    this.#text.add(known);
    this.#line?.add(known, height);
    if (!hasEOL) return;
    this.#text.breakWord();
    this.#line?.breakWord();
  }
}

/** Reads the document's own metadata. The result is empty if it cannot be read. */
async function readStatements(
  document: PdfDocument,
): Promise<Pick<DocumentContent, 'title' | 'language' | 'metadata'>> {
  let info: Readonly<Record<string, unknown>> = {};
  let xmp = (_name: string): unknown => undefined;
  try {
    const found = await document.getMetadata();
    info = found.info as Record<string, unknown>;
    xmp = (name) => found.metadata?.get(name) as unknown;
  } catch {
    // Errors are ignored, because the text of the document is more important.
  }
  const stated = (limit: number, ...values: unknown[]): string =>
    values.map((value) => plain(value, limit)).find((text) => text !== '') ?? '';
  const metadata = {
    description: stated(MAX_METADATA_VALUE, info.Subject, xmp('dc:description')),
    author: stated(MAX_METADATA_VALUE, info.Author, xmp('dc:creator')),
    keywords: stated(MAX_METADATA_VALUE, info.Keywords, xmp('pdf:keywords')),
    'dcterms.created': stated(MAX_METADATA_VALUE, pdfDate(info.CreationDate), xmp('xmp:createdate')),
    'dcterms.modified': stated(MAX_METADATA_VALUE, pdfDate(info.ModDate), xmp('xmp:modifydate')),
  };
  const titles = [info.Title, xmp('dc:title')].map((title) => sensibleTitle(stated(MAX_TITLE_LENGTH, title)));
  return {
    title: titles.find((title) => title !== '') ?? '',
    language: stated(MAX_METADATA_VALUE, info.Language),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
  };
}

/** Returns a text. A list of texts becomes one text: in XMP, authors are such a list. */
function plain(value: unknown, limit: number): string {
  const text = new TextBuilder(limit);
  for (const [i, part] of (Array.isArray(value) ? (value as unknown[]) : [value]).entries()) {
    if (typeof part === 'string') text.add(i === 0 ? part : `, ${part}`);
  }
  return text.toString();
}

/**
 * Converts a date of a PDF, such as `D:20240501093000+02'00'`, to the form of ISO 8601. Parts that are missing in the PDF are missing in
 * the result too.
 */
function pdfDate(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? DATE.exec(value.trim()) : null;
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second = '00', zone, zoneMinute = '00'] = parts;
  const date = [year, month, day].filter((part) => part !== undefined).join('-');
  if (day === undefined || hour === undefined || minute === undefined) return date;
  const offset = zone === undefined ? '' : /^z/i.test(zone) ? 'Z' : `${zone}:${zoneMinute}`;
  return `${date}T${hour}:${minute}:${second}${offset}`;
}

const DATE = /^(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)?)?)?)?)?(?:(z|[+-]\d\d)'?(\d\d)?'?0?0?'?)?$/i;
