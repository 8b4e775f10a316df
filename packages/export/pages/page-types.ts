import type { Settings } from '../../core/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { pageView } from '../stated/page-view.js';
import type { WhyNot } from './left-out.js';

/** An option of exports of pages: the types that JSON-LD or microdata of a page must state. */
export interface TypeSelection {
  /**
   * Short names of schema.org types, such as `Product`, in upper or lower case. A page is exported if a node or item that describes the
   * page has one of these types. The nodes and items that describe a page are the outermost ones, the nodes in `@graph`, and the
   * `mainEntity` of any of these. The export reads the bodies of all selected pages, because the types are stated there.
   */
  readonly type?: string | readonly string[];
}

/**
 * Returns the function that leaves out the rows of `leftOut`, and also pages of other types. The function reads {@link DOCUMENT_FIELDS} of
 * a row.
 * @param leftOut decides which rows are left out for other reasons
 * @throws CrawlError USAGE for a name that is not a type
 */
export async function withTypes(
  type: string | readonly string[],
  settings: Settings,
  leftOut: WhyNot | undefined,
): Promise<WhyNot> {
  const names = typeof type === 'string' ? [type] : type;
  const wrong = names.find((name) => !/^[a-z][\w-]*$/i.test(name));
  if (names.length === 0 || wrong !== undefined) {
    throw new CrawlError('USAGE', `expected names of types such as Product, found ${safeText(wrong ?? 'none', 80)}`, {
      hint: 'the short names of schema.org, without https://schema.org/',
    });
  }
  const { isOfType } = await import('../stated/types.js');
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return (row, count) => {
    const view = pageView(row, settings, count);
    return leftOut?.(row, count) ?? (view.within(() => isOfType(view, wanted)) ? undefined : 'other_type');
  };
}
