import type { HtmlDocument } from '../../../plugin-api/index.js';
import { walkTree } from '../elements.js';
import { TreeElement } from '../html-tree.js';
import { PageHead } from './page-head.js';

const heads = new WeakMap<HtmlDocument, PageHead>();
const READ: ReadonlySet<string> = new Set(['base', 'body', 'html', 'link', 'meta', 'noscript', 'script']);

/** Returns what the page of a tree states about itself, without robots directives. A tree is read once. */
export function headOf(document: HtmlDocument): PageHead {
  let head = heads.get(document);
  if (!head) heads.set(document, (head = readHead(document)));
  return head;
}

function readHead(document: HtmlDocument): PageHead {
  const head = new PageHead();
  let noscripts = 0;
  walkTree(document, {
    enter(node) {
      if (!READ.has(node.tagName)) return true;
      const element = new TreeElement(node);
      if (element.tagName === 'noscript') noscripts++;
      else if (element.isHtml) head.read(element, noscripts > 0);
      return true;
    },
    leave({ tagName }) {
      if (tagName === 'noscript') noscripts--;
    },
  });
  return head;
}
