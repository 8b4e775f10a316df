import { messageOf } from '../../../errors/index.js';
import { MAX_LINKS, MAX_PDF_BAD_PAGES, MAX_PDF_PAGES } from '../../shared/limits.js';
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
import { PageText } from './page-text.js';
import { readStatements } from './pdf-statements.js';

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
