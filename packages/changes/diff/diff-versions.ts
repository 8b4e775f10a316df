import { parseContent, rowKeyOf, storedVersion, type CrawlContext, type StoredVersion } from '../../core/index.js';
import type { PageRecord } from '../read-changes.js';
import { diffTexts, type ChangeDiff } from './diff-texts.js';

export type Differ = (record: PageRecord) => Promise<ChangeDiff | undefined>;

/** Kinds of changes that affect the text of a page. */
const OF_TEXT: ReadonlySet<string> = new Set(['content', 'reordered', 'back']);

/**
 * Makes a function that compares the main content before and after a change, from the bodies that the row keeps. It compares the same
 * blocks as the change log. The function returns undefined if the change does not affect the text.
 * @param maxMs maximum milliseconds for comparing two texts
 */
export function createDiffer(crawl: CrawlContext, maxMs?: number): Differ {
  async function textOf(version: StoredVersion): Promise<string> {
    const { outcome } = await parseContent(crawl, version);
    if (outcome.kind === 'failed') return '';
    const { text, contentBlocks = [0, text.length] } = outcome;
    const blocks: string[] = [];
    for (let i = 0; i + 1 < contentBlocks.length; i += 2) {
      const block = text.slice(contentBlocks[i], contentBlocks[i + 1]).trim();
      if (block !== '') blocks.push(block);
    }
    return blocks.join('\n');
  }

  return async ({ url, kinds, before, after }) => {
    if (!before || !kinds.some((kind) => OF_TEXT.has(kind))) return undefined;
    if (before.bodyAt === undefined || after.bodyAt === undefined) return { missing: 'no body was stored' };
    const row = await crawl.tables.pages.get(rowKeyOf(url), ['contentLocation', 'contentVersions']);
    if (!row) return { missing: 'the page is no longer in the table' };
    const from = await storedVersion(crawl, row, (fetchedAt) => fetchedAt === before.bodyAt);
    const to = await storedVersion(crawl, row, (fetchedAt) => fetchedAt === after.bodyAt);
    if (!from || !to) {
      const { keepVersions } = crawl.settings.db;
      return {
        missing: `the version ${from ? 'after' : 'before'} the change is no longer stored: db.keepVersions is ${keepVersions}`,
      };
    }
    const texts = [await textOf(from), await textOf(to)] as const;
    if (texts.every((text) => text === '')) return { missing: 'the page has no main content as text' };
    return diffTexts(...texts, maxMs);
  };
}
