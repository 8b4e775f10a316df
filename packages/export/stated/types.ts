import { shortTypeName, jsonLdTypes } from '../../core/index.js';
import { mainItems } from './microdata.js';
import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';

/**
 * Whether JSON-LD or microdata of a page states one of these types. It looks at the outermost nodes and items, at the nodes in `@graph`,
 * and at the `mainEntity` of any of these.
 * @param types short names of schema.org in lower case
 */
export function isOfType(view: PageView, types: ReadonlySet<string>): boolean {
  const isWanted = (type: string): boolean => types.has(type.toLowerCase());
  const nodes = statedBy(view)?.jsonLd().mainNodes() ?? [];
  return (
    nodes.some((node) => jsonLdTypes(node).some(isWanted)) ||
    mainItems(view).some(({ type = [] }) => type.some((each) => isWanted(shortTypeName(each))))
  );
}
