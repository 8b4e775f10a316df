import { html as spec, type DefaultTreeAdapterTypes as Tree } from 'parse5';

export interface Visitor {
  /** @returns whether to visit the content of the element; `end` ends the walk */
  enter(element: Tree.Element): boolean | 'end';
  leave?(element: Tree.Element): void;
  /** @returns `end` to end the walk */
  text?(value: string, node: Tree.TextNode): 'end' | void;
}

interface Open {
  readonly element: Tree.Element | undefined;
  readonly nodes: readonly Tree.ChildNode[];
  next: number;
}

/** Visits the elements and text nodes within a node in document order, at any depth. The content of a `template` is left out. */
export function walkTree(root: Tree.ParentNode, { enter, leave, text }: Visitor): void {
  const open: Open[] = [{ element: undefined, nodes: root.childNodes, next: 0 }];
  for (let top = open[0]; top; top = open[open.length - 1]) {
    const node = top.nodes[top.next++];
    if (node === undefined) {
      open.pop();
      if (top.element) leave?.(top.element);
    } else if (isElement(node)) {
      const goesIn = enter(node);
      if (goesIn === 'end') return;
      if (goesIn) open.push({ element: node, nodes: node.childNodes, next: 0 });
    } else if (text && node.nodeName === '#text' && text(node.value, node) === 'end') return;
  }
}

/** The first element in document order for which `holds` returns true. */
export function first(root: Tree.ParentNode, holds: (element: Tree.Element) => boolean): Tree.Element | undefined {
  let found: Tree.Element | undefined;
  walkTree(root, {
    enter(element) {
      if (!holds(element)) return true;
      found = element;
      return 'end';
    },
  });
  return found;
}

/** The text directly in an element, without the text of the elements in it. */
export function ownText({ childNodes }: Tree.ParentNode): string {
  return childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

export function isElement(node: Tree.Node): node is Tree.Element {
  return 'tagName' in node;
}

/** Whether an element is HTML, not SVG or MathML. */
export function isHtml({ namespaceURI }: Pick<Tree.Element, 'namespaceURI'>): boolean {
  return namespaceURI === spec.NS.HTML;
}

export function isMathMl({ namespaceURI }: Tree.Element): boolean {
  return namespaceURI === spec.NS.MATHML;
}
