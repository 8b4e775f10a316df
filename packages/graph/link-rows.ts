import type { Page, PageRow, Status } from '../../webtable/index.js';

/** What the graph goes by of a row. */
export interface LinkRow {
  /** The row key. */
  readonly key: string;
  readonly status?: Status;
  /** Where it redirects or refreshes to: a URL. */
  readonly redirectTarget?: string;
  /** The canonical URL that it names. */
  readonly canonical?: string;
  /** The URLs that it links to. */
  readonly links: readonly string[];
}

/** The fields of a page that {@link linkRowOf} reads. */
export const LINK_FIELDS = ['status', 'redirectTarget', 'parseStatus', 'outlinks'] as const satisfies (keyof Page)[];

/** What the graph goes by of a row of the table. */
export function linkRowOf({
  key,
  status,
  redirectTarget,
  parseStatus,
  outlinks = [],
}: PageRow<(typeof LINK_FIELDS)[number]>): LinkRow {
  const canonical = parseStatus?.canonical;
  return {
    key,
    ...(status !== undefined && { status }),
    ...(redirectTarget !== undefined && { redirectTarget }),
    ...(canonical !== undefined && { canonical }),
    links: outlinks.map(({ url }) => url),
  };
}
