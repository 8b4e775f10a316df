import { JsonLd, type JsonValue } from '../../core/index.js';
import { headOf } from './head.js';
import type { PageView } from './page-view.js';

const read = new WeakMap<object, JsonLd>();

/** The JSON-LD of a page. Blocks that it skips are counted. */
export function jsonLdOf(view: PageView): JsonLd {
  const head = headOf(view);
  let jsonLd = head && read.get(head);
  if (jsonLd) return jsonLd;
  jsonLd = new JsonLd();
  for (const text of head?.jsonLd ?? []) jsonLd.add(text);
  for (let n = jsonLd.invalid + jsonLd.overLimit; n > 0; n--) view.count('broken_json_ld');
  if (head) read.set(head, jsonLd);
  return jsonLd;
}

/** The parsed JSON-LD blocks of a page. Undefined: the page has no such block. */
export function jsonLdBlocks(view: PageView): JsonValue[] | undefined {
  const { blocks } = jsonLdOf(view);
  return blocks.length === 0 ? undefined : blocks;
}
