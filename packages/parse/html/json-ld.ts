import { MAX_JSON_LD_LENGTH, MAX_JSON_LD_NODES } from '../shared/limits.js';

/** The properties to read from a JSON-LD node, and their names in the result. */
const FIELDS: readonly (readonly [property: string, name: string])[] = [
  ['@type', 'jsonld:type'],
  ['headline', 'jsonld:headline'],
  ['name', 'jsonld:name'],
  ['datePublished', 'jsonld:datepublished'],
  ['dateModified', 'jsonld:datemodified'],
  ['uploadDate', 'jsonld:uploaddate'],
];

/**
 * Returns the statements of a JSON-LD block on the page: type, headline, name and dates of the outermost nodes, including the nodes of
 * `@graph`. The result is empty if the block is not JSON or is too long.
 */
export function readJsonLd(text: string): [name: string, value: string][] {
  if (text.length > MAX_JSON_LD_LENGTH) return [];
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return [];
  }
  return outerNodes(data).flatMap((node) =>
    FIELDS.flatMap(([property, name]) => textOf(node[property]).map((value): [string, string] => [name, value])),
  );
}

function outerNodes(data: unknown): Record<string, unknown>[] {
  const nodes = list(data)
    .slice(0, MAX_JSON_LD_NODES)
    .flatMap((node) => (isRecord(node) ? [node, ...list(node['@graph']).slice(0, MAX_JSON_LD_NODES)] : []));
  return nodes.filter(isRecord).slice(0, MAX_JSON_LD_NODES);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** Returns the first text of a value; types and names may be lists. */
function textOf(value: unknown): string[] {
  const first = list(value)[0];
  return typeof first === 'string' && first.trim() !== '' ? [first] : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
