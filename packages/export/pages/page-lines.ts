import { type Settings, urlOf, type Field, type PageRow } from '../../core/index.js';
import { pageDump, type PageField } from './computed-fields.js';
import type { CountSkipped } from '../stated/page-view.js';
import { columnsOf } from './page-columns.js';
import type { LinkList } from './page-formats.js';

export interface PageLines {
  readonly reads: readonly Field[];
  readonly columns: readonly string[];
  /** Returns the lines of a row, as plain JSON. `count` is called for data that computed fields skip. */
  lines(row: PageRow<Field>, count?: CountSkipped): readonly Record<string, unknown>[];
}

const OTHER_END = { inlinks: 'source', outlinks: 'target' } as const satisfies Record<LinkList, string>;

/**
 * Prepares the lines of an export. Without `each` there is one line for each page, as `pageDump` writes it. With `each` there is one line
 * for each link of a list. Such a line has `url` and `status` of the page, `code` and `http` of the last fetch, the `anchor`, and the given
 * fields. The URL of the other end of the link is in `source` or `target`. A page without links in the list has no line.
 * @throws CrawlError as `pageDump`
 */
export async function pageLines(settings: Settings, fields: readonly PageField[], each?: LinkList): Promise<PageLines> {
  if (each === undefined) {
    const { reads, dump } = await pageDump(settings, fields);
    return { reads, columns: columnsOf(fields), lines: (row, count) => [dump(row, count)] };
  }
  const others = fields.filter((field) => field !== each && field !== 'status');
  const { reads, dump } = await pageDump(settings, others);
  const end = OTHER_END[each];
  return {
    reads: [...new Set([...reads, each, 'protocolStatus' as const])],
    columns: ['url', 'status', 'code', 'http', end, 'anchor', ...others, 'damaged'],
    lines(row, count) {
      const links = row[each] ?? [];
      if (links.length === 0) return [];
      const { key: _key, readableUrl: _readable, url: _url, status, ...rest } = dump(row, count);
      const { code, http } = row.protocolStatus ?? {};
      const page = { url: urlOf(row.key), status, code, http };
      return links.map(({ url, anchor }) => ({ ...page, [end]: url, anchor, ...rest }));
    },
  };
}
