import type { CrawlContext, PageRow } from '../../core/index.js';
import { explainContent, storedTemplate, type ContentExplanation } from '../../answers/index.js';
import { readWithTemplate } from '../markdown/markdown-field.js';

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
