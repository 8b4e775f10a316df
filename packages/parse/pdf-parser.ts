import { createRequire } from 'node:module';
import type { Parser } from '../plugin-api/index.js';
import { LinkCollector } from './shared/link-collector.js';
import { languageTag } from './html/page-head.js';
import type { ParseSettings } from './shared/parse-settings.js';
import { PdfProcess } from './pdf/pdf-process.js';
import { RobotsReader } from './shared/robots-directives.js';

/** What {@link pdfParser} works with. */
export interface PdfExtras {
  /** The module that the process runs. Default: the one that is shipped. */
  readonly entry?: URL;
  /** Whether the package unpdf is there; asked once, at the first PDF. Default: whether it can be resolved from here. */
  readonly isInstalled?: () => boolean;
}

/**
 * Reads PDFs with the package unpdf, where it is installed; where it is not, a PDF fails as `unsupported_type`. It runs in a
 * process of its own, which is started with the first PDF and bounded in time (`parser.timeout`) and memory. Title, text,
 * links, and what the document says of itself are taken; of a document that was cut, what can be read.
 * Failures: malformed, truncated (cut, and nothing can be read), encrypted, timeout, out_of_memory.
 */
export function pdfParser(settings: ParseSettings, extras: PdfExtras = {}): Parser & { close(): Promise<void> } {
  const entry = extras.entry ?? new URL('./pdf/pdf-child.js', import.meta.url);
  const reader = new PdfProcess(entry, settings.parser.timeout);
  let installed: boolean | undefined;
  return {
    contentTypes: ['application/pdf', 'application/x-pdf'],
    ownTimeout: true,
    async parse({ url, content, headers, truncated = false }) {
      installed ??= (extras.isInstalled ?? isInstalled)();
      if (!installed) {
        return {
          kind: 'failed',
          code: 'unsupported_type',
          message: 'a PDF; the package unpdf, which reads it, is not installed',
        };
      }
      const answer = await reader.read({ url, content, textLimit: settings.parser.textLimit });
      if ('failure' in answer) {
        const { code, message } = answer.failure;
        // What leads to the pages is at the end of most PDFs.
        return { kind: 'failed', code: code === 'malformed' && truncated ? 'truncated' : code, message };
      }
      const { links: references, language: stated, truncated: cut, ...page } = answer.content;
      const links = new LinkCollector(settings.db.maxOutlinkLength);
      for (const reference of references) links.add(reference);
      const { directives } = new RobotsReader(settings.http.agentName, headers['x-robots-tag']);
      const language = languageTag(stated) ?? languageTag(headers['content-language']);
      const outlinks = directives.nofollow ? [] : links.resolve(url);
      return {
        kind: 'success',
        ...page,
        outlinks,
        robots: directives,
        ...(language !== undefined && { language }),
        ...((truncated || cut || links.truncated) && { truncated: true }),
      };
    },
    close: () => reader.close(),
  };
}

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('unpdf');
    return true;
  } catch (error) {
    // Any other error is of a package that is there.
    return (error as { code?: unknown }).code !== 'MODULE_NOT_FOUND';
  }
}
