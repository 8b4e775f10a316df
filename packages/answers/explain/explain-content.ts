import {
  contentKind,
  TEMPLATE_RULE,
  unpackTemplate,
  urlOf,
  type CrawlContext,
  type PageKind,
  type PageRow,
  type SiteTemplate,
} from '../../core/index.js';

/** How the main content of a page is found, and why. */
export interface ContentExplanation {
  /**
   * `marked`: the page names a generator of manuals. `manual`: its site is a manual. `articles`: pages of its layout are articles.
   * `unknown`: its site is neither. `alone`: the page is read by itself, because its site has no template, or the page is not like its site.
   */
  readonly kind: PageKind;
  /** Whether the page is read as part of a manual. */
  readonly isManual: boolean;
  /** The site whose stored template applies. Absent: there is none. */
  readonly site?: {
    /** The start of the URLs of its pages. */
    readonly url: string;
    /** How often the template has changed. */
    readonly number: number;
    /** When the template was learned, in ms since the epoch. */
    readonly learnedAt: number;
    /** Number of pages from which the template was learned. */
    readonly pages: number;
    /** Number of these pages that are read as part of a manual, each by itself or by its share of code. */
    readonly manuals: number;
  };
}

type Crawl = Pick<CrawlContext, 'tables' | 'settings'>;

/** Returns the stored template that applies to a page; undefined if there is none, or without `parser.siteContent`. */
export async function storedTemplate(
  { tables, settings }: Crawl,
  rowKey: string,
): Promise<{ readonly template: SiteTemplate; readonly site: NonNullable<ContentExplanation['site']> } | undefined> {
  const found = settings.parser.siteContent ? await tables.siteTemplates.ofPage(rowKey) : undefined;
  if (found?.stored.rule !== TEMPLATE_RULE) return undefined;
  const template = unpackTemplate(found.stored.template);
  if (!template) return undefined;
  const { number, learnedAt } = found.stored;
  const { pages, manuals } = template;
  return { template, site: { url: urlOf(found.name), number, learnedAt, pages, manuals } };
}

/** Explains how the main content of a row is found by a stored template. Undefined: the row has no main content. */
export function explainContent(
  { settings }: Pick<CrawlContext, 'settings'>,
  row: PageRow<'content' | 'contentType' | 'parseStatus'>,
  found: Awaited<ReturnType<typeof storedTemplate>>,
): ContentExplanation | undefined {
  const { key, content, contentType = 'text/html', parseStatus } = row;
  if (content === undefined) return undefined;
  const input = { url: urlOf(key), content, contentType, charset: parseStatus?.charset };
  const kind = contentKind(input, settings, found?.template);
  return kind && { ...kind, ...(found && { site: found.site }) };
}
