import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import {
  attribute,
  first,
  firstHeading,
  isJsonLdNode,
  jsonLdValues,
  textWithin,
  tokens,
  walkTree,
  type JsonLdNode,
  type JsonValue,
} from '../../core/index.js';
import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';
import { BEGINS_WITH_BY } from './words.js';

const MAX_AUTHORS = 20;
const MAX_NAME_CHARACTERS = 200;
const MAX_HEADING_LENGTH = 1000;
const AUTHOR_NAMES = [
  'author',
  'article:author',
  'citation_author',
  'dc.creator',
  'dcterms.creator',
  'dc.creator.personalname',
  'parsely-author',
  'sailthru.author',
  'byl',
  'og:article:author',
  'book:author',
  'twitter:creator_name',
] as const;

export function jsonLdOf(view: PageView): readonly JsonValue[] | undefined {
  const blocks = statedBy(view)?.jsonLd().blocks ?? [];
  return blocks.length === 0 ? undefined : blocks;
}

/**
 * Returns the names of the authors, each once. The first of these sources that has a name is used: JSON-LD, `meta` elements,
 * `itemprop=author`, `rel=author`. Undefined: no source has a name.
 */
export function authorsOf(view: PageView): string[] | undefined {
  const stated = statedBy(view);
  if (!stated) return undefined;
  for (const node of stated.jsonLd().nodesByKind()) {
    const found = cleanNames(namesOf(view, node.author ?? node.creator));
    if (found) return found;
  }
  for (const wanted of AUTHOR_NAMES) {
    const found = cleanNames(stated.head.metas.flatMap(({ name, content }) => (name === wanted ? [content] : [])));
    if (found) return found;
  }
  const marked: Tree.Element[] = [];
  const linked: Tree.Element[] = [];
  walkTree(view.document()!, {
    enter(element) {
      if (tokens(attribute(element, 'itemprop')).includes('author')) marked.push(element);
      else if (element.tagName === 'a' && tokens(attribute(element, 'rel')).includes('author')) linked.push(element);
      return marked.length + linked.length < MAX_AUTHORS || 'end';
    },
  });
  return (
    cleanNames(marked.map(markedName)) ?? cleanNames(linked.map((element) => textWithin(element, MAX_NAME_CHARACTERS)))
  );
}

/** Cleans up names. URLs and handles are dropped. Undefined: no name is left. */
function cleanNames(names: readonly string[]): string[] | undefined {
  const clean = names
    .map((name) => name.replace(BEGINS_WITH_BY, '').trim())
    .filter((name) => name !== '' && name.length <= MAX_NAME_CHARACTERS && !/^(https?:|www\.|@)|^\W+$/i.test(name));
  return clean.length === 0 ? undefined : [...new Set(clean)].slice(0, MAX_AUTHORS);
}

/** The author in an element with `itemprop=author`: the text of the element, or of an element with `itemprop=name` within it. */
function markedName(element: Tree.Element): string {
  const own = attribute(element, 'content');
  if (own !== undefined) return own;
  const name = first(element, (inner) => tokens(attribute(inner, 'itemprop')).includes('name'));
  return (name && attribute(name, 'content')) ?? textWithin(name ?? element, MAX_NAME_CHARACTERS + 1);
}

/** The absolute URL of the image that represents the page, from Open Graph, Twitter, JSON-LD or a `link` element. */
export function imageOf(view: PageView): string | undefined {
  const stated = statedBy(view);
  if (!stated) return undefined;
  const absolute = (url: string | undefined): string | undefined =>
    url === undefined ? undefined : stated.resolve(url);
  const named = stated.head.meta(
    'og:image:secure_url',
    'og:image',
    'og:image:url',
    'twitter:image',
    'twitter:image:src',
    'image',
    'thumbnail',
  );
  const found = absolute(named);
  if (found !== undefined) return found;
  for (const node of stated.jsonLd().nodesByKind()) {
    const image = absolute(urlIn(node.image) ?? urlIn(node.thumbnailUrl));
    if (image !== undefined) return image;
  }
  return absolute(stated.links.find(({ relations }) => relations.includes('image_src'))?.href);
}

function urlIn(value: JsonLdNode[string] | undefined): string | undefined {
  for (const each of jsonLdValues(value)) {
    const url = isJsonLdNode(each) ? (each.url ?? each.contentUrl) : each;
    if (typeof url === 'string' && url !== '') return url;
  }
  return undefined;
}

/** The name of the site of the page, from Open Graph, JSON-LD or `application-name`. */
export function siteNameOf(view: PageView): string | undefined {
  const stated = statedBy(view);
  if (!stated) return undefined;
  const named = stated.head.meta('og:site_name');
  if (named !== undefined) return named;
  const nodes = stated.jsonLd().nodesByKind();
  for (const node of nodes) {
    const [name] = namesOf(view, node.publisher ?? node.isPartOf);
    if (name !== undefined) return name;
  }
  for (const node of nodes) {
    if (jsonLdValues(node['@type']).includes('WebSite') && typeof node.name === 'string' && node.name !== '')
      return node.name;
  }
  return stated.head.meta('application-name', 'apple-mobile-web-app-title');
}

/** Returns the text of the first `h1` that has any. Undefined: the page has no such heading. */
export function firstHeadingOf(view: PageView): string | undefined {
  const document = view.document();
  return (document && firstHeading(document, MAX_HEADING_LENGTH)) || undefined;
}

/** Maximum number of nodes in a value, and of names of each node. */
const MAX_NAMES = 50;
const MAX_NODE_NAME_CHARACTERS = 1000;

/**
 * Returns the names in a value. A text is a name; a node has names in `name`. For a node with only an id, it returns the names of the node
 * with that id.
 */
function namesOf(view: PageView, value: JsonLdNode[string] | undefined): string[] {
  const names = some(value).flatMap((each): string[] => {
    if (typeof each === 'string') return [each];
    if (!isJsonLdNode(each)) return [];
    const named = each.name === undefined && typeof each['@id'] === 'string' ? nodesById(view).get(each['@id']) : each;
    return some(named?.name).flatMap((name) => (typeof name === 'string' ? [name] : []));
  });
  return names
    .map((name) => name.slice(0, MAX_NODE_NAME_CHARACTERS).replace(/\s+/g, ' ').trim())
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
