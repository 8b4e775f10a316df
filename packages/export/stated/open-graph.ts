import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';

/** The vocabularies of Open Graph, by the prefixes of their properties. */
const PREFIX = /^(og|article|product|book|profile|music|video):[\w:.-]+$/;

/** The Open Graph properties of a page, by name in lower case. A repeated property has a list of values. */
export type OpenGraph = Readonly<Record<string, string | readonly string[]>>;

export function openGraphOf(view: PageView): OpenGraph | undefined {
  const values = new Map<string, string[]>();
  for (const { name, content } of statedBy(view)?.head.metas ?? []) {
    if (!PREFIX.test(name)) continue;
    const before = values.get(name);
    if (before) before.push(content);
    else values.set(name, [content]);
  }
  if (values.size === 0) return undefined;
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : all]));
}
