import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isElement } from '../elements.js';
import { isWithoutText } from './outline.js';

const MAX_DEPTH = 256;

/**
 * Limits the depth of a body. Elements deeper than {@link MAX_DEPTH} are put side by side at that depth, as browsers do at a limit of their
 * own. No text is lost.
 */
export function flattenDeep(body: Tree.Element): void {
  const stack = [{ element: body, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { element, depth } = top;
    if (depth + 1 === MAX_DEPTH) element.childNodes = sideBySide(element);
    else for (const child of element.childNodes) if (isElement(child)) stack.push({ element: child, depth: depth + 1 });
  }
}

/**
 * Returns the descendants of an element side by side: the elements with text and the empty elements. If another element interrupts the
 * text of an element, a copy of this element follows, with the rest of its text.
 */
function sideBySide(parent: Tree.Element): Tree.ChildNode[] {
  const nodes: Tree.ChildNode[] = [];
  const stack = parent.childNodes.toReversed();
  let copied: Tree.ParentNode | null = parent;
  let copy = parent;
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isElement(node) && isWithoutText(node.tagName)) node.childNodes = [];
    if (isElement(node) && node.childNodes.length > 0) {
      for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push(node.childNodes[i]!);
      continue;
    }
    const around: Tree.ParentNode | null = node.parentNode;
    if (around !== copied) {
      copied = around;
      copy =
        around === parent || !around || !isElement(around) ? parent : { ...around, childNodes: [], parentNode: parent };
      if (copy !== parent) nodes.push(copy);
    }
    (copy === parent ? nodes : copy.childNodes).push(node);
    node.parentNode = copy;
  }
  return nodes;
}
