import { rowKeyOf, type ContentLocation, type CrawlContext, type PageRow } from '../../core/index.js';
import { COMPUTED_FIELDS, pageView } from '../../export/index.js';
import type { PageRecord } from '../read-changes.js';
import { diffTexts, type ChangeDiff } from './diff-texts.js';

/** Kinds of changes that affect the text of a page. */
const OF_TEXT: ReadonlySet<string> = new Set(['content', 'moved', 'back']);
const FIELDS = ['contentAt', 'contentVersions', 'contentType', 'parseStatus'] as const;

/**
 * Makes a function that compares the main content before and after a change, from the bodies that the row keeps. The function returns
 * undefined if the change does not affect the text.
 */
export function createDiffer(crawl: CrawlContext): (record: PageRecord) => Promise<ChangeDiff | undefined> {
  const { pages, content } = crawl.tables;
  const textField = COMPUTED_FIELDS.mainText.load(crawl.settings);

  /** Returns the body of a row that was fetched at this time. */
  async function bodyOf(
    row: PageRow<(typeof FIELDS)[number]>,
    url: string,
    date: number,
  ): Promise<Uint8Array | undefined> {
    const places: ContentLocation[] = [...(row.contentAt ? [row.contentAt] : []), ...(row.contentVersions ?? [])];
    const records = await content.records(places);
    const at = records.findIndex((record) => Date.parse(record?.headers.get('warc-date') ?? '') === date);
    const place = places[at];
    const [found] = place ? await content.read([place]) : [];
    return found?.url === url ? found.body : undefined;
  }

  return async ({ url, kinds, before, after }) => {
    if (!before || !kinds.some((kind) => OF_TEXT.has(kind))) return undefined;
    if (before.bodyAt === undefined || after.bodyAt === undefined) return { missing: 'no body was stored' };
    const key = rowKeyOf(url);
    const row = await pages.get(key, FIELDS);
    if (!row) return { missing: 'the page is no longer in the table' };
    const bodies = [await bodyOf(row, url, before.bodyAt), await bodyOf(row, url, after.bodyAt)];
    const [from, to] = bodies;
    if (!from || !to) {
      const { keepVersions } = crawl.settings.db;
      return {
        missing: `the version ${from ? 'after' : 'before'} the change is no longer stored: db.keepVersions is ${keepVersions}`,
      };
    }
    const textOf = await textField;
    const { contentType, parseStatus } = row;
    const texts = [from, to].map((body) => {
      const version = { key, content: body, ...(contentType !== undefined && { contentType }) };
      return textOf(pageView({ ...version, ...(parseStatus && { parseStatus }) }, crawl.settings)) ?? '';
    });
    if (texts.every((text) => text === '')) return { missing: 'the page has no main content as text' };
    return diffTexts(texts[0]!, texts[1]!);
  };
}
