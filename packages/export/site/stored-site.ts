import type { CrawlContext, PageRow } from '../../core/index.js';
import { explainContent, storedTemplate, type ContentExplanation } from '../../answers/index.js';
import type { Block } from '../markdown/blocks.js';
import { loadBlocks, readWithTemplate } from '../markdown/markdown-field.js';
import { DOCUMENT_FIELDS, pageView } from '../stated/page-view.js';

/**
 * For a look at a single page: reads the main content of a row by the stored template of its site, and says how. Learns no template.
 * Undefined: the row has no main content.
 */
export async function readByStoredSite(
  crawl: Pick<CrawlContext, 'tables' | 'settings'>,
  row: PageRow<'content' | 'contentType' | 'parseStatus'>,
): Promise<ContentExplanation | undefined> {
  const found = await storedTemplate(crawl, row.key);
  if (found) readWithTemplate(row, found.template);
  return explainContent(crawl, row, found);
}

/**
 * For a look at a single page: returns its main content, read by the stored template of its site. Empty: there is none, for example because
 * the page is not HTML, its body is not stored, or reading it takes longer than `parser.timeout`.
 */
export async function mainBlocks(
  crawl: Pick<CrawlContext, 'tables' | 'settings'>,
  rowKey: string,
): Promise<readonly Block[]> {
  const row = await crawl.tables.pages.get(rowKey, DOCUMENT_FIELDS);
  if (!row) return [];
  const found = await storedTemplate(crawl, row.key);
  if (found) readWithTemplate(row, found.template);
  const read = await loadBlocks(crawl.settings);
  const view = pageView(row, crawl.settings);
  return view.within(() => read(view)) ?? [];
}
