import { createRequire } from 'node:module';
import type { ParsedPage, ParseInput, Parser } from '../plugin-api/index.js';
import { LinkCollector } from './shared/link-collector.js';
import { languageTag } from './html/head/language-tag.js';
import type { ParseSettings } from './shared/parse-settings.js';
import type { DocumentContent } from './document/document-content.js';
import { DocumentProcess } from './document/document-process.js';
import { RobotsReader } from './shared/robots-directives.js';
import { OFFICE_TYPES } from './sniff/office-type.js';

/** Options of {@link documentParser}. */
export interface DocumentExtras {
  /** The module that the process for documents runs. Default: the module in the package. */
  readonly entry?: URL;
  /** Whether a package is installed. Called once for each package. Default: whether the package can be resolved from this module. */
  readonly isInstalled?: (name: string) => boolean;
}

const PDF_TYPES: readonly string[] = ['application/pdf', 'application/x-pdf'];

const READERS = {
  pdf: { name: 'pdfjs-dist', what: 'a PDF', install: 'npm install pdfjs-dist, or pdfjs-dist@5.6 on Node 20' },
  office: { name: 'fflate', what: 'an office document', install: 'npm install fflate' },
} as const;

/**
 * Reads PDFs with the package pdfjs-dist, and documents of Word, Excel, PowerPoint (.docx, .xlsx, .pptx), OpenDocument and EPUB with the
 * package fflate. If a package is not installed, documents that need it fail as `unsupported_type`. Documents are read in a separate
 * process, which starts with the first document. Time (`parser.timeout`) and memory are limited. The result has title, text, headings,
 * links and the document's own metadata. Of a PDF that was cut off, it has the readable part. Failures: malformed, truncated (cut off,
 * and therefore unreadable), encrypted, timeout, out_of_memory, pdf_text_lost.
 */
export function documentParser(
  settings: ParseSettings,
  extras: DocumentExtras = {},
): Parser & { close(): Promise<void> } {
  const entry = extras.entry ?? new URL('./document/document-child.js', import.meta.url);
  const reader = new DocumentProcess(entry, settings.parser.timeout);
  const installed: { pdf?: boolean; office?: boolean } = {};
  return {
    contentTypes: [...PDF_TYPES, ...OFFICE_TYPES],
    ownTimeout: true,
    async parse({ url, content, contentType, headers, truncated = false }) {
      const kind = PDF_TYPES.includes(contentType) ? 'pdf' : 'office';
      const { name, what, install } = READERS[kind];
      if (!(installed[kind] ??= (extras.isInstalled ?? isInstalled)(name))) {
        const message = `${what}; the package ${name}, which reads it, is not installed: ${install}`;
        return { kind: 'failed', code: 'unsupported_type', message };
      }
      const answer = await reader.read({ kind, url, content, textLimit: settings.parser.textLimit });
      if ('failure' in answer) {
        const { code, message } = answer.failure;
        // In most documents, the directory of the parts is at the end. So a document that was cut off cannot be read.
        return { kind: 'failed', code: code === 'malformed' && truncated ? 'truncated' : code, message };
      }
      return pageOf(answer.content, { url, headers, truncated }, settings);
    },
    close: () => reader.close(),
  };
}

type Source = Pick<ParseInput, 'url' | 'headers'> & { readonly truncated: boolean };

function pageOf(document: DocumentContent, { url, headers, truncated }: Source, settings: ParseSettings): ParsedPage {
  const { links: found, language: stated, headings, truncated: cut, textLost = 0, textless = 0, ...page } = document;
  const links = new LinkCollector(settings.db.maxOutlinkLength);
  for (const { href, anchor } of found) {
    const link = links.add(href);
    if (link) link.anchor ||= anchor;
  }
  const { directives } = new RobotsReader(settings.http.agentName, headers['x-robots-tag']);
  const language = languageTag(stated) ?? languageTag(headers['content-language']);
  return {
    kind: 'success',
    ...page,
    outlinks: directives.nofollow ? [] : links.resolve(url),
    robots: directives,
    ...(headings.length > 0 && { headings }),
    ...(language !== undefined && { language }),
    ...((truncated || cut || links.truncated) && { truncated: true }),
    ...(textLost > 0 && { textLost }),
    ...(textless > 0 && { textless }),
  };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    // An error of another kind comes from an installed package.
    return (error as { code?: unknown }).code !== 'MODULE_NOT_FOUND';
  }
}
