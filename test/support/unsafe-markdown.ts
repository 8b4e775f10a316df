import { fromMarkdown } from 'mdast-util-from-markdown';

type Root = ReturnType<typeof fromMarkdown>;

/**
 * Reads Markdown as CommonMark without extensions. Returns its HTML other than `sup`, `sub` and `br`, and its URLs with a scheme other than
 * `http`, `https` and `mailto`.
 */
export function unsafeIn(markdown: string): string[] {
  const found: string[] = [];
  const waiting: (Root | Root['children'][number])[] = [fromMarkdown(markdown)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ('children' in node) waiting.push(...node.children);
    if (node.type === 'html' && !/^<\/?(sup|sub|br)>$/.test(node.value)) found.push(node.value);
    if ('url' in node && !/^(https?|mailto):/i.test(node.url)) found.push(node.url);
  }
  return found;
}
