import type { Block, Inline } from '../../export/index.js';
import { html, markup, type Html, type Piece } from '../http/html.js';
import { outLink } from './untrusted.js';

/** The elements for content that is written as it is, by the type of its node. */
const ELEMENTS = {
  inlineCode: 'code',
  inlineMath: 'code',
  strong: 'strong',
  emphasis: 'em',
  delete: 'del',
  sup: 'sup',
  sub: 'sub',
} as const;
type Name = (typeof ELEMENTS)[keyof typeof ELEMENTS] | 'p' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | 'td' | 'th' | 'tr';

function element(name: Name, content: Piece): Html {
  return html`${markup(`<${name}>`)}${content}${markup(`</${name}>`)}`;
}

/**
 * Shows the main content of a page. Text and URLs are escaped, links lead only to web addresses, and images are shown by their description,
 * so nothing is loaded from the site.
 * @param most maximum number of characters, URLs included
 */
export function shownBlocks(blocks: readonly Block[], most: number) {
  let left = most;
  let lastLevel = 1;
  const all = <T>(nodes: readonly T[], show: (node: T) => Piece): Piece => nodes.map((node) => left > 0 && show(node));
  const line = (nodes: readonly Inline[]): Piece => all(nodes, inline);

  function take(text: string): string {
    const taken = text.slice(0, Math.max(0, left));
    left -= text.length;
    return taken;
  }

  function inline(node: Inline): Piece {
    if (node.type === 'text') return take(node.value);
    if (node.type === 'break') return html`<br />`;
    if (node.type === 'image') return node.alt !== '' && html`<span class="quiet">[${take(node.alt)}]</span>`;
    if ('value' in node) return element(ELEMENTS[node.type], take(node.value));
    if (node.type !== 'link') return element(ELEMENTS[node.type], line(node.children));
    left -= node.url!.length;
    return outLink(node.url!, html`${line(node.children)}`);
  }

  function block(node: Block): Piece {
    switch (node.type) {
      case 'paragraph':
        return element('p', line(node.children));
      case 'heading':
        // A level that is left out would mislead screen readers.
        lastLevel = Math.min(node.depth + 1, lastLevel + 1, 6);
        return element(`h${lastLevel as 2 | 3 | 4 | 5 | 6}`, line(node.children));
      case 'list': {
        const items = all(node.children, ({ checked, children }) => {
          const [only, ...others] = children;
          const isLine = only?.type === 'paragraph' && others.length === 0;
          const box = checked !== undefined && (checked ? '☑ ' : '☐ ');
          return html`<li>${box}${isLine ? line(only.children) : all(children, block)}</li>`;
        });
        return node.ordered
          ? html`<ol start="${node.start ?? 1}">
              ${items}
            </ol>`
          : html`<ul>
              ${items}
            </ul>`;
      }
      case 'blockquote':
        return html`<blockquote>${all(node.children, block)}</blockquote>`;
      case 'code':
      case 'math':
        return html`<pre>${element('code', take(node.value))}</pre>`;
      case 'table':
        return html`<div class="scroll" tabindex="0">
          <table>
            ${all(node.children, (row) => {
              const name = row === node.children[0] ? 'th' : 'td';
              return element(
                'tr',
                all(row.children, (cell) => element(name, line(cell.children))),
              );
            })}
          </table>
        </div>`;
      case 'thematicBreak':
        return html`<hr />`;
    }
  }

  const shown = all(blocks, block);
  return { shown, isCut: left < 0 };
}
