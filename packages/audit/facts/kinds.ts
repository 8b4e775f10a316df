/** The kinds of elements with links. A kind is stored as its index, so new kinds must be added at the end. */
export const LINK_KINDS = [
  'a',
  'area',
  'iframe',
  'frame',
  'form',
  'cite',
  'refresh',
  'img',
  'source',
  'poster',
  'media',
  'track',
  'object',
  'script',
  'stylesheet',
  'icon',
  'manifest',
  'preload',
] as const;

export type LinkKind = (typeof LINK_KINDS)[number];

const LAST_PAGE_LINK = LINK_KINDS.indexOf('refresh');

/** Whether links of this kind lead to a page. Other links load a resource of their own page. */
export function leadsToPage(kind: number): boolean {
  return kind <= LAST_PAGE_LINK;
}

/** Flags of `rel`. */
export const REL = { nofollow: 1, ugc: 2, sponsored: 4 } as const;
/** A flag of `rel`, in addition to {@link REL}: a page of https loads this by http. Browsers block it or warn of it. */
export const MIXED = 1 << 14;
/** A flag of `rel`, in addition to {@link REL}: the facts of the page name the link. The crawl may know more links of the page. */
export const IN_FACTS = 1 << 15;

const NOT_LOADED: ReadonlySet<number> = new Set(
  (['a', 'area', 'form', 'cite', 'refresh', 'icon', 'manifest', 'preload'] as const).map((kind) =>
    LINK_KINDS.indexOf(kind),
  ),
);

/** Whether a browser loads the target of such a link as a part of the page. */
export function isLoaded(kind: number): boolean {
  return !NOT_LOADED.has(kind);
}
