import { createHash } from 'node:crypto';
import type { PageRow, Status, JobContext, Report } from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import { loadBlocks } from './markdown/markdown-field.js';
import { splitBlocks } from './markdown/split-blocks.js';
import { loadMarkdown } from './markdown/write-markdown.js';
import { pageDump } from './pages/computed-fields.js';
import { leftOutOf, type PresentSelection } from './pages/left-out.js';
import { checkSelection, selectedRows, aboutSelection, type ExportSelection } from './pages/selected-rows.js';
import { JSON_LINES_ENDINGS, writeText } from './pages/text-file.js';
import { writeWithSites } from './site/sites.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import { CHUNK_WORDS } from './pages/page-formats.js';
import { DOCUMENT_FIELDS, pageView } from './stated/page-view.js';

/** Options of {@link exportChunks}. */
export interface ExportChunksOptions extends ExportOptions, ExportSelection, PresentSelection {
  /** Maximum number of words in a chunk. In scripts without spaces, each character counts as a word. Default: 500. */
  readonly maxWords?: number;
}

/** A chunk in its written form. Fields that the page does not have are absent. Times are ms since the epoch. */
export interface Chunk {
  /**
   * 32 hex digits that are computed from the URL and the text. The id is the same in every export, and does not depend on the position in
   * the page. If the same text occurs several times in a page, each occurrence has a different id.
   */
  readonly id: string;
  readonly url: string;
  readonly title?: string;
  readonly status: Status;
  readonly language?: string;
  readonly fetchedAt?: number;
  readonly modifiedAt?: number;
  /** The headings above the chunk, the outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** SHA-256 of the text, in hex. Equal texts have equal digests, even on different pages. */
  readonly digest: string;
  /** Number of the chunk within the page, from 0 on. */
  readonly position: number;
}

const CHUNK_FIELDS = ['status', 'title', 'language', 'fetchedAt', 'modifiedAt'] as const;

/**
 * Exports the main content of HTML pages as Markdown, in chunks by heading. The output is JSON Lines with one {@link Chunk} on each line,
 * in key order. The output is compressed if its name ends in `.gz`. By default it exports pages that exist, have no `noindex` and are no
 * duplicates; `all` or the selection may include others.
 *
 * Counters: those of every export, where `rows` counts pages; chunks; no_markdown (pages without Markdown); field_over_limit (pages that
 * need too much work); sites_learned, sites_changed (sites whose template was learned, or is of another kind than before); damaged (rows
 * that cannot be read in full); lost_body (rows whose body is lost); not_there, noindex and duplicate (rows that were left out).
 * @throws CrawlError USAGE, BAD_URL for a wrong selection; USAGE for a `maxWords` below 1; MISSING_PACKAGE; BAD_OUTPUT, STORE_FULL
 */
export async function exportChunks(crawl: JobContext, options: ExportChunksOptions): Promise<Report> {
  const { maxWords = CHUNK_WORDS } = options;
  if (!(Number.isInteger(maxWords) && maxWords >= 1)) {
    throw new CrawlError('USAGE', `expected maxWords that is a whole number of at least 1, found ${String(maxWords)}`);
  }
  const rules = await checkSelection(crawl, options);
  const [{ reads, dump }, write, blocksOf] = await Promise.all([
    pageDump(crawl.settings, CHUNK_FIELDS),
    loadMarkdown(),
    loadBlocks(crawl.settings),
  ]);
  const { output } = options;
  return runExport(
    crawl,
    'export chunks',
    options,
    {
      kind: 'file',
      endings: JSON_LINES_ENDINGS,
      about: { export: 'chunks', maxWords, selection: aboutSelection(crawl, options) },
      total: options.limit,
    },
    (target, tracker, began) => {
      const record = (row: PageRow<never>): string => {
        const { url, title, status, language, fetchedAt, modifiedAt } = dump(row);
        const view = pageView(row, crawl.settings, tracker.count);
        const chunks = view.within(() => splitBlocks(blocksOf(view), maxWords, write)) ?? [];
        if (chunks.length === 0) {
          tracker.count('no_markdown');
          return '';
        }
        tracker.count('chunks', chunks.length);
        const named = namedChunks(String(url), chunks);
        const page = { url, title, status, language, fetchedAt, modifiedAt };
        return named.map(({ id, ...chunk }) => `${JSON.stringify({ id, ...page, ...chunk })}\n`).join('');
      };
      return writeWithSites(crawl, true, { tracker, began }, (sites) => {
        const rows = selectedRows(
          crawl,
          rules,
          { ...options, leftOut: leftOutOf(options), sites },
          [...reads, ...DOCUMENT_FIELDS],
          tracker,
        );
        return writeText(target, output, rows, { head: '', record }, tracker);
      });
    },
  );
}

function namedChunks(
  url: string,
  chunks: readonly Pick<Chunk, 'headings' | 'text'>[],
): Pick<Chunk, 'id' | 'headings' | 'text' | 'digest' | 'position'>[] {
  const repeated = new Map<string, number>();
  return chunks.map(({ headings, text }, position) => {
    const digest = sha256(text);
    const before = repeated.get(digest) ?? 0;
    repeated.set(digest, before + 1);
    return { id: sha256(JSON.stringify([url, digest, before])).slice(0, 32), headings, text, digest, position };
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
