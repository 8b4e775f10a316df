import type { getDocumentProxy } from 'unpdf';
import { messageOf } from '../../errors/index.js';
import { MAX_LINKS, MAX_METADATA_VALUE, MAX_PDF_BAD_PAGES, MAX_PDF_PAGES, MAX_TITLE_LENGTH } from '../shared/limits.js';
import type { PdfAnswer, PdfContent, PdfJob } from './pdf-content.js';
import { TextBuilder } from '../shared/text-builder.js';

type Document = Awaited<ReturnType<typeof getDocumentProxy>>;
type Page = Awaited<ReturnType<Document['getPage']>>;

/** No code of the document runs, nothing is loaded from anywhere, and what only drawing needs is left out. */
const OPTIONS = {
  isEvalSupported: false,
  enableXfa: false,
  disableAutoFetch: true,
  disableFontFace: true,
  useSystemFonts: false,
  useWasm: false,
  useWorkerFetch: false,
  maxImageSize: 1,
  verbosity: 0,
} as const;

/**
 * Reads a PDF: up to a number of pages, with those that are broken left out. It takes as long, and as much memory, as the
 * document makes it take, so it runs in a process that can be ended. What goes wrong is an answer, not a throw.
 * @param open the function of that name of the package unpdf
 */
export async function readPdf(open: typeof getDocumentProxy, job: PdfJob): Promise<PdfAnswer> {
  let document: Document;
  try {
    document = await open(job.content, { ...OPTIONS, docBaseUrl: job.url });
  } catch (error) {
    const code = error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'malformed';
    return { failure: { code, message: messageOf(error) } };
  }
  try {
    return { content: { ...(await readStatements(document)), ...(await readPages(document, job.textLimit)) } };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** What the document says of itself; one that cannot be read says nothing. */
async function readStatements(document: Document): Promise<Pick<PdfContent, 'title' | 'language' | 'metadata'>> {
  let info: Readonly<Record<string, unknown>> = {};
  let xmp = (_name: string): unknown => undefined;
  try {
    const found = await document.getMetadata();
    info = found.info as Record<string, unknown>;
    xmp = (name) => found.metadata?.get(name) as unknown;
  } catch {
    // It is text that counts.
  }
  const stated = (limit: number, ...values: unknown[]): string => {
    const text = new TextBuilder(limit);
    text.add(values.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? '');
    return text.toString();
  };
  const metadata = {
    description: stated(MAX_METADATA_VALUE, info.Subject, xmp('dc:description')),
    author: stated(MAX_METADATA_VALUE, info.Author, xmp('dc:creator')),
    keywords: stated(MAX_METADATA_VALUE, info.Keywords, xmp('pdf:keywords')),
  };
  return {
    title: stated(MAX_TITLE_LENGTH, info.Title, xmp('dc:title')),
    language: stated(MAX_METADATA_VALUE, info.Language),
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
  };
}

async function readPages(
  document: Document,
  textLimit: number,
): Promise<Pick<PdfContent, 'text' | 'links' | 'truncated'>> {
  const text = new TextBuilder(textLimit);
  const links = new Set<string>();
  let bad = 0;
  let truncated = document.numPages > MAX_PDF_PAGES;
  for (let number = 1; number <= Math.min(document.numPages, MAX_PDF_PAGES); number++) {
    try {
      const page = await document.getPage(number);
      for (const link of await linksOf(page)) if (links.size < MAX_LINKS) links.add(link);
      await addText(page, text);
      page.cleanup();
      bad = 0;
    } catch {
      truncated = true;
      // A document may claim any number of pages that are not there.
      if (++bad >= MAX_PDF_BAD_PAGES) break;
    }
  }
  return { text: text.toString(), links: [...links], truncated: truncated || text.full || links.size >= MAX_LINKS };
}

async function linksOf(page: Page): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as { readonly url?: unknown; readonly unsafeUrl?: unknown }[];
  return annotations.flatMap(({ url, unsafeUrl }) => [url ?? unsafeUrl].filter((link) => typeof link === 'string'));
}

/** Stops in the midst of a page where the limit is reached. */
async function addText(page: Page, text: TextBuilder): Promise<void> {
  text.breakWord();
  if (text.full) return;
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{
    readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[];
  }>;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    for (const { str, hasEOL } of value.items) {
      text.add(str ?? '');
      if (hasEOL) text.breakWord();
    }
    if (text.full) return void (await reader.cancel(new Error('the limit of text is reached')));
  }
}
