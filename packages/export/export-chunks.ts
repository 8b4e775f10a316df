import type { PageRow } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import type { CrawlContext, Report } from '../jobs/index.js';
import { splitMarkdown } from './markdown/split-markdown.js';
import { pageDump } from './pages/computed-fields.js';
import { withCounters } from './pages/kept-counters.js';
import { checkSelection, selectedRows, selectionIdentity, type ExportSelection } from './pages/selected-rows.js';
import { partOfShard } from './pages/shard-part.js';
import { SIZES, type ExportSizes } from './pages/sizes.js';
import { JSON_LINES_ENDINGS, writeText } from './pages/text-file.js';
import { runExport, type ExportOptions } from './target/run-export.js';
import { CHUNK_WORDS } from './pages/page-formats.js';

/** What {@link exportChunks} takes. */
export interface ExportChunksOptions extends ExportOptions, ExportSelection {
  /** Words of a chunk at the most; of scripts without spaces, characters. Default: 500. */
  readonly maxWords?: number;
}

/**
 * Exports the main content of pages of HTML as Markdown, in chunks by heading: JSON Lines, in key order, of `url`, `title`, `headings` (the
 * path, the outermost first), `text` and `position` (from 0 on within the page). Compressed where the name of the output ends in `.gz`.
 *
 * Counters: those of every export, whose rows are pages; chunks; no_markdown: pages without any; damaged, lost_body.
 * @throws CrawlError USAGE, BAD_URL for a selection that is wrong; USAGE for a `maxWords` below 1; MISSING_PACKAGE;
 *   BAD_OUTPUT, STORE_FULL
 */
export async function exportChunks(
  crawl: CrawlContext,
  options: ExportChunksOptions,
  sizes: ExportSizes = SIZES,
): Promise<Report> {
  const { maxWords = CHUNK_WORDS } = options;
  if (!(Number.isInteger(maxWords) && maxWords >= 1)) {
    throw new CrawlError('USAGE', `expected maxWords that is a whole number of at least 1, found ${String(maxWords)}`);
  }
  const ruled = await checkSelection(crawl, options);
  const { reads, dump } = await pageDump(crawl.settings, ['title', 'markdown']);
  const part = await partOfShard(crawl, options, { ending: '.jsonl' });
  const { output } = part;
  return runExport(
    crawl,
    'export chunks',
    { ...options, output },
    {
      kind: 'file',
      endings: JSON_LINES_ENDINGS,
      identity: { export: 'chunks', maxWords, selection: selectionIdentity(options), ...part.identity },
      total: options.limit,
    },
    (given, tracker) => {
      const target = withCounters(given, tracker);
      const record = (row: PageRow<never>): string => {
        const { url, title, markdown } = dump(row);
        if (typeof markdown !== 'string') {
          tracker.count('no_markdown');
          return '';
        }
        const chunks = splitMarkdown(markdown, maxWords);
        tracker.count('chunks', chunks.length);
        return chunks
          .map(({ headings, text }, position) => `${JSON.stringify({ url, title, headings, text, position })}\n`)
          .join('');
      };
      const rows = selectedRows(ruled, { ...options, ...part }, reads, target, tracker);
      return writeText(target, output, rows, { head: '', record }, { gzip: output.endsWith('.gz'), tracker, sizes });
    },
  );
}
