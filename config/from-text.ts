import type { LeafType } from './leaves.js';

/**
 * Text from the environment or the command line as the type of a setting: a decimal number, `true`/`false`/`1`/`0`, a
 * list by commas, a JSON object. Text that is none of the type comes back as it is, for the schema to reject.
 */
export function fromText(type: LeafType, text: string): unknown {
  const word = text.trim();
  if (type.type === 'array') return word === '' ? [] : word.split(',').map((item) => item.trim());
  if (type.type === 'object') return word === '' ? {} : (parseJson(word) ?? text);
  if (type.type === 'boolean') return new Map<string, boolean>(BOOLEANS).get(word.toLowerCase()) ?? text;
  const numeric = type.anyOf ?? [type];
  if (!numeric.some(({ type }) => type === 'number' || type === 'integer')) return text;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const BOOLEANS = [
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
] as const;
