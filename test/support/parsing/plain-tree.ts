import {
  defaultTreeAdapter as adapter,
  Parser,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type Token,
} from 'parse5';
import { tryParseUrl } from '../../../packages/url/index.js';

/** A very simple tree: an element, or text. */
export type PlainNode = string | PlainElement;
export interface PlainElement {
  /** With the prefix `svg ` or `math ` outside of HTML. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: PlainNode[];
  /** Whether it is part of a shadow tree. */
  readonly inShadow?: boolean;
}

/** parse5 with declarative shadow roots: the template is removed from the tree. */
class ShadowParser extends Parser<DefaultTreeAdapterMap> {
  readonly roots = new Map<unknown, DefaultTreeAdapterTypes.DocumentFragment>();

  override _insertTemplate(token: Token.TagToken): void {
    const host = this.openElements.current as DefaultTreeAdapterTypes.Element;
    super._insertTemplate(token);
    const mode = token.attrs.find(({ name }) => name === 'shadowrootmode')?.value.toLowerCase();
    const isHost =
      /^(?:article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span|[a-z]\w*-.*)$/.test(
        host.tagName,
      ) && host.namespaceURI.endsWith('xhtml');
    if ((mode !== 'open' && mode !== 'closed') || !isHost || this.roots.has(host)) return;
    const template = this.openElements.current as DefaultTreeAdapterTypes.Template;
    adapter.detachNode(template);
    this.roots.set(host, template.content);
  }
}

/** The flat tree by parse5: a shadow root replaces the content of its host, which is in the slots, or after them. */
export function plainTree(html: string): PlainElement {
  const parser = new ShadowParser({ scriptingEnabled: false });
  parser.tokenizer.write(html, true);
  const slotOf = (node: DefaultTreeAdapterTypes.ChildNode) =>
    adapter.isElementNode(node) ? (node.attrs.find(({ name }) => name === 'slot')?.value ?? '') : '';
  type Nodes = readonly DefaultTreeAdapterTypes.ChildNode[];
  type Fill = ((name: string) => PlainNode[]) | undefined;
  const plain = (node: DefaultTreeAdapterTypes.ChildNode, fill: Fill): PlainNode[] => {
    if (adapter.isTextNode(node)) return [node.value];
    if (!adapter.isElementNode(node)) return [];
    const prefix = node.namespaceURI.endsWith('svg') ? 'svg ' : node.namespaceURI.endsWith('MathML') ? 'math ' : '';
    const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
    const all = (nodes: Nodes, inside: Fill) => nodes.flatMap((child) => plain(child, inside));
    const root = parser.roots.get(node);
    const left = new Set(root ? node.childNodes.filter((child) => child.nodeName !== '#comment') : []);
    const own: Fill = (name) => {
      const nodes = [...left].filter((child) => slotOf(child) === name);
      for (const child of nodes) left.delete(child);
      return nodes.length > 0 ? [{ name: 'slotted', attributes: {}, children: all(nodes, fill) }] : [];
    };
    const slotted = prefix + node.tagName === 'slot' ? (fill?.(attributes['name'] ?? '') ?? []) : [];
    const children = root
      ? [...all(root.childNodes, own), ...[...left].flatMap((child) => plain(child, fill))]
      : slotted.length > 0
        ? slotted
        : all(node.childNodes, fill);
    return [{ name: prefix + node.tagName, attributes, children, ...(fill && { inShadow: true }) }];
  };
  const { childNodes } = parser.document;
  return { name: '', attributes: {}, children: childNodes.flatMap((node) => plain(node, undefined)) };
}

/**
 * A minimal implementation for the text and links of a tree, to compare the parser with.
 * @param depth number of `srcdoc` documents around this one
 */
export function textAndLinks(root: PlainElement, url: string, depth = 0): { text: string; links: string[] } {
  const all = (node: PlainNode): PlainNode[] => {
    if (typeof node === 'string') return [node];
    // Annotations of a formula are not visible.
    const shown = node.children.filter(
      (child, i) => i === 0 || typeof child === 'string' || !/^math annotation(?:-xml)?$/.test(child.name),
    );
    const silent = /^(?:(?:svg |math )?(?:script|style|template|iframe|noembed|noframes)|rp)$/.test(node.name);
    return [node, ...shown.flatMap((child) => (silent ? [] : all(child)))];
  };
  const nodes = all(root);
  const elements = nodes.filter((node) => typeof node !== 'string');
  const first = elements.find(({ name, attributes, inShadow }) => name === 'base' && 'href' in attributes && !inShadow);
  const base = (first && resolved(first.attributes['href'] ?? '', url)?.href) ?? url;
  const parts = nodes.map((node): { text: string; links: string[] } => {
    if (typeof node === 'string') return { text: node.replace(/\s+/g, ''), links: [] };
    const { href, src, srcdoc, rel = '' } = node.attributes;
    if (node.name === 'iframe' && srcdoc !== undefined) {
      const inner = plainTree(srcdoc);
      const { text, links } = depth < 3 ? textAndLinks(inner, base, depth + 1) : { text: '', links: [] };
      const robots = all(inner).map((each) => (typeof each === 'string' ? '' : robotsOf(each)));
      const says = (word: RegExp) => robots.some((content) => word.test(content));
      return { text: says(/\b(?:none|noindex)\b/i) ? '' : text, links: says(/\b(?:none|nofollow)\b/i) ? [] : links };
    }
    const reference = /^(?:(?:svg |math )?a|area)$/.test(node.name)
      ? href
      : /^i?frame$/.test(node.name)
        ? src?.trim() || undefined
        : undefined;
    const target = reference === undefined ? undefined : resolved(reference, base);
    return { text: '', links: target && !/(?:^|\s)nofollow(?:$|\s)/i.test(rel) ? [target.href] : [] };
  });
  return { text: parts.map(({ text }) => text).join(''), links: [...new Set(parts.flatMap(({ links }) => links))] };
}

function robotsOf({ name, attributes, inShadow }: PlainElement): string {
  const { content = '', name: named = attributes['property'] } = attributes;
  return name === 'meta' && !inShadow && named?.trim().toLowerCase() === 'robots' ? content : '';
}

function resolved(reference: string, base: string): URL | undefined {
  const url = tryParseUrl(reference, base);
  if (!url) return undefined;
  url.hash = '';
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}
