import { isRedirect, type Page } from '../../core/index.js';

export const SHOWN_FIELDS = ['status', 'parseStatus'] as const;

export const COPY_FIELDS = ['text', 'marks', ...SHOWN_FIELDS] as const;

interface ShownText {
  /** Maximum number of characters of a snippet. Undefined: the page sets no limit. */
  readonly snippet: number | undefined;
  readonly copy: boolean;
}

/**
 * Returns how much of the text of a page may be shown. What a page allows is known only from the last parse of the page. Nothing may be
 * shown if the page was not parsed, if the last parse failed, if the page is gone, or if it redirects. A temporary failure to fetch a page
 * changes nothing.
 */
export function shownText({ status, parseStatus }: Partial<Pick<Page, (typeof SHOWN_FIELDS)[number]>>): ShownText {
  const isThere = status !== undefined && status !== 'gone' && !isRedirect(status);
  if (!isThere || parseStatus?.code !== 'success') return { snippet: 0, copy: false };
  const { noindex, noarchive, maxSnippet } = parseStatus;
  return { snippet: maxSnippet, copy: !noindex && !noarchive && maxSnippet === undefined };
}

/**
 * Whether a copy of the text of a page may be shown: the page is in the index, and its last parse allows a copy. `serve` offers a link to a
 * copy only in this case.
 */
export function hasCopy(page: Partial<Pick<Page, (typeof COPY_FIELDS)[number]>>): boolean {
  return page.text !== undefined && page.marks?.index !== undefined && shownText(page).copy;
}
