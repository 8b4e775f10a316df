import { isNode, list, mainNodes, typesOf, type JsonLdNode } from './json-ld.js';
import type { PageView } from './page-view.js';

/** Types of nodes that describe a page, the most specific first: types of its main subject, then types of pages. */
const KINDS: readonly RegExp[] = [
  /^(\w*(article|report|posting)|review|recipe|videoobject|podcastepisode|event|jobposting|product|howto|book|movie|dataset|course)$/i,
  /^(faqpage|qapage|profilepage|itempage|aboutpage|\w*webpage)$/i,
];

/** The JSON-LD nodes that describe the page, the most specific first: articles and the like, then pages, then all others. */
export function nodesByKind(view: PageView): readonly JsonLdNode[] {
  const nodes = mainNodes(view);
  const rank = (node: JsonLdNode): number => {
    const at = KINDS.findIndex((kind) => typesOf(node).some((type) => kind.test(type)));
    return at === -1 ? KINDS.length : at;
  };
  const ranked = nodes.map((node) => ({ node, rank: rank(node) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ node }) => node);
}

/** Maximum number of nodes in a value, and of names of each node. */
const MOST_NAMES = 50;
/** Maximum number of characters in a name. */
const LONGEST_NAME = 1000;

/**
 * Returns the names in a value. A text is a name; a node has names in `name`. For a node with only an id, it returns the names of the node
 * with that id.
 */
export function namesOf(view: PageView, value: JsonLdNode[string] | undefined): string[] {
  const names = some(value).flatMap((each): string[] => {
    if (typeof each === 'string') return [each];
    if (!isNode(each)) return [];
    const named = each.name === undefined && typeof each['@id'] === 'string' ? nodesById(view).get(each['@id']) : each;
    return some(named?.name).flatMap((name) => (typeof name === 'string' ? [name] : []));
  });
  return names.map((name) => name.slice(0, LONGEST_NAME).replace(/\s+/g, ' ').trim()).filter((name) => name !== '');
}

function some(value: JsonLdNode[string] | undefined): ReturnType<typeof list> {
  return list(value).slice(0, MOST_NAMES);
}

const byId = new WeakMap<PageView, ReadonlyMap<string, JsonLdNode>>();

/** Returns, for each id, the first node that has a name. */
function nodesById(view: PageView): ReadonlyMap<string, JsonLdNode> {
  let nodes = byId.get(view);
  if (!nodes) {
    const named = mainNodes(view)
      .filter((node) => node.name !== undefined)
      .reverse();
    nodes = new Map(named.flatMap((node) => (typeof node['@id'] === 'string' ? [[node['@id'], node]] : [])));
    byId.set(view, nodes);
  }
  return nodes;
}
