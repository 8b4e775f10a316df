import { isJsonLdNode, jsonLdValues, type JsonLdNode } from '../../core/index.js';
import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';

/** Maximum number of nodes in a value, and of names of each node. */
const MAX_NAMES = 50;
const MAX_NAME_CHARACTERS = 1000;

/**
 * Returns the names in a value. A text is a name; a node has names in `name`. For a node with only an id, it returns the names of the node
 * with that id.
 */
export function namesOf(view: PageView, value: JsonLdNode[string] | undefined): string[] {
  const names = some(value).flatMap((each): string[] => {
    if (typeof each === 'string') return [each];
    if (!isJsonLdNode(each)) return [];
    const named = each.name === undefined && typeof each['@id'] === 'string' ? nodesById(view).get(each['@id']) : each;
    return some(named?.name).flatMap((name) => (typeof name === 'string' ? [name] : []));
  });
  return names
    .map((name) => name.slice(0, MAX_NAME_CHARACTERS).replace(/\s+/g, ' ').trim())
    .filter((name) => name !== '');
}

function some(value: JsonLdNode[string] | undefined): ReturnType<typeof jsonLdValues> {
  return jsonLdValues(value).slice(0, MAX_NAMES);
}

const byId = new WeakMap<PageView, ReadonlyMap<string, JsonLdNode>>();

/** Returns, for each id, the first node that has a name. */
function nodesById(view: PageView): ReadonlyMap<string, JsonLdNode> {
  let nodes = byId.get(view);
  if (!nodes) {
    const named = (statedBy(view)?.jsonLd().mainNodes() ?? []).filter((node) => node.name !== undefined).reverse();
    nodes = new Map(named.flatMap((node) => (typeof node['@id'] === 'string' ? [[node['@id'], node]] : [])));
    byId.set(view, nodes);
  }
  return nodes;
}
