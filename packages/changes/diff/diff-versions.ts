import {
  parseContent,
  rowKeyOf,
  type ContentLocation,
  type CrawlContext,
  type StoredRecord,
} from '../../core/index.js';
import type { PageRecord } from '../read-changes.js';
import { diffTexts, type ChangeDiff } from './diff-texts.js';

/** Compares the versions before and after a change. */
export type Differ = (record: PageRecord) => Promise<ChangeDiff | undefined>;

/** Kinds of changes that affect the text of a page. */
const OF_TEXT: ReadonlySet<string> = new Set(['content', 'moved', 'back']);

/** The body of a version, with the header `Content-Type` of its answer. */
interface Version {
  readonly content: Uint8Array;
  readonly contentType: string;
}

/**
 * Makes a function that compares the main content before and after a change, from the bodies that the row keeps. It compares the same
 * blocks as the change log. The function returns undefined if the change does not affect the text.
 * @param maxMs maximum milliseconds for comparing two texts
 */
export function createDiffer(crawl: CrawlContext, maxMs?: number): Differ {
  const { pages, content } = crawl.tables;

  /** Returns the version that was fetched at this time. */
  async function versionOf(
    places: readonly ContentLocation[],
    url: string,
    date: number,
  ): Promise<Version | undefined> {
    const records = await content.records(places);
    const at = records.findIndex((record) => Date.parse(record?.headers.get('warc-date') ?? '') === date);
    const [place, record] = [places[at], records[at]];
    if (!place || !record) return undefined;
    const [found] = await content.read([place]);
    return found?.url === url ? { content: found.body, contentType: contentTypeOfRecord(record) } : undefined;
  }

  /** Returns the blocks that the change log compares, one for each line. */
  async function textOf(url: string, version: Version): Promise<string> {
    const headers = { 'content-type': version.contentType };
    const { outcome } = await parseContent(crawl, { url, ...version, headers, truncated: false });
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
    const row = await pages.get(rowKeyOf(url), ['contentAt', 'contentVersions']);
    if (!row) return { missing: 'the page is no longer in the table' };
    const places = [...(row.contentAt ? [row.contentAt] : []), ...(row.contentVersions ?? [])];
    const from = await versionOf(places, url, before.bodyAt);
    const to = await versionOf(places, url, after.bodyAt);
    if (!from || !to) {
      const { keepVersions } = crawl.settings.db;
      return {
        missing: `the version ${from ? 'after' : 'before'} the change is no longer stored: db.keepVersions is ${keepVersions}`,
      };
    }
    const texts = [await textOf(url, from), await textOf(url, to)] as const;
    if (texts.every((text) => text === '')) return { missing: 'the page has no main content as text' };
    return diffTexts(...texts, maxMs);
  };
}

/** Returns the value of the header `Content-Type` of the answer that a record holds. */
function contentTypeOfRecord({ headers, block }: StoredRecord): string {
  if (headers.get('warc-type') !== 'response') return headers.get('content-type') ?? '';
  const [head = ''] = Buffer.from(block.buffer, block.byteOffset, block.length).toString('latin1').split('\r\n\r\n', 1);
  return /^content-type:[ \t]*(.*)$/im.exec(head)?.[1] ?? '';
}
