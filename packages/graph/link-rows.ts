import type { Page, PageRow, Status } from '../core/index.js';

/** The data of a row that a graph needs. */
export interface LinkRow {
  readonly key: string;
  readonly status?: Status;
  /** The target of the redirect or refresh of the page. */
  readonly redirectTarget?: string;
  /** The canonical URL that the page names. */
  readonly canonical?: string;
  /** The URLs to which the page links. */
  readonly links: readonly string[];
}

export const LINK_FIELDS = ['status', 'redirectTarget', 'parseStatus', 'outlinks'] as const satisfies (keyof Page)[];

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
