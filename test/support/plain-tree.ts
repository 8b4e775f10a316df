import { defaultTreeAdapter as adapter, parse, type DefaultTreeAdapterTypes } from 'parse5';

/** A tree as simple as can be: an element, or text. */
export type PlainNode = string | PlainElement;
export interface PlainElement {
  /** With `svg ` or `math ` before it where it is not of HTML. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: PlainNode[];
}

/** The tree that parse5 makes by itself. */
export function plainTree(html: string): PlainElement {
  const plain = (node: DefaultTreeAdapterTypes.ChildNode): PlainNode[] => {
    if (adapter.isTextNode(node)) return [node.value];
    if (!adapter.isElementNode(node)) return [];
    const prefix = node.namespaceURI.endsWith('svg') ? 'svg ' : node.namespaceURI.endsWith('MathML') ? 'math ' : '';
    const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
    return [{ name: prefix + node.tagName, attributes, children: node.childNodes.flatMap(plain) }];
  };
  const document = parse(html, { scriptingEnabled: false });
  return { name: '', attributes: {}, children: document.childNodes.flatMap(plain) };
}

/** The shortest way to the text and links of a tree: what the parser must find, whatever else it does. */
export function textAndLinks(root: PlainElement, url: string): { text: string; links: string[] } {
  const all = (node: PlainNode, within: boolean): PlainNode[] => {
    if (typeof node === 'string') return within ? [node] : [];
    const silent = /^(?:(?:svg |math )?(?:script|style|template|iframe|noembed|noframes))$/.test(node.name);
    return [node, ...node.children.flatMap((child) => (silent ? [] : all(child, within)))];
  };
  const nodes = all(root, true);
  const text = nodes
    .filter((node) => typeof node === 'string')
    .join('')
    .replace(/\s+/g, '');
  const elements = nodes.filter((node) => typeof node !== 'string');
  const first = elements.find(({ name, attributes }) => name === 'base' && 'href' in attributes);
  const base = first && resolved(first.attributes['href'] ?? '', url)?.href;
  const links = elements.flatMap(({ name, attributes }) => {
    const { href, src, rel = '' } = attributes;
    const reference = /^(?:(?:svg |math )?a|area)$/.test(name)
      ? href
      : /^i?frame$/.test(name)
        ? src?.trim() || undefined
        : undefined;
    const target = reference === undefined ? undefined : resolved(reference, base ?? url);
    return target && !/(?:^|\s)nofollow(?:$|\s)/i.test(rel) ? [target.href] : [];
  });
  return { text, links: [...new Set(links)] };
}

function resolved(reference: string, base: string): URL | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  url.hash = '';
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}
