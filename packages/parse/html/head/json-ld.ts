import type { JsonValue } from '../../../../webtable/index.js';
import { MAX_JSON_LD_BLOCKS, MAX_JSON_LD_DEPTH, MAX_JSON_LD_LENGTH, MAX_JSON_LD_NODES } from '../../shared/limits.js';

export type JsonLdNode = { readonly [property: string]: JsonValue };

/** Types of nodes that describe a page, the most specific first: types of its main subject, then types of pages. */
const KINDS: readonly RegExp[] = [
  /^(\w*(article|report|posting)|review|recipe|videoobject|podcastepisode|event|jobposting|product|howto|book|movie|dataset|course)$/i,
  /^(faqpage|qapage|profilepage|itempage|aboutpage|\w*webpage)$/i,
];

export function isJsonLd(type: string | undefined): boolean {
  return /^\s*application\/ld\+json\s*(?:;|$)/i.test(type ?? '');
}

export class JsonLd {
  /** The parsed blocks: objects and lists. */
  readonly blocks: JsonValue[] = [];
  /** Number of blocks that are not JSON, or no object and no list. */
  invalid = 0;
  /** Number of blocks that exceed a limit on the number, the length or the nesting of blocks. */
  overLimit = 0;
  #length = 0;

  /** @param texts the contents of the `script` elements. A block without content is ignored. */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.#add(text);
  }

  #add(text: string): void {
    if (text.trim() === '') return;
    this.#length += text.length;
    if (this.#length > MAX_JSON_LD_LENGTH || this.blocks.length >= MAX_JSON_LD_BLOCKS) {
      this.overLimit += 1;
      return;
    }
    const block = parseBlock(text);
    if (block === undefined) this.invalid += 1;
    else if (!isTame(block)) this.overLimit += 1;
    else this.blocks.push(block);
  }

  /** Returns the objects that describe the page: the outermost ones, those in `@graph`, and their `mainEntity`. */
  mainNodes(): JsonLdNode[] {
    const nodes: JsonLdNode[] = [];
    const waiting: JsonValue[] = [...this.blocks].reverse();
    const seen = new Set<JsonValue>();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next) || nodes.length >= MAX_JSON_LD_NODES) continue;
      seen.add(next);
      if (Array.isArray(next)) {
        for (let i = Math.min(next.length, MAX_JSON_LD_NODES) - 1; i >= 0; i--) waiting.push(next[i] as JsonValue);
      } else if (isJsonLdNode(next)) {
        nodes.push(next);
        for (const inner of [next.mainEntity, next['@graph']])
          if (inner !== undefined && inner !== null) waiting.push(inner);
      }
    }
    return nodes;
  }

  /** Returns {@link mainNodes} with the most specific first: articles and the like, then pages, then all others. */
  nodesByKind(): JsonLdNode[] {
    const rank = (node: JsonLdNode): number => {
      const at = KINDS.findIndex((kind) => jsonLdTypes(node).some((type) => kind.test(type)));
      return at === -1 ? KINDS.length : at;
    };
    const ranked = this.mainNodes().map((node) => ({ node, rank: rank(node) }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ node }) => node);
  }
}

/** The short names of the types of a node: `Product` also for `https://schema.org/Product`. */
export function jsonLdTypes(node: JsonLdNode): string[] {
  return jsonLdValues(node['@type']).flatMap((type) => (typeof type === 'string' ? [shortTypeName(type)] : []));
}

export function shortTypeName(type: string): string {
  return type.trim().replace(/^.*[/#:]/, '');
}

/** A value as a list. In JSON-LD, a single value means the same as a list with only this value. */
export function jsonLdValues(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

export function isJsonLdNode(value: JsonValue | undefined): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON as it occurs in pages. Some pages wrap it in a comment, and some have line breaks within strings. */
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
      // Try the next form of the string.
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
    if (next.depth > MAX_JSON_LD_DEPTH) return false;
    if (Object.hasOwn(next.value, '__proto__')) Reflect.deleteProperty(next.value, '__proto__');
    for (const inner of Object.values(next.value) as unknown[]) {
      if (typeof inner === 'object' && inner !== null) stack.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return true;
}
