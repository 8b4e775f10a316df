import { isRedirect, type Page } from '../../../webtable/index.js';

/** The fields that {@link shownText} reads. */
export const SHOWN_FIELDS = ['status', 'parseStatus'] as const;

/** What of the text of a page may be shown. */
export interface ShownText {
  /** Characters of a snippet at the most; undefined: as many as fit. */
  readonly snippet: number | undefined;
  /** Whether a copy of the whole text may be shown. */
  readonly copy: boolean;
}

/**
 * What of the text of a page may be shown. How far the page allows it is known of its last parse alone: where that is not there, or
 * failed, nothing may; nor of a page that is gone or leads elsewhere. One that cannot be fetched for a time is as it was.
 */
export function shownText({ status, parseStatus }: Partial<Pick<Page, (typeof SHOWN_FIELDS)[number]>>): ShownText {
  const isThere = status !== undefined && status !== 'gone' && !isRedirect(status);
  if (!isThere || parseStatus?.code !== 'success') return { snippet: 0, copy: false };
  const { noindex, noarchive, maxSnippet } = parseStatus;
  return { snippet: maxSnippet, copy: !noindex && !noarchive && maxSnippet === undefined };
}
