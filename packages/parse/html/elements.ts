import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

/** The first element in document order for which `holds` returns true. */
export function first(root: Tree.ParentNode, holds: (element: Tree.Element) => boolean): Tree.Element | undefined {
  let found: Tree.Element | undefined;
  walk(root, (element) => {
    if (!found && holds(element)) found = element;
    return !found;
  });
  return found;
}

/** Visits elements in document order. `visit` returns whether to visit the children of the element. */
export function walk(root: Tree.ParentNode, visit: (element: Tree.Element) => boolean): void {
  const stack: Tree.Node[] = [...root.childNodes].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node) || !visit(node)) continue;
    for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
  }
}

/** Whether a node is an element. */
export function isElement(node: Tree.Node): node is Tree.Element {
  return 'tagName' in node;
}
