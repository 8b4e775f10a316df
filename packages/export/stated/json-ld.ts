import type { JsonValue } from '../../core/index.js';
import { headOf } from './head.js';
import type { PageView } from './page-view.js';

/** An object of JSON-LD. */
export type JsonLdNode = { readonly [property: string]: JsonValue };

/** Maximum number of characters in all blocks of a page together. */
const MOST_CHARACTERS = 1_000_000;
/** Maximum nesting of objects and lists in a block. */
const DEEPEST = 40;
/** The maximum number of nodes of a page that are searched. */
const MOST_NODES = 1000;

const parsed = new WeakMap<object, JsonValue[]>();

/**
 * The parsed JSON-LD blocks of a page. A block is skipped and counted if it is not JSON, if it is nested more than 40 deep, or if all
 * blocks up to this one have more than a million characters. Undefined: the page has no such block.
 */
export function jsonLdBlocks(view: PageView): JsonValue[] | undefined {
  const head = headOf(view);
  if (!head) return undefined;
  let blocks = parsed.get(head);
  if (!blocks) parsed.set(head, (blocks = readBlocks(head.jsonLd, view)));
  return blocks.length === 0 ? undefined : blocks;
}

/** The objects that describe the page: the outermost ones, those in `@graph`, and their `mainEntity`. */
export function mainNodes(view: PageView): JsonLdNode[] {
  const nodes: JsonLdNode[] = [];
  const waiting: JsonValue[] = [...(jsonLdBlocks(view) ?? [])].reverse();
  const seen = new Set<JsonValue>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next) || nodes.length >= MOST_NODES) continue;
    seen.add(next);
    if (Array.isArray(next)) {
      for (let i = Math.min(next.length, MOST_NODES) - 1; i >= 0; i--) waiting.push(next[i] as JsonValue);
    } else if (isNode(next)) {
      nodes.push(next);
      for (const inner of [next.mainEntity, next['@graph']])
        if (inner !== undefined && inner !== null) waiting.push(inner);
    }
  }
  return nodes;
}

/** The short names of the types of a node: `Product` also for `https://schema.org/Product`. */
export function typesOf(node: JsonLdNode): string[] {
  return list(node['@type']).flatMap((type) => (typeof type === 'string' ? [shortName(type)] : []));
}

/** The last part of the name of a type. */
export function shortName(type: string): string {
  return type.trim().replace(/^.*[/#:]/, '');
}

/** A value as a list. In JSON-LD, a single value means the same as a list with only this value. */
export function list(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** Whether a value is an object. */
export function isNode(value: JsonValue | undefined): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readBlocks(texts: readonly string[], { count }: PageView): JsonValue[] {
  const blocks: JsonValue[] = [];
  let characters = 0;
  for (const text of texts) {
    if (text.trim() === '') continue;
    characters += text.length;
    const block = characters > MOST_CHARACTERS ? undefined : parseBlock(text);
    if (block === undefined || !isTame(block)) count('broken_json_ld');
    else blocks.push(block);
  }
  return blocks;
}

/** Parses JSON as it occurs in pages. Some pages wrap it in a comment, and some have line breaks within texts. */
function parseBlock(text: string): JsonValue | undefined {
  const bare = text.replace(
    /^\s*(?:\/[/*]\s*)?<!(?:--|\[CDATA\[)(?:\s*\*\/)?|(?:\/[/*]\s*)?(?:-->|\]\]>)(?:\s*\*\/)?\s*$/g,
    '',
  );
  for (const attempt of [bare, bare.replace(/[\u0000-\u001f]+/g, ' ')]) {
    try {
      const value = JSON.parse(attempt) as JsonValue;
      return typeof value === 'object' && value !== null ? value : undefined;
    } catch {
      // Try the next form of the text.
    }
  }
  return undefined;
}

/**
 * Returns true if the nesting of a value is within the limit. It also removes keys that would change the prototype of an object into which
 * the value is copied.
 */
function isTame(value: JsonValue): boolean {
  const stack: { readonly value: object; readonly depth: number }[] = [{ value: value as object, depth: 1 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (next.depth > DEEPEST) return false;
    if (Object.hasOwn(next.value, '__proto__')) Reflect.deleteProperty(next.value, '__proto__');
    for (const inner of Object.values(next.value) as unknown[]) {
      if (typeof inner === 'object' && inner !== null) stack.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return true;
}
